//! What the facts of one request amount to.

use serde::{Deserialize, Serialize};

use crate::{
    quantity::{Micros, TokenSource},
    record::{Ended, Facts, FaultKind, Phase},
};

/// Exactly one of these holds for every planned request. Only [`Outcome::Effective`] counts as output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Whole, decodable, long enough, in time.
    Effective,
    /// No connection: name, refusal, TLS or time-out.
    ConnectFailed,
    /// 429, or 503 with advice when to come again.
    Rejected,
    /// Any other status than 200.
    HttpError,
    /// An error inside a 200, or text there that is no event stream.
    StreamError,
    /// The body ended, or the connection broke, without a finish reason.
    Truncated,
    /// An event that cannot be decoded: the text has a hole.
    Malformed,
    /// Ended well, without a token.
    Empty,
    /// Fewer tokens than the rule demands.
    Short,
    /// Cut at a length that nobody asked for.
    Capped,
    /// Content withheld by the service.
    Filtered,
    /// The service gave up.
    Aborted,
    /// No token, or not in time.
    LateFirstToken,
    /// Silence in mid-stream.
    Stalled,
    /// The whole answer not in time.
    Deadline,
    /// The client's own doing.
    Cancelled,
    /// Planned, never sent.
    NotSent,
}

impl Outcome {
    /// Every outcome, in the order in which documents list them.
    pub const ALL: [Self; 17] = [
        Self::Effective,
        Self::ConnectFailed,
        Self::Rejected,
        Self::HttpError,
        Self::StreamError,
        Self::Truncated,
        Self::Malformed,
        Self::Empty,
        Self::Short,
        Self::Capped,
        Self::Filtered,
        Self::Aborted,
        Self::LateFirstToken,
        Self::Stalled,
        Self::Deadline,
        Self::Cancelled,
        Self::NotSent,
    ];

    /// Another try may mend it, so that it is made where the group's rule has retries: no connection, a refusal for the time
    /// being (429, 408, a server's error), an error inside the stream, an answer that broke off, was empty or given up. Not
    /// what would come out the same again (any other status, an answer that is too short, cut, withheld or cannot be
    /// decoded), nor what has already had its time, nor the client's own doing.
    #[must_use]
    pub fn may_be_retried(self, status: Option<u16>) -> bool {
        match self {
            Self::ConnectFailed
            | Self::Rejected
            | Self::StreamError
            | Self::Truncated
            | Self::Empty
            | Self::Aborted => true,
            Self::HttpError => matches!(status, Some(408 | 429 | 500..=599)),
            Self::Effective
            | Self::Malformed
            | Self::Short
            | Self::Capped
            | Self::Filtered
            | Self::LateFirstToken
            | Self::Stalled
            | Self::Deadline
            | Self::Cancelled
            | Self::NotSent => false,
        }
    }
}

/// What counts as success for a group, agreed before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuccessRule {
    /// Fewest output tokens of a whole answer; 1 by default.
    pub min_output_tokens: u64,
    /// First token no later than this after `due`.
    pub ttft_limit: Option<Micros>,
    /// Whole answer no later than this after `due`.
    pub deadline: Option<Micros>,
    /// A finish reason of `length` is whole: a maximum was asked for, or the plan accepts it.
    pub accept_length: bool,
    /// Every request asks for an output of a fixed length ([`Facts::asked_output`]); less of it is no whole answer.
    pub fixed_output: bool,
}

impl Default for SuccessRule {
    fn default() -> Self {
        Self {
            min_output_tokens: 1,
            ttft_limit: None,
            deadline: None,
            accept_length: false,
            fixed_output: false,
        }
    }
}

/// Says what the facts amount to under a rule.
///
/// Where several outcomes would fit, what the service said itself comes first, then structure, then time.
/// `[DONE]` alone proves nothing, since gateways invent it after a cut; a finish reason does.
#[must_use]
pub fn classify(facts: &Facts, rule: &SuccessRule) -> Outcome {
    said_by_service(facts)
        .or_else(|| broken_off(facts))
        .or_else(|| unfit_answer(facts, rule))
        .or_else(|| out_of_time(facts, rule))
        .unwrap_or(Outcome::Effective)
}

