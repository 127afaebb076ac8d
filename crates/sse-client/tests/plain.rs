//! Requests beside the measured ones.

mod common;

use std::time::Duration;

use common::{in_memory, plain_answer};
use inference_sim::scripted::Step;
use sse_client::PlainError;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn any_status_is_an_answer_and_the_connection_is_kept() {
    let ok = plain_answer("200 OK", "server: it\r\n", "{}");
    let missing = plain_answer("404 Not Found", "", "no");
    let mut client = in_memory([vec![
        Step::WaitRequest,
        Step::write(ok),
        Step::WaitRequest,
        Step::write(missing),
        Step::Hang,
    ]]);
    let path = client.session.target().endpoint().path_of("models");
    let answer = client.session.get(&path, "a", SECOND).await.unwrap();
    assert_eq!((answer.status, answer.is_success(), answer.header("Server")), (200, true, Some("it")));
    assert_eq!(&answer.body[..], b"{}");
    let path = client.session.target().endpoint().root_path("/tokenize");
    let answer = client.session.post(&path, "{\"a\":1}".into(), "b", SECOND).await.unwrap();
    assert_eq!((answer.status, answer.is_success(), answer.header("server")), (404, false, None));
    let requests = client.connector.log.requests();
    assert!(requests[0].starts_with(b"GET /v1/models HTTP/1.1\r\n"));
    assert!(requests[1].starts_with(b"POST /tokenize HTTP/1.1\r\n") && requests[1].ends_with(b"{\"a\":1}"));
}

#[tokio::test(start_paused = true)]
async fn what_is_no_answer_is_an_error() {
    let error = in_memory([vec![Step::Hang]]).session.get("/", "a", SECOND).await.unwrap_err();
    assert_eq!(error.to_string(), "get an answer within 1 s (is the service overloaded?)");
    let error =
        in_memory([vec![Step::WaitRequest, Step::Close]]).session.get("/", "a", SECOND).await.unwrap_err();
    assert!(matches!(error, PlainError::Broken(_)), "{error}");
    let error = in_memory([]).session.get("/", "a", SECOND).await.unwrap_err();
    assert!(matches!(error, PlainError::Connect(_)), "{error}");
    let endless = vec![
        Step::WaitRequest,
        Step::write("HTTP/1.1 200 OK\r\n\r\n"),
        Step::Repeat(vec![b'a'; 1 << 16], Duration::ZERO),
    ];
    let error = in_memory([endless]).session.get("/", "a", SECOND).await.unwrap_err();
    assert!(matches!(error, PlainError::TooLong), "{error}");
}
