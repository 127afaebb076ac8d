//! One step: the closed loop, in which a request is due when its place is free, and the open one, in which it is due when
//! the schedule says.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use sse_client::{Connect, Pool};
use tokio::task::{JoinError, JoinSet};
use workload_model::{Recording, Schedule};

use crate::{
    io_threads::IoThreads,
    lane::Lane,
    run::Shared,
    sessions::{Room, Sessions},
    sink::EvidenceLost,
    timer::Timer,
    turns::Turns,
};

/// Runs the slots of a step to their ends.
pub(crate) async fn step<C: Connect>(
    shared: &Arc<Shared<C>>,
    threads: &IoThreads,
    recording: Recording,
    schedule: &Arc<Schedule>,
    slots: Range<usize>,
) -> Result<(), EvidenceLost> {
    let Some(first) = schedule.slots.get(slots.start) else { return Ok(()) };
    let is_open = first.due_us.is_some();
    let places = first.tier.unwrap_or(1) as usize;
    let turns = Arc::new(Turns::of(schedule, slots));
    // Connections are shared by those of one thread, and by nobody of another step: every step connects anew.
    let pools: Vec<Pool> = (0..threads.count()).map(|_| shared.pool.beside()).collect();
    let timer = |thread| Timer::start(threads.of_slot(thread), &shared.clock, threads.own());
    let timers: Vec<Arc<Timer>> = (0..threads.count()).map(|thread| Arc::new(timer(thread))).collect();
    let lane = |thread: usize, room: &Arc<Room>| Lane {
        shared: Arc::clone(shared),
        turns: Arc::clone(&turns),
        timer: Arc::clone(&timers[thread]),
        sessions: Sessions::new(pools[thread].clone(), Arc::clone(room)),
        recording,
    };
    let mut tasks = JoinSet::new();
    if is_open {
        let (begun, room) = (shared.clock.now_us(), Room::of(shared.in_flight));
        for thread in 0..threads.count() {
            let share = Share { begun, first: thread, every: threads.count() };
            tasks.spawn_on(send_as_due(Arc::new(lane(thread, &room)), share), threads.of_slot(thread));
        }
    } else {
        let (next, room) = (Arc::default(), Room::of(u64::MAX));
        for place in 0..turns.begin().len().min(places) {
            let lane = lane(place % threads.count(), &room);
            tasks.spawn_on(hold_place(lane, Arc::clone(&next)), threads.of_slot(place));
        }
    }
    let mut worst = Ok(());
    while let Some(ended) = tasks.join_next().await {
        worst = worst.and(result_of(ended));
    }
    worst
}

/// A panic inside a request is a defect of this crate; it must not pass for a quiet end of the step.
fn result_of<T>(ended: Result<T, JoinError>) -> T {
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// One place in the closed loop: begins what is next as soon as what it had before has ended, and its pause is over.
async fn hold_place<C: Connect>(lane: Lane<C>, next: Arc<AtomicUsize>) -> Result<(), EvidenceLost> {
    let mut free_since = None;
    let begin = |turns: &Turns| turns.begin().get(next.fetch_add(1, Ordering::Relaxed)).copied();
    while let Some(at) = begin(&lane.turns) {
        let pause = lane.turns.slot(at).pause_us;
        let due = free_since.map_or_else(|| lane.now(), |since: u64| since.saturating_add(pause));
        free_since = Some(lane.converse(at, due).await?);
    }
    Ok(())
}

/// Which part of an open loop a thread has.
#[derive(Debug, Clone, Copy)]
struct Share {
    /// When the step began.
    begun: u64,
    /// The first of those that begin something.
    first: usize,
    /// How many threads share them.
    every: usize,
}

/// One thread of the open loop: sends each request when it is due, whatever became of those before.
async fn send_as_due<C: Connect>(lane: Arc<Lane<C>>, share: Share) -> Result<(), EvidenceLost> {
    let turns = Arc::clone(&lane.turns);
    let mut under_way = JoinSet::<Result<u64, EvidenceLost>>::new();
    let mut worst = Ok(());
    for at in turns.begin().iter().skip(share.first).step_by(share.every).copied() {
        let due = share.begun.saturating_add(turns.slot(at).due_us.unwrap_or(0));
        let mut reached = std::pin::pin!(lane.reached(due));
        let reached = loop {
            tokio::select! {
                biased;
                reached = &mut reached => break reached,
                Some(ended) = under_way.join_next() => worst = worst.and(result_of(ended).map(drop)),
            }
        };
        if reached {
            let lane = Arc::clone(&lane);
            under_way.spawn(async move { lane.converse(at, due).await });
            // Where many are due at once, the first of them is sent before the last is begun.
            tokio::task::yield_now().await;
        } else {
            worst = worst.and(lane.converse(at, due).await.map(drop));
        }
    }
    while let Some(ended) = under_way.join_next().await {
        worst = worst.and(result_of(ended).map(drop));
    }
    worst
}