/// Finish reasons by which a service says that it gave up. `fixtures/finish-reasons.json` holds this table and the
/// next two for every crate that reads such reasons.
const ABORTED: [&str; 10] = [
    "abort",
    "aborted",
    "canceled",
    "cancelled",
    "error",
    "insufficient_system_resource",
    "internal_error",
    "network_error",
    "parse_error",
    "timeout",
];

/// Finish reasons by which a service says that it withheld content.
const FILTERED: [&str; 8] = [
    "blocklist",
    "content_filter",
    "content_filtered",
    "prohibited_content",
    "recitation",
    "safety",
    "sensitive",
    "spii",
];

/// Finish reasons of an answer that was cut at a length.
const CUT: [&str; 3] = ["length", "max_tokens", "model_context_window_exceeded"];

fn reason_is_in(facts: &Facts, reasons: &[&str]) -> bool {
    let given = facts.finish_reason.as_deref();
    given.is_some_and(|given| reasons.iter().any(|reason| given.eq_ignore_ascii_case(reason)))
}

fn said_by_service(facts: &Facts) -> Option<Outcome> {
    match facts.status {
        Some(200) | None => {}
        Some(429) => return Some(Outcome::Rejected),
        Some(503) if fault_is(facts, FaultKind::Overloaded) => return Some(Outcome::Rejected),
        Some(_) => return Some(Outcome::HttpError),
    }
    if fault_is(facts, FaultKind::TooLarge) {
        return Some(Outcome::Malformed);
    }
    if [FaultKind::ErrorObject, FaultKind::ErrorEvent, FaultKind::NotEventStream]
        .into_iter()
        .any(|kind| fault_is(facts, kind))
    {
        return Some(Outcome::StreamError);
    }
    if reason_is_in(facts, &ABORTED) {
        Some(Outcome::Aborted)
    } else if reason_is_in(facts, &FILTERED) {
        Some(Outcome::Filtered)
    } else {
        None
    }
}

fn broken_off(facts: &Facts) -> Option<Outcome> {
    match facts.ended {
        Ended::NotSent => Some(Outcome::NotSent),
        Ended::Connect(_) => Some(Outcome::ConnectFailed),
        Ended::Cancelled => Some(Outcome::Cancelled),
        // A hole in the text is structure, and comes before any time-out that followed it.
        Ended::Timeout(_) if facts.malformed > 0 => Some(Outcome::Malformed),
        Ended::Timeout(Phase::FirstToken) => Some(Outcome::LateFirstToken),
        Ended::Timeout(Phase::Stall) => Some(Outcome::Stalled),
        Ended::Timeout(Phase::Total) => Some(Outcome::Deadline),
        Ended::TooLarge => Some(Outcome::Malformed),
        Ended::Reset | Ended::Done | Ended::Eof => {
            facts.finish_reason.is_none().then_some(Outcome::Truncated)
        }
    }
}

fn unfit_answer(facts: &Facts, rule: &SuccessRule) -> Option<Outcome> {
    if facts.malformed > 0 {
        return Some(Outcome::Malformed);
    }
    if facts.first_token.is_none() {
        return Some(Outcome::Empty);
    }
    if facts.output_tokens.is_some_and(|tokens| tokens.0 < rule.min_output_tokens) {
        return Some(Outcome::Short);
    }
    // Events may each hold several tokens, so that a count of them is no proof of too few.
    let counted = facts.output_tokens.filter(|_| facts.token_source != Some(TokenSource::Events));
    if rule.fixed_output && counted.zip(facts.asked_output).is_some_and(|(got, asked)| got < asked) {
        return Some(Outcome::Short);
    }
    let asked_for = rule.accept_length || facts.asked_output.is_some();
    (reason_is_in(facts, &CUT) && !asked_for).then_some(Outcome::Capped)
}

fn out_of_time(facts: &Facts, rule: &SuccessRule) -> Option<Outcome> {
    let late = |instant: Option<Micros>, limit: Option<Micros>| {
        instant.zip(limit).is_some_and(|(at, limit)| at.since(facts.due) > limit)
    };
    if late(facts.first_token, rule.ttft_limit) {
        Some(Outcome::LateFirstToken)
    } else if late(facts.end, rule.deadline) {
        Some(Outcome::Deadline)
    } else {
        None
    }
}

fn fault_is(facts: &Facts, kind: FaultKind) -> bool {
    facts.error.as_ref().is_some_and(|fault| fault.kind == kind)
}
