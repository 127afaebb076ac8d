//! The floor: the same requests by bare hyper, one connection each, whose bodies are drained and not looked at.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::Outcome;

/// Sends `requests` requests, `concurrency` at once, on one thread. Gives the bytes of the bodies.
pub(crate) fn drain(url: &str, concurrency: u32, requests: u64) -> Outcome<u64> {
    let address = url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let body = Bytes::from_static(BODY.as_bytes());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let left = Arc::new(AtomicU64::new(requests));
        let mut loops = tokio::task::JoinSet::new();
        for _ in 0..concurrency {
            loops.spawn(one(address.clone(), body.clone(), Arc::clone(&left)));
        }
        let mut bytes = 0;
        while let Some(ended) = loops.join_next().await {
            bytes += ended?.map_err(|error| error as Box<dyn Error>)?;
        }
        Ok(bytes)
    })
}

/// As long as a prompt of the built-in set.
const BODY: &str = r#"{"model":"pressure","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"[0123456789abcdef 1] Explain in about two hundred words how a city could cut the energy that its street lighting needs without making its streets less safe, and what it would cost."}]}"#;

async fn one(
    address: String,
    body: Bytes,
    left: Arc<AtomicU64>,
) -> Result<u64, Box<dyn Error + Send + Sync>> {
    let stream = TcpStream::connect(&address).await?;
    let _ = stream.set_nodelay(true);
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let driver = tokio::spawn(connection);
    let mut bytes = 0;
    while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
        sender.ready().await?;
        let request = Request::post("/v1/chat/completions")
            .header("host", &address)
            .header("content-type", "application/json")
            .body(Full::new(body.clone()))?;
        let mut answer = sender.send_request(request).await?.into_body();
        while let Some(frame) = answer.frame().await {
            bytes += frame?.data_ref().map_or(0, |data| data.len() as u64);
        }
    }
    drop(sender);
    let _ = driver.await;
    Ok(bytes)
}
