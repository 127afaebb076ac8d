//! HTTP/2 against a server of its own: sharing connections, giving up, and what is said of services without it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use common::{Client, DONE, finish, plain_answer, token};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use inference_sim::scripted::{Log, Step, play};
use sse_client::{
    Canceller, Connect, ConnectError, Ended, Endpoint, Exchange, FailureKind, HttpVersion, Pool, Spoken,
    TcpConnector, TlsOptions,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc;

/// A body that its sender writes piece by piece.
struct Pieces(mpsc::UnboundedReceiver<String>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(ready!(self.0.poll_recv(cx)).map(|piece| Ok(Frame::data(piece.into()))))
    }
}

/// A request that a server got, to be answered by a test.
struct Got {
    request: Request<Bytes>,
    pieces: mpsc::UnboundedSender<String>,
}

impl Got {
    fn answer(&self) {
        for piece in [token("Hi"), finish(), DONE.to_owned()] {
            self.pieces.send(piece).unwrap();
        }
    }
}

/// Connects to servers in memory that hand their requests to the test.
struct Servers {
    streams: Option<u32>,
    headers: usize,
    connections: AtomicUsize,
    got: mpsc::UnboundedSender<Got>,
}

impl Servers {
    fn allowing(streams: Option<u32>) -> (Arc<Self>, mpsc::UnboundedReceiver<Got>) {
        Self::with_headers(streams, 0)
    }

    fn with_headers(streams: Option<u32>, headers: usize) -> (Arc<Self>, mpsc::UnboundedReceiver<Got>) {
        let (got, requests) = mpsc::unbounded_channel();
        let connections = AtomicUsize::new(0);
        (Arc::new(Self { streams, headers, connections, got }), requests)
    }

    fn client(self: &Arc<Self>, pool: &Pool) -> Client<Shared> {
        let mut client = Client::new("http://memory:8000/v1", Shared(Arc::clone(self)));
        client.session = client.session.speaking(HttpVersion::Http2).sharing(pool.clone());
        client
    }

    fn connections(&self) -> usize {
        self.connections.load(Relaxed)
    }
}

struct Shared(Arc<Servers>);

impl Connect for Shared {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        let (client, server) = tokio::io::duplex(1 << 16);
        self.0.connections.fetch_add(1, Relaxed);
        let (got, headers) = (self.0.got.clone(), self.0.headers);
        let answer = service_fn(move |request: Request<Incoming>| {
            let got = got.clone();
            async move {
                let (head, body) = request.into_parts();
                let request = Request::from_parts(head, body.collect().await.unwrap().to_bytes());
                let (pieces, body) = mpsc::unbounded_channel();
                got.send(Got { request, pieces }).ok().unwrap();
                let mut response = Response::builder().header("content-type", "text/event-stream");
                for at in 0..headers {
                    response = response.header(format!("x-{at}"), "v".repeat(1000));
                }
                Ok::<_, Infallible>(response.body(Pieces(body)).unwrap())
            }
        });
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder.max_concurrent_streams(self.0.streams);
        let serving = builder.serve_connection(TokioIo::new(server), answer);
        tokio::spawn(async move {
            let _ = serving.await;
        });
        Ok(client)
    }
}

