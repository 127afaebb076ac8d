//! Every fault of the script, as a client meets it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{Reply, connect, streamed};
use inference_sim::{Cut, Ending, Fault, FaultKind, RequestTruth, Sim, SimConfig, When};
use serde_json::json;
use tokio::time::{Instant, timeout};

/// A request of 6 tokens to a service with this fault: what came back, if anything, and the truth.
async fn struck(kind: FaultKind, stream: bool) -> (Option<Reply>, RequestTruth) {
    let sim = Sim::new(SimConfig { faults: vec![Fault::new(When::Always, kind)], ..SimConfig::fast() });
    let body = streamed("Hello", json!({"min_tokens": 6, "max_tokens": 6, "stream": stream}));
    let mut client = connect(&sim);
    let reply = timeout(Duration::from_secs(60), client.chat_as("", &body)).await.ok().flatten();
    drop(client);
    // The paused clock goes on only when all tasks are idle: after this the server has noticed.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let truth = sim.truth().pop().unwrap();
    (reply, truth)
}

async fn streamed_with(kind: FaultKind) -> (Reply, RequestTruth) {
    let (reply, truth) = struck(kind, true).await;
    (reply.unwrap(), truth)
}

#[tokio::test(start_paused = true)]
async fn errors_before_the_stream() {
    let (reply, truth) = streamed_with(FaultKind::HttpError { status: 503, retry_after_s: Some(7) }).await;
    assert_eq!((reply.status, truth.status), (503, Some(503)));
    assert!(reply.head.contains("retry-after: 7"));
    assert_eq!(reply.json()["error"]["code"], 503);
    assert_eq!(truth.ending, Ending::Faulted);

    let (reply, truth) = struck(FaultKind::NoResponse, true).await;
    assert!(reply.is_none());
    assert_eq!((truth.status, truth.ending), (None, Ending::Faulted));

    let (reply, _) = streamed_with(FaultKind::HtmlPage).await;
    assert_eq!(reply.status, 200);
    assert!(reply.head.contains("content-type: text/html"));
}

#[tokio::test(start_paused = true)]
async fn an_error_object_inside_the_stream() {
    let (reply, truth) = streamed_with(FaultKind::StreamError { after_tokens: 2 }).await;
    assert_eq!(reply.token_instants().len(), 2);
    assert!(reply.done() && reply.whole && reply.finish_reason().is_none());
    assert!(reply.chunks().iter().any(|chunk| chunk["error"]["code"] == 500));
    assert_eq!((truth.output_tokens, truth.ending), (2, Ending::Faulted));
}

#[tokio::test(start_paused = true)]
async fn truncation_in_three_ways() {
    for (cut, done, whole) in
        [(Cut::Close, false, false), (Cut::CleanEnd, false, true), (Cut::InventedDone, true, true)]
    {
        let (reply, truth) = streamed_with(FaultKind::Truncate { after_tokens: 3, cut }).await;
        assert_eq!(reply.token_instants().len(), 3);
        assert_eq!((reply.done(), reply.whole), (done, whole), "{cut:?}");
        assert!(reply.finish_reason().is_none());
        assert_eq!((truth.done_written.is_some(), truth.ending), (done, Ending::Faulted));
    }
}

#[tokio::test(start_paused = true)]
async fn a_hang_lasts_until_the_client_leaves() {
    for after_tokens in [0, 2] {
        let begin = Instant::now();
        let (reply, truth) = struck(FaultKind::Hang { after_tokens }, true).await;
        assert!(reply.is_none());
        assert!(begin.elapsed() >= Duration::from_secs(60));
        assert!(truth.head_written.is_some());
        assert_eq!((truth.output_tokens, truth.ending), (after_tokens, Ending::Faulted));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stall_delays_what_follows() {
    let (reply, truth) =
        streamed_with(FaultKind::Stall { after_tokens: 2, pause: Duration::from_secs(5) }).await;
    let at = reply.token_instants();
    assert_eq!(at.len(), 6);
    assert!(at[2] - at[1] >= Duration::from_secs(5) && at[1] - at[0] < Duration::from_millis(10));
    assert!(reply.done());
    assert_eq!(truth.ending, Ending::Faulted);
}

#[tokio::test(start_paused = true)]
async fn a_malformed_event_leaves_a_hole_and_a_good_end() {
    for after_tokens in [0, 2, 99] {
        let (reply, truth) = streamed_with(FaultKind::MalformedEvent { after_tokens }).await;
        let broken = reply.events.iter().filter(|(_, data)| data.ends_with(r#""content":"#)).count();
        assert_eq!((broken, reply.token_instants().len()), (1, 5));
        assert!(reply.done());
        assert_eq!(reply.finish_reason().as_deref(), Some("length"));
        assert_eq!((truth.output_tokens, truth.ending), (6, Ending::Faulted));
    }
}

#[tokio::test(start_paused = true)]
async fn finish_reasons_that_nobody_asked_for() {
    for (after_tokens, reason) in [(3, "length"), (2, "content_filter"), (0, "stop"), (1, "abort")] {
        let (reply, truth) =
            streamed_with(FaultKind::Finish { after_tokens, reason: reason.to_owned() }).await;
        assert_eq!(reply.token_instants().len() as u64, after_tokens);
        assert_eq!(reply.finish_reason().as_deref(), Some(reason));
        assert_eq!(reply.usage().unwrap()["completion_tokens"], after_tokens);
        assert!(reply.done());
        assert_eq!(truth.ending, Ending::Faulted);
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_not_streamed_fail_as_a_whole() {
    let (reply, _) = struck(FaultKind::StreamError { after_tokens: 2 }, false).await;
    assert_eq!(reply.unwrap().status, 500);
    let (reply, _) = struck(FaultKind::MalformedEvent { after_tokens: 2 }, false).await;
    assert!(serde_json::from_str::<serde_json::Value>(&reply.unwrap().body).is_err());
    let (reply, _) = struck(FaultKind::Truncate { after_tokens: 2, cut: Cut::Close }, false).await;
    assert!(!reply.unwrap().whole);
    let (reply, truth) = struck(FaultKind::Hang { after_tokens: 0 }, false).await;
    assert!(reply.is_none() && truth.ending == Ending::Faulted);
}

#[tokio::test(start_paused = true)]
async fn only_those_meant_are_struck() {
    let fault = |when| Fault::new(when, FaultKind::HttpError { status: 500, retry_after_s: None });
    let sim = Sim::new(SimConfig {
        faults: vec![
            fault(When::Ordinal(1)),
            fault(When::Range(3..5)),
            fault(When::Containing("strike".into())),
        ],
        ..SimConfig::fast()
    });
    let mut client = connect(&sim);
    let mut statuses = Vec::new();
    for prompt in ["a", "a", "a", "a", "a", "strike me", "a"] {
        statuses.push(client.chat(&streamed(prompt, json!({}))).await.status);
    }
    assert_eq!(statuses, [200, 500, 200, 500, 500, 500, 200]);
}

#[tokio::test(start_paused = true)]
async fn a_fault_parts_an_event_of_several_tokens() {
    let kind = FaultKind::Truncate { after_tokens: 3, cut: Cut::CleanEnd };
    let faults = vec![Fault::new(When::Always, kind)];
    let sim = Sim::new(SimConfig { faults, tokens_per_event: 4, ..SimConfig::fast() });
    let reply = connect(&sim).chat(&streamed("Hello", json!({"min_tokens": 8}))).await;
    assert_eq!((reply.token_instants().len(), reply.done()), (1, false));
    assert_eq!(sim.truth()[0].output_tokens, 3);
}
