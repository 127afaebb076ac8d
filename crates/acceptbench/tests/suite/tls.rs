//! Services behind TLS: what is trusted, and what failures say.

use std::{net::SocketAddr, path::Path, sync::Arc, sync::mpsc, thread::JoinHandle};

use inference_sim::{SimConfig, scripted::Step};
use rustls::pki_types::PrivateKeyDer;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::oneshot,
};
use tokio_rustls::TlsAcceptor;

use crate::{
    program::{SOUND, sweep},
    services::{scripted, sim},
};

/// Speaks TLS as `localhost`, and passes on what it hears, until it is dropped.
struct Terminator {
    port: u16,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Stands before a service; the certificate goes to `ca_file`.
fn terminate(service: SocketAddr, ca_file: &Path) -> Terminator {
    let issued = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(ca_file, issued.cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(issued.signing_key.serialize_der()).unwrap();
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![issued.cert.der().clone()], key)
            .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let (end, mut ended) = oneshot::channel::<()>();
    let (told, hears) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("localhost:0").await.unwrap();
            told.send(listener.local_addr().unwrap().port()).unwrap();
            loop {
                tokio::select! {
                    accepted = listener.accept() => {
                        let acceptor = acceptor.clone();
                        tokio::spawn(async move {
                            // A client that does not trust us leaves; that is what some tests want.
                            let Ok(mut client) = acceptor.accept(accepted.unwrap().0).await else { return };
                            let mut behind = TcpStream::connect(service).await.unwrap();
                            let _ = tokio::io::copy_bidirectional(&mut client, &mut behind).await;
                        });
                    }
                    _ = &mut ended => return,
                }
            }
        });
    });
    Terminator { port: hears.recv().unwrap(), end: Some(end), thread: Some(thread) }
}

impl Drop for Terminator {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

#[test]
fn a_private_authority_is_trusted_when_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let ca_file = folder.path().join("ca.pem");
    let service = sim(SimConfig::fast());
    let terminator = terminate(service.addr(), &ca_file);
    let url = format!("https://localhost:{}/v1", terminator.port);

    let unknown = sweep(&url, &[]);
    unknown.ends(&[5]).says(&["trust the certificate of localhost", "unknown issuer", "--ca-file"]);
    assert!(service.truth().is_empty());
    assert!(!unknown.out.exists());

    let trusted = sweep(&url, &["--ca-file", ca_file.to_str().unwrap()]);
    trusted.ends(SOUND);
    trusted.intact();
    assert_eq!(trusted.summary()["totals"]["effective"], 4);
    assert_eq!(service.truth().len(), 6);
}

#[test]
fn a_certificate_for_another_name_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let ca_file = folder.path().join("ca.pem");
    let service = sim(SimConfig::fast());
    let terminator = terminate(service.addr(), &ca_file);
    let url = format!("https://127.0.0.1:{}/v1", terminator.port);
    let ran = sweep(&url, &["--ca-file", ca_file.to_str().unwrap()]);
    ran.ends(&[5]);
}

#[test]
fn a_port_that_speaks_plain_http() {
    let refuses = vec![Step::write("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"), Step::Hang];
    let waits = vec![Step::Hang];
    for (script, says) in [
        (refuses, &["plain text", "http:// rather than https://"][..]),
        (waits, &["TLS", "http:// rather than https://"]),
    ] {
        let server = scripted(script);
        let url = server.url().replace("http://", "https://");
        sweep(&url, &["--connect-timeout", "0.3"]).ends(&[5]).says(says);
    }
}

#[test]
fn a_certificate_that_is_not_checked_is_loud_from_the_first_line_to_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let service = sim(SimConfig::fast());
    let terminator = terminate(service.addr(), &folder.path().join("ca.pem"));
    let url = format!("https://127.0.0.1:{}/v1", terminator.port);
    let ran = sweep(&url, &["--insecure", "--header-env", "X-Tenant=PATH"]);
    ran.ends(SOUND);
    ran.intact();
    assert!(
        ran.stderr.starts_with("warning: the service's certificate is not checked (--insecure)"),
        "{}",
        ran.stderr
    );
    let environment = std::fs::read(ran.out.join("data/environment.json")).unwrap();
    let target = serde_json::from_slice::<serde_json::Value>(&environment).unwrap()["target"].clone();
    assert_eq!(
        (&target["http"], &target["tls"], &target["insecure_tls"]),
        (&"http/1.1".into(), &"1.3".into(), &true.into())
    );
    assert_eq!(target["headers"], serde_json::json!(["x-tenant"]));
    let plan = std::fs::read_to_string(ran.out.join("data/plan.toml")).unwrap();
    assert!(plan.contains("\ninsecure = true\n") && plan.contains("\nhttp = \"auto\"\n"), "{plan}");
    let warnings = ran.summary()["warnings"].clone();
    let codes: Vec<_> = warnings.as_array().unwrap().iter().map(|warning| &warning["code"]).collect();
    assert!(codes.contains(&&"insecure_tls".into()), "{codes:?}");
    for (name, says) in [
        (
            "report.en.md",
            ["Certificate of the service not checked", "NOT CHECKED", "HTTP/1.1, TLS 1.3", "x-tenant"],
        ),
        ("report.zh.md", ["未校验服务证书", "未校验（", "HTTP/1.1，TLS 1.3", "x-tenant"]),
    ] {
        let report = ran.report(name);
        for words in says {
            assert!(report.contains(words), "{name}: {words}");
        }
    }
}
