//! When a connection is used again, and when a request is sent again.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::{DONE, HEAD, LAST_CHUNK, chunk, finish, in_memory, of_server, token, whole_answer};
use inference_sim::scripted::{ScriptedServer, Step};
use sse_client::{Ended, FailureKind};

fn answered() -> [Step; 2] {
    [Step::WaitRequest, Step::write(whole_answer())]
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_used_again_after_a_whole_answer() {
    let mut client = in_memory([[answered(), answered()].concat()]);
    let first = client.chat().await;
    assert_eq!((first.ended, first.connect_us), (Ended::Done, Some(0)));
    assert!(client.session.has_idle_connection());
    let second = client.chat().await;
    assert_eq!((second.ended, second.connect_us, second.reconnects), (Ended::Done, None, 0));
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_counted_for_as_long_as_it_is_open() {
    let gauge = Arc::new(AtomicU64::new(0));
    let closes = [&answered()[..], &[Step::WaitRequest, Step::Close]].concat();
    let mut client = in_memory([closes, vec![Step::WaitRequest, Step::Close]]).counted_in(Arc::clone(&gauge));
    assert_eq!(gauge.load(Ordering::Relaxed), 0);
    client.chat().await;
    assert_eq!(gauge.load(Ordering::Relaxed), 1, "kept for the next request");
    assert_eq!(client.chat().await.reconnects, 1);
    assert_eq!(gauge.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn the_rest_after_done_is_awaited_shortly_and_outside_the_measured_time() {
    let answer = format!("{HEAD}{}", chunk(&format!("{}{}{DONE}", token("a"), finish())));
    for (pause, kept) in [(40, true), (60, false)] {
        let pause = Step::Pause(Duration::from_millis(pause));
        let script =
            vec![Step::WaitRequest, Step::write(&answer), pause, Step::write(LAST_CHUNK), Step::Hang];
        let mut client = in_memory([script]);
        let exchange = client.chat().await;
        assert_eq!((exchange.ended, exchange.end, exchange.error), (Ended::Done, Some(0), None));
        assert_eq!(client.session.has_idle_connection(), kept);
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_that_was_closed_is_not_used() {
    let mut client = in_memory([answered().to_vec(), answered().to_vec()]);
    client.chat().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let second = client.chat().await;
    assert_eq!((second.ended, second.connect_us, second.reconnects), (Ended::Done, Some(0), 0));
    assert_eq!(second.request_id, "id-2");
}

#[tokio::test(start_paused = true)]
async fn a_dead_reused_connection_is_replaced_once_with_a_new_request_id() {
    let dies = [&answered()[..], &[Step::WaitRequest, Step::Close]].concat();
    let mut client = in_memory([dies, answered().to_vec()]);
    client.chat().await;
    let second = client.chat().await;
    assert_eq!((second.ended, second.reconnects, second.connect_us), (Ended::Done, 1, Some(0)));
    assert_eq!(second.request_id, "id-3");
    let requests = client.connector.log.requests();
    let ids: Vec<_> = requests.iter().map(|request| String::from_utf8_lossy(request).into_owned()).collect();
    assert_eq!(ids.len(), 3);
    assert!(
        ids[1].contains("x-request-id: id-2\r\n") && ids[2].contains("x-request-id: id-3\r\n"),
        "{ids:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_death_is_an_outcome() {
    let dies = [&answered()[..], &[Step::WaitRequest, Step::Close]].concat();
    let mut client = in_memory([dies, vec![Step::WaitRequest, Step::Close], answered().to_vec()]);
    client.chat().await;
    let second = client.chat().await;
    assert_eq!((second.ended, second.reconnects, second.terminal), (Ended::Reset, 1, None));
    assert_eq!(second.error.unwrap().kind, FailureKind::Reset);
    assert_eq!(client.connector.log.requests().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_late_death_a_begun_answer_and_a_fresh_connection_are_outcomes() {
    let late = vec![Step::WaitRequest, Step::Pause(Duration::from_millis(51)), Step::Close];
    let begun = vec![Step::WaitRequest, Step::write("HTTP/1.1 200 OK\r\n"), Step::Close];
    for dies in [late, begun] {
        let mut client = in_memory([[&answered()[..], &dies].concat(), answered().to_vec()]);
        client.chat().await;
        let second = client.chat().await;
        assert_eq!((second.ended, second.reconnects), (Ended::Reset, 0), "{dies:?}");
        assert!(second.sent.is_some() && second.end.is_some());
    }
    let mut client = in_memory([vec![Step::WaitRequest, Step::Close], answered().to_vec()]);
    let exchange = client.chat().await;
    assert_eq!((exchange.ended, exchange.reconnects), (Ended::Reset, 0));
}

#[tokio::test(start_paused = true)]
async fn a_connection_announced_to_close_is_honoured() {
    let answer = whole_answer().replace("\r\ntransfer", "\r\nconnection: close\r\ntransfer");
    let mut client =
        in_memory([vec![Step::WaitRequest, Step::write(answer), Step::Hang], answered().to_vec()]);
    client.chat().await;
    let second = client.chat().await;
    assert_eq!((second.ended, second.connect_us, second.reconnects), (Ended::Done, Some(0), 0));
}

/// As llama.cpp's server does: keep-alive announced, closed all the same.
#[tokio::test]
async fn a_server_that_closes_after_every_answer_costs_a_connection_and_nothing_else() {
    let answer = whole_answer().replace("\r\ntransfer", "\r\nkeep-alive: timeout=5, max=100\r\ntransfer");
    let server =
        ScriptedServer::bind(vec![vec![Step::WaitRequest, Step::write(answer), Step::Close]]).await.unwrap();
    let mut client = of_server(&server);
    for _ in 0..20 {
        let exchange = client.chat().await;
        assert_eq!((exchange.ended, exchange.error), (Ended::Done, None));
        assert!(exchange.connect_us.is_some());
    }
}

#[tokio::test]
async fn requests_carry_what_they_should_and_nothing_more() {
    let server = ScriptedServer::bind(vec![answered().to_vec()]).await.unwrap();
    of_server(&server).chat().await;
    let request = String::from_utf8(server.log().requests().remove(0)).unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<&str> = head.lines().collect();
    assert_eq!(lines.remove(0), "POST /v1/chat/completions HTTP/1.1");
    lines.sort_unstable();
    let host = format!("host: {}", server.address());
    let expected = [
        "accept: text/event-stream",
        "authorization: Bearer sk-hush-hush",
        "content-length: 2",
        "content-type: application/json",
        &host,
        "user-agent: test/1",
        "x-request-id: id-1",
    ];
    assert_eq!((lines, body), (expected.to_vec(), "{}"));
}

#[test]
fn a_request_under_way_can_move_between_threads() {
    fn movable<T: Send>(_: T) {}
    movable(in_memory([]).chat());
}
