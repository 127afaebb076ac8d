//! A server that presses on its client: it computes nothing, and sends tokens as fast as it can or at an exact pace.
//!
//! [`Sim`](crate::Sim) behaves as inference services do and so is never faster than they are. What a client is able to
//! take shows only against a server that costs next to nothing itself. Its chunks are vLLM's, byte by byte, each in an
//! HTTP chunk of its own; the prompt is not looked at.
//!
//! ```
//! use inference_sim::pressure::{Pace, Pressure, spawn_pressure};
//! use std::io::{Read, Write};
//!
//! let server = spawn_pressure(Pressure { events: 3, pace: Pace::Flood, ..Pressure::default() }, "127.0.0.1:0")?;
//! let mut socket = std::net::TcpStream::connect(server.addr())?;
//! socket.write_all(b"POST /v1/chat/completions HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! socket.read_to_string(&mut answer)?;
//! assert_eq!(answer.matches("\"content\":\" word\"").count(), 3);
//! assert_eq!(server.sent().events, 3);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;

use crate::http::{Request, Response, Wire};
use crate::thread::OwnThread;

/// What every request is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// Token events of an answer; a finish reason, usage and `[DONE]` follow them.
    pub events: u32,
    /// When they are sent.
    pub pace: Pace,
    /// Keep, for paced answers, when every event was written.
    pub keep_truth: bool,
}

/// When token events are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The whole answer at once: a read of the client holds as many events as fit.
    Flood,
    /// One event a write, one write every so often. The phases of concurrent answers are spread evenly, so that load
    /// is steady. Timers are tokio's, due at whole milliseconds.
    Every(Duration),
}

impl Default for Pressure {
    /// A hundred events, one every 10 ms, with truth.
    fn default() -> Self {
        Self { events: 100, pace: Pace::Every(Duration::from_millis(10)), keep_truth: true }
    }
}

/// How much was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Requests received.
    pub requests: u64,
    /// Answers written to their end.
    pub answers: u64,
    /// Token events written.
    pub events: u64,
}

/// When the events of one paced answer were written, each just before its write, in microseconds since the request had
/// been read. Durations only, so that they can be compared across processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerTruth {
    /// The request's `X-Request-Id`.
    pub request_id: String,
    /// Every token event.
    pub written_us: Vec<u64>,
}

/// Starts a server on its own thread with its own runtime. `addr` is where it listens, such as `"127.0.0.1:0"`.
///
/// # Errors
///
/// When the address cannot be bound, or a runtime or a thread cannot be had.
pub fn spawn_pressure(pressure: Pressure, addr: impl ToSocketAddrs) -> io::Result<RunningPressure> {
    let shared = Arc::new(Shared { answer: Answer::new(&pressure), pressure, ..Shared::default() });
    let served = Arc::clone(&shared);
    let thread = OwnThread::serve("pressure", addr, move |listener| accept(served, listener))?;
    Ok(RunningPressure { thread, shared })
}

/// A server on its own thread. Dropping it ends it.
#[derive(Debug)]
pub struct RunningPressure {
    thread: OwnThread,
    shared: Arc<Shared>,
}

impl RunningPressure {
    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.thread.addr()
    }

    /// The base URL for clients, up to and including `/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.addr())
    }

    /// How much was sent so far.
    #[must_use]
    pub fn sent(&self) -> Sent {
        let [requests, answers, events] = [&self.shared.requests, &self.shared.answers, &self.shared.events]
            .map(|count| count.load(Ordering::SeqCst));
        Sent { requests, answers, events }
    }

    /// The paced answers that were completed since the last call.
    #[must_use]
    pub fn truth(&self) -> Vec<AnswerTruth> {
        std::mem::take(&mut *self.shared.truths.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Debug, Default)]
struct Shared {
    pressure: Pressure,
    answer: Answer,
    requests: AtomicU64,
    answers: AtomicU64,
    events: AtomicU64,
    truths: Mutex<Vec<AnswerTruth>>,
}

/// The bytes of an answer, made once.
#[derive(Debug, Default)]
struct Answer {
    head: Bytes,
    event: Bytes,
    end: Bytes,
    /// All of it, where it is sent at once.
    whole: Bytes,
}

