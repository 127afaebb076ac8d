//! How a stream ended, as the service told it.

use std::fmt;

use serde::Serialize;

/// The state in which a stream left its answer.
///
/// Ranks, the first that holds: an error that the service reported, or a body that is no event stream; the finish
/// reason; otherwise the answer was cut. `[DONE]` never decides, since gateways add it after a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Terminal {
    /// The service gave a finish reason of its usual kind.
    Complete,
    /// The service reported an error inside the answer, or the answer is no event stream.
    StreamError,
    /// The body ended without a finish reason.
    Truncated,
    /// The finish reason says that the service gave up.
    Aborted,
    /// The finish reason says that content was withheld.
    Filtered,
}

/// Finish reasons by which a service says that it gave up. `fixtures/finish-reasons.json` holds this table and the
/// next for every crate that reads such reasons.
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

impl Terminal {
    /// What a finish reason says, in any case of its letters. Unknown reasons are complete: the set grows with every service.
    ///
    /// ```
    /// use sse_client::Terminal;
    /// assert_eq!(Terminal::of_finish_reason("length"), Terminal::Complete);
    /// assert_eq!(Terminal::of_finish_reason("sensitive"), Terminal::Filtered);
    /// assert_eq!(Terminal::of_finish_reason("insufficient_system_resource"), Terminal::Aborted);
    /// ```
    #[must_use]
    pub fn of_finish_reason(reason: &str) -> Self {
        let is_in = |reasons: &[&str]| reasons.iter().any(|known| reason.eq_ignore_ascii_case(known));
        if is_in(&ABORTED) {
            Self::Aborted
        } else if is_in(&FILTERED) {
            Self::Filtered
        } else {
            Self::Complete
        }
    }
}

impl fmt::Display for Terminal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Complete => "complete",
            Self::StreamError => "stream_error",
            Self::Truncated => "truncated",
            Self::Aborted => "aborted",
            Self::Filtered => "filtered",
        })
    }
}
