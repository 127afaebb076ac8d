//! One measured request: what was asked, and the plain facts of what came back.
//!
//! Facts only. What they amount to is [`crate::classify`]'s to say, so that outcomes can be computed again from
//! the rows of an old package under a rule that was agreed later.

use serde::{Deserialize, Serialize};

use crate::quantity::{Micros, TokenSource, Tokens};

/// One send of one planned request, with everything that any figure is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Position in the frozen schedule, from 0; the tries of one planned request share it.
    pub seq: u64,
    /// Name of the stage in the plan.
    pub stage: String,
    /// Concurrency of the closed-loop step that the request belongs to; `None` in a stage without steps.
    pub tier: Option<u32>,
    /// Name of the group whose rule judges it.
    pub group: String,
    /// Stable id of the sample that was sent.
    pub sample: String,
    /// 0 for the first try.
    pub attempt: u32,
    /// Which turn of its conversation it is, from 1; `None` where it is no part of one.
    pub turn: Option<u32>,
    /// Where its shape comes from; `None` in rows of older packages.
    pub origin: Option<Origin>,
    /// What was observed.
    pub facts: Facts,
}

/// Where the shape of a request comes from: its lengths, and that it was sent at all. Its text is another matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Measured in a log of real use.
    Real,
    /// Made by a program, or written for testing.
    Synthetic,
    /// From nothing but somebody's word.
    Assumed,
    /// Given by the user in a file; nobody can tell.
    Unknown,
}

/// What was asked of one request and what was observed of it. Instants count from the run's start; `None` is "there was none", never zero.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// When the schedule wanted it sent; in a closed loop, when its slot became free.
    pub due: Micros,
    /// The first byte of the request was handed to the socket.
    pub sent: Option<Micros>,
    /// First byte of the response body.
    pub first_byte: Option<Micros>,
    /// The read that brought the first generated text of any kind.
    pub first_token: Option<Micros>,
    /// The same without reasoning.
    pub first_visible: Option<Micros>,
    /// The read that brought the last generated text.
    pub last_token: Option<Micros>,
    /// `[DONE]`, else the body's end, else the instant of failure or of giving up.
    pub end: Option<Micros>,
    /// Sends on a dead pooled connection that were made once more on a fresh one.
    pub reconnects: u32,
    /// What connecting took (name, TCP and TLS); `None` on a pooled connection.
    pub connect: Option<Micros>,
    /// HTTP status, where a response head came.
    pub status: Option<u16>,
    /// How it ended.
    pub ended: Ended,
    /// The service's finish reason for the first choice, as sent.
    pub finish_reason: Option<String>,
    /// `[DONE]` was seen.
    pub done: bool,
    /// What went wrong, where anything did.
    pub error: Option<Fault>,
    /// Input tokens that it was made to have; `None` where nothing said how many.
    pub asked_input: Option<Tokens>,
    /// Output tokens that were asked for: the most, or exactly as many where the group's rule fixes the output; `None` where
    /// nothing said how many.
    pub asked_output: Option<Tokens>,
    /// Input tokens as the service counted them.
    pub prompt_tokens: Option<Tokens>,
    /// Output tokens as `token_source` counted them.
    pub output_tokens: Option<Tokens>,
    /// Reasoning tokens, part of the output, as the service counted them.
    pub reasoning_tokens: Option<Tokens>,
    /// Input tokens that the service took from its prefix cache.
    pub cached_tokens: Option<Tokens>,
    /// Who counted the output.
    pub token_source: Option<TokenSource>,
    /// Events in the stream.
    pub events: u64,
    /// Events with generated text.
    pub token_events: u64,
    /// Events whose data could not be decoded.
    pub malformed: u64,
    /// Comment lines (keep-alives) in the stream.
    pub comments: u64,
    /// Body bytes received.
    pub bytes: u64,
    /// The `X-Request-Id` last sent for it.
    pub request_id: Option<String>,
    /// The id in the service's chunks.
    pub response_id: Option<String>,
    /// For each token-bearing read after the first, the gap to the token-bearing read before, in microseconds.
    pub gaps_us: Vec<u64>,
    /// Token events in every token-bearing read, the first included. Empty when every read brought one.
    pub gap_events: Vec<u32>,
    /// SHA-256 of the text, in hexadecimal; of an answer without text, of its reasoning, refusal and tool calls.
    pub text_sha256: Option<String>,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ended {
    /// `[DONE]` came.
    Done,
    /// The body ended.
    Eof,
    /// The connection broke.
    Reset,
    /// A time-out of the plan struck.
    Timeout(Phase),
    /// No connection came about.
    Connect(ConnectFault),
    /// The answer, its head, or a line or event of it was longer than the client takes.
    TooLarge,
    /// The client's own doing.
    Cancelled,
    /// Planned, and never sent.
    #[default]
    NotSent,
}

