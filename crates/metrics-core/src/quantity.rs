//! Quantities that carry their unit in the type.

use serde::{Deserialize, Serialize};

/// An instant (since the run's start) or a duration, in whole microseconds of the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Micros(pub u64);

impl Micros {
    /// Seconds, rounded to a whole microsecond. Negative input and what is no number give zero.
    #[must_use]
    pub fn from_secs_f64(seconds: f64) -> Self {
        Self((seconds * 1e6).round().max(0.0) as u64)
    }

    /// The same in seconds.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Time from `earlier` to `self`; zero where `earlier` is the later one.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

/// A number of tokens as the stated [`TokenSource`] counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tokens(pub u64);

/// Who counted the output tokens of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenSource {
    /// The service's own `usage`.
    Usage,
    /// A tokenizer named in the plan, over the whole text.
    Tokenizer,
    /// Token-bearing events, where nothing better was to be had: an estimate, and a low one where a service
    /// sends several tokens an event.
    Events,
}

/// Seconds in a file: rounded to a nanosecond, so that the same rows always give the same digits.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(f64);

impl Seconds {
    /// Rounds to a whole nanosecond.
    #[must_use]
    pub fn new(seconds: f64) -> Self {
        Self((seconds * 1e9).round() / 1e9)
    }

    /// A whole number of seconds.
    #[must_use]
    pub const fn whole(seconds: u32) -> Self {
        Self(seconds as f64)
    }

    /// A whole number of milliseconds.
    #[must_use]
    pub const fn millis(milliseconds: u32) -> Self {
        Self(milliseconds as f64 / 1e3)
    }

    /// The value in seconds.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl From<Micros> for Seconds {
    fn from(micros: Micros) -> Self {
        Self::new(micros.as_secs_f64())
    }
}

/// A rate, a share or a mean in a file: rounded to six decimals, so that the same rows always give the same
/// digits.
#[must_use]
pub fn six_decimals(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