impl Answer {
    fn new(pressure: &Pressure) -> Self {
        let head = "HTTP/1.1 200 OK\r\nserver: pressure\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
                    transfer-encoding: chunked\r\n\r\n";
        let chunk = |rest: &str| {
            let data = format!(
                "data: {{\"id\":\"chatcmpl-b4a84a06889164fb\",\"object\":\"chat.completion.chunk\",\"created\":1796069320,\
                 \"model\":\"pressure\",\"choices\":{rest}}}\n\n"
            );
            http_chunk(&data)
        };
        let event = chunk(
            "[{\"index\":0,\"delta\":{\"content\":\" word\"},\"logprobs\":null,\"finish_reason\":null}]",
        );
        let tokens = pressure.events;
        let end = [
            chunk(
                "[{\"index\":0,\"delta\":{\"content\":\"\"},\"logprobs\":null,\"finish_reason\":\"stop\"}]",
            ),
            chunk(&format!(
                "[],\"usage\":{{\"prompt_tokens\":20,\"total_tokens\":{},\"completion_tokens\":{tokens}}}",
                u64::from(tokens) + 20
            )),
            http_chunk("data: [DONE]\n\n"),
            "0\r\n\r\n".to_owned(),
        ]
        .concat();
        let whole = match pressure.pace {
            Pace::Flood => [head, &event.repeat(tokens as usize), &end].concat(),
            Pace::Every(_) => String::new(),
        };
        let bytes = |text: String| Bytes::from(text);
        Self { head: bytes(head.to_owned()), event: bytes(event), end: bytes(end), whole: bytes(whole) }
    }
}

fn http_chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

async fn accept(shared: Arc<Shared>, listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Without it an event would wait for the acknowledgement of the one before.
                let _ = stream.set_nodelay(true);
                tokio::spawn(serve(Arc::clone(&shared), stream));
            }
            // Out of descriptors, most likely: those that are open go on.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Serves one connection until its client goes.
async fn serve(shared: Arc<Shared>, io: impl AsyncRead + AsyncWrite + Unpin) {
    let mut wire = Wire::new(io);
    while let Ok(Some(request)) = wire.request().await {
        let answered = if request.path.ends_with("/chat/completions") {
            shared.answer_to(&request, &mut wire).await
        } else {
            let keep_alive = request.keep_alive;
            let nothing =
                Response { status: 404, content_type: "text/plain", extra: "", body: b"", keep_alive };
            wire.respond(&nothing).await.map(drop)
        };
        if answered.is_err() || !request.keep_alive {
            break;
        }
    }
    wire.close().await;
}

impl Shared {
    async fn answer_to(
        &self,
        request: &Request,
        wire: &mut Wire<impl AsyncRead + AsyncWrite + Unpin>,
    ) -> io::Result<()> {
        let ordinal = self.requests.fetch_add(1, Ordering::SeqCst);
        let events = self.pressure.events;
        match self.pressure.pace {
            Pace::Flood => {
                wire.write(&self.answer.whole).await?;
                self.events.fetch_add(events.into(), Ordering::SeqCst);
            }
            Pace::Every(gap) => {
                let mut due = request.received + phase(ordinal, gap);
                wire.write(&self.answer.head).await?;
                let mut written_us =
                    Vec::with_capacity(if self.pressure.keep_truth { events as usize } else { 0 });
                for _ in 0..events {
                    tokio::time::sleep_until(due).await;
                    let at = wire.write(&self.answer.event).await?;
                    self.events.fetch_add(1, Ordering::SeqCst);
                    if self.pressure.keep_truth {
                        written_us.push(micros(at - request.received));
                    }
                    due += gap;
                }
                wire.write(&self.answer.end).await?;
                if self.pressure.keep_truth {
                    let request_id = request.header("x-request-id").unwrap_or_default().to_owned();
                    let truth = AnswerTruth { request_id, written_us };
                    self.truths.lock().unwrap_or_else(PoisonError::into_inner).push(truth);
                }
            }
        }
        self.answers.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

/// Where in a gap the answer of this number begins: by the golden ratio, any number of them lie evenly.
fn phase(ordinal: u64, gap: Duration) -> Duration {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    gap.mul_f64((ordinal as f64 * GOLDEN).fract())
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
