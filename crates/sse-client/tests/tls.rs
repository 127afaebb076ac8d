//! TLS against a server of our own: what is trusted, and what failures say.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use common::{Client, DONE, HEAD, chunk, finish, token, whole_answer};
use inference_sim::scripted::{ScriptedServer, Step};
use rustls::pki_types::PrivateKeyDer;
use sse_client::{Connect, ConnectError, Ended, Endpoint, Exchange, FailureKind, TcpConnector};
use sse_client::{Tls, TlsError, TlsOptions};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// What a server for `localhost` needs, and its certificate as the PEM file of an authority.
fn issue(name: &str) -> (TlsAcceptor, PathBuf) {
    issue_as(name, rcgen::IsCa::NoCa)
}

fn issue_as(name: &str, is_ca: rcgen::IsCa) -> (TlsAcceptor, PathBuf) {
    let mut asked = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    asked.is_ca = is_ca;
    let key = rcgen::KeyPair::generate().unwrap();
    let cert = asked.self_signed(&key).unwrap();
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pem"));
    std::fs::write(&file, cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    (TlsAcceptor::from(Arc::new(config)), file)
}

/// Reads a request of which the body is `{}`.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) {
    let mut request = Vec::new();
    while !request.ends_with(b"{}") && stream.read_buf(&mut request).await.unwrap() > 0 {}
}

/// A server for `localhost` that answers every connection once, and the file its certificate is in.
async fn tls_server(name: &str) -> (SocketAddr, PathBuf) {
    let (acceptor, file) = issue(name);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(stream).await {
                read_request(&mut stream).await;
                stream.write_all(whole_answer().as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
                let _ = stream.read_u8().await;
            }
        }
    });
    (address, file)
}

#[tokio::test]
async fn an_authority_that_shows_itself_as_the_server_is_told_of() {
    let authority = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let (acceptor, file) = issue_as("authority", authority);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let _ = acceptor.accept(stream).await;
    });
    let exchange = chat("localhost", port, Some(file)).await;
    let failure = exchange.error.unwrap();
    assert_eq!(failure.kind, FailureKind::Tls);
    assert!(failure.message.contains("CA:FALSE"), "{}", failure.message);
}

#[tokio::test]
async fn over_tls_too_what_two_reads_bring_is_two_arrivals() {
    let (acceptor, file) = issue("two-arrivals");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = acceptor.accept(stream).await.unwrap();
        read_request(&mut stream).await;
        // Each in a record of its own, longer than what TLS reads of a socket at once; all there before any is read.
        let long = "x".repeat(6000);
        for part in
            [HEAD.to_owned(), chunk(&token(&long)), chunk(&token(&long)), chunk(&finish()), chunk(DONE)]
        {
            stream.write_all(part.as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
        }
        let _ = stream.read_u8().await;
    });
    let exchange = chat("localhost", port, Some(file)).await;
    assert_eq!((exchange.ended, &exchange.gap_events[..]), (Ended::Done, &[1, 1][..]), "{exchange:?}");
}

fn trusting(ca_file: Option<PathBuf>) -> TlsOptions {
    TlsOptions { ca_file, ..TlsOptions::default() }
}

async fn chat(host: &str, port: u16, ca_file: Option<PathBuf>) -> Exchange {
    let url = format!("https://{host}:{port}/v1");
    let connector = TcpConnector::new(&Endpoint::parse(&url).unwrap(), &trusting(ca_file)).unwrap();
    Client::new(&url, connector).chat().await
}

#[tokio::test]
async fn a_private_authority_is_trusted_when_it_is_given() {
    let (address, file) = tls_server("trusted").await;
    let exchange = chat("localhost", address.port(), Some(file)).await;
    assert_eq!((exchange.ended, exchange.text.as_str(), exchange.error), (Ended::Done, "Hi", None));
    assert!(exchange.connect_us.is_some_and(|us| us > 0));
    let at = |instant: Option<u64>| instant.unwrap();
    assert!(at(exchange.sent) <= at(exchange.first_byte) && at(exchange.first_token) <= at(exchange.end));
}

#[tokio::test]
async fn failures_of_tls_say_what_to_do() {
    let (address, file) = tls_server("failing").await;
    let plain = plain_server().await;
    for (host, port, ca_file, hint) in [
        ("localhost", address.port(), None, "--ca-file"),
        ("127.0.0.1", address.port(), Some(file.clone()), "another name"),
        ("localhost", plain.address().port(), Some(file), "http:// rather than https://"),
    ] {
        let exchange = chat(host, port, ca_file).await;
        let failure = exchange.error.unwrap();
        assert_eq!((exchange.ended.to_string().as_str(), failure.kind), ("connect:tls", FailureKind::Tls));
        assert!(failure.message.contains(hint), "{}", failure.message);
        assert_eq!((exchange.sent, exchange.connect_us), (None, None));
    }
}

