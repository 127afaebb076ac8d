//! Certificates of the client, services that demand one, and services whose own is not checked.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use common::{Client, whole_answer};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};
use sse_client::{
    Connect, ConnectError, Ended, Endpoint, Exchange, FailureKind, Spoken, TcpConnector, Tls, TlsError,
    TlsOptions,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio_rustls::TlsAcceptor;

/// A certificate for `localhost` that nobody else has signed, and its files.
struct Identity {
    issued: rcgen::Certificate,
    signing_key: rcgen::KeyPair,
    certificate: PathBuf,
    key: PathBuf,
    both: PathBuf,
}

fn issue(name: &str) -> Identity {
    let mut parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    // Authorities are told apart by their names.
    parameters.distinguished_name.push(rcgen::DnType::CommonName, name);
    let signing_key = rcgen::KeyPair::generate().unwrap();
    let issued = parameters.self_signed(&signing_key).unwrap();
    let (certificate_pem, key_pem) = (issued.pem(), signing_key.serialize_pem());
    let write = |end: &str, text: &str| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{end}.pem"));
        std::fs::write(&path, text).unwrap();
        path
    };
    Identity {
        certificate: write("certificate", &certificate_pem),
        key: write("key", &key_pem),
        both: write("both", &format!("{certificate_pem}{key_pem}")),
        issued,
        signing_key,
    }
}

