//! What can go wrong on purpose, and for which requests.

use std::ops::Range;
use std::time::Duration;

use crate::text::Hash;

/// One thing that goes wrong for some of the chat requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// For which requests.
    pub when: When,
    /// What happens to them.
    pub kind: FaultKind,
}

impl Fault {
    /// A fault of a kind for the requests that `when` names.
    pub fn new(when: When, kind: FaultKind) -> Self {
        Fault { when, kind }
    }
}

/// Which chat requests a fault hits. They are numbered from 0 in the order in which they arrived whole, those that
/// were refused included.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum When {
    /// Every request.
    Always,
    /// The request with this number.
    Ordinal(u64),
    /// The requests with these numbers.
    Range(Range<u64>),
    /// Every n-th request: the numbers n − 1, 2n − 1, …; none where n is 0.
    Every(u64),
    /// This share of the requests, from 0 to 1, scattered by the seed: the same seed hits the same numbers.
    Share(f64),
    /// Requests whose last user message contains this text.
    Containing(String),
}

impl When {
    pub(crate) fn applies(&self, seed: u64, ordinal: u64, prompt: &str) -> bool {
        match self {
            When::Always => true,
            When::Ordinal(number) => *number == ordinal,
            When::Range(range) => range.contains(&ordinal),
            When::Every(n) => *n > 0 && (ordinal + 1).is_multiple_of(*n),
            When::Share(share) => Hash::new(seed).word(0xfa_17).word(ordinal).unit() < *share,
            When::Containing(text) => prompt.contains(text.as_str()),
        }
    }
}

/// What happens to a request that is hit.
///
/// `after_tokens` counts tokens that were written before; where the answer is shorter, the fault strikes before its
/// last token, so that it always shows. An answer that is not streamed has no middle: it then fails as a whole.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Answered with this status and a JSON error.
    HttpError {
        /// The status, such as 429, 500 or 503.
        status: u16,
        /// Seconds for a `Retry-After` header.
        retry_after_s: Option<u64>,
    },
    /// The connection is closed before any byte of a response.
    NoResponse,
    /// An HTML page with status 200, as a misled proxy answers.
    HtmlPage,
    /// An error object inside the stream, then `[DONE]`, as vLLM does when its engine dies.
    StreamError {
        /// Tokens written before.
        after_tokens: u64,
    },
    /// The stream ends early, without finish reason.
    Truncate {
        /// Tokens written before.
        after_tokens: u64,
        /// How it ends.
        cut: Cut,
    },
    /// Nothing more comes, but the connection stays open until the client leaves. With 0 tokens it hangs after the head.
    Hang {
        /// Tokens written before.
        after_tokens: u64,
    },
    /// A pause in the middle, after which the stream goes on.
    Stall {
        /// Tokens written before.
        after_tokens: u64,
        /// How long it lasts.
        pause: Duration,
    },
    /// An event whose data is broken JSON, in the place of the next token event; the stream then ends well.
    MalformedEvent {
        /// Tokens written before.
        after_tokens: u64,
    },
    /// The answer ends well after so many tokens, with this finish reason: `length` without a maximum asked for,
    /// `content_filter`, `abort`, or an empty answer with 0 tokens.
    Finish {
        /// Tokens of the whole answer, at most.
        after_tokens: u64,
        /// The finish reason.
        reason: String,
    },
}

/// How a truncated stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// The connection is closed in the middle of the chunked body.
    Close,
    /// The chunked body ends properly, without `[DONE]`.
    CleanEnd,
    /// `[DONE]` is invented, as some gateways do after a cut.
    InventedDone,
}

/// What interrupts a stream: the part of a fault that happens between two token events.
#[derive(Clone, Debug)]
pub(crate) struct Interruption {
    pub(crate) after_tokens: u64,
    pub(crate) kind: Interrupt,
}

#[derive(Clone, Debug)]
pub(crate) enum Interrupt {
    Error,
    Cut(Cut),
    Hang,
    Stall(Duration),
    Malformed,
}

impl FaultKind {
    /// The interruption this fault makes in an answer of `total` tokens, if it makes one.
    pub(crate) fn interruption(&self, total: u64) -> Option<Interruption> {
        let (after_tokens, kind) = match self {
            FaultKind::StreamError { after_tokens } => (*after_tokens, Interrupt::Error),
            FaultKind::Truncate { after_tokens, cut } => (*after_tokens, Interrupt::Cut(*cut)),
            FaultKind::Hang { after_tokens } => (*after_tokens, Interrupt::Hang),
            FaultKind::Stall { after_tokens, pause } => (*after_tokens, Interrupt::Stall(*pause)),
            FaultKind::MalformedEvent { after_tokens } => (*after_tokens, Interrupt::Malformed),
            _ => return None,
        };
        Some(Interruption { after_tokens: after_tokens.min(total.saturating_sub(1)), kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_hits_about_that_many_and_always_the_same() {
        let hits =
            |seed| (0..10_000).filter(|n| When::Share(0.1).applies(seed, *n, "")).collect::<Vec<u64>>();
        assert!((900..1_100).contains(&hits(1).len()), "{} of 10,000", hits(1).len());
        assert_eq!(hits(1), hits(1));
        assert_ne!(hits(1), hits(2));
    }

    #[test]
    fn every_third_begins_with_the_third() {
        let hits: Vec<u64> = (0..9).filter(|n| When::Every(3).applies(1, *n, "")).collect();
        assert_eq!(hits, [2, 5, 8]);
        assert!(!When::Every(0).applies(1, 0, ""));
    }

    #[test]
    fn an_interruption_strikes_before_the_last_token_at_the_latest() {
        let fault = FaultKind::StreamError { after_tokens: 100 };
        assert_eq!(fault.interruption(5).map(|cut| cut.after_tokens), Some(4));
        assert_eq!(fault.interruption(0).map(|cut| cut.after_tokens), Some(0));
    }
}
