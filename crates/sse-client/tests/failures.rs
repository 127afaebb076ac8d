//! Every way in which a request can end badly, and what is said of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::{DONE, HEAD, LAST_CHUNK, chunk, finish, in_memory, of_server, plain_answer, token};
use inference_sim::scripted::{ScriptedServer, Step};
use sse_client::{Canceller, Connect, ConnectError, Ended, Endpoint, Exchange, FailureKind, Phase, Terminal};
use sse_client::{SAMPLE_BYTES, Target, TcpConnector, TlsOptions};

async fn answered_with(answer: String) -> Exchange {
    in_memory([vec![Step::WaitRequest, Step::write(answer)]]).chat().await
}

fn failure(exchange: &Exchange) -> (FailureKind, &str) {
    let failure = exchange.error.as_ref().unwrap();
    (failure.kind, failure.message.as_str())
}

#[tokio::test(start_paused = true)]
async fn refusals_carry_the_message_of_the_service() {
    let json = "content-type: application/json\r\n";
    for (status, headers, body, code, kind, message) in [
        (
            "404 Not Found",
            json,
            r#"{"error":{"message":"no such model"}}"#,
            404,
            FailureKind::Http,
            "no such model",
        ),
        ("404 Not Found", json, r#"{"detail":"Not Found"}"#, 404, FailureKind::Http, "Not Found"),
        ("429 Too Many Requests", "retry-after: 3\r\n", "slow down", 429, FailureKind::Http, "slow down"),
        ("503 Service Unavailable", "retry-after: 3\r\n", "", 503, FailureKind::Overloaded, "status 503"),
        ("503 Service Unavailable", "", "", 503, FailureKind::Http, "status 503"),
        (
            "502 Bad Gateway",
            "",
            "<html><head><title>502 Bad Gateway</title>",
            502,
            FailureKind::Http,
            "502 Bad Gateway",
        ),
        ("500 Oops", "", "data: {\"error\":\"boom\"}\n\n", 500, FailureKind::Http, "boom"),
        ("307 Temporary Redirect", "location: /v2\r\n", "", 307, FailureKind::Http, "redirects to /v2"),
    ] {
        let exchange = answered_with(plain_answer(status, headers, body)).await;
        assert_eq!(
            (exchange.ended, exchange.status, exchange.terminal),
            (Ended::Eof, Some(code), None),
            "{status}"
        );
        assert_eq!(exchange.retry_after, headers.contains("retry-after"), "{status}");
        assert_eq!(exchange.retry_after_s, exchange.retry_after.then_some(3), "{status}");
        assert_eq!(failure(&exchange).0, kind, "{status}");
        assert!(
            failure(&exchange).1.starts_with(message) || failure(&exchange).1.contains(message),
            "{exchange:?}"
        );
        assert_eq!(exchange.sample.to_bytes(), body.as_bytes(), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn errors_inside_a_success_are_errors() {
    let ends = format!("{}{LAST_CHUNK}", chunk(&format!("{}{DONE}", finish())));
    let object = chunk(&format!("{}data: {{\"error\":{{\"message\":\"boom\"}}}}\n\n", token("a")));
    let exchange = answered_with(format!("{HEAD}{object}{ends}")).await;
    assert_eq!((exchange.ended, exchange.terminal), (Ended::Done, Some(Terminal::StreamError)));
    assert_eq!(failure(&exchange), (FailureKind::ErrorObject, "boom"));
    assert_eq!(exchange.token_events, 1);
    assert!(!exchange.sample.is_empty());

    let event = chunk("event: error\ndata: gave up\n\n");
    let exchange = answered_with(format!("{HEAD}{event}{LAST_CHUNK}")).await;
    assert_eq!((exchange.ended, exchange.terminal), (Ended::Eof, Some(Terminal::StreamError)));
    assert_eq!(failure(&exchange), (FailureKind::ErrorEvent, "gave up"));
}

#[tokio::test(start_paused = true)]
async fn a_success_that_is_no_event_stream_says_what_it_looks_like() {
    for (headers, body, message) in [
        (
            "content-type: text/html\r\n",
            "<!doctype html><title>Sign in</title>",
            "an HTML page, titled \"Sign in\"",
        ),
        (
            "content-type: application/json\r\n",
            r#"{"choices":[{"message":{"content":"Hi"}}]}"#,
            "without streaming",
        ),
        ("content-encoding: gzip\r\n", "\u{1f}garbage", "in gzip, which was not asked for"),
    ] {
        let exchange = answered_with(plain_answer("200 OK", headers, body)).await;
        assert_eq!((exchange.ended, exchange.terminal), (Ended::Eof, Some(Terminal::StreamError)));
        assert_eq!(failure(&exchange).0, FailureKind::NotEventStream);
        assert!(failure(&exchange).1.contains(message), "{exchange:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_answer_keeps_what_came() {
    let cut =
        vec![Step::WaitRequest, Step::write(format!("{HEAD}{}5\r\nda", chunk(&token("a")))), Step::Close];
    let exchange = in_memory([cut]).chat().await;
    assert_eq!((exchange.ended, exchange.terminal), (Ended::Reset, Some(Terminal::Truncated)));
    assert_eq!((exchange.text.as_str(), exchange.token_events, exchange.malformed), ("a", 1, 0));
    assert_eq!(failure(&exchange).0, FailureKind::Reset);
}

#[tokio::test]
async fn a_reset_midway_is_told_from_an_end() {
    let gate = Arc::new(tokio::sync::Notify::new());
    let script = vec![
        Step::WaitRequest,
        Step::write(format!("{HEAD}{}", chunk(&token("a")))),
        Step::Gate(gate.clone()),
        Step::Reset,
    ];
    let server = ScriptedServer::bind(vec![script]).await.unwrap();
    let mut client = of_server(&server);
    let live = Arc::clone(&client.live_tokens);
    let chat = client.chat();
    // The gate opens when the token has been read, so that the reset cannot overtake it.
    let open = async {
        while live.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        gate.notify_one();
        std::future::pending::<std::convert::Infallible>().await
    };
    let exchange = tokio::select! { exchange = chat => exchange, never = open => match never {} };
    assert_eq!((exchange.ended, exchange.terminal), (Ended::Reset, Some(Terminal::Truncated)));
    assert_eq!((exchange.text.as_str(), failure(&exchange).0), ("a", FailureKind::Reset));
    assert!(exchange.end.unwrap() >= exchange.last_token.unwrap());
}

#[tokio::test(start_paused = true)]
async fn what_is_no_http_is_said_to_be_none() {
    let exchange = answered_with("\u{15}\u{3}\u{3}\0\u{2}\u{2}F".to_owned()).await;
    assert_eq!(exchange.ended, Ended::Reset);
    assert!(failure(&exchange).1.contains("https://"), "{exchange:?}");
}

#[tokio::test(start_paused = true)]
async fn time_outs_run_from_the_sending_and_name_their_phase() {
    let second = Duration::from_secs(1);
    let begun = || Step::write(format!("{HEAD}{}", chunk(&token("a"))));
    let comments = || Step::Repeat(chunk(": ping\n\n").into(), second);
    let tokens = || Step::Repeat(chunk(&token("a")).into(), second);
    for (script, phase, end) in [
        (vec![Step::Hang], Phase::FirstToken, 300),
        (vec![Step::WaitRequest, Step::write(HEAD), Step::Hang], Phase::FirstToken, 300),
        (vec![Step::WaitRequest, Step::write(HEAD), comments()], Phase::FirstToken, 300),
        (vec![Step::WaitRequest, Step::Pause(20 * second), begun(), Step::Hang], Phase::Stall, 140),
        (vec![Step::WaitRequest, begun(), comments()], Phase::Stall, 120),
        (vec![Step::WaitRequest, Step::write(HEAD), tokens()], Phase::Total, 3600),
    ] {
        let exchange = in_memory([script]).chat().await;
        assert_eq!((exchange.ended, exchange.error), (Ended::Timeout(phase), None));
        let (sent, end_us) = (exchange.sent.unwrap(), exchange.end.unwrap());
        // Timers of the runtime have a granularity of a millisecond.
        assert!((end_us - sent).abs_diff(end * 1_000_000) <= 2_000, "{phase:?} {end_us}");
        assert_eq!(exchange.token_events > 0, exchange.first_token.is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_never_lets_up_is_cut_by_the_total_all_the_same() {
    let script =
        vec![Step::WaitRequest, Step::write(HEAD), Step::Repeat(chunk(&token("a")).into(), Duration::ZERO)];
    let mut client = in_memory([script]);
    client.timeouts.total = Duration::from_millis(20);
    // There is always something to read, so the paused clock would never move by itself.
    let time = async {
        loop {
            tokio::time::advance(Duration::from_millis(1)).await;
        }
    };
    let exchange = tokio::select! { exchange = client.chat() => exchange, () = time => unreachable!() };
    assert_eq!(exchange.ended, Ended::Timeout(Phase::Total));
    assert_eq!(exchange.text.len() as u64, exchange.token_events);
    assert_eq!(u64::from(exchange.gap_events.iter().sum::<u32>()), exchange.token_events);
    assert_eq!(exchange.gaps_us.len() + 1, exchange.gap_events.len());
    assert_eq!(
        exchange.gaps_us.iter().sum::<u64>(),
        exchange.last_token.unwrap() - exchange.first_token.unwrap()
    );
}

struct Never;

impl Connect for Never {
    type Io = tokio::io::DuplexStream;

    async fn connect(&self) -> Result<Self::Io, ConnectError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn connecting_has_a_time_out_and_can_be_cancelled() {
    let mut client = common::Client::new("http://memory/v1", Never);
    let exchange = client.chat().await;
    assert_eq!((exchange.ended, exchange.sent), (Ended::Timeout(Phase::Connect), None));
    assert_eq!(failure(&exchange).0, FailureKind::ConnectTimeout);
    assert_eq!((exchange.end, exchange.connect_us), (Some(10_000_000), None));

    client.session = client.session.connecting_within(Duration::from_secs(3));
    let error = client.session.get("/", "a", Duration::from_secs(20)).await.unwrap_err();
    assert!(error.to_string().starts_with("connect within 3 s"), "{error}");

    let canceller = Canceller::new();
    client.cancel = Some(canceller.watch());
    let (exchange, ()) = tokio::join!(client.chat(), async { canceller.cancel() });
    assert_eq!((exchange.ended, exchange.sent), (Ended::Cancelled, None));
}

#[tokio::test(start_paused = true)]
async fn cancelling_midway_keeps_what_was_measured() {
    let canceller = Canceller::new();
    let script = vec![Step::WaitRequest, Step::write(format!("{HEAD}{}", chunk(&token("a")))), Step::Hang];
    let mut client = in_memory([script]);
    client.cancel = Some(canceller.watch());
    let later = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        canceller.cancel();
    };
    let (exchange, ()) = tokio::join!(client.chat(), later);
    assert_eq!((exchange.ended, exchange.error.as_ref()), (Ended::Cancelled, None));
    assert_eq!((exchange.text.as_str(), exchange.end.unwrap() / 1_000_000), ("a", 5));
    assert!(!client.session.has_idle_connection());
}

#[tokio::test(start_paused = true)]
async fn the_sample_of_a_long_body_has_the_error_at_its_end() {
    let many = chunk(&token("0123456789abcdef").repeat(500));
    let error = chunk("data: {\"error\":{\"message\":\"boom\"}}\n\n");
    let exchange = answered_with(format!("{HEAD}{many}{error}{LAST_CHUNK}")).await;
    assert_eq!(failure(&exchange), (FailureKind::ErrorObject, "boom"));
    let sample = String::from_utf8(exchange.sample.to_bytes()).unwrap();
    assert!(sample.len() <= SAMPLE_BYTES && sample.starts_with("data: {") && sample.contains("left out"));
    assert!(sample.ends_with("\"boom\"}}\n\n"), "{}", &sample[sample.len() - 100..]);
}

#[tokio::test(start_paused = true)]
async fn a_long_message_is_cut_after_the_key_was_masked_in_it() {
    for length in 480..500 {
        let body = format!("{}sk-hush-hush and so on", ".".repeat(length));
        let exchange = answered_with(plain_answer("401 Unauthorized", "", &body)).await;
        let (_, message) = failure(&exchange);
        assert!(message.chars().count() == 500 || message.ends_with("on"), "{message}");
        assert!(!message.contains("sk-"), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn further_headers_are_sent_and_masked_as_the_key_is() {
    let target = Target::new(Endpoint::parse("http://memory/v1").unwrap(), "test/1", None).unwrap();
    let target = target.with_header("api-key", "hush-hush-1").unwrap();
    assert!(!format!("{target:?}").contains("hush"));
    let body = r#"{"error":{"message":"bad key hush-hush-1"}}"#;
    let script = vec![Step::WaitRequest, Step::write(plain_answer("401 Unauthorized", "", body))];
    let mut client = in_memory([script]).of(target);
    let exchange = client.chat().await;
    assert_eq!(failure(&exchange).1, "bad key [secret]");
    assert!(!String::from_utf8_lossy(&exchange.sample.to_bytes()).contains("hush"));
    let request = String::from_utf8(client.connector.log.requests().remove(0)).unwrap();
    assert!(request.contains("api-key: hush-hush-1\r\n"), "{request}");
}

#[tokio::test(start_paused = true)]
async fn the_key_is_masked_where_a_service_repeats_it() {
    let body = r#"{"error":{"message":"bad key sk-hush-hush"}}"#;
    let exchange = answered_with(plain_answer("401 Unauthorized", "", body)).await;
    assert_eq!(failure(&exchange).1, "bad key [secret]");
    assert!(
        !format!("{exchange:?}{}", String::from_utf8_lossy(&exchange.sample.to_bytes()))
            .contains("sk-hush-hush")
    );
}

#[tokio::test]
async fn names_without_address_and_ports_without_service_are_told_apart() {
    // A port that is held, so that nobody else can take it, and that nobody listens on.
    let held = tokio::net::TcpSocket::new_v4().unwrap();
    held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let deaf = held.local_addr().unwrap();
    // A label longer than a name may have: the resolver refuses it without asking anyone.
    let nameless = "x".repeat(64);
    for (url, ended, kind) in [
        (format!("http://{nameless}.invalid:8000/v1"), "connect:dns", FailureKind::Dns),
        (format!("http://{deaf}/v1"), "connect:refused", FailureKind::Refused),
    ] {
        let connector = TcpConnector::new(&Endpoint::parse(&url).unwrap(), &TlsOptions::default()).unwrap();
        let exchange = common::Client::new(&url, connector).chat().await;
        assert_eq!((exchange.ended.to_string().as_str(), failure(&exchange).0), (ended, kind));
        assert!(failure(&exchange).1.contains('('), "a hint: {exchange:?}");
        assert_eq!(serde_json::to_value(exchange.ended).unwrap(), ended);
    }
}
