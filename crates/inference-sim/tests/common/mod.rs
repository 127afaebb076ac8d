//! A small client over any byte stream, and what it understood.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    clippy::unwrap_used,
    reason = "every test binary uses its own part of this module, and fails by panicking"
)]

use inference_sim::Sim;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::time::Instant;

pub struct Client<IO> {
    pub io: IO,
    ahead: Vec<u8>,
}

/// One response, as far as it came.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    /// The body of a response with a length, or the whole stream.
    pub body: String,
    /// The data of every event, with the instant at which it was read.
    pub events: Vec<(Instant, String)>,
    /// Whether the body ended as its head had announced.
    pub whole: bool,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The chunks that are JSON, in order.
    pub fn chunks(&self) -> Vec<Value> {
        self.events.iter().filter_map(|(_, data)| serde_json::from_str(data).ok()).collect()
    }

    pub fn done(&self) -> bool {
        self.events.last().is_some_and(|(_, data)| data == "[DONE]")
    }

    pub fn text(&self, field: &str) -> String {
        self.chunks()
            .iter()
            .filter_map(|chunk| chunk["choices"][0]["delta"][field].as_str().map(str::to_owned))
            .collect()
    }

    /// The events that carry text, with their instants.
    pub fn token_instants(&self) -> Vec<Instant> {
        let carries = |data: &str| {
            let chunk: Value = serde_json::from_str(data).unwrap_or_default();
            ["content", "reasoning_content", "reasoning"].iter().any(|field| {
                chunk["choices"][0]["delta"][field].as_str().is_some_and(|text| !text.is_empty())
            })
        };
        self.events.iter().filter(|(_, data)| carries(data)).map(|(at, _)| *at).collect()
    }

    pub fn finish_reason(&self) -> Option<String> {
        self.chunks()
            .iter()
            .find_map(|chunk| chunk["choices"][0]["finish_reason"].as_str().map(str::to_owned))
    }

    pub fn usage(&self) -> Option<Value> {
        self.chunks().last().and_then(|chunk| chunk.get("usage").cloned())
    }
}

/// A connection to a service, served by a task of its own.
pub fn connect(sim: &Sim) -> Client<DuplexStream> {
    let (client, server) = tokio::io::duplex(1 << 20);
    let sim = sim.clone();
    tokio::spawn(async move { sim.serve_connection(server).await });
    Client::new(client)
}

/// The body of a streamed request with usage, with further members.
pub fn streamed(prompt: &str, more: Value) -> Value {
    let mut body = json!({
        "model": "sim-chat",
        "messages": [{"role": "user", "content": prompt}],
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

impl<IO: AsyncRead + AsyncWrite + Unpin> Client<IO> {
    pub fn new(io: IO) -> Self {
        Client { io, ahead: Vec::new() }
    }

    pub async fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: sim\r\n{headers}content-length: {length}\r\n\r\n{body}"
        );
        self.io.write_all(request.as_bytes()).await.unwrap();
    }

    pub async fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, "", "").await;
        self.reply().await.unwrap()
    }

    pub async fn chat(&mut self, body: &Value) -> Reply {
        self.chat_as("", body).await.unwrap()
    }

    /// Nothing when the connection ended before a response began.
    pub async fn chat_as(&mut self, headers: &str, body: &Value) -> Option<Reply> {
        self.send("POST", "/v1/chat/completions", headers, &body.to_string()).await;
        self.reply().await
    }

    async fn more(&mut self) -> bool {
        matches!(self.io.read_buf(&mut self.ahead).await, Ok(1..))
    }

    async fn take_line(&mut self) -> Option<String> {
        loop {
            if let Some(at) = self.ahead.windows(2).position(|window| window == b"\r\n") {
                let line = self.ahead.drain(..at + 2).collect::<Vec<u8>>();
                return Some(String::from_utf8(line).unwrap().trim_end().to_owned());
            }
            if !self.more().await {
                return None;
            }
        }
    }

    async fn take(&mut self, length: usize) -> Option<Vec<u8>> {
        while self.ahead.len() < length {
            if !self.more().await {
                return None;
            }
        }
        Some(self.ahead.drain(..length).collect())
    }

    pub async fn reply(&mut self) -> Option<Reply> {
        let first = self.take_line().await?;
        let mut reply = Reply {
            status: first.split(' ').nth(1).unwrap().parse().unwrap(),
            head: first,
            body: String::new(),
            events: Vec::new(),
            whole: true,
        };
        loop {
            let line = self.take_line().await?;
            if line.is_empty() {
                break;
            }
            reply.head += &format!("\n{line}");
        }
        let length = reply.head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if let Some(length) = length.map(|length| length.parse().unwrap()) {
            match self.take(length).await {
                Some(body) => reply.body = String::from_utf8(body).unwrap(),
                None => reply.whole = false,
            }
            return Some(reply);
        }
        loop {
            let Some(size) = self.take_line().await else {
                reply.whole = false;
                return Some(reply);
            };
            let size = usize::from_str_radix(&size, 16).unwrap();
            let chunk = String::from_utf8(self.take(size + 2).await.unwrap()).unwrap();
            if size == 0 {
                return Some(reply);
            }
            let chunk = chunk.strip_suffix("\r\n").unwrap();
            let data = chunk.strip_prefix("data: ").unwrap().strip_suffix("\n\n").unwrap();
            reply.events.push((Instant::now(), data.to_owned()));
            reply.body += chunk;
        }
    }
}