/// A server that shows the one certificate, and demands the other where it is given.
fn acceptor(
    server: &Identity,
    demands: Option<&Identity>,
    versions: &[&'static SupportedProtocolVersion],
) -> TlsAcceptor {
    let key = PrivateKeyDer::try_from(server.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_protocol_versions(versions).unwrap();
    let config = match demands {
        None => config.with_no_client_auth(),
        Some(known) => {
            let mut roots = RootCertStore::empty();
            roots.add(known.issued.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            config.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let config = config.with_single_cert(vec![server.issued.der().clone()], key).unwrap();
    TlsAcceptor::from(Arc::new(config))
}

struct InMemory {
    clients: Mutex<VecDeque<DuplexStream>>,
    tls: Tls,
}

impl Connect for InMemory {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        Ok(self.clients.lock().unwrap().pop_front().unwrap())
    }

    fn tls(&self) -> Option<&Tls> {
        Some(&self.tls)
    }
}

/// One exchange with a server in memory, and what was spoken.
async fn chat(acceptor: TlsAcceptor, host: &str, options: &TlsOptions) -> (Exchange, Option<Spoken>) {
    let (client, server) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let Ok(mut stream) = acceptor.accept(server).await else { return };
        let mut request = Vec::new();
        while !request.ends_with(b"{}") && stream.read_buf(&mut request).await.unwrap() > 0 {}
        stream.write_all(whole_answer().as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        let _ = stream.read_u8().await;
    });
    let connector = InMemory { clients: Mutex::new([client].into()), tls: Tls::new(host, options).unwrap() };
    let mut client = Client::new(&format!("https://{host}/v1"), connector);
    (client.chat().await, client.session.spoken().cloned())
}

const VERSIONS: [(&SupportedProtocolVersion, &str); 2] =
    [(&rustls::version::TLS12, "1.2"), (&rustls::version::TLS13, "1.3")];

#[tokio::test]
async fn a_demanded_certificate_is_shown() {
    let (server, client) = (issue("shown-server"), issue("shown-client"));
    let one_file = TlsOptions { client_cert: Some(client.both.clone()), ..TlsOptions::default() };
    let two_files = TlsOptions {
        client_cert: Some(client.certificate.clone()),
        client_key: Some(client.key.clone()),
        ..TlsOptions::default()
    };
    for options in [one_file, two_files] {
        let options = TlsOptions { ca_file: Some(server.certificate.clone()), ..options };
        for (version, name) in VERSIONS {
            let acceptor = acceptor(&server, Some(&client), &[version]);
            let (exchange, spoken) = chat(acceptor, "localhost", &options).await;
            assert_eq!((exchange.ended, exchange.error), (Ended::Done, None), "{name}");
            assert_eq!(spoken, Some(Spoken { http: "http/1.1", tls: Some(name) }));
        }
    }
}

#[tokio::test]
async fn a_demanded_certificate_that_is_missing_or_unknown_is_told_of() {
    let (server, client, other) = (issue("demanding"), issue("known"), issue("unknown"));
    for (shown, hint) in
        [(None, "demands a certificate of the client"), (Some(other.both), "refuses the client's")]
    {
        let options = TlsOptions {
            ca_file: Some(server.certificate.clone()),
            client_cert: shown.clone(),
            ..TlsOptions::default()
        };
        for (version, name) in VERSIONS {
            let (exchange, _) =
                chat(acceptor(&server, Some(&client), &[version]), "localhost", &options).await;
            let failure = exchange.error.unwrap();
            assert_eq!(exchange.ended.to_string(), "connect:tls", "{name} {failure:?}");
            assert_eq!((failure.kind, exchange.sent), (FailureKind::Tls, None), "{name}");
            assert!(failure.message.contains(hint), "{name} {failure:?}");
        }
    }
}

#[tokio::test]
async fn any_certificate_is_taken_where_that_is_asked_for() {
    let server = issue("insecure");
    for (insecure, host) in [(true, "localhost"), (true, "elsewhere"), (false, "localhost")] {
        let options = TlsOptions { insecure, ..TlsOptions::default() };
        for (version, _) in VERSIONS {
            let (exchange, _) = chat(acceptor(&server, None, &[version]), host, &options).await;
            assert_eq!(exchange.ended == Ended::Done, insecure, "{host} {exchange:?}");
        }
    }
}

#[test]
fn files_of_a_client_that_cannot_be_used_are_refused() {
    let (one, other) = (issue("one"), issue("other"));
    let endpoint = Endpoint::parse("https://h/v1").unwrap();
    let error = |client_cert: Option<&PathBuf>, client_key: Option<&PathBuf>| {
        let (client_cert, client_key) = (client_cert.cloned(), client_key.cloned());
        let options = TlsOptions { client_cert, client_key, ..TlsOptions::default() };
        TcpConnector::new(&endpoint, &options).unwrap_err()
    };
    let missing = PathBuf::from("missing.pem");
    let is_key = |error: &TlsError| matches!(error, TlsError::Key { .. });
    for (error, is_right, says) in [
        (error(Some(&one.certificate), None), is_key as fn(&TlsError) -> bool, "--client-key"),
        (error(Some(&one.certificate), Some(&missing)), is_key, "missing.pem"),
        (error(Some(&one.certificate), Some(&other.certificate)), is_key, "other-certificate.pem"),
        (error(Some(&one.key), None), |error| matches!(error, TlsError::File { .. }), "no certificate in it"),
        (error(None, Some(&one.key)), |error| matches!(error, TlsError::KeyAlone { .. }), "--client-cert"),
        (
            error(Some(&one.certificate), Some(&other.key)),
            |error| matches!(error, TlsError::Identity { .. }),
            "they must belong together",
        ),
    ] {
        assert!(is_right(&error), "{error:?}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

/// Shows a certificate whose key it does not have.
#[derive(Debug)]
struct Impostor(Arc<rustls::sign::CertifiedKey>);

impl rustls::server::ResolvesServerCert for Impostor {
    fn resolve(&self, _: rustls::server::ClientHello<'_>) -> Option<Arc<rustls::sign::CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

#[tokio::test]
async fn even_then_the_service_must_hold_the_key_of_what_it_shows() {
    let (shown, held) = (issue("impostor-shown"), issue("impostor-held"));
    let key = PrivateKeyDer::try_from(held.signing_key.serialize_der()).unwrap();
    let key = rustls::crypto::ring::sign::any_supported_type(&key).unwrap();
    let certified = Arc::new(rustls::sign::CertifiedKey::new(vec![shown.issued.der().clone()], key));
    for (version, name) in VERSIONS {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ServerConfig::builder_with_provider(provider).with_protocol_versions(&[version]).unwrap();
        let config =
            config.with_no_client_auth().with_cert_resolver(Arc::new(Impostor(Arc::clone(&certified))));
        let options = TlsOptions { insecure: true, ..TlsOptions::default() };
        let (exchange, _) = chat(TlsAcceptor::from(Arc::new(config)), "localhost", &options).await;
        assert_eq!(exchange.ended.to_string(), "connect:tls", "{name} {exchange:?}");
        assert!(exchange.error.unwrap().message.contains("BadSignature"), "{name}");
    }
}
