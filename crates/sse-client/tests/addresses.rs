//! Where requests go, over real sockets: IPv6, prefixes of gateways, and nowhere else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::process::Command;

use common::{Client, of_server, plain_answer, whole_answer};
use inference_sim::scripted::{Log, ScriptedServer, Step, play};
use sse_client::{Ended, Endpoint, TcpConnector, TlsOptions};
use tokio::net::TcpListener;

/// What names the address in the process that [`no_proxy_of_the_environment_is_used`] starts.
const ADDRESS: &str = "SSE_CLIENT_TEST_ADDRESS";

fn answered() -> Vec<Step> {
    vec![Step::WaitRequest, Step::write(whole_answer())]
}

fn client(url: &str) -> Client<TcpConnector> {
    let endpoint = Endpoint::parse(url).unwrap();
    Client::new(url, TcpConnector::new(&endpoint, &TlsOptions::default()).unwrap())
}

fn lines(log: &Log) -> Vec<String> {
    let request = String::from_utf8(log.requests().remove(0)).unwrap();
    request.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn an_ipv6_address_is_reached_and_named_in_brackets() {
    let Ok(listener) = TcpListener::bind("[::1]:0").await else {
        println!("skipped: no IPv6 on this machine");
        return;
    };
    let (port, log) = (listener.local_addr().unwrap().port(), Log::default());
    let server = {
        let log = log.clone();
        async move {
            let (stream, _) = listener.accept().await.unwrap();
            let _ = play(stream, &answered(), &log).await;
        }
    };
    let mut client = client(&format!("http://[::1]:{port}/v1"));
    let (exchange, ()) = tokio::join!(client.chat(), server);
    assert_eq!((exchange.ended, exchange.error), (Ended::Done, None));
    assert!(lines(&log).contains(&format!("host: [::1]:{port}")), "{:?}", lines(&log));
}

#[tokio::test]
async fn a_prefix_of_a_gateway_is_kept() {
    let server = ScriptedServer::bind(vec![answered()]).await.unwrap();
    let base = format!("http://{}/llm/team%20a/v1", server.address());
    for url in [base.clone(), format!("{base}/chat/completions")] {
        assert_eq!(client(&url).chat().await.ended, Ended::Done);
    }
    for request in server.log().requests() {
        let request = String::from_utf8(request).unwrap();
        assert!(request.starts_with("POST /llm/team%20a/v1/chat/completions HTTP/1.1\r\n"), "{request}");
    }
    assert_eq!(server.log().requests().len(), 2);
}

#[tokio::test]
async fn no_redirect_is_followed() {
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let elsewhere = ScriptedServer::bind(vec![answered()]).await.unwrap();
        let location = format!("location: {}\r\n", elsewhere.url());
        let redirect = vec![Step::WaitRequest, Step::write(plain_answer(status, &location, ""))];
        let server = ScriptedServer::bind(vec![redirect]).await.unwrap();
        let exchange = of_server(&server).chat().await;
        assert_eq!(exchange.status.map(|code| code / 100), Some(3), "{status}");
        assert!(exchange.error.unwrap().message.contains(&elsewhere.url()), "{status}");
        assert!(elsewhere.log().requests().is_empty(), "{status}");
    }
}

/// The environment of a process is set when it starts, so this test starts itself once more.
#[tokio::test]
async fn no_proxy_of_the_environment_is_used() {
    if let Ok(url) = std::env::var(ADDRESS) {
        assert!(std::env::var("http_proxy").is_ok());
        assert_eq!(client(&url).chat().await.ended, Ended::Done);
        return;
    }
    let server = ScriptedServer::bind(vec![answered()]).await.unwrap();
    let proxy = ScriptedServer::bind(vec![answered()]).await.unwrap();
    let address = format!("http://{}", proxy.address());
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "no_proxy_of_the_environment_is_used"]).env(ADDRESS, server.url());
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        again.env(name, &address);
    }
    again.env_remove("NO_PROXY").env_remove("no_proxy");
    let ended = tokio::task::spawn_blocking(move || again.output().unwrap()).await.unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    assert_eq!((server.log().requests().len(), proxy.log().requests().len()), (1, 0));
}

#[tokio::test]
async fn no_compression_is_asked_for() {
    let server = ScriptedServer::bind(vec![answered()]).await.unwrap();
    of_server(&server).chat().await;
    assert!(lines(server.log()).iter().all(|line| !line.starts_with("accept-encoding")));
}