/// The wait that a time-out cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// From sent to the first token.
    FirstToken,
    /// Between two tokens, or from the last to the end.
    Stall,
    /// The whole request.
    Total,
}

/// Why no connection came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectFault {
    /// The name does not resolve.
    Dns,
    /// Nothing listens there.
    Refused,
    /// TLS could not be agreed.
    Tls,
    /// Not within the connect time-out.
    Timeout,
    /// Anything else that the system reported.
    Other,
}

const ENDINGS: [(Ended, &str); 13] = [
    (Ended::Done, "done"),
    (Ended::Eof, "eof"),
    (Ended::Reset, "reset"),
    (Ended::Timeout(Phase::FirstToken), "timeout:first_token"),
    (Ended::Timeout(Phase::Stall), "timeout:stall"),
    (Ended::Timeout(Phase::Total), "timeout:total"),
    (Ended::Connect(ConnectFault::Dns), "connect:dns"),
    (Ended::Connect(ConnectFault::Refused), "connect:refused"),
    (Ended::Connect(ConnectFault::Tls), "connect:tls"),
    (Ended::Connect(ConnectFault::Timeout), "timeout:connect"),
    (Ended::Connect(ConnectFault::Other), "connect:other"),
    (Ended::TooLarge, "too_large"),
    (Ended::Cancelled, "cancelled"),
];

const NOT_SENT: &str = "not_sent";

/// What stands in older rows for `too_large`.
const OVERFLOW: &str = "overflow";

impl Ended {
    /// The word that stands in a row.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        ENDINGS.iter().find(|(ended, _)| *ended == self).map_or(NOT_SENT, |(_, word)| word)
    }

    /// The service itself ended the response: only then is there an end-to-end time.
    #[must_use]
    pub fn by_service(self) -> bool {
        matches!(self, Self::Done | Self::Eof)
    }
}

impl std::str::FromStr for Ended {
    type Err = UnknownEnding;

    fn from_str(word: &str) -> Result<Self, UnknownEnding> {
        match word {
            NOT_SENT => return Ok(Self::NotSent),
            OVERFLOW => return Ok(Self::TooLarge),
            _ => {}
        }
        ENDINGS
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(ended, _)| *ended)
            .ok_or_else(|| UnknownEnding(word.to_owned()))
    }
}

/// A row's `ended` is none of the known words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown ending {0:?} (the package was written by a newer version)")]
pub struct UnknownEnding(String);

impl Serialize for Ended {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Ended {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        word.parse().map_err(serde::de::Error::custom)
    }
}

/// What went wrong with a request, in the client's or the service's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Where it arose.
    pub kind: FaultKind,
    /// The words, secrets removed, bounded in length.
    pub message: String,
}

/// Where a fault arose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Name resolution, TCP or TLS; which one is told by [`Ended::Connect`].
    Connect,
    /// An HTTP status other than 200.
    Http,
    /// A 503 that told when to come again.
    Overloaded,
    /// An error object inside a 200 stream.
    ErrorObject,
    /// An `event: error` inside a 200 stream.
    ErrorEvent,
    /// Text in a 200 that is no event stream.
    NotEventStream,
    /// The connection broke.
    Reset,
    /// A head, line, event or answer over the client's limit.
    #[serde(alias = "overflow")]
    TooLarge,
    /// The run's own bound, stop condition or interrupt.
    Stopped,
    /// The turn before it in its conversation gave no answer to go on from.
    NoAnswerBefore,
}
