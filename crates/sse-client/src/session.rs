//! One client's use of a service, request after request on one connection.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bytes::Bytes;
use hyper::{Method, Response};

use crate::answer;
use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::exchange::{Ended, Exchange, Failure, FailureKind, Phase};
use crate::guard::{Cancel, Guard, Stop, Timeouts};
use crate::http_version::{HttpVersion, Spoken};
use crate::kept::{Kept, Sample};
use crate::line::{Dead, Fate, Line};
use crate::outgoing::Outgoing;
use crate::parser::DEFAULT_LIMIT;
#[cfg(feature = "http2")]
use crate::pool::Pool;
use crate::reach::Reached;
use crate::recorder::Recording;
use crate::service_error::shorten;
use crate::target::Target;
use crate::tls_failure::TlsFailure;

/// A reused connection that fails this soon, before any byte of a response, was dead before the request.
const DEAD_WITHIN_US: u64 = 50_000;

/// How long the rest of a body is waited for after `[DONE]`, so that its connection can serve again.
const DRAIN: Duration = Duration::from_millis(50);

/// The longest head of a response taken by default, in bytes: 64 KiB.
pub(crate) const HEAD_LIMIT: usize = 64 << 10;

/// Sends requests to one service, one at a time. At most one idle connection is kept; whether it is still open is
/// looked at before it is used again. As many requests at once need as many sessions. HTTP/1.1 is spoken, unless
/// [`speaking`](Self::speaking) says otherwise.
///
/// A request whose **reused** connection turns out dead is sent once more on a fresh one, since servers close idle
/// connections without a word; so is one that an HTTP/2 service said it did not take up. Nothing else is ever retried,
/// no redirect followed, no compression asked for.
pub struct Session<C: Connect> {
    target: Arc<Target>,
    pub(crate) connector: Arc<C>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) idle: Option<Line<C>>,
    pub(crate) http: HttpVersion,
    #[cfg(feature = "http2")]
    pub(crate) pool: Pool,
    pub(crate) spoken: Option<Spoken>,
    connect_plain_within: Option<Duration>,
    pub(crate) open_connections: Option<Arc<AtomicU64>>,
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
    /// The longest head of a response taken, in bytes, in at most 256 headers. Default 64 KiB. It holds for the
    /// connection that a request opens, and for whatever is sent on it later.
    pub head_limit: usize,
    /// The longest line and event taken, in bytes. Default [`DEFAULT_LIMIT`].
    pub event_limit: usize,
    /// The longest body taken, in bytes. Default 1 GiB.
    pub body_limit: u64,
    /// How much of the answer is recorded. Default [`Recording::Full`].
    pub recording: Recording,
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
            head_limit: HEAD_LIMIT,
            event_limit: DEFAULT_LIMIT,
            body_limit: 1 << 30,
            recording: Recording::Full,
        }
    }
}

impl<C: Connect> Session<C> {
    /// A session without a connection; the first request makes one.
    #[must_use]
    pub fn new(target: Arc<Target>, connector: Arc<C>, clock: Arc<dyn Clock>) -> Self {
        Self {
            target,
            connector,
            clock,
            idle: None,
            http: HttpVersion::Http1,
            #[cfg(feature = "http2")]
            pool: Pool::default(),
            spoken: None,
            connect_plain_within: None,
            open_connections: None,
        }
    }

    /// The same, speaking another HTTP.
    #[must_use]
    pub fn speaking(mut self, http: HttpVersion) -> Self {
        self.http = http;
        self
    }

    /// The same, with its connections of HTTP/2 shared with whoever has the same pool. All must run on one runtime of
    /// one thread, so that stamps are exact, and talk to the same service; without a pool it shares with nobody.
    #[cfg(feature = "http2")]
    #[must_use]
    pub fn sharing(mut self, pool: Pool) -> Self {
        self.pool = pool;
        self
    }

