//! The truth against what a client saw, where both share one paused clock.

mod common;

use std::time::Duration;

use common::{connect, streamed};
use inference_sim::{Ending, Sim, SimConfig};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep};

fn slow() -> SimConfig {
    SimConfig {
        decode_base: Duration::from_millis(10),
        prefill_tokens_per_s: 1_000.0,
        request_overhead: Duration::from_millis(7),
        ..SimConfig::fast()
    }
}

#[tokio::test(start_paused = true)]
async fn truth_is_what_the_client_read() {
    let sim = Sim::new(slow());
    let mut client = connect(&sim);
    let sent = Instant::now();
    let reply =
        client.chat_as("x-request-id: t\r\n", &streamed("Hello", json!({"max_tokens": 4}))).await.unwrap();
    let truth = sim.truth().pop().unwrap();
    assert!(sim.truth().is_empty());

    assert_eq!((truth.ordinal, truth.connection, truth.request_id.as_deref()), (0, 0, Some("t")));
    assert_eq!((truth.received, truth.received_whole), (sent, sent));
    assert_eq!(truth.admitted, Some(sent + Duration::from_millis(7)));
    let written: Vec<Instant> = truth.events.iter().map(|event| event.at).collect();
    assert_eq!(written, reply.token_instants());
    assert_eq!(truth.done_written, Some(reply.events.last().unwrap().0));
    // 7 ms of overhead, 5 prompt tokens at 1 ms, and a step of 10 ms.
    assert_eq!(truth.ttft(), Some(Duration::from_millis(22)));
    assert_eq!(truth.e2e(), Some(Duration::from_millis(52)));
    assert_eq!((truth.ending, truth.output_tokens, truth.prompt_tokens), (Ending::Complete, 4, 5));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_trickles_in_is_received_with_its_first_byte() {
    let sim = Sim::new(slow());
    let mut client = connect(&sim);
    let body = streamed("Hello", json!({})).to_string();
    let head = format!("POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
    let start = Instant::now();
    for part in [&head[..9], &head[9..], &body[..20], &body[20..]] {
        client.io.write_all(part.as_bytes()).await.unwrap();
        sleep(Duration::from_millis(100)).await;
    }
    assert!(client.reply().await.unwrap().done());
    let truth = sim.truth().pop().unwrap();
    assert_eq!(truth.received, start);
    assert_eq!(truth.received_whole, start + Duration::from_millis(300));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_frees_its_place() {
    let sim = Sim::new(SimConfig { max_batch: 1, ..slow() });
    let (mut leaver, mut waiter) = (connect(&sim), connect(&sim));
    let long = streamed("Hello", json!({"max_tokens": 1000, "ignore_eos": true})).to_string();
    leaver.send("POST", "/v1/chat/completions", "", &long).await;
    sleep(Duration::from_millis(100)).await;
    let start = Instant::now();
    let leave = async {
        sleep(Duration::from_millis(50)).await;
        drop(leaver);
    };
    let body = streamed("Hello", json!({"max_tokens": 1}));
    let (reply, ()) = tokio::join!(waiter.chat(&body), leave);
    assert!(reply.done());
    assert!(start.elapsed() < Duration::from_millis(90), "{:?}", start.elapsed());
    let truths = sim.truth();
    assert!(truths[0].cancelled() && truths[0].done_written.is_none());
    assert!((8..20).contains(&truths[0].output_tokens), "{}", truths[0].output_tokens);
    assert_eq!(truths[1].ending, Ending::Complete);
}

#[tokio::test(start_paused = true)]
async fn requests_sent_ahead_are_answered_in_order() {
    let sim = Sim::new(slow());
    let mut client = connect(&sim);
    let sent = Instant::now();
    for prompt in ["one", "two"] {
        let body = streamed(prompt, json!({"max_tokens": 2})).to_string();
        client.send("POST", "/v1/chat/completions", &format!("x-request-id: {prompt}\r\n"), &body).await;
    }
    assert!(client.reply().await.unwrap().done());
    assert!(client.reply().await.unwrap().done());
    let truths = sim.truth();
    assert_eq!(
        truths.iter().map(|truth| truth.request_id.as_deref().unwrap()).collect::<Vec<_>>(),
        ["one", "two"]
    );
    assert!(truths.iter().all(|truth| truth.ending == Ending::Complete && truth.received == sent));
}

#[tokio::test(start_paused = true)]
async fn shutdown_cancels_what_is_under_way() {
    let sim = Sim::new(slow());
    let mut client = connect(&sim);
    let body = streamed("Hello", json!({"max_tokens": 1000, "ignore_eos": true}));
    let end = async {
        sleep(Duration::from_millis(100)).await;
        sim.shutdown_handle().signal();
    };
    let (reply, ()) = tokio::join!(client.chat(&body), end);
    assert!(!reply.whole);
    assert!(sim.truth()[0].cancelled());
    sim.shutdown_handle().signalled().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_where_truth_is_off() {
    let sim = Sim::new(SimConfig { record_truth: false, ..slow() });
    assert!(connect(&sim).chat(&streamed("Hello", json!({}))).await.done());
    assert!(sim.truth().is_empty());
}

#[tokio::test(start_paused = true)]
async fn truths_stand_in_the_order_of_arrival_not_of_ending() {
    let sim = Sim::new(slow());
    let (mut long, mut short) = (connect(&sim), connect(&sim));
    let (long_body, short_body) =
        (streamed("Hello", json!({"min_tokens": 20})), streamed("Hello", json!({"max_tokens": 1})));
    tokio::join!(long.chat(&long_body), short.chat(&short_body));
    let truths = sim.truth();
    assert!(truths[0].done_written > truths[1].done_written);
    assert_eq!((truths[0].ordinal, truths[1].ordinal), (0, 1));
}
