//! Over real sockets and threads, against a simulator that takes roles in turn alone.

#[path = "common/answering.rs"]
mod answering;
mod common;

use std::sync::Arc;

use answering::{conversation, job_of, slot};
use common::{Told, plan};
use inference_sim::{SimConfig, spawn_thread};
use load_engine::{IoThreads, Service, Sink, Spent, Stop, run};
use metrics_core::Outcome;
use sse_client::{Clock, Endpoint, RuntimeClock, Target, TcpConnector, TlsOptions};
use workload_model::{Bounds, Slot};

/// Runs these slots on two threads against a simulator on another.
fn run_over_sockets(slots: Vec<Slot>) -> Told {
    let config = SimConfig { strict_turns: true, ..SimConfig::fast() };
    let sim = spawn_thread(config, "127.0.0.1:0").expect("a simulator");
    let endpoint = Endpoint::parse(&sim.base_url()).expect("an address");
    let service = Service {
        connector: Arc::new(TcpConnector::new(&endpoint, &TlsOptions::default()).expect("a connector")),
        target: Arc::new(Target::new(endpoint, "load-engine tests", None).expect("a target")),
        health_path: None,
    };
    let job = job_of(plan(&[2], &[9], Bounds::default()), slots);
    let (stop, threads) = (Arc::new(Stop::new(Bounds::default(), Spent::default())), IoThreads::start(2));
    let threads = threads.expect("threads");
    let (sink, mut events) = Sink::bounded(64);
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    let writer = std::thread::spawn(move || {
        let mut told = Told::default();
        while let Some(event) = events.blocking_recv() {
            told.take(event);
        }
        told
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let ended = runtime.block_on(run(&job, &service, clock, &threads, &stop, sink));
    assert_eq!(ended.expect("kept").stopped, None);
    writer.join().expect("told")
}

#[test]
fn conversations_and_an_open_loop_over_real_sockets() {
    for open in [false, true] {
        let tier = (!open).then_some(2);
        let mut slots: Vec<Slot> = Vec::new();
        for session in 0..5_u64 {
            let mut turns = conversation(session * 3, tier, &[0, 3_000, 1_500]);
            for turn in &mut turns {
                turn.due_us = open.then_some(session * 2_500);
            }
            slots.extend(turns);
        }
        slots.push(Slot { due_us: open.then_some(20_000), ..slot(15, tier) });
        let told = run_over_sockets(slots);
        assert_eq!(told.seqs(), (0..16).collect::<Vec<_>>());
        assert_eq!(told.count(Outcome::Effective), 16, "every history ends with a user's message");
        let early = told.records.iter().filter(|record| record.facts.sent < Some(record.facts.due));
        assert_eq!(early.count(), 0, "nothing is sent before it is due");
        // Histories grow: the service counted more input with every turn.
        let input = |seq: u64| {
            let row = told.records.iter().find(|record| record.seq == seq).expect("a row");
            row.facts.prompt_tokens.expect("counted").0
        };
        for session in 0..5 {
            assert!(
                input(session * 3) < input(session * 3 + 1)
                    && input(session * 3 + 1) < input(session * 3 + 2)
            );
        }
    }
}
