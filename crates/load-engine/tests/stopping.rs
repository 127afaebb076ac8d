//! Whatever ends a run, every slot of its schedule is accounted for.

mod common;

use std::{sync::Arc, time::Duration};

use common::{HEAD, Told, chunk, job, plan, run_plan, scripted, service};
use inference_sim::scripted::Step;
use inference_sim::{Fault, SimConfig, When};
use load_engine::{EvidenceLost, IoThreads, RunEvent, Sink, Spent, Stop, StopCause, run};
use metrics_core::{FaultKind, Happening, Outcome};
use sse_client::{Clock, RuntimeClock};
use tokio::time::Instant;
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
    let faults = vec![Fault::new(
        When::Every(2),
        inference_sim::FaultKind::Truncate { after_tokens: 2, cut: inference_sim::Cut::CleanEnd },
    )];
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
    let stopped = told
        .records
        .iter()
        .filter(|record| record.facts.error.as_ref().is_some_and(|fault| fault.kind == FaultKind::Stopped));
    assert_eq!(stopped.count(), 4, "a cancelled row says by what");
    let half_read = told.records.iter().any(|record| {
        record.facts.end.is_some() && record.facts.token_events > 0 && record.facts.finish_reason.is_none()
    });
    assert!(half_read, "what a cancelled request had brought is kept");
}

#[tokio::test(start_paused = true)]
async fn lost_evidence_ends_the_run() {
    let (service, sim) = service(SimConfig::demo());
    let job = job(plan(&[4], &[40], Bounds::default()));
    let stop = Arc::new(Stop::new(job.plan.bounds, Spent::default()));
    let (sink, mut events) = Sink::bounded(1);
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
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
    // Each of the 12 events may tell of one request; beyond them, 4 were under way.
    assert!(sim.truth().len() <= 12 + 4, "nothing further is sent");
}

#[tokio::test(start_paused = true)]
async fn evidence_that_is_lost_while_every_request_waits_ends_the_run_within_a_second() {
    let silent = [Step::WaitRequest, Step::write(HEAD), Step::Hang];
    let service = scripted(silent.to_vec());
    let job = job(plan(&[4], &[40], Bounds::default()));
    let stop = Arc::new(Stop::new(job.plan.bounds, Spent::default()));
    let (sink, mut events) = Sink::bounded(1);
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    let (threads, begun) = (IoThreads::current(), Instant::now());
    let writer = async {
        while let Some(event) = events.recv().await {
            if matches!(&event, RunEvent::Happened(event) if matches!(event.what, Happening::TierStarted { .. }))
            {
                break;
            }
        }
        let lost_at = begun.elapsed();
        drop(events);
        lost_at
    };
    let (ended, lost_at) = tokio::join!(run(&job, &service, clock, &threads, &stop, sink), writer);
    assert_eq!((ended, stop.cause()), (Err(EvidenceLost), Some(StopCause::EvidenceLost)));
    let after = begun.elapsed().checked_sub(lost_at).expect("later");
    assert!(after <= Duration::from_millis(1100), "{after:?}");
}

#[tokio::test(start_paused = true)]
async fn an_error_that_the_service_told_before_the_stop_is_kept() {
    let error = "data: {\"error\":{\"message\":\"boom\"}}\n\n";
    let script = [Step::WaitRequest, Step::write(format!("{HEAD}{}", chunk(error))), Step::Hang];
    let (ended, told) =
        run_plan(&scripted(script.to_vec()), plan(&[1], &[1], Bounds::default()), async |stop| {
            tokio::time::sleep(Duration::from_secs(20)).await;
            stop.now(StopCause::Interrupt);
        })
        .await;
    assert_eq!(ended.expect("kept").stopped, Some(StopCause::Interrupt));
    let under_way = told.records.iter().find(|record| record.facts.sent.is_some()).expect("one was sent");
    let fault = under_way.facts.error.as_ref().expect("an error");
    assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::ErrorObject, "boom"));
    assert_eq!(told.count(Outcome::StreamError), 1);
}
