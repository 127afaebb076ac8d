//! A bare socket reader: what timers, the scheduler and the network alone add to an instant.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};

use super::Outcome;

/// What one answer looked like from a socket: instants since sending, in microseconds, of every read that brought
/// token events, and how many each brought.
pub(crate) struct Seen {
    pub(crate) request_id: String,
    pub(crate) reads: Vec<(u64, u32)>,
}

/// Reads `requests` answers, `concurrency` at once, on one thread.
pub(crate) fn read(url: &str, concurrency: u32, requests: u64) -> Outcome<Vec<Seen>> {
    let address = url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let next = Arc::new(AtomicU64::new(0));
        let mut loops = tokio::task::JoinSet::new();
        for _ in 0..concurrency {
            loops.spawn(one(address.clone(), requests, Arc::clone(&next)));
        }
        let mut all = Vec::new();
        while let Some(ended) = loops.join_next().await {
            all.append(&mut ended??);
        }
        Ok(all)
    })
}

async fn one(address: String, requests: u64, next: Arc<AtomicU64>) -> std::io::Result<Vec<Seen>> {
    let mut stream = TcpStream::connect(&address).await?;
    stream.set_nodelay(true)?;
    let (mut all, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= requests {
            return Ok(all);
        }
        let mut seen = Seen { request_id: format!("bare-{number}"), reads: Vec::new() };
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\nx-request-id: {}\r\ncontent-length: 2\r\n\r\n{{}}",
            seen.request_id
        );
        let sent = Instant::now();
        stream.write_all(request.as_bytes()).await?;
        loop {
            let count = stream.read(&mut buffer).await?;
            let at = sent.elapsed();
            let text = &buffer[..count];
            // The server writes an event at a time, and the end in one piece.
            let events = memchr::memmem::find_iter(text, b"\" word\"").count();
            if events > 0 {
                let at = u64::try_from(at.as_micros()).unwrap_or(u64::MAX);
                seen.reads.push((at, u32::try_from(events).unwrap_or(u32::MAX)));
            }
            if count == 0 || text.ends_with(b"\r\n0\r\n\r\n") {
                break;
            }
        }
        all.push(seen);
    }
}