/// A server that answers in plain HTTP whatever it is sent.
async fn plain_server() -> ScriptedServer {
    ScriptedServer::bind(vec![vec![Step::write("HTTP/1.1 400 Bad Request\r\n\r\n"), Step::Hang]])
        .await
        .unwrap()
}

#[test]
fn a_file_of_certificates_must_hold_one() {
    let endpoint = Endpoint::parse("https://h/v1").unwrap();
    let with = |path: &str| TcpConnector::new(&endpoint, &trusting(Some(path.into())));
    for path in ["missing.pem", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")] {
        let error = with(path).unwrap_err();
        assert!(matches!(error, TlsError::File { .. }), "{error}");
        assert!(error.to_string().contains(path), "{error}");
    }
}

/// A transport that can hold back what TLS writes, so that a test may cut it.
struct Held {
    io: DuplexStream,
    held: Option<Vec<u8>>,
}

impl AsyncRead for Held {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Held {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if let Some(held) = &mut self.held {
            held.extend_from_slice(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

/// Connects in memory, with TLS, as often as there are transports.
struct TlsInMemory {
    clients: Mutex<VecDeque<DuplexStream>>,
    tls: Tls,
}

impl TlsInMemory {
    fn new(clients: impl IntoIterator<Item = DuplexStream>, ca_file: PathBuf) -> Self {
        let tls = Tls::new("localhost", &trusting(Some(ca_file))).unwrap();
        Self { clients: Mutex::new(clients.into_iter().collect()), tls }
    }
}

impl Connect for TlsInMemory {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        Ok(self.clients.lock().unwrap().pop_front().unwrap())
    }

    fn tls(&self) -> Option<&Tls> {
        Some(&self.tls)
    }
}

#[tokio::test(start_paused = true)]
async fn events_inside_tls_arrive_with_the_read_of_the_socket_below() {
    let (acceptor, ca_file) = issue("stamped");
    let (client, server) = tokio::io::duplex(1 << 16);
    let pause = || tokio::time::sleep(Duration::from_millis(10));
    tokio::spawn(async move {
        let mut stream = acceptor.accept(Held { io: server, held: None }).await.unwrap();
        read_request(&mut stream).await;
        stream.write_all(HEAD.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        pause().await;
        // Two records go out in one piece, but for the last byte of the second.
        stream.get_mut().0.held = Some(Vec::new());
        for text in ["a", "b"] {
            stream.write_all(chunk(&token(text)).as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
        }
        let held = stream.get_mut().0.held.take().unwrap();
        let (most, last) = held.split_at(held.len() - 1);
        stream.get_mut().0.write_all(most).await.unwrap();
        pause().await;
        stream.get_mut().0.write_all(last).await.unwrap();
        pause().await;
        stream.write_all(chunk(&format!("{}{DONE}", finish())).as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        pause().await;
    });
    let connector = TlsInMemory::new([client], ca_file);
    let exchange = Client::new("https://localhost/v1", connector).chat().await;
    assert_eq!((exchange.ended, exchange.text.as_str()), (Ended::Done, "ab"));
    assert_eq!((exchange.first_token, exchange.last_token), (Some(10_000), Some(20_000)));
    assert_eq!((exchange.gap_events, exchange.end), (vec![1, 1], Some(30_000)));
}

/// The farewell of TLS is a read of the socket, and no byte of a response.
#[tokio::test(start_paused = true)]
async fn a_reused_connection_that_tls_closes_in_order_is_replaced() {
    let (acceptor, ca_file) = issue("closed");
    let (client, server) = tokio::io::duplex(1 << 16);
    let (second_client, second_server) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let mut first = acceptor.accept(server).await.unwrap();
        read_request(&mut first).await;
        first.write_all(whole_answer().as_bytes()).await.unwrap();
        first.flush().await.unwrap();
        read_request(&mut first).await;
        first.shutdown().await.unwrap();
        let mut second = acceptor.accept(second_server).await.unwrap();
        read_request(&mut second).await;
        second.write_all(whole_answer().as_bytes()).await.unwrap();
        second.flush().await.unwrap();
        let _ = second.read_u8().await;
    });
    let mut client = Client::new("https://localhost/v1", TlsInMemory::new([client, second_client], ca_file));
    let first = client.chat().await;
    assert_eq!((first.ended, first.reconnects), (Ended::Done, 0));
    let second = client.chat().await;
    assert_eq!((second.ended, second.reconnects, second.error), (Ended::Done, 1, None));
    assert_eq!(second.text, "Hi");
}