    /// What was agreed on with the service over the connection that this session used last.
    #[must_use]
    pub fn spoken(&self) -> Option<&Spoken> {
        self.spoken.as_ref()
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

    /// Whether a connection is kept for the next request, or shared. It may have died meanwhile.
    #[must_use]
    pub fn has_idle_connection(&self) -> bool {
        #[cfg(feature = "http2")]
        let shared = self.pool.connections() > 0;
        #[cfg(not(feature = "http2"))]
        let shared = false;
        self.idle.is_some() || shared
    }

    /// Sends a chat completion and reads its answer to the end. Whatever happens is told by the exchange; nothing
    /// is an error of this call. When `[DONE]` has come, the exchange is over: what follows is read away for at most
    /// 50 ms; that lies behind this exchange, and before the next one on this session.
    ///
    /// Dropping the future drops the connection and what was measured; to keep it, cancel by the options.
    pub async fn chat(&mut self, body: Bytes, mut options: SendOptions<'_>) -> Exchange {
        let (mut exchange, mut kept) = (Exchange::not_sent(), Kept::default());
        let mut guard = Guard::new(options.timeouts, options.cancel);
        let target = Arc::clone(&self.target);
        let request = Outgoing {
            target: &target,
            method: &Method::POST,
            path: target.chat_path(),
            accept: "text/event-stream",
            body: Some(&body),
        };
        let mut sending = Sending::default();
        let head =
            self.send(request, &mut options.request_id, &mut guard, options.head_limit, &mut sending).await;
        exchange.request_id = sending.request_id;
        exchange.sent = sending.sent;
        exchange.connect_us = sending.connect_us;
        exchange.reconnects = sending.reconnects;
        match head {
            Ok((line, head)) => {
                let read =
                    answer::read(line, &head, &mut guard, &options, &*self.clock, &mut exchange, &mut kept);
                if let Some(line) = read.await {
                    self.idle = line.drain(DRAIN).await;
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
        exchange.sample = Sample::new(kept, target);
        exchange
    }

    /// Sends a request on a connection that is there or a new one, and waits for the head of its response.
    pub(crate) async fn send(
        &mut self,
        request: Outgoing<'_>,
        next_id: &mut (dyn FnMut() -> String + Send + Sync),
        guard: &mut Guard<'_>,
        head_limit: usize,
        sending: &mut Sending,
    ) -> Result<(Line<C>, Response<()>), HeadFailure> {
        let mut dead = Dead::default();
        loop {
            let reached = self.reach(guard, head_limit, std::mem::take(&mut dead), sending).await?;
            let Reached { mut line, was_used } = reached;
            let answered = line.stamps().plain_reads();
            sending.request_id = next_id();
            let head = line.send(request, &sending.request_id, guard).await;
            sending.sent = line.sent_us();
            let error = match head {
                Ok(Ok(response)) if line.is_too_long(&response) => {
                    return Err(HeadFailure::TooLong { limit: head_limit });
                }
                Ok(Ok(response)) => return Ok((line, response)),
                Ok(Err(error)) => error,
                Err(stop) => return Err(HeadFailure::Stopped(stop)),
            };
            if let Some(alert) = line.stamps().alert().filter(|_| !was_used) {
                // TLS was never agreed on, though it seemed so: nobody has read what was sent.
                sending.sent = None;
                let host = self.target.endpoint().host().to_owned();
                return Err(HeadFailure::Connect(TlsFailure::alerted(host, alert).into()));
            }
            let soon =
                sending.sent.is_none_or(|sent| self.clock.now_us().saturating_sub(sent) <= DEAD_WITHIN_US);
            let fate = error.fate();
            let again = match fate {
                Fate::TooLong => return Err(HeadFailure::TooLong { limit: head_limit }),
                Fate::Unsendable => false,
                Fate::Refused | Fate::TooLate => true,
                // Below TLS there are reads that bring no answer, the very farewell of the other side among them. On a
                // shared connection the answers of others come, and this one's head would have been told of.
                Fate::Unknown => {
                    was_used && soon && (line.is_shared() || line.stamps().plain_reads() == answered)
                }
            };
            if !again || sending.reconnects > 0 {
                return Err(HeadFailure::Broken(error.to_string()));
            }
            dead = line.died(fate);
            sending.reconnects += 1;
            sending.sent = None;
        }
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
    /// As last sent.
    pub(crate) request_id: String,
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
    TooLong { limit: usize },
}

impl HeadFailure {
    fn told(self) -> (Ended, Option<Failure>) {
        let failure = |kind, message| Some(Failure { kind, message });
        match self {
            Self::Stopped(stop) => (stop.into(), None),
            Self::Broken(message) => (Ended::Reset, failure(FailureKind::Reset, message)),
            Self::TooLong { limit } => {
                let message =
                    format!("read the head of the answer: longer than {limit} bytes or 256 headers");
                (Ended::TooLarge, failure(FailureKind::TooLarge, message))
            }
            Self::Connect(error) => {
                let kind = match &error {
                    ConnectError::Dns { .. } => FailureKind::Dns,
                    ConnectError::Refused { .. } => FailureKind::Refused,
                    ConnectError::Tls(_) => FailureKind::Tls,
                    ConnectError::Other { .. } | ConnectError::Http2 { .. } => FailureKind::Connect,
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
