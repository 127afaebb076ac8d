//! HTTP/1.1 against hyper's server, a second opinion on framing, and against what no server should say.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use common::{Client, DONE, HEAD, LAST_CHUNK, chunk, finish, in_memory, token, whole_answer};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use inference_sim::scripted::Step;
use sse_client::{Connect, ConnectError, Ended, Exchange, FailureKind, SendOptions, Terminal};
use tokio::io::DuplexStream;

/// A body in pieces, with a length or without one.
struct Pieces {
    pieces: std::vec::IntoIter<String>,
    length: Option<u64>,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.pieces.next().map(|piece| Ok(Frame::data(piece.into()))))
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map(SizeHint::with_exact).unwrap_or_default()
    }
}

/// Connects to hyper's server in memory, through a pipe of so many bytes.
struct Hyper {
    pipe: usize,
    with_length: bool,
}

/// The tokens of every answer, each in a chunk of its own.
const TOKENS: usize = 300;

fn pieces() -> Vec<String> {
    (0..TOKENS).map(|at| token(&"x".repeat(at % 40 + 1))).chain([finish(), DONE.to_owned()]).collect()
}

impl Connect for Hyper {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        let (client, server) = tokio::io::duplex(self.pipe);
        let with_length = self.with_length;
        let answer = move |request: Request<Incoming>| async move {
            let asked = request.into_body().collect().await.unwrap().to_bytes();
            let pieces = if asked == "{}" { pieces() } else { vec![format!("got {} bytes", asked.len())] };
            let length = with_length.then(|| pieces.iter().map(|piece| piece.len() as u64).sum());
            let body = Pieces { pieces: pieces.into_iter(), length };
            Ok::<_, Infallible>(
                Response::builder().header("content-type", "text/event-stream").body(body).unwrap(),
            )
        };
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(server), service_fn(answer)));
        Ok(client)
    }
}

fn is_whole(exchange: &Exchange) {
    let length: usize = (0..TOKENS).map(|at| at % 40 + 1).sum();
    assert_eq!((exchange.ended, exchange.terminal), (Ended::Done, Some(Terminal::Complete)), "{exchange:?}");
    assert_eq!((exchange.token_events, exchange.text.len()), (TOKENS as u64, length));
}

#[tokio::test(start_paused = true)]
async fn hypers_answers_are_read_whole_through_pipes_of_any_width() {
    for with_length in [false, true] {
        for pipe in [1, 7, 64, 1 << 10, 1 << 20] {
            let mut client = Client::new("http://h:8000/v1", Hyper { pipe, with_length });
            for number in 0..3 {
                let exchange = client.chat().await;
                is_whole(&exchange);
                assert_eq!(exchange.connect_us.is_none(), number > 0, "one connection serves all");
            }
            let within = std::time::Duration::from_secs(9);
            let answer = client.session.post("/v1/x", Bytes::from(vec![b' '; 10_000]), "id", within).await;
            assert_eq!(answer.unwrap().body, "got 10000 bytes");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn interim_heads_are_passed_over_and_a_body_may_last_until_the_end() {
    let stream = format!("{}{}{DONE}", token("Hi"), finish());
    let early = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n";
    let old =
        format!("HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{}{}", token("Hi"), finish());
    let scripts = [
        vec![Step::WaitRequest, Step::write(format!("{early}{HEAD}{}{LAST_CHUNK}", chunk(&stream)))],
        vec![Step::WaitRequest, Step::write(old), Step::Close],
    ];
    let mut client = in_memory(scripts);
    assert_eq!(client.chat().await.ended, Ended::Done);
    let exchange = client.chat().await;
    assert_eq!(
        (exchange.ended, exchange.terminal, exchange.text.as_str()),
        (Ended::Eof, Some(Terminal::Complete), "Hi")
    );
    assert!(!client.session.has_idle_connection());
}

#[tokio::test(start_paused = true)]
async fn whoever_says_more_than_was_asked_is_not_asked_again() {
    let more = format!("{}HTTP/1.1 200 OK\r\n\r\n", whole_answer());
    let mut client = in_memory([vec![Step::WaitRequest, Step::write(more), Step::Hang]]);
    assert_eq!(client.chat().await.ended, Ended::Done);
    assert!(!client.session.has_idle_connection());
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_come_before_the_request_has_been_taken() {
    let refusal =
        "HTTP/1.1 413 Content Too Large\r\ncontent-length: 26\r\n\r\n{\"error\":{\"message\":\"no\"}}";
    let mut client = in_memory([vec![Step::write(refusal), Step::Hang]]);
    let mut id = || "one".to_owned();
    let body = Bytes::from(vec![b' '; 1 << 20]);
    let exchange = client.session.chat(body, SendOptions::new(&mut id)).await;
    assert_eq!((exchange.status, exchange.ended), (Some(413), Ended::Eof), "{exchange:?}");
    assert_eq!(exchange.error.unwrap().message, "no");
    assert!(!client.session.has_idle_connection(), "half a request lies on it");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_begins_early_still_gets_the_rest_of_the_request() {
    let rest = format!("{}{LAST_CHUNK}", chunk(&format!("{}{}{DONE}", token("Hi"), finish())));
    let script = vec![Step::write(HEAD), Step::WaitRequest, Step::write(rest), Step::Hang];
    let mut client = in_memory([script]);
    let mut id = || "one".to_owned();
    let body = Bytes::from(vec![b' '; 1 << 20]);
    let exchange = client.session.chat(body, SendOptions::new(&mut id)).await;
    assert_eq!((exchange.ended, exchange.text.as_str()), (Ended::Done, "Hi"), "{exchange:?}");
    assert!(client.session.has_idle_connection(), "the request was taken whole");
    assert_eq!(client.connector.log.requests()[0].len() >> 20, 1);
}

#[tokio::test(start_paused = true)]
async fn a_body_longer_than_the_limit_is_too_large_even_if_its_end_came_with_it() {
    let stream = format!("{}{}{DONE}", token(&"x".repeat(500)), finish());
    let pieces: String =
        stream.as_bytes().chunks(50).map(|piece| chunk(std::str::from_utf8(piece).unwrap())).collect();
    let mut client = in_memory([vec![Step::WaitRequest, Step::write(format!("{HEAD}{pieces}{LAST_CHUNK}"))]]);
    client.body_limit = 200;
    let exchange = client.chat().await;
    assert_eq!((exchange.ended, exchange.error.unwrap().kind), (Ended::TooLarge, FailureKind::TooLarge));
}

#[tokio::test(start_paused = true)]
async fn broken_framing_is_told_and_what_came_before_it_counts() {
    let broken = format!("{HEAD}{}zz\r\n", chunk(&token("Hi")));
    let mut client = in_memory([vec![Step::WaitRequest, Step::write(broken), Step::Hang]]);
    let exchange = client.chat().await;
    assert_eq!((exchange.ended, exchange.token_events, exchange.text.as_str()), (Ended::Reset, 1, "Hi"));
    let failure = exchange.error.unwrap();
    assert_eq!(failure.kind, FailureKind::Reset);
    assert!(failure.message.contains("a chunk has no size"), "{}", failure.message);
}
