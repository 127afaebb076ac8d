//! One client's use of a service, request after request on one connection.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::{Method, Request, Response};

use crate::answer;
use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::exchange::{Ended, Exchange, Failure, FailureKind, Phase};
use crate::guard::{Cancel, Guard, Stop, Timeouts};
use crate::kept::Kept;
use crate::line::Line;
use crate::parser::DEFAULT_LIMIT;
use crate::service_error::shorten;
use crate::target::Target;

/// A reused connection that fails this soon, before any byte of a response, was dead before the request.
const DEAD_WITHIN_US: u64 = 50_000;

/// How long the rest of a body is waited for after `[DONE]`, so that its connection can serve again.
const DRAIN: Duration = Duration::from_millis(50);

/// Sends requests to one service, one at a time. At most one idle connection is kept; whether it is still open is
/// looked at before it is used again. As many requests at once need as many sessions.
///
/// A request whose **reused** connection turns out dead is sent once more on a fresh one, since servers close idle
/// connections without a word. Nothing else is ever retried, no redirect followed, no compression asked for.
pub struct Session<C: Connect> {
    target: Arc<Target>,
    connector: Arc<C>,
    clock: Arc<dyn Clock>,
    idle: Option<Line<C>>,
    connect_plain_within: Option<Duration>,
    open_connections: Option<Arc<AtomicU64>>,
}

/// How one request is sent.
pub struct SendOptions<'a> {
    /// Its time-outs.
    pub timeouts: Timeouts,
    /// The client's own will.
    pub cancel: Option<&'a Cancel>,
    /// Makes an `X-Request-Id`: a new one for every sending, since some services take no id twice.
    pub request_id: &'a mut (dyn FnMut() -> String + Send + Sync),
    /// Counts token events, of this and other requests, while they arrive.
    pub live_tokens: Option<&'a AtomicU64>,
    /// The longest line and event taken, in bytes. Default [`DEFAULT_LIMIT`].
    pub event_limit: usize,
    /// The longest body taken, in bytes. Default 1 GiB.
    pub body_limit: u64,
}

impl<'a> SendOptions<'a> {
    /// The defaults, with ids made by `request_id`.
    #[must_use]
    pub fn new(request_id: &'a mut (dyn FnMut() -> String + Send + Sync)) -> Self {
        Self {
            timeouts: Timeouts::default(),
            cancel: None,
            request_id,
            live_tokens: None,
            event_limit: DEFAULT_LIMIT,
            body_limit: 1 << 30,
        }
    }
}

impl<C: Connect> Session<C> {
    /// A session without a connection; the first request makes one.
    #[must_use]
    pub fn new(target: Arc<Target>, connector: Arc<C>, clock: Arc<dyn Clock>) -> Self {
        let (connect_plain_within, open_connections) = (None, None);
        Self { target, connector, clock, idle: None, connect_plain_within, open_connections }
    }

    /// The same, with a limit on connecting for requests beside the chat; without one, connecting may take as long
    /// as answering.
    #[must_use]
    pub fn connecting_within(mut self, limit: Duration) -> Self {
        self.connect_plain_within = Some(limit);
        self
    }

    /// The same, with its open connection counted in `gauge` for as long as it is open, as far as was noticed.
    #[must_use]
    pub fn counted_in(mut self, gauge: Arc<AtomicU64>) -> Self {
        self.open_connections = Some(gauge);
        self
    }

    /// Whom it talks to.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Whether a connection is kept for the next request. It may have died meanwhile.
    #[must_use]
    pub fn has_idle_connection(&self) -> bool {
        self.idle.is_some()
    }

    /// Sends a chat completion and reads its answer to the end. Whatever happens is told by the exchange; nothing
    /// is an error of this call. When `[DONE]` has come, the exchange is over: what follows is read away for at most
    /// 50 ms; that lies behind this exchange, and before the next one on this session.
    ///
    /// Dropping the future drops the connection and what was measured; to keep it, cancel by the options.
    pub async fn chat(&mut self, body: Bytes, mut options: SendOptions<'_>) -> Exchange {
        let (mut exchange, mut kept) = (Exchange::not_sent(), Kept::default());
        let mut guard = Guard::new(options.timeouts, options.cancel);
        let (target, path) = (Arc::clone(&self.target), self.target.endpoint().chat_path());
        let request_id = &mut options.request_id;
        let mut sent_id = String::new();
        let mut make = || {
            sent_id = request_id();
            target.request(Method::POST, &path, "text/event-stream", Some(body.clone()), &sent_id)
        };
        let mut sending = Sending::default();
        let head = self.send(&mut make, &mut guard, &mut sending).await;
        exchange.request_id = sent_id;
        exchange.sent = sending.sent;
        exchange.connect_us = sending.connect_us;
        exchange.reconnects = sending.reconnects;
        match head {
            Ok((line, response)) => {
                let read = answer::read(
                    line,
                    response,
                    &mut guard,
                    &options,
                    &*self.clock,
                    &mut exchange,
                    &mut kept,
                );
                let read = read.await;
                if let Some((line, rest)) = read {
                    self.idle = line.drain(rest, DRAIN).await;
                }
            }
            Err(failure) => {
                exchange.end = Some(self.clock.now_us());
                (exchange.ended, exchange.error) = failure.told();
            }
        }
        if let Some(failure) = &mut exchange.error {
            failure.message = self.target.mask(&failure.message);
            shorten(&mut failure.message);
        }
        exchange.sample = kept.into_sample(&self.target);
        exchange
    }

