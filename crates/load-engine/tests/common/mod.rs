//! A simulated service in memory, and a run against it on a paused clock.
#![allow(dead_code, reason = "every test file uses its own part")]

use std::sync::Arc;

use inference_sim::scripted::{Log, Step, play};
use inference_sim::{Sim, SimConfig};
use load_engine::{EvidenceLost, IoThreads, Job, RunEnd, RunEvent, Service, Sink, Spent, Stop, run};
use metrics_core::{ClientSample, Event, Outcome, Record, SuccessRule, classify};
use sse_client::{Clock, Connect, ConnectError, Endpoint, RuntimeClock};
use tokio::io::DuplexStream;
use workload_model::{Bounds, Plan, Schedule, builtin, standard_warm_up, sweep_plan};

/// Connects to a simulated service in memory.
pub(crate) struct InMemory {
    pub(crate) sim: Sim,
}

impl Connect for InMemory {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        let (client, server) = tokio::io::duplex(64 << 10);
        let sim = self.sim.clone();
        tokio::spawn(async move { sim.serve_connection(server).await });
        Ok(client)
    }
}

pub(crate) fn service(config: SimConfig) -> (Service<InMemory>, Sim) {
    let sim = Sim::new(config);
    let service = at(InMemory { sim: sim.clone() });
    (Service { health_path: Some("/health".into()), ..service }, sim)
}

/// Plays one script in memory on every connection.
pub(crate) struct Scripted {
    pub(crate) script: Vec<Step>,
    pub(crate) log: Log,
}

impl Connect for Scripted {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        let (client, server) = tokio::io::duplex(64 << 10);
        let (script, log) = (self.script.clone(), self.log.clone());
        tokio::spawn(async move { play(server, &script, &log).await });
        Ok(client)
    }
}

/// A service that plays a script, and offers no health check.
pub(crate) fn scripted(script: Vec<Step>) -> Service<Scripted> {
    at(Scripted { script, log: Log::default() })
}

/// A service reached by a connector, without a health check.
pub(crate) fn at<C: Connect>(connector: C) -> Service<C> {
    let endpoint = Endpoint::parse("http://sim/v1").expect("an address");
    let target = sse_client::Target::new(endpoint, "load-engine tests", None).expect("a target");
    Service { target: Arc::new(target), connector: Arc::new(connector), health_path: None }
}

/// The head of a streamed answer, and a piece of its body.
pub(crate) const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

pub(crate) fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

pub(crate) const TOKEN: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
pub(crate) const FINISH: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// A sweep plan for the simulated service.
pub(crate) fn plan(tiers: &[u32], requests: &[u64], bounds: Bounds) -> Plan {
    let target = workload_model::Target {
        url: "http://sim/v1".into(),
        model: "sim-chat".into(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    };
    let mut plan = sweep_plan(target, tiers, requests, standard_warm_up(tiers));
    plan.bounds = bounds;
    plan
}

pub(crate) fn job(plan: Plan) -> Job {
    let samples = builtin();
    let schedule = Schedule::new(&plan, &samples);
    Job {
        plan: Arc::new(plan),
        samples: Arc::new(samples),
        schedule: Arc::new(schedule),
        usage_refused: None,
    }
}

/// Everything that a run said.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) records: Vec<Record>,
    pub(crate) bodies: Vec<Vec<u8>>,
    pub(crate) events: Vec<Event>,
    pub(crate) samples: Vec<ClientSample>,
}

impl Told {
    pub(crate) fn take(&mut self, event: RunEvent) {
        match event {
            RunEvent::Settled { record, body } => {
                self.records.push(*record);
                self.bodies.extend(body);
            }
            RunEvent::Happened(event) => self.events.push(event),
            RunEvent::Sampled(sample) => self.samples.push(*sample),
        }
    }

    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        self.records.iter().map(|record| classify(&record.facts, &SuccessRule::default())).collect()
    }

    pub(crate) fn count(&self, outcome: Outcome) -> usize {
        self.outcomes().into_iter().filter(|found| *found == outcome).count()
    }

    pub(crate) fn seqs(&self) -> Vec<u64> {
        let mut seqs: Vec<u64> = self.records.iter().map(|record| record.seq).collect();
        seqs.sort_unstable();
        seqs
    }
}

/// Runs a plan; `meanwhile` may stop it.
pub(crate) async fn run_plan<C: Connect>(
    service: &Service<C>,
    plan: Plan,
    meanwhile: impl AsyncFnOnce(Arc<Stop>),
) -> (Result<RunEnd, EvidenceLost>, Told) {
    run_job(service, job(plan), meanwhile).await
}

/// The same of a job.
pub(crate) async fn run_job<C: Connect>(
    service: &Service<C>,
    job: Job,
    meanwhile: impl AsyncFnOnce(Arc<Stop>),
) -> (Result<RunEnd, EvidenceLost>, Told) {
    let stop = Arc::new(Stop::new(job.plan.bounds, Spent::default()));
    let (sink, mut events) = Sink::bounded(16);
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    let threads = IoThreads::current();
    let collect = async {
        let mut told = Told::default();
        while let Some(event) = events.recv().await {
            told.take(event);
        }
        told
    };
    let running = run(&job, service, clock, &threads, &stop, sink);
    let (ended, told, ()) = tokio::join!(running, collect, meanwhile(Arc::clone(&stop)));
    (ended, told)
}
