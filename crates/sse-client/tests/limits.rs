//! Answers longer than the client takes: each limit ends the exchange, at a cost that is bounded.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::time::Duration;

use common::{Client, HEAD, InMemory, LAST_CHUNK, chunk, finish, in_memory, token, whole_answer};
use inference_sim::scripted::Step;
use sse_client::{Ended, Exchange, FailureKind, SAMPLE_BYTES, SendOptions};

fn endless(beginning: &str, piece: &str) -> Vec<Step> {
    vec![Step::WaitRequest, Step::write(beginning), Step::Repeat(piece.to_owned().into(), Duration::ZERO)]
}

async fn limited(script: Vec<Step>, limit: fn(&mut Client<InMemory>)) -> Exchange {
    let mut client = in_memory([script]);
    limit(&mut client);
    client.chat().await
}

#[track_caller]
fn check_too_large(exchange: &Exchange, says: &str) {
    let error = exchange.error.as_ref().unwrap();
    assert_eq!((exchange.ended, error.kind), (Ended::TooLarge, FailureKind::TooLarge), "{exchange:?}");
    assert!(error.message.contains(says), "{}", error.message);
    assert!(exchange.end.is_some() && exchange.sample.to_bytes().len() <= SAMPLE_BYTES);
}

#[tokio::test(start_paused = true)]
async fn the_limits_are_these_unless_others_are_given() {
    let mut id = String::new;
    let options = SendOptions::new(&mut id);
    let limits = (options.head_limit, options.event_limit, options.body_limit);
    assert_eq!(limits, (64 << 10, 16 << 20, 1 << 30));
}

#[tokio::test(start_paused = true)]
async fn a_head_without_end_is_cut() {
    let many = endless("HTTP/1.1 200 OK\r\n", "x-more: and more of it\r\n");
    check_too_large(&limited(many, |_| {}).await, "head of the answer");
    let long = endless("HTTP/1.1 200 OK\r\nx-long: ", "and so on and so on ");
    check_too_large(&limited(long, |client| client.head_limit = 9000).await, "9000 bytes");
}

#[tokio::test(start_paused = true)]
async fn a_head_is_as_long_as_it_may_be_and_no_longer() {
    let headers = |count: usize| {
        let more: String = (0..count).map(|at| format!("x-{at}: {}\r\n", "v".repeat(200))).collect();
        let answer = whole_answer().replacen("\r\n", &format!("\r\n{more}"), 1);
        vec![Step::WaitRequest, Step::write(answer)]
    };
    assert_eq!(limited(headers(200), |_| {}).await.ended, Ended::Done);
    check_too_large(&limited(headers(200), |client| client.head_limit = 30_000).await, "30000 bytes");
    check_too_large(&limited(headers(300), |_| {}).await, "256 headers");
}

#[tokio::test(start_paused = true)]
async fn a_head_that_is_too_long_is_not_asked_for_again() {
    let long = format!("HTTP/1.1 200 OK\r\nx-long: {}", "v".repeat(70_000));
    let script = vec![Step::WaitRequest, Step::write(whole_answer()), Step::WaitRequest, Step::write(long)];
    let mut client = in_memory([script, vec![Step::WaitRequest, Step::write(whole_answer())]]);
    assert_eq!(client.chat().await.ended, Ended::Done);
    let second = client.chat().await;
    check_too_large(&second, "head of the answer");
    assert_eq!(second.reconnects, 0);
}

#[tokio::test(start_paused = true)]
async fn an_event_without_end_is_cut_and_so_is_a_line() {
    for piece in ["data: aaaaaaaa\n", "aaaaaaaa"] {
        let script = endless(&format!("{HEAD}{}", chunk("data: ")), &chunk(piece));
        let exchange = limited(script, |client| client.event_limit = 1000).await;
        check_too_large(&exchange, "1000");
        assert!(exchange.bytes < 3000, "{}", exchange.bytes);
    }
    // As long as they may be, with what came before them kept.
    let answer = format!("{HEAD}{}{}{LAST_CHUNK}", chunk(&token(&"a".repeat(900))), chunk(&finish()));
    let script = vec![Step::WaitRequest, Step::write(answer)];
    assert_eq!(limited(script, |client| client.event_limit = 1000).await.ended, Ended::Eof);
}

#[tokio::test(start_paused = true)]
async fn a_body_without_end_is_cut_and_keeps_what_came() {
    let script = endless(HEAD, &chunk(&token("a")));
    let exchange = limited(script, |client| client.body_limit = 1000).await;
    check_too_large(&exchange, "1000 bytes");
    assert!(exchange.bytes < 1100 && exchange.token_events > 10, "{exchange:?}");
    assert_eq!(exchange.text.len() as u64, exchange.token_events);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_without_end_is_cut_after_a_mebibyte() {
    let head = "HTTP/1.1 500 Oops\r\ntransfer-encoding: chunked\r\n\r\n";
    let script = endless(head, &chunk(&"no and again no ".repeat(256)));
    let exchange = limited(script, |_| {}).await;
    check_too_large(&exchange, "refusal longer than 1048576 bytes");
    assert_eq!(exchange.status, Some(500));
    assert!(exchange.bytes < 1_100_000, "{exchange:?}");
    // A slow one is cut by the time-outs, as any answer is.
    let slow =
        vec![Step::WaitRequest, Step::write(head), Step::Repeat(chunk("no").into(), Duration::from_secs(1))];
    let exchange = limited(slow, |client| client.timeouts.first_token = Duration::from_secs(20)).await;
    assert_eq!(exchange.ended.to_string(), "timeout:first_token");
    assert_eq!((exchange.status, exchange.bytes), (Some(500), 40));
}
