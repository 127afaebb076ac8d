//! The service on its own thread, over real sockets, met by a client built on hyper.

mod common;

use std::time::Duration;

use common::{Client, streamed};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use inference_sim::{Ending, Sim, SimConfig, spawn_thread};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

#[tokio::test]
async fn hyper_understands_every_response_and_its_interval_contains_the_true_one() {
    let service = spawn_thread(SimConfig::fast(), "127.0.0.1:0").unwrap();
    assert_eq!(service.base_url(), format!("http://{}/v1", service.addr()));
    let stream = TcpStream::connect(service.addr()).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let mut intervals = Vec::new();
    for number in 0..10 {
        let body = streamed("Hello", json!({"stream": number != 5})).to_string();
        let request = hyper::Request::post("/v1/chat/completions")
            .header("host", "sim")
            .header("x-request-id", number.to_string())
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        sender.ready().await.unwrap();
        let sent = Instant::now();
        let response = sender.send_request(request).await.unwrap();
        assert_eq!(response.status(), 200);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        intervals.push((sent, Instant::now()));
        assert!(number == 5 || body.ends_with(b"data: [DONE]\n\n"));
    }
    let truths = service.truth();
    assert_eq!(truths.len(), 10);
    for (truth, (sent, read)) in truths.iter().zip(intervals) {
        assert_eq!(truth.request_id.as_deref(), Some(truth.ordinal.to_string().as_str()));
        assert_eq!((truth.connection, truth.ending), (0, Ending::Complete));
        assert!(truth.received >= sent && truth.done_written.unwrap() <= read);
        assert!(truth.events.is_sorted_by_key(|event| event.at));
    }
    service.shutdown().unwrap();
}

#[tokio::test]
async fn a_client_that_leaves_is_noticed_over_a_socket() {
    let service = spawn_thread(SimConfig::fast(), "127.0.0.1:0").unwrap();
    let mut client = Client::new(TcpStream::connect(service.addr()).await.unwrap());
    // Far more than is computed before the socket closes.
    let body = streamed("Hello", json!({"max_tokens": 30_000, "ignore_eos": true})).to_string();
    client.send("POST", "/v1/chat/completions", "", &body).await;
    client.io.readable().await.unwrap();
    drop(client);
    // Waits until the server has settled the request.
    let truths = service.truth();
    assert!(truths[0].cancelled());
}

#[tokio::test]
async fn dropping_a_service_closes_its_connections() {
    let service = spawn_thread(SimConfig::fast(), "127.0.0.1:0").unwrap();
    let mut idle = Client::new(TcpStream::connect(service.addr()).await.unwrap());
    assert_eq!(idle.get("/health").await.status, 200);
    drop(service);
    assert!(idle.reply().await.is_none());
}

#[tokio::test]
async fn a_listener_is_served_until_the_signal() {
    let sim = Sim::new(SimConfig::fast());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let shutdown = sim.shutdown_handle();
    let use_it = async {
        let mut client = Client::new(TcpStream::connect(addr).await.unwrap());
        assert!(client.chat(&streamed("Hello", json!({}))).await.done());
        shutdown.signal();
        assert!(client.reply().await.is_none());
    };
    let both = async { tokio::join!(sim.serve(listener), use_it) };
    tokio::time::timeout(Duration::from_secs(30), both).await.unwrap();
}
