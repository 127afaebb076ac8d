//! A service in memory that answers as a test says, and keeps what it was asked.
#![allow(dead_code, reason = "every test file uses its own part")]

use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Bytes, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use load_engine::Job;
use metrics_core::Origin;
use serde_json::{Value, json};
use sse_client::{Connect, ConnectError};
use tokio::{io::DuplexStream, time::Instant};
use workload_model::{Plan, Sample, SampleSet, Schedule, Slot, SlotTurn};

/// What is answered to a request.
#[derive(Clone)]
pub(crate) struct Reply {
    /// After how long; never, where there is none.
    pub(crate) after: Option<Duration>,
    pub(crate) status: u16,
    pub(crate) retry_after: Option<&'static str>,
    /// The text; the answer breaks off where there is none.
    pub(crate) text: Option<String>,
}

impl Reply {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let after = Some(Duration::from_millis(100));
        Self { after, status: 200, retry_after: None, text: Some(text.into()) }
    }

    pub(crate) fn status(status: u16, retry_after: Option<&'static str>) -> Self {
        Self { status, retry_after, ..Self::text("no") }
    }

    pub(crate) fn broken() -> Self {
        Self { text: None, ..Self::text("") }
    }

    pub(crate) fn never() -> Self {
        Self { after: None, ..Self::text("") }
    }

    fn body(&self) -> String {
        let Some(text) = &self.text else { return "data: {\"choices\":[]}\n\n".to_owned() };
        if self.status != 200 {
            return json!({ "error": { "message": text } }).to_string();
        }
        let chunk = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] });
        format!("data: {chunk}\n\ndata: [DONE]\n\n")
    }
}

/// Answers the n-th request, from 0, by its body.
type Answer = dyn Fn(usize, &Value) -> Reply + Send + Sync;

/// Connects to that service.
#[derive(Clone)]
pub(crate) struct Answering {
    answer: Arc<Answer>,
    asked: Arc<Mutex<Vec<(Instant, Value)>>>,
    connections: Arc<AtomicUsize>,
}

impl Answering {
    pub(crate) fn new(answer: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static) -> Self {
        Self { answer: Arc::new(answer), asked: Arc::default(), connections: Arc::default() }
    }

    /// When every request came, and its body.
    pub(crate) fn asked(&self) -> Vec<(Instant, Value)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    async fn reply(self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        if request.method() == hyper::Method::GET {
            let mut nothing = Response::new(Full::default());
            *nothing.status_mut() = hyper::StatusCode::NOT_FOUND;
            return Ok(nothing);
        }
        let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let body: Value = serde_json::from_slice(&body).expect("a body of JSON");
        let reply = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.push((Instant::now(), body.clone()));
            (self.answer)(asked.len() - 1, &body)
        };
        match reply.after {
            Some(after) => tokio::time::sleep(after).await,
            None => std::future::pending().await,
        }
        let kind = if reply.status == 200 { "text/event-stream" } else { "application/json" };
        let mut response = Response::builder().status(reply.status).header(hyper::header::CONTENT_TYPE, kind);
        if let Some(retry_after) = reply.retry_after {
            response = response.header(hyper::header::RETRY_AFTER, retry_after);
        }
        Ok(response.body(Full::from(reply.body())).expect("a response"))
    }
}

impl Connect for Answering {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        let (client, server) = tokio::io::duplex(64 << 10);
        let answering = self.clone();
        tokio::spawn(async move {
            // Counted with its first request: what asks for the start time is none of the run's own.
            let counted = AtomicUsize::new(0);
            let service = service_fn(|request: Request<Incoming>| {
                if request.method() == hyper::Method::POST && counted.fetch_add(1, Ordering::Relaxed) == 0 {
                    answering.connections.fetch_add(1, Ordering::Relaxed);
                }
                answering.clone().reply(request)
            });
            let _ = http1::Builder::new().serve_connection(TokioIo::new(server), service).await;
        });
        Ok(client)
    }
}

/// The text of the last message of a body.
pub(crate) fn last_text(body: &Value) -> String {
    let messages = body["messages"].as_array().expect("messages");
    messages.last().and_then(|message| message["content"].as_str()).expect("a text").to_owned()
}

/// A planned request of a sample of its own, `q` and its number.
pub(crate) fn slot(seq: u64, tier: Option<u32>) -> Slot {
    Slot {
        seq,
        stage: "sweep".into(),
        tier,
        group: "all".into(),
        sample: format!("q{seq}").into(),
        origin: Origin::Synthetic,
        due_us: None,
        pause_us: 0,
        opening: seq,
        turn: None,
        measured: true,
    }
}

/// The turns of a conversation from `seq` on, each after a pause; all have the opening of the first.
pub(crate) fn conversation(seq: u64, tier: Option<u32>, pauses_us: &[u64]) -> Vec<Slot> {
    let turn = |(number, pause_us): (u32, &u64)| {
        let at = seq + u64::from(number) - 1;
        let previous = (number > 1).then(|| at - 1);
        let turn = Some(SlotTurn { number, previous });
        Slot { pause_us: *pause_us, opening: seq, turn, ..slot(at, tier) }
    };
    (1..).zip(pauses_us).map(turn).collect()
}

/// A job of these slots, in their order.
pub(crate) fn job_of(plan: Plan, slots: Vec<Slot>) -> Job {
    let sample = |slot: &Slot| {
        let message = json!({ "role": "user", "content": format!("What of {}?", slot.sample) });
        let message = message.as_object().expect("an object").clone();
        Sample::new(slot.sample.to_string(), vec![message])
    };
    let measured = slots.iter().map(sample).collect();
    let samples = SampleSet { measured, warm_up: Vec::new(), facts: None };
    Job {
        plan: Arc::new(plan),
        samples: Arc::new(samples),
        schedule: Arc::new(Schedule { slots }),
        usage_refused: None,
    }
}