/// Many requests at once, each from a task and a session of its own; every one is answered when all have come.
async fn at_once(servers: &Arc<Servers>, got: &mut mpsc::UnboundedReceiver<Got>, pool: &Pool, many: usize) {
    let spawn = |_| {
        let mut client = servers.client(pool);
        tokio::spawn(async move { client.chat().await })
    };
    let tasks: Vec<_> = (0..many).map(spawn).collect();
    let mut requests = Vec::new();
    while requests.len() < many {
        requests.push(got.recv().await.unwrap());
    }
    requests.iter().for_each(Got::answer);
    drop(requests);
    for task in tasks {
        let exchange: Exchange = task.await.unwrap();
        assert_eq!((exchange.ended, exchange.text.as_str()), (Ended::Done, "Hi"), "{exchange:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn sessions_share_connections_as_far_as_both_sides_allow() {
    for (ours, theirs, expected) in [(100, None, 1), (2, None, 3), (100, Some(2), 3), (100, Some(1), 5)] {
        let (servers, mut got) = Servers::allowing(theirs);
        let pool = Pool::new(ours);
        for _ in 0..2 {
            at_once(&servers, &mut got, &pool, 5).await;
            assert_eq!(
                (servers.connections(), pool.connections()),
                (expected, expected),
                "{ours} {theirs:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn requests_are_those_of_http2_and_say_what_was_spoken() {
    let (servers, mut got) = Servers::allowing(None);
    let gauge = Arc::new(AtomicU64::new(0));
    let mut client = servers.client(&Pool::default()).counted_in(Arc::clone(&gauge));
    let answer = async {
        let got = got.recv().await.unwrap();
        assert_eq!(got.request.uri(), "http://memory:8000/v1/chat/completions");
        let names: Vec<_> = got.request.headers().keys().map(|name| name.as_str().to_owned()).collect();
        assert!(!names.contains(&"host".to_owned()), "{names:?}");
        assert_eq!(got.request.headers()["content-length"], "2");
        assert_eq!(
            (got.request.headers()["x-request-id"].as_bytes(), &got.request.body()[..]),
            (&b"id-1"[..], &b"{}"[..])
        );
        got.answer();
    };
    let (exchange, ()) = tokio::join!(client.chat(), answer);
    assert_eq!((exchange.ended, exchange.connect_us, exchange.reconnects), (Ended::Done, Some(0), 0));
    assert_eq!(client.session.spoken(), Some(&Spoken { http: "h2", tls: None }));
    assert_eq!(gauge.load(Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn giving_up_resets_the_stream_and_leaves_the_connection_to_others() {
    let (servers, mut got) = Servers::allowing(None);
    let pool = Pool::default();
    let canceller = Canceller::new();
    let mut client = servers.client(&pool);
    client.cancel = Some(canceller.watch());
    let task = tokio::spawn(async move { client.chat().await });
    let first = got.recv().await.unwrap();
    first.pieces.send(token("a")).unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    canceller.cancel();
    let exchange = task.await.unwrap();
    assert_eq!(
        (exchange.ended, exchange.text.as_str(), exchange.end),
        (Ended::Cancelled, "a", Some(1_000_000))
    );
    // The server drops the body of a stream that was reset.
    first.pieces.closed().await;
    at_once(&servers, &mut got, &pool, 2).await;
    assert_eq!(servers.connections(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_comes_after_done_is_awaited_shortly() {
    let (servers, mut got) = Servers::allowing(None);
    let mut client = servers.client(&Pool::default());
    let answer = async {
        let got = got.recv().await.unwrap();
        got.answer();
        // The stream stays open for as long as the sender lives.
        got.pieces.closed().await;
    };
    let begun = tokio::time::Instant::now();
    let (exchange, ()) = tokio::join!(client.chat(), answer);
    assert_eq!((exchange.ended, exchange.end), (Ended::Done, Some(0)));
    assert_eq!(begun.elapsed().as_millis() / 10, 5);
}

#[tokio::test(start_paused = true)]
async fn a_head_that_is_too_long_is_said_to_be() {
    // The last is beyond what the connection itself can bear.
    for (headers, limit, ended) in
        [(10, 64 << 10, Ended::Done), (10, 8 << 10, Ended::TooLarge), (200, 1 << 10, Ended::TooLarge)]
    {
        let (servers, mut got) = Servers::with_headers(None, headers);
        let mut client = servers.client(&Pool::default());
        client.head_limit = limit;
        let answer = async {
            got.recv().await.unwrap().answer();
        };
        let (exchange, ()) = tokio::join!(client.chat(), answer);
        assert_eq!(exchange.ended, ended, "{exchange:?}");
        assert_eq!(
            exchange.error.is_some_and(|error| error.kind == FailureKind::TooLarge),
            ended == Ended::TooLarge
        );
    }
}

/// Connects to a script that speaks HTTP/1.1.
struct Script(Vec<Step>);

impl Connect for Script {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        let (client, server) = tokio::io::duplex(1 << 16);
        let script = self.0.clone();
        tokio::spawn(async move { play(server, &script, &Log::default()).await });
        Ok(client)
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_without_http2_is_told_of_and_a_silent_one_times_out() {
    let answers = vec![Step::write(plain_answer("400 Bad Request", "", "what?"))];
    for (script, ended, hint) in [
        (answers, "connect:other", "--http 1.1"),
        (vec![Step::Close], "connect:other", "--http 1.1"),
        (vec![Step::Hang], "timeout:connect", "within 10 s"),
    ] {
        let mut client = Client::new("http://memory/v1", Script(script));
        client.session = client.session.speaking(HttpVersion::Http2);
        let exchange = client.chat().await;
        assert_eq!((exchange.ended.to_string().as_str(), exchange.sent), (ended, None), "{exchange:?}");
        assert!(exchange.error.as_ref().unwrap().message.contains(hint), "{exchange:?}");
    }
}

/// A server on loopback that agrees on these protocols over TLS, and speaks the one agreed on.
async fn tls_server(name: &str, protocols: &[&str]) -> (String, TlsOptions) {
    let issued = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pem"));
    std::fs::write(&file, issued.cert.pem()).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(issued.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![issued.cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            tokio::spawn(async move {
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    let answer = service_fn(async |_: Request<Incoming>| {
                        let (pieces, body) = mpsc::unbounded_channel();
                        for piece in [token("Hi"), finish(), DONE.to_owned()] {
                            pieces.send(piece).unwrap();
                        }
                        Ok::<_, Infallible>(Response::new(Pieces(body)))
                    });
                    let serving = http2::Builder::new(TokioExecutor::new());
                    let _ = serving.serve_connection(TokioIo::new(stream), answer).await;
                } else {
                    let (mut stream, mut request) = (stream, Vec::new());
                    while !request.ends_with(b"{}") && stream.read_buf(&mut request).await.unwrap() > 0 {}
                    stream.write_all(common::whole_answer().as_bytes()).await.unwrap();
                    stream.flush().await.unwrap();
                    let _ = stream.read_u8().await;
                }
            });
        }
    });
    (url, TlsOptions { ca_file: Some(file), ..TlsOptions::default() })
}

#[tokio::test]
async fn over_tls_both_sides_agree_on_what_is_spoken() {
    use HttpVersion::{Auto, Http1, Http2};
    for (at, (offered, asked, expected)) in [
        (&["h2", "http/1.1"][..], Auto, Ok("h2")),
        (&["http/1.1"], Auto, Ok("http/1.1")),
        (&[], Auto, Ok("http/1.1")),
        (&["h2", "http/1.1"], Http1, Ok("http/1.1")),
        (&["h2"], Http2, Ok("h2")),
        (&["http/1.1"], Http2, Err("no version that was offered")),
        (&["h2"], Http1, Err("no version that was offered")),
        (&[], Http2, Err("did not agree to it over TLS")),
    ]
    .into_iter()
    .enumerate()
    {
        let (url, options) = tls_server(&format!("alpn-{at}"), offered).await;
        let pool = Pool::default();
        // Two together, so that the second has to wait for what the first finds.
        let clients = [(); 2].map(|()| {
            let connector = TcpConnector::new(&Endpoint::parse(&url).unwrap(), &options).unwrap();
            let mut client = Client::new(&url, connector);
            client.session = client.session.speaking(asked).sharing(pool.clone());
            tokio::spawn(async move { (client.chat().await, client.session.spoken().cloned()) })
        });
        for client in clients {
            let (exchange, spoken) = client.await.unwrap();
            match expected {
                Ok(http) => {
                    assert_eq!(exchange.ended, Ended::Done, "{offered:?} {asked} {exchange:?}");
                    assert_eq!(spoken, Some(Spoken { http, tls: Some("1.3") }), "{offered:?} {asked}");
                }
                Err(says) => {
                    let message = exchange.error.unwrap().message;
                    assert!(message.contains(says), "{offered:?} {asked}: {message}");
                }
            }
        }
        assert_eq!(pool.connections(), usize::from(expected == Ok("h2")));
    }
}
