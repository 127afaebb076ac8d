//! One load of the whole client against a server of its own.

use std::{path::Path, sync::Arc, thread::JoinHandle, time::Duration};

use evidence_pack::{AppendError, Clock as ClockFacts, Environment, FORMAT, Frozen, Host, Redactor, Writer};
use inference_sim::pressure::{AnswerTruth, Pressure, spawn_pressure};
use load_engine::{
    IoThreads, Job, RunEvent, Service, Sink, Spent, Stop, host_facts, random_hex, run, take_all,
};
use metrics_core::{ClientSample, Ended, Micros, Record};
use sse_client::{Clock, Endpoint, RuntimeClock, TcpConnector, TlsOptions};
use tokio::sync::mpsc::Receiver;
use workload_model::{Plan, Schedule, Target, builtin, sweep_plan};

use super::{CalibrateError, Within};
use crate::sweep::{QUEUE, USER_AGENT, tool};

/// What is asked of the client.
pub(super) struct Load {
    pub(super) pressure: Pressure,
    pub(super) streams: u32,
    pub(super) requests: u64,
}

/// What a load came to.
pub(super) struct Loaded {
    pub(super) records: Vec<Record>,
    pub(super) samples: Vec<ClientSample>,
    /// When the server wrote what; empty where it kept none.
    pub(super) truths: Vec<AnswerTruth>,
    /// CPU time of the IO threads.
    pub(super) cpu: Option<Duration>,
    pub(super) took: Duration,
}

impl Loaded {
    pub(super) fn token_events(&self) -> u64 {
        self.records.iter().map(|record| record.facts.token_events).sum()
    }

    /// Reads that brought a token. Where a busy machine made two events come in one, they count as one: it is reads that
    /// cost.
    pub(super) fn token_reads(&self) -> u64 {
        self.records.iter().map(|record| record.facts.token_reads().count() as u64).sum()
    }

    /// So many things, a CPU second of that many threads.
    pub(super) fn per_cpu_second(&self, things: u64, threads: u32) -> Option<f64> {
        let used = self.cpu?.as_secs_f64();
        (used > 0.0).then(|| things as f64 / used * f64::from(threads))
    }

    pub(super) fn timer_delays(&self) -> Vec<Micros> {
        self.samples.iter().flat_map(|sample| &sample.timer_delay_us).copied().map(Micros).collect()
    }
}

/// Runs it as a sweep does: IO threads that read, one thread that writes rows to a package.
pub(super) async fn load(within: &Within<'_>, asked: &Load) -> Result<Loaded, CalibrateError> {
    let server = spawn_pressure(asked.pressure.clone(), "127.0.0.1:0")?;
    let (plan, samples) = (plan(&server.base_url(), asked, within.io_threads), builtin());
    let frozen = frozen(&plan, samples.to_jsonl())?;
    let job = Job {
        schedule: Arc::new(Schedule::new(&plan, &samples)),
        samples: Arc::new(samples),
        plan: Arc::new(plan),
        usage_refused: None,
    };
    let endpoint = Endpoint::parse(&job.plan.target.url)?;
    let service = Service {
        connector: Arc::new(TcpConnector::new(&endpoint, &TlsOptions::default())?),
        target: Arc::new(sse_client::Target::new(endpoint, USER_AGENT, None)?),
        health_path: None,
    };
    let folder = within.scratch.join(random_hex());
    let (sink, events) = Sink::bounded(QUEUE);
    // Where this future is dropped in the middle, what is declared last goes first: the load, its threads, the writer.
    let keeping = Keeping::start(&folder, &frozen, events)?;
    let threads = IoThreads::start(within.io_threads)?;
    let stop = Arc::new(Stop::new(job.plan.bounds, Spent::default()));
    // Threads that have not run yet have no name to find them by, and have used nothing.
    let before = threads.cpu_time().unwrap_or_default();
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    // The writer's own error says why where the evidence is lost.
    let _ = run(&job, &service, Arc::clone(&clock), &threads, &stop, sink).await;
    let took = Duration::from_micros(clock.now_us());
    let cpu = threads.cpu_time().map(|now| now.saturating_sub(before));
    drop(threads);
    let Kept { records, samples } = keeping.end()?;
    let _ = std::fs::remove_dir_all(&folder);
    whole(&records)?;
    Ok(Loaded { records, samples, truths: server.truth(), cpu, took })
}

/// A request to a server of its own that did not end well makes every figure doubtful.
fn whole(records: &[Record]) -> Result<(), CalibrateError> {
    let mut failed = records.iter().filter(|record| record.facts.ended != Ended::Done).peekable();
    let Some(first) = failed.peek() else { return Ok(()) };
    let why =
        first.facts.error.as_ref().map_or_else(|| "no answer".to_owned(), |fault| fault.message.clone());
    Err(CalibrateError::Failed { failed: failed.count() as u64, requests: records.len() as u64, why })
}

/// A server of its own, as plans name it.
pub(super) fn target(url: &str) -> Target {
    Target {
        url: url.to_owned(),
        model: "pressure".to_owned(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    }
}

fn plan(url: &str, asked: &Load, io_threads: u32) -> Plan {
    let mut plan = sweep_plan(target(url), &[asked.streams], &[asked.requests], 0);
    plan.client.io_threads = io_threads;
    plan
}

pub(super) struct Kept {
    pub(super) records: Vec<Record>,
    pub(super) samples: Vec<ClientSample>,
}

/// The thread that keeps rows. Dropping it waits for its end, so that nobody writes into a folder that is being removed.
struct Keeping(Option<JoinHandle<Result<Kept, AppendError>>>);

impl Keeping {
    fn start(folder: &Path, frozen: &Frozen, events: Receiver<RunEvent>) -> Result<Self, CalibrateError> {
        let mut writer = Writer::create(folder, frozen, Redactor::default())?;
        let keep = move || {
            let mut kept = Kept { records: Vec::new(), samples: Vec::new() };
            take_all(events, |event| {
                match event {
                    RunEvent::Settled { record, .. } => {
                        writer.append_request(&record)?;
                        kept.records.push(*record);
                    }
                    RunEvent::Happened(event) => writer.append_event(&event)?,
                    RunEvent::Sampled(sample) => {
                        writer.append_client(&sample)?;
                        kept.samples.push(*sample);
                    }
                }
                Ok::<_, AppendError>(())
            })?;
            Ok(kept)
        };
        Ok(Self(Some(std::thread::Builder::new().name("writer".to_owned()).spawn(keep)?)))
    }

    fn end(mut self) -> Result<Kept, AppendError> {
        let Some(thread) = self.0.take() else { return Err(AppendError::Spoiled) };
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

/// What stands in front of rows that nobody keeps.
pub(super) fn frozen(plan: &Plan, samples: String) -> Result<Frozen, CalibrateError> {
    let host = host_facts();
    let environment = Environment {
        v: FORMAT,
        run_id: "calibration".to_owned(),
        started_at: jiff::Timestamp::now().to_string(),
        tool: tool(),
        host: Host {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            cpus: host.cpus,
            cpus_allowed: host.cpus_allowed,
            memory_bytes: host.memory_bytes,
            fingerprint: Some(host.fingerprint),
        },
        location: None,
        target: evidence_pack::Target {
            co_located: true,
            ..evidence_pack::Target::unseen(&plan.target.url, &plan.target.model)
        },
        clock: ClockFacts { offset_ms: None, method: None },
    };
    Ok(Frozen {
        plan: plan.to_toml()?,
        samples,
        sample_set: None,
        schedule: None,
        environment,
        agreement: None,
        calibration: None,
    })
}
