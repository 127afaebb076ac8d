//! A closed loop against a simulated service, and what the engine says of it:
//! `cargo run -p load-engine --example closed_loop`.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::{error::Error, sync::Arc};

use inference_sim::{SimConfig, spawn_thread};
use load_engine::{IoThreads, Job, RunEvent, Service, Sink, Spent, Stop, run};
use sse_client::{Clock, Endpoint, RuntimeClock, TcpConnector, TlsOptions};
use workload_model::{Schedule, Target, builtin, sweep_plan};

fn main() -> Result<(), Box<dyn Error>> {
    let sim = spawn_thread(SimConfig::fast(), "127.0.0.1:0")?;
    let target = Target {
        url: sim.base_url(),
        model: "sim-chat".into(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    };
    let (plan, samples) = (sweep_plan(target, &[1, 4], &[8], 4), builtin());
    let job = Job {
        schedule: Arc::new(Schedule::new(&plan, &samples)),
        samples: Arc::new(samples),
        plan: Arc::new(plan),
        usage_refused: None,
    };
    let endpoint = Endpoint::parse(&job.plan.target.url)?;
    let service = Service {
        connector: Arc::new(TcpConnector::new(&endpoint, &TlsOptions::default())?),
        target: Arc::new(sse_client::Target::new(endpoint, "closed-loop/1", None)?),
        health_path: Some("/health".into()),
    };
    let stop = Arc::new(Stop::new(job.plan.bounds, Spent::default()));
    let threads = IoThreads::start(1)?;
    let (sink, mut events) = Sink::bounded(64);
    let printer = std::thread::spawn(move || {
        while let Some(event) = events.blocking_recv() {
            match event {
                RunEvent::Settled { record, .. } => {
                    let ttft = record.facts.ttft().map(|ttft| ttft.as_secs_f64() * 1e3);
                    println!("request {:>2} of {} ended; TTFT {ttft:?} ms", record.seq, record.stage);
                }
                RunEvent::Happened(event) => println!("{:?}", event.what),
                RunEvent::Sampled(_) => {}
            }
        }
    });
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end = runtime.block_on(run(&job, &service, clock, &threads, &stop, sink))?;
    printer.join().map_err(|_| "the printing thread panicked")?;
    println!("stopped by {:?}", end.stopped);
    Ok(())
}
