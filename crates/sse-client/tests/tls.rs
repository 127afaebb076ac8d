//! TLS against a server of our own: what is trusted, and what failures say.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use common::{Client, whole_answer};
use inference_sim::scripted::{ScriptedServer, Step};
use rustls::pki_types::PrivateKeyDer;
use sse_client::{Ended, Endpoint, Exchange, FailureKind, TcpConnector, TlsError, TlsOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// A server for `localhost` that answers every connection once, and the file its certificate is in.
async fn tls_server(name: &str) -> (SocketAddr, PathBuf) {
    let issued = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pem"));
    std::fs::write(&file, issued.cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(issued.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![issued.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let mut request = Vec::new();
                while !request.ends_with(b"{}") && stream.read_buf(&mut request).await.unwrap() > 0 {}
                stream.write_all(whole_answer().as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
                let _ = stream.read_buf(&mut request).await;
            }
        }
    });
    (address, file)
}

async fn chat(host: &str, port: u16, ca_file: Option<PathBuf>) -> Exchange {
    let url = format!("https://{host}:{port}/v1");
    let connector = TcpConnector::new(&Endpoint::parse(&url).unwrap(), &TlsOptions { ca_file }).unwrap();
    Client::new(&url, connector).chat().await
}

#[tokio::test]
async fn a_private_authority_is_trusted_when_it_is_given() {
    let (address, file) = tls_server("trusted").await;
    let exchange = chat("localhost", address.port(), Some(file)).await;
    assert_eq!((exchange.ended, exchange.text.as_str(), exchange.error), (Ended::Done, "Hi", None));
    assert!(exchange.connect_us.is_some_and(|us| us > 0));
    assert!(exchange.sent <= exchange.first_byte && exchange.first_token <= exchange.end);
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
    let with = |path: &str| TcpConnector::new(&endpoint, &TlsOptions { ca_file: Some(path.into()) });
    for path in ["missing.pem", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")] {
        let error = with(path).unwrap_err();
        assert!(matches!(error, TlsError::File { .. }), "{error}");
        assert!(error.to_string().contains(path), "{error}");
    }
}