    /// Sends a request on the idle connection or a new one, and waits for the head of its response.
    pub(crate) async fn send(
        &mut self,
        make: &mut (dyn FnMut() -> hyper::http::Result<Request<Full<Bytes>>> + Send),
        guard: &mut Guard<'_>,
        sending: &mut Sending,
    ) -> Result<(Line<C>, Response<Incoming>), HeadFailure> {
        let mut idle = self.idle.take();
        loop {
            let mut reused = false;
            if let Some(line) = &mut idle {
                reused = line.is_usable().await;
            }
            let mut line = match idle.take() {
                Some(line) if reused => line,
                _ => self.open(guard, sending).await?,
            };
            let answered = line.stamps.plain_reads();
            let request =
                make().map_err(|error| HeadFailure::Broken(format!("write the request: {error}")))?;
            let head = line.send(request, guard).await;
            sending.sent = line.stamps.sent_us();
            let error = match head {
                Ok(Ok(response)) => return Ok((line, response)),
                Ok(Err(error)) => error,
                Err(stop) => return Err(HeadFailure::Stopped(stop)),
            };
            let soon =
                sending.sent.is_none_or(|sent| self.clock.now_us().saturating_sub(sent) <= DEAD_WITHIN_US);
            // Below TLS there are reads that bring no answer, the very farewell of the other side among them.
            let unanswered = line.stamps.plain_reads() == answered;
            if !(reused && soon && unanswered) {
                return Err(HeadFailure::Broken(answer::broken(&error)));
            }
            sending.reconnects += 1;
            sending.sent = None;
        }
    }

    async fn open(&self, guard: &mut Guard<'_>, sending: &mut Sending) -> Result<Line<C>, HeadFailure> {
        let (begun, within) = (self.clock.now_us(), guard.connect_timeout());
        let gauge = self.open_connections.clone();
        let opening = Line::open(&*self.connector, Arc::clone(&self.clock), within, gauge);
        let opened = guard.unless_cancelled(opening).await.map_err(HeadFailure::Stopped)?;
        let line = opened.map_err(HeadFailure::Connect)?;
        sending.connect_us = Some(self.clock.now_us().saturating_sub(begun));
        Ok(line)
    }

    pub(crate) fn keep(&mut self, line: Option<Line<C>>) {
        self.idle = line;
    }

    /// How long connecting may take for a request that is to be answered within a time.
    pub(crate) fn connect_plain_within(&self, within: Duration) -> Duration {
        self.connect_plain_within.map_or(within, |limit| limit.min(within))
    }

    pub(crate) fn target_of_requests(&self) -> Arc<Target> {
        Arc::clone(&self.target)
    }
}

/// What is known of a request before its response.
#[derive(Debug, Default)]
pub(crate) struct Sending {
    pub(crate) sent: Option<u64>,
    pub(crate) connect_us: Option<u64>,
    pub(crate) reconnects: u32,
}

/// Why no response began.
#[derive(Debug)]
pub(crate) enum HeadFailure {
    Connect(ConnectError),
    Stopped(Stop),
    Broken(String),
}

impl HeadFailure {
    fn told(self) -> (Ended, Option<Failure>) {
        let failure = |kind, message| Some(Failure { kind, message });
        match self {
            Self::Stopped(stop) => (stop.into(), None),
            Self::Broken(message) => (Ended::Reset, failure(FailureKind::Reset, message)),
            Self::Connect(error) => {
                let kind = match &error {
                    ConnectError::Dns { .. } => FailureKind::Dns,
                    ConnectError::Refused { .. } => FailureKind::Refused,
                    ConnectError::Tls(_) => FailureKind::Tls,
                    ConnectError::Other { .. } => FailureKind::Connect,
                    ConnectError::Timeout { .. } | ConnectError::TlsTimeout { .. } => {
                        FailureKind::ConnectTimeout
                    }
                };
                let ended = error.kind().map_or(Ended::Timeout(Phase::Connect), Ended::Connect);
                (ended, failure(kind, error.to_string()))
            }
        }
    }
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Timeout(phase) => Self::Timeout(phase),
            Stop::Cancelled => Self::Cancelled,
        }
    }
}
