//! A simulated service in memory, and a run against it on a paused clock.
#![allow(dead_code, reason = "every test file uses its own part")]

use std::sync::Arc;

use inference_sim::{Sim, SimConfig};
use load_engine::{EvidenceLost, IoThreads, Job, RunEnd, RunEvent, Service, Sink, Spent, Stop, run};
use metrics_core::{ClientSample, Event, Outcome, Record, SuccessRule, classify};
use sse_client::{Clock, Connect, ConnectError, Endpoint, RuntimeClock};
use tokio::io::DuplexStream;
use workload_model::{Bounds, Plan, Schedule, builtin, standard_warm_up, sweep_plan};

/// Connects in memory; a refusal where the service is told to be gone.
pub struct InMemory {
    pub sim: Sim,
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

pub fn service(config: SimConfig) -> (Service<InMemory>, Sim) {
    let sim = Sim::new(config);
    let endpoint = Endpoint::parse("http://sim/v1").expect("an address");
    let target = sse_client::Target::new(endpoint, "load-engine tests", None).expect("a target");
    let connector = Arc::new(InMemory { sim: sim.clone() });
    (Service { target: Arc::new(target), connector, health_path: Some("/health".into()) }, sim)
}

/// A sweep plan for the simulated service.
pub fn plan(tiers: &[u32], requests: &[u64], bounds: Bounds) -> Plan {
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

pub fn job(plan: Plan) -> Job {
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
pub struct Told {
    pub records: Vec<Record>,
    pub bodies: Vec<Vec<u8>>,
    pub events: Vec<Event>,
    pub samples: Vec<ClientSample>,
}

impl Told {
    pub fn outcomes(&self) -> Vec<Outcome> {
        self.records.iter().map(|record| classify(&record.facts, &SuccessRule::default())).collect()
    }

    pub fn count(&self, outcome: Outcome) -> usize {
        self.outcomes().into_iter().filter(|found| *found == outcome).count()
    }

    pub fn seqs(&self) -> Vec<u64> {
        let mut seqs: Vec<u64> = self.records.iter().map(|record| record.seq).collect();
        seqs.sort_unstable();
        seqs
    }
}

/// Runs a plan; `meanwhile` may stop it.
pub async fn run_plan(
    service: &Service<InMemory>,
    plan: Plan,
    meanwhile: impl AsyncFnOnce(Arc<Stop>),
) -> (Result<RunEnd, EvidenceLost>, Told) {
    let job = job(plan);
    let stop = Arc::new(Stop::new(job.plan.bounds, Spent::default()));
    let (sink, mut events) = Sink::bounded(16);
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    let threads = IoThreads::current();
    let collect = async {
        let mut told = Told::default();
        while let Some(event) = events.recv().await {
            match event {
                RunEvent::Settled { record, body } => {
                    told.records.push(*record);
                    told.bodies.extend(body);
                }
                RunEvent::Happened(event) => told.events.push(event),
                RunEvent::Sampled(sample) => told.samples.push(*sample),
            }
        }
        told
    };
    let running = run(&job, service, clock, &threads, &stop, sink);
    let (ended, told, ()) = tokio::join!(running, collect, meanwhile(Arc::clone(&stop)));
    (ended, told)
}

