//! Runs a plan: stage after stage, step after step, closed loop.

use std::{
    collections::BTreeMap,
    io,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use metrics_core::{
    Ended, Event, Facts, Fault, FaultKind, Happening, Micros, Outcome, Record, SuccessRule, classify,
};
use sse_client::{Clock, Connect, Pool, SendOptions, Session};
use tokio::{sync::oneshot, task::JoinSet};
use workload_model::{Plan, Recording, SampleSet, Schedule, Slot, opening};

use crate::{
    bodies::{Bodies, bodies},
    facts::{Lengths, facts_of, failure_body},
    health,
    io_threads::IoThreads,
    request_id::request_id,
    sampler::{self, Sampler},
    service::{Service, timeouts},
    sink::{EvidenceLost, RunEvent, Sink},
    stop::{Stop, StopCause},
};

/// What is to be done: a checked plan, and what follows from it.
#[derive(Debug, Clone)]
pub struct Job {
    /// The plan, as frozen.
    pub plan: Arc<Plan>,
    /// What it sends.
    pub samples: Arc<SampleSet>,
    /// In which order.
    pub schedule: Arc<Schedule>,
    /// The service's words when it refused `stream_options` at the preflight.
    pub usage_refused: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunEnd {
    /// Why it ended before its plan was done; `None` where the plan was done.
    pub stopped: Option<StopCause>,
}

/// Runs a job against a target. Everything that happens goes to `sink`; every slot of the schedule ends as exactly
/// one settled request there, those never sent included, whatever stops the run.
///
/// # Errors
/// [`EvidenceLost`] when the sink's reader is gone: nothing further is sent then, and requests under way are
/// cancelled.
///
/// # Panics
/// Where the schedule names a sample that the job does not have. [`Plan::check_samples`] says whether plan and samples
/// fit; a schedule made of both then fits as well.
pub async fn run<C: Connect>(
    job: &Job,
    service: &Service<C>,
    clock: Arc<dyn Clock>,
    threads: &IoThreads,
    stop: &Arc<Stop>,
    sink: Sink,
) -> Result<RunEnd, EvidenceLost> {
    let shared = Arc::new(Shared {
        rules: job.plan.rules(),
        bodies: bodies(job),
        plan: Arc::clone(&job.plan),
        service: service.clone(),
        clock,
        stop: Arc::clone(stop),
        sink,
        sampler: Sampler::start(),
        pool: Pool::new(job.plan.client.streams_per_connection as usize),
    });
    let (finish, finished) = oneshot::channel::<()>();
    let finished = async {
        let _ = finished.await;
    };
    let work = async {
        let worked = steps(&shared, job, threads).await;
        let _ = finish.send(());
        worked
    };
    let watched = async {
        let (worked, sampled) = tokio::join!(work, sampler::every_second(&shared, threads, finished));
        worked.and(sampled)
    };
    let ended = tokio::select! {
        ended = watched => ended,
        never = beside(&shared) => match never {},
    };
    ended?;
    let stopped = stop.cause();
    if let Some(cause) = stopped {
        shared.happened(Happening::Stopped { by: cause.as_str().to_owned() }).await?;
    }
    shared.happened(Happening::RunEnded).await?;
    Ok(RunEnd { stopped })
}

/// What goes on beside the requests, for as long as they go on.
async fn beside<C: Connect>(shared: &Shared<C>) -> std::convert::Infallible {
    let bounds = async {
        shared.stop.watch_bounds().await;
        std::future::pending::<std::convert::Infallible>().await
    };
    tokio::select! {
        never = bounds => never,
        never = health::watch(shared) => never,
    }
}

/// What every request in flight shares.
pub(crate) struct Shared<C> {
    rules: BTreeMap<String, SuccessRule>,
    bodies: Bodies,
    pub(crate) plan: Arc<Plan>,
    pub(crate) service: Service<C>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stop: Arc<Stop>,
    pub(crate) sink: Sink,
    pub(crate) sampler: Sampler,
    /// No connection is shared in it; the pools of threads and steps lie beside it, and learn from each other.
    pool: Pool,
}

impl<C> Shared<C> {
    /// The one way to the evidence: whatever is lost on it ends the run.
    pub(crate) async fn tell(&self, event: RunEvent) -> Result<(), EvidenceLost> {
        let told = self.sink.send(event).await;
        if told.is_err() {
            self.stop.now(StopCause::EvidenceLost);
        }
        told
    }

    pub(crate) async fn happened(&self, what: Happening) -> Result<(), EvidenceLost> {
        let at = Micros(self.clock.now_us());
        self.tell(RunEvent::Happened(Event { at, what })).await
    }

    /// Samples what was, and goes on to a stage and tier; to neither when all is done.
    async fn enter(&self, threads: &IoThreads, step: Option<(&str, u32)>) -> Result<(), EvidenceLost> {
        let sampled = self.sample(threads).await;
        self.sampler.enter(step.map(|(stage, _)| stage), step.map(|(_, tier)| tier));
        sampled
    }
}

impl<C: Connect> Shared<C> {
    /// A client of the service that shares connections with nobody.
    pub(crate) fn session(&self) -> Session<C> {
        let http = self.plan.client.http;
        self.service.session(&self.clock, &self.plan.timeouts, http).sharing(self.pool.beside())
    }
}

async fn steps<C: Connect>(
    shared: &Arc<Shared<C>>,
    job: &Job,
    threads: &IoThreads,
) -> Result<(), EvidenceLost> {
    if let Some(message) = &job.usage_refused {
        shared.happened(Happening::UsageRefused { message: message.clone() }).await?;
    }
    health::tell_start_time(shared, health::WITHIN).await?;
    let mut told_now = true;
    let mut begin = 0;
    // Threads of a stage end when they have been sampled for the last time.
    let mut ending = None;
    // The schedule alone says what is sent, and as which tier.
    for of_stage in job.schedule.slots.chunk_by(|one, other| one.stage == other.stage) {
        let name = || of_stage[0].stage.to_string();
        let way = way(shared, &of_stage[0].stage);
        let wider = way.io_threads.map(|count| threads.widened(count)).transpose();
        shared.happened(Happening::StageStarted { stage: name() }).await?;
        for of_step in of_stage.chunk_by(|one, other| one.tier == other.tier) {
            let (tier, planned) = (of_step[0].tier.unwrap_or(1), of_step.len() as u64);
            shared.enter(threads, Some((&of_step[0].stage, tier))).await?;
            drop(ending.take());
            shared.happened(Happening::TierStarted { stage: name(), tier, planned }).await?;
            let slots = begin..begin + of_step.len();
            begin = slots.end;
            let step = async {
                match &wider {
                    Ok(wider) => {
                        let threads = wider.as_ref().unwrap_or(threads);
                        step(shared, threads, tier, way.recording, &job.schedule, slots).await
                    }
                    Err(error) => never_sent(shared, of_step, error).await,
                }
            };
            if std::mem::take(&mut told_now) {
                step.await?
            } else {
                beside_start_time(shared, step).await?
            }
            shared.happened(Happening::TierEnded { stage: name(), tier }).await?;
        }
        shared.happened(Happening::StageEnded { stage: name() }).await?;
        ending = wider.ok().flatten();
    }
    shared.enter(threads, None).await?;
    drop(ending);
    health::tell_start_time(shared, health::WITHIN).await
}

/// What is different in a stage.
#[derive(Debug, Clone, Copy, Default)]
struct Way {
    io_threads: Option<u32>,
    recording: Recording,
}

/// A stage that the plan does not know runs as all others.
fn way<C>(shared: &Shared<C>, stage: &str) -> Way {
    let known = shared.plan.stage.iter().find(|known| known.name == stage);
    known.map(|stage| Way { io_threads: stage.io_threads, recording: stage.recording }).unwrap_or_default()
}

/// Settles slots for which the system gave no thread.
async fn never_sent<C>(shared: &Shared<C>, slots: &[Slot], error: &io::Error) -> Result<(), EvidenceLost> {
    for slot in slots {
        let fault = Fault { kind: FaultKind::Stopped, message: format!("start a thread: {error}") };
        let due = Micros(shared.clock.now_us());
        let record =
            Box::new(record_of(slot, Facts { error: Some(fault), ..shared.asked(slot).not_sent(due) }));
        shared.tell(RunEvent::Settled { record, body: None }).await?;
    }
    Ok(())
}

/// Asks for the start time while a step runs. The step waits for nothing: where it ends first, the question is dropped.
async fn beside_start_time<C: Connect>(
    shared: &Shared<C>,
    step: impl Future<Output = Result<(), EvidenceLost>>,
) -> Result<(), EvidenceLost> {
    let mut step = std::pin::pin!(step);
    tokio::select! {
        // Requests are begun first.
        biased;
        ended = &mut step => return ended,
        // Evidence that is lost here ends the step as well, by the stop that follows from it.
        _ = health::tell_start_time(shared, health::QUICKLY) => {}
    }
    step.await
}

/// Keeps exactly `concurrency` requests in flight until every slot has had its turn.
async fn step<C: Connect>(
    shared: &Arc<Shared<C>>,
    threads: &IoThreads,
    concurrency: u32,
    recording: Recording,
    schedule: &Arc<Schedule>,
    slots: Range<usize>,
) -> Result<(), EvidenceLost> {
    let next = Arc::new(AtomicUsize::new(slots.start));
    let in_flight = slots.len().min(concurrency as usize);
    // Connections are shared by those of one thread, and by nobody of another step: every step connects anew.
    let pools: Vec<Pool> = (0..threads.count()).map(|_| shared.pool.beside()).collect();
    let mut tasks = JoinSet::new();
    for place in 0..in_flight {
        let pool = pools[place % pools.len()].clone();
        let turns = Turns { schedule: Arc::clone(schedule), end: slots.end, next: Arc::clone(&next) };
        let turns = take_turns(Arc::clone(shared), turns, recording, pool);
        tasks.spawn_on(turns, threads.of_slot(place));
    }
    let mut worst = Ok(());
    while let Some(ended) = tasks.join_next().await {
        // A panic inside a request is a defect of this crate; it must not pass for a quiet end of the step.
        let ended = ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        worst = worst.and(ended);
    }
    worst
}

/// The slots that are still to be sent in a step.
struct Turns {
    schedule: Arc<Schedule>,
    end: usize,
    next: Arc<AtomicUsize>,
}

impl Turns {
    fn next(&self) -> Option<&Slot> {
        self.schedule.slots[..self.end].get(self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// One place in the loop: sends the next slot as soon as the one before has ended.
async fn take_turns<C: Connect>(
    shared: Arc<Shared<C>>,
    turns: Turns,
    recording: Recording,
    pool: Pool,
) -> Result<(), EvidenceLost> {
    let mut session = shared.session().sharing(pool).counted_in(Arc::clone(&shared.sampler.connections));
    let mut free_since = shared.clock.now_us();
    while let Some(slot) = turns.next() {
        let due = Micros(free_since);
        let (facts, body) = if shared.stop.begin() {
            let mut exchange = exchange(&shared, &mut session, slot, recording).await;
            // The place is free when the answer has ended. What is read away after it, so that the connection can
            // serve again, is part of what the next request waits for.
            free_since = exchange.end.unwrap_or_else(|| shared.clock.now_us());
            let mut facts = facts_of(&mut exchange, due, shared.asked(slot), recording);
            if facts.ended == Ended::Cancelled && facts.error.is_none() {
                facts.error = shared.stop.cause().map(fault_of);
            }
            let outcome = shared.outcome(slot, &facts);
            shared.stop.settled(outcome == Outcome::Effective, &facts);
            (facts, failure_body(&exchange, outcome))
        } else {
            (shared.asked(slot).not_sent(due), None)
        };
        let record = Box::new(record_of(slot, facts));
        shared.tell(RunEvent::Settled { record, body }).await?;
    }
    Ok(())
}

impl<C> Shared<C> {
    fn asked(&self, slot: &Slot) -> Lengths {
        self.bodies[&*slot.sample].asked
    }

    fn outcome(&self, slot: &Slot, facts: &Facts) -> Outcome {
        self.rules
            .get(&*slot.group)
            .map_or_else(|| classify(facts, &SuccessRule::default()), |rule| classify(facts, rule))
    }
}

async fn exchange<C: Connect>(
    shared: &Shared<C>,
    session: &mut Session<C>,
    slot: &Slot,
    recording: Recording,
) -> sse_client::Exchange {
    let body = shared.bodies[&*slot.sample].template.body(&opening(&shared.plan.samples.nonce, slot.opening));
    let cancel = shared.stop.cancelled();
    let mut request_id = request_id;
    let mut options = SendOptions::new(&mut request_id);
    options.timeouts = timeouts(&shared.plan.timeouts);
    options.cancel = Some(&cancel);
    options.live_tokens = Some(&shared.stop.token_events);
    options.head_limit = usize::try_from(shared.plan.client.max_head_bytes).unwrap_or(usize::MAX);
    options.event_limit = usize::try_from(shared.plan.client.max_event_bytes).unwrap_or(usize::MAX);
    options.body_limit = shared.plan.client.max_body_bytes;
    options.recording = match recording {
        Recording::Full => sse_client::Recording::Full,
        Recording::Reduced => sse_client::Recording::Reduced,
    };
    session.chat(Bytes::from(body), options).await
}

/// Why the client gave up a request of its own accord.
fn fault_of(cause: StopCause) -> Fault {
    Fault { kind: FaultKind::Stopped, message: format!("the run was stopped by {}", cause.as_str()) }
}

fn record_of(slot: &Slot, facts: Facts) -> Record {
    Record {
        seq: slot.seq,
        stage: slot.stage.to_string(),
        tier: slot.tier,
        group: slot.group.to_string(),
        sample: slot.sample.to_string(),
        attempt: 0,
        turn: slot.turn.map(|turn| turn.number),
        origin: Some(slot.origin),
        facts,
    }
}
