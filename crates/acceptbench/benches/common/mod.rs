//! What the benchmarks share: a server in a process of its own, a run of the whole client, CPU time.
#![expect(dead_code, reason = "every benchmark uses its own part")]

pub(crate) mod bare;
pub(crate) mod floor;
pub(crate) mod server;

use std::{
    error::Error,
    path::Path,
    sync::{Arc, mpsc},
    time::Duration,
};

use evidence_pack::{
    AppendError, Clock as ClockFacts, Environment, FORMAT, Frozen, Host, Redactor, Tool, Writer,
};
use load_engine::{IoThreads, Job, RunEvent, Service, Sink, Spent, Stop, run, take_all};
use metrics_core::Record;
use sse_client::{Clock, Endpoint, RuntimeClock, TcpConnector, TlsOptions};
use workload_model::{Plan, Schedule, Target, builtin, sweep_plan};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// CPU time that this process has used, all its threads together, ended ones included.
pub(crate) fn cpu_time() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or_default())
}

/// What one run of the whole client came to.
pub(crate) struct Ran {
    pub(crate) records: Vec<Record>,
    pub(crate) cpu: Duration,
}

/// Runs a plan as [`run_each`] does, and keeps its records.
pub(crate) fn run_plan(plan: Plan, folder: &Path) -> Outcome<Ran> {
    let (keep, kept) = mpsc::channel();
    let cpu = run_each(plan, 1, folder, move |record| keep.send(record).unwrap_or_default())?;
    Ok(Ran { records: kept.iter().collect(), cpu })
}

/// A service of which nothing is said but where it is.
pub(crate) fn target(url: &str, model: &str) -> Target {
    Target {
        url: url.to_owned(),
        model: model.to_owned(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    }
}

/// One tier, with no warm-up, at a pressure server's address.
pub(crate) fn plan(url: &str, concurrency: u32, requests: u64) -> Plan {
    sweep_plan(target(url, "pressure"), &[concurrency], &[requests], 0)
}

/// Runs a plan as a sweep does: threads that read, and one that writes rows to a package in `folder` and then hands each
/// record to `each`. Gives the CPU time that it took.
pub(crate) fn run_each(
    plan: Plan,
    io_threads: u32,
    folder: &Path,
    mut each: impl FnMut(Record) + Send + 'static,
) -> Outcome<Duration> {
    let samples = builtin();
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
        target: Arc::new(sse_client::Target::new(endpoint, acceptbench::USER_AGENT, None)?),
        health_path: None,
    };
    let mut writer = Writer::create(folder, &frozen, Redactor::new([]))?;
    let stop = Arc::new(Stop::new(job.plan.bounds, Spent::default()));
    let threads = IoThreads::start(io_threads)?;
    let (sink, events) = Sink::bounded(4096);
    let begun = cpu_time();
    let writing = std::thread::spawn(move || {
        take_all(events, |event| {
            match event {
                RunEvent::Settled { record, .. } => {
                    writer.append_request(&record)?;
                    each(*record);
                }
                RunEvent::Happened(event) => writer.append_event(&event)?,
                RunEvent::Sampled(sample) => writer.append_client(&sample)?,
            }
            Ok::<_, AppendError>(())
        })
    });
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run(&job, &service, clock, &threads, &stop, sink))?;
    writing.join().map_err(|_| "the thread that writes panicked")??;
    Ok(cpu_time() - begun)
}

fn frozen(plan: &Plan, samples: String) -> Outcome<Frozen> {
    let text = |text: &str| text.to_owned();
    Ok(Frozen {
        plan: plan.to_toml()?,
        samples,
        sample_set: None,
        schedule: None,
        environment: Environment {
            v: FORMAT,
            run_id: text("benchmark"),
            started_at: text("2026-01-01T00:00:00Z"),
            tool: Tool {
                name: text("benchmark"),
                version: text(env!("CARGO_PKG_VERSION")),
                profile: text("bench"),
                optimised: true,
                target: text("unknown"),
            },
            host: Host {
                os: text("unknown"),
                arch: text("unknown"),
                cpus: 1,
                cpus_allowed: 1,
                memory_bytes: None,
                fingerprint: None,
            },
            location: None,
            target: evidence_pack::Target {
                co_located: true,
                ..evidence_pack::Target::unseen(&plan.target.url, &plan.target.model)
            },
            clock: ClockFacts { offset_ms: None, method: None },
        },
        agreement: None,
        calibration: None,
    })
}
