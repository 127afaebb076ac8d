//! Whatever ends a run, every slot of its schedule is accounted for.

mod common;

use std::time::Duration;

use common::{Told, job, plan, run_plan, service};
use inference_sim::{Fault, SimConfig, When};
use load_engine::{EvidenceLost, IoThreads, Sink, Spent, Stop, StopCause, run};
use metrics_core::{FaultKind, Happening, Outcome};
use sse_client::{Clock, RuntimeClock};
use workload_model::Bounds;

async fn bounded(bounds: Bounds, config: SimConfig) -> (Option<StopCause>, Told) {
    let (service, _sim) = service(config);
    let (ended, told) = run_plan(&service, plan(&[1, 4], &[20, 20], bounds), async |_| {}).await;
    let stopped = ended.expect("kept").stopped;
    assert_eq!(told.seqs(), (0..44).collect::<Vec<_>>(), "every slot is accounted for");
    let told_of_stop = told.events.iter().find_map(|event| match &event.what {
        Happening::Stopped { by } => Some(by.clone()),
        _ => None,
    });
    assert_eq!(told_of_stop.as_deref(), stopped.map(StopCause::as_str));
    (stopped, told)
}

#[tokio::test(start_paused = true)]
async fn max_requests_sends_no_more_and_lets_those_under_way_end() {
    let bounds = Bounds { max_requests: Some(11), ..Bounds::default() };
    let (stopped, told) = bounded(bounds, SimConfig::demo()).await;
    assert_eq!(stopped, Some(StopCause::MaxRequests));
    assert_eq!(told.count(Outcome::Effective), 11);
    assert_eq!(told.count(Outcome::NotSent), 33);
}

#[tokio::test(start_paused = true)]
async fn max_errors_counts_what_was_not_effective() {
    let faults = vec![Fault::new(When::Every(2), inference_sim::FaultKind::Truncate {
        after_tokens: 2,
        cut: inference_sim::Cut::CleanEnd,
    })];
    let bounds = Bounds { max_errors: Some(3), ..Bounds::default() };
    let (stopped, told) = bounded(bounds, SimConfig { faults, ..SimConfig::demo() }).await;
    assert_eq!(stopped, Some(StopCause::MaxErrors));
    assert_eq!(told.count(Outcome::Truncated), 3);
    assert!(!told.bodies.is_empty(), "the bodies of failed requests are kept");
}

#[tokio::test(start_paused = true)]
async fn max_duration_cancels_what_is_under_way() {
    let bounds = Bounds { max_duration_s: Some(7.0), ..Bounds::default() };
    let (stopped, told) = bounded(bounds, SimConfig::demo()).await;
    assert_eq!(stopped, Some(StopCause::MaxDuration));
    assert_eq!(told.count(Outcome::Cancelled), 1, "C1 has one request in flight");
    let last = told.records.iter().filter_map(|record| record.facts.end).max().expect("some ended");
    assert_eq!(last.0 / 1_000_000, 7);
}

#[tokio::test(start_paused = true)]
async fn max_output_tokens_holds_while_answers_stream() {
    let bounds = Bounds { max_output_tokens: Some(300), ..Bounds::default() };
    let (stopped, told) = bounded(bounds, SimConfig::demo()).await;
    assert_eq!(stopped, Some(StopCause::MaxOutputTokens));
    let received: u64 = told.records.iter().map(|record| record.facts.token_events).sum();
    assert!((300..310).contains(&received), "{received} tokens received");
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_keeps_what_there_is() {
    let (service, _sim) = service(SimConfig::demo());
    let (ended, told) = run_plan(&service, plan(&[4], &[40], Bounds::default()), async |stop| {
        tokio::time::sleep(Duration::from_secs(3)).await;
        stop.now(StopCause::Interrupt);
    })
    .await;
    assert_eq!(ended.expect("kept").stopped, Some(StopCause::Interrupt));
    assert_eq!(told.seqs(), (0..44).collect::<Vec<_>>());
    assert_eq!(told.count(Outcome::Cancelled), 4);
    assert!(told.count(Outcome::Effective) > 4);
    let stopped = told.records.iter().filter(|record| {
        record.facts.error.as_ref().is_some_and(|fault| fault.kind == FaultKind::Stopped)
    });
    assert_eq!(stopped.count(), 4, "a cancelled row says by what");
    let half_read = told.records.iter().any(|record| record.facts.end.is_some() && record.facts.token_events > 0
        && record.facts.finish_reason.is_none());
    assert!(half_read, "what a cancelled request had brought is kept");
}

#[tokio::test(start_paused = true)]
async fn lost_evidence_ends_the_run() {
    let (service, sim) = service(SimConfig::demo());
    let job = job(plan(&[4], &[40], Bounds::default()));
    let stop = std::sync::Arc::new(Stop::new(job.plan.bounds, Spent::default()));
    let (sink, mut events) = Sink::bounded(1);
    let clock: std::sync::Arc<dyn Clock> = std::sync::Arc::new(RuntimeClock::start());
    let threads = IoThreads::current();
    let writer = async {
        for _ in 0..12 {
            events.recv().await.expect("the run goes on");
        }
        drop(events);
    };
    let (ended, ()) = tokio::join!(run(&job, &service, clock, &threads, &stop, sink), writer);
    assert_eq!(ended, Err(EvidenceLost));
    assert_eq!(stop.cause(), Some(StopCause::EvidenceLost));
    assert!(sim.truth().len() < 44, "nothing further is sent");
}
