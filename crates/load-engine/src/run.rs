//! Runs a plan: stage after stage, step after step.

use std::{collections::BTreeMap, io, sync::Arc};

use metrics_core::{Event, Facts, Fault, FaultKind, Happening, Micros, SuccessRule};
use sse_client::{Clock, Connect, Pool, Session};
use tokio::sync::oneshot;
use workload_model::{Plan, Recording, SampleSet, Schedule, Slot};

use crate::{
    bodies::{Bodies, Ready, bodies},
    enough::most_in_flight,
    facts::Lengths,
    health, host,
    io_threads::IoThreads,
    lane::{Retries, record_of},
    sampler::{self, Sampler},
    service::Service,
    sink::{EvidenceLost, RunEvent, Sink},
    step::step,
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
        retries: Retries::of(&job.plan),
        in_flight: stop.in_flight.unwrap_or_else(|| most_in_flight(&job.plan, &host::room())),
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
    pub(crate) rules: BTreeMap<String, SuccessRule>,
    pub(crate) retries: BTreeMap<String, Retries>,
    /// Most requests in flight in an open loop.
    pub(crate) in_flight: u64,
    bodies: Bodies,
    pub(crate) plan: Arc<Plan>,
    pub(crate) service: Service<C>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stop: Arc<Stop>,
    pub(crate) sink: Sink,
    pub(crate) sampler: Sampler,
    /// No connection is shared in it; the pools of threads and steps lie beside it, and learn from each other.
    pub(crate) pool: Pool,
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
    async fn enter(
        &self,
        threads: &IoThreads,
        stage: Option<&str>,
        tier: Option<u32>,
    ) -> Result<(), EvidenceLost> {
        let sampled = self.sample(threads).await;
        self.sampler.enter(stage, tier);
        sampled
    }

    /// What was made of a slot's sample.
    pub(crate) fn ready(&self, slot: &Slot) -> &Ready {
        &self.bodies[&*slot.sample]
    }

    pub(crate) fn asked(&self, slot: &Slot) -> Lengths {
        self.ready(slot).asked
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
            let (tier, planned) = (of_step[0].tier, of_step.len() as u64);
            shared.enter(threads, Some(&of_step[0].stage), tier).await?;
            drop(ending.take());
            if let Some(tier) = tier {
                shared.happened(Happening::TierStarted { stage: name(), tier, planned }).await?;
            }
            let slots = begin..begin + of_step.len();
            begin = slots.end;
            let step = async {
                match &wider {
                    Ok(wider) => {
                        let threads = wider.as_ref().unwrap_or(threads);
                        step(shared, threads, way.recording, &job.schedule, slots).await
                    }
                    Err(error) => never_sent(shared, of_step, error).await,
                }
            };
            if std::mem::take(&mut told_now) {
                step.await?
            } else {
                beside_start_time(shared, step).await?
            }
            if let Some(tier) = tier {
                shared.happened(Happening::TierEnded { stage: name(), tier }).await?;
            }
        }
        shared.happened(Happening::StageEnded { stage: name() }).await?;
        ending = wider.ok().flatten();
    }
    shared.enter(threads, None, None).await?;
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
            Box::new(record_of(slot, 0, Facts { error: Some(fault), ..shared.asked(slot).not_sent(due) }));
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
