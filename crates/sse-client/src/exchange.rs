//! The whole story of one request.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::chat::{ToolCall, Usage};
use crate::connect::ConnectKind;
use crate::kept::Sample;
use crate::terminal::Terminal;

/// What happened to one request: plain facts, no judgement. Instants are microseconds of the clock that was passed
/// in, and `None` where there was no such instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// The first byte of the request was handed to the socket; of the last try, if it was sent twice.
    pub sent: Option<u64>,
    /// The read that brought the first byte of the response body.
    pub first_byte: Option<u64>,
    /// The read that brought the first event with generated text.
    pub first_token: Option<u64>,
    /// The same without reasoning.
    pub first_visible: Option<u64>,
    /// The read that brought the last event with generated text.
    pub last_token: Option<u64>,
    /// The read that brought `[DONE]`, else the body's end, else the instant of failure or of giving up.
    pub end: Option<u64>,
    /// How long connecting took, resolving and TLS included, in microseconds. `None` on a connection used before.
    pub connect_us: Option<u64>,
    /// How often the request was sent again because a connection used before turned out dead: 0 or 1.
    pub reconnects: u32,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The response's `Content-Type`.
    pub content_type: Option<String>,
    /// Whether the response had a `Retry-After`.
    pub retry_after: bool,
    /// The seconds in it; `None` where it names a date, or was not there.
    pub retry_after_s: Option<u64>,
    /// The response's `Date`.
    pub date: Option<String>,
    /// How the transport ended.
    pub ended: Ended,
    /// What went wrong, where something did.
    pub error: Option<Failure>,
    /// How the stream left the answer; `None` where no stream began.
    pub terminal: Option<Terminal>,
    /// The finish reason.
    pub finish_reason: Option<String>,
    /// Whether `[DONE]` came.
    pub done: bool,
    /// Tokens as the service counted them.
    pub usage: Option<Usage>,
    /// Events of the stream.
    pub events: u64,
    /// Events with generated text, of any choice.
    pub token_events: u64,
    /// Events that could not be decoded.
    pub malformed: u64,
    /// Events in which bytes that are not UTF-8 were replaced by U+FFFD.
    pub replaced: u64,
    /// Comment lines.
    pub comments: u64,
    /// Bytes of the response body, up to `end`.
    pub bytes: u64,
    /// For every token-bearing read after the first, the microseconds since the token-bearing read before.
    pub gaps_us: Vec<u64>,
    /// Token events in every token-bearing read, the first included.
    pub gap_events: Vec<u32>,
    /// The content of choice 0.
    pub text: String,
    /// Its reasoning.
    pub reasoning: String,
    /// Its refusal.
    pub refusal: String,
    /// Its tool calls.
    pub tool_calls: Vec<ToolCall>,
    /// Whether deltas carried the whole text so far.
    pub cumulative: bool,
    /// The `X-Request-Id`, as last sent; empty where nothing was.
    pub request_id: String,
    /// The id that the stream's chunks carry.
    pub response_id: Option<String>,
    /// What was kept of the body.
    pub sample: Sample,
}

impl Exchange {
    /// A request of which nothing has happened yet: [`Ended::NotSent`] and nothing else. For requests that were
    /// planned and never sent, too.
    #[must_use]
    pub fn not_sent() -> Self {
        Self {
            sent: None,
            first_byte: None,
            first_token: None,
            first_visible: None,
            last_token: None,
            end: None,
            connect_us: None,
            reconnects: 0,
            status: None,
            content_type: None,
            retry_after: false,
            retry_after_s: None,
            date: None,
            ended: Ended::NotSent,
            error: None,
            terminal: None,
            finish_reason: None,
            done: false,
            usage: None,
            events: 0,
            token_events: 0,
            malformed: 0,
            replaced: 0,
            comments: 0,
            bytes: 0,
            gaps_us: Vec::new(),
            gap_events: Vec::new(),
            text: String::new(),
            reasoning: String::new(),
            refusal: String::new(),
            tool_calls: Vec::new(),
            cumulative: false,
            request_id: String::new(),
            response_id: None,
            sample: Sample::default(),
        }
    }
}

/// How a request ended, seen from the transport. Written, by `Display` and in JSON, as `done`, `eof`, `reset`,
/// `timeout:connect`, `timeout:first_token`, `timeout:stall`, `timeout:total`, `connect:dns`, `connect:refused`,
/// `connect:tls`, `connect:other`, `cancelled`, `not_sent`, `too_large`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// `[DONE]` came.
    Done,
    /// The body ended, as its framing says.
    Eof,
    /// The connection was closed or reset before the end of the answer, or the answer was no HTTP.
    Reset,
    /// A time-out ran out.
    Timeout(Phase),
    /// No connection came about.
    Connect(ConnectKind),
    /// The client wanted no more.
    Cancelled,
    /// Nothing was sent.
    NotSent,
    /// The answer, its head, or a line or event of it was longer than the client takes.
    TooLarge,
}

impl fmt::Display for Ended {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Done => "done",
            Self::Eof => "eof",
            Self::Reset => "reset",
            Self::Timeout(Phase::Connect) => "timeout:connect",
            Self::Timeout(Phase::FirstToken) => "timeout:first_token",
            Self::Timeout(Phase::Stall) => "timeout:stall",
            Self::Timeout(Phase::Total) => "timeout:total",
            Self::Connect(ConnectKind::Dns) => "connect:dns",
            Self::Connect(ConnectKind::Refused) => "connect:refused",
            Self::Connect(ConnectKind::Tls) => "connect:tls",
            Self::Connect(ConnectKind::Other) => "connect:other",
            Self::Cancelled => "cancelled",
            Self::NotSent => "not_sent",
            Self::TooLarge => "too_large",
        })
    }
}

impl Serialize for Ended {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a time-out was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Connecting.
    Connect,
    /// The first token.
    FirstToken,
    /// The next token, or the end.
    Stall,
    /// The whole.
    Total,
}

/// What went wrong with a request, for a person to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// The service's own message where it gave one, else ours, which fits after "failed to"; at most 500 characters.
    /// An API key of 8 bytes or more is masked.
    pub message: String,
}

/// The kinds of failure. Time-outs and cancelling are told by [`Ended`] alone, but for connecting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The host name has no address.
    Dns,
    /// Nothing listens there.
    Refused,
    /// TLS did not come about.
    Tls,
    /// Connecting took too long.
    ConnectTimeout,
    /// Connecting failed otherwise.
    Connect,
    /// A status outside 200 to 299.
    Http,
    /// A 503 with `Retry-After`: the service asks to come again.
    Overloaded,
    /// An error object inside a 200.
    ErrorObject,
    /// An `event: error` inside a 200.
    ErrorEvent,
    /// Text in a 200 that is no event stream.
    NotEventStream,
    /// The connection was closed or reset too early.
    Reset,
    /// The answer, its head, or a line or event of it was longer than the client takes.
    TooLarge,
}
