//! Runs a plan: stage after stage, step after step, closed loop.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use metrics_core::{Ended, Event, Facts, Fault, FaultKind, Happening, Micros, Outcome, Record, SuccessRule, classify};
use sse_client::{Clock, Connect, SendOptions, Session};
use tokio::{sync::oneshot, task::JoinSet};
use workload_model::{Plan, SampleSet, Schedule, Slot, opening};

use crate::{
    facts::{failure_body, facts_of},
    health,
    io_threads::IoThreads,
    request_id::request_id,
    sampler::{self, Position},
    sink::{EvidenceLost, RunEvent, Sink},
    service::{Service, timeouts},
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
/// [`EvidenceLost`] when the sink's reader is gone: nothing further is sent then.
pub async fn run<C: Connect>(
    job: &Job,
    service: &Service<C>,
    clock: Arc<dyn Clock>,
    threads: &IoThreads,
    stop: &Arc<Stop>,
    sink: Sink,
) -> Result<RunEnd, EvidenceLost> {
    let position = Arc::new(Position::default());
    let shared = Arc::new(Shared {
        rules: job.plan.rules(),
        plan: Arc::clone(&job.plan),
        samples: Arc::clone(&job.samples),
        service: service.clone(),
        clock: Arc::clone(&clock),
        stop: Arc::clone(stop),
        sink: sink.clone(),
        position: Arc::clone(&position),
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
        let (worked, sampled) =
            tokio::join!(work, sampler::sample(&*clock, threads, &position, &sink, finished));
        worked.and(sampled)
    };
    let ended = tokio::select! {
        ended = watched => ended,
        never = beside(&shared) => match never {},
    };
    if ended.is_err() {
        stop.now(StopCause::EvidenceLost);
    }
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
    rules: std::collections::BTreeMap<String, SuccessRule>,
    plan: Arc<Plan>,
    samples: Arc<SampleSet>,
    pub(crate) service: Service<C>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stop: Arc<Stop>,
    sink: Sink,
    position: Arc<Position>,
}

impl<C> Shared<C> {
    pub(crate) async fn happened(&self, what: Happening) -> Result<(), EvidenceLost> {
        let at = Micros(self.clock.now_us());
        let told = self.sink.send(RunEvent::Happened(Event { at, what })).await;
        if told.is_err() {
            self.stop.now(StopCause::EvidenceLost);
        }
        told
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
    health::tell_start_time(shared).await?;
    let mut slots = job.schedule.slots.as_slice();
    for stage in &job.plan.stage {
        let name = || stage.name.clone();
        shared.happened(Happening::StageStarted { stage: name() }).await?;
        for (tier, requests) in stage.steps() {
            let (of_step, rest) = slots.split_at(usize::try_from(requests).map_or(slots.len(), |n| n.min(slots.len())));
            slots = rest;
            shared.position.enter(Some(&stage.name), Some(tier));
            shared.happened(Happening::TierStarted { stage: name(), tier, planned: requests }).await?;
            step(shared, threads, tier, of_step.into()).await?;
            shared.happened(Happening::TierEnded { stage: name(), tier }).await?;
        }
        shared.happened(Happening::StageEnded { stage: name() }).await?;
    }
    health::tell_start_time(shared).await
}

/// Keeps exactly `concurrency` requests in flight until every slot has had its turn.
async fn step<C: Connect>(
    shared: &Arc<Shared<C>>,
    threads: &IoThreads,
    concurrency: u32,
    slots: Arc<[Slot]>,
) -> Result<(), EvidenceLost> {
    let next = Arc::new(AtomicUsize::new(0));
    let in_flight = slots.len().min(concurrency as usize);
    let mut tasks = JoinSet::new();
    for place in 0..in_flight {
        let turns = take_turns(Arc::clone(shared), Arc::clone(&slots), Arc::clone(&next));
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

/// One place in the loop: sends the next slot as soon as the one before has ended.
async fn take_turns<C: Connect>(
    shared: Arc<Shared<C>>,
    slots: Arc<[Slot]>,
    next: Arc<AtomicUsize>,
) -> Result<(), EvidenceLost> {
    let mut session = shared.service.session(&shared.clock);
    shared.position.connections.fetch_add(1, Ordering::Relaxed);
    let mut free_since = shared.clock.now_us();
    let mut worst = Ok(());
    while let Some(slot) = slots.get(next.fetch_add(1, Ordering::Relaxed)) {
        let due = Micros(free_since);
        let (facts, body) = if shared.stop.begin() {
            let exchange = exchange(&shared, &mut session, slot).await;
            free_since = shared.clock.now_us();
            let mut facts = facts_of(&exchange, due);
            if facts.ended == Ended::Cancelled {
                facts.error = shared.stop.cause().map(fault_of);
            }
            let outcome = shared.outcome(slot, &facts);
            shared.stop.settled(outcome == Outcome::Effective, &facts);
            (facts, failure_body(exchange, outcome))
        } else {
            (Facts { due, ..Facts::default() }, None)
        };
        let record = Box::new(record_of(slot, facts));
        if shared.sink.send(RunEvent::Settled { record, body }).await.is_err() {
            shared.stop.now(StopCause::EvidenceLost);
            worst = Err(EvidenceLost);
            break;
        }
    }
    shared.position.connections.fetch_sub(1, Ordering::Relaxed);
    worst
}

impl<C> Shared<C> {
    fn outcome(&self, slot: &Slot, facts: &Facts) -> Outcome {
        self.rules
            .get(&slot.group)
            .map_or_else(|| classify(facts, &SuccessRule::default()), |rule| classify(facts, rule))
    }
}

async fn exchange<C: Connect>(
    shared: &Shared<C>,
    session: &mut Session<C>,
    slot: &Slot,
) -> sse_client::Exchange {
    let sample = shared.samples.get(&slot.sample).expect("a schedule names samples of its own set");
    let opening = opening(&shared.plan.samples.nonce, slot.seq);
    let body = sample.body(&shared.plan.target.model, &shared.plan.request, &opening);
    let cancel = shared.stop.cancelled();
    let mut request_id = request_id;
    let mut options = SendOptions::new(&mut request_id);
    options.timeouts = timeouts(&shared.plan.timeouts);
    options.cancel = Some(&cancel);
    options.live_tokens = Some(&shared.stop.token_events);
    session.chat(Bytes::from(body), options).await
}

/// Why the client gave up a request of its own accord.
fn fault_of(cause: StopCause) -> Fault {
    Fault { kind: FaultKind::Stopped, message: format!("the run was stopped by {}", cause.as_str()) }
}

fn record_of(slot: &Slot, facts: Facts) -> Record {
    Record {
        seq: slot.seq,
        stage: slot.stage.clone(),
        tier: slot.tier,
        group: slot.group.clone(),
        sample: slot.sample.clone(),
        attempt: 0,
        facts,
    }
}
