//! What a line of metrics says.

use std::borrow::Cow;

use super::labels::Labels;

/// What one line says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entry<'a> {
    /// A value.
    Sample(Sample<'a>),
    /// What a metric is (`# HELP`).
    Help {
        /// The metric.
        name: &'a str,
        /// The text, without its escapes; empty where there is none.
        text: Cow<'a, str>,
    },
    /// Of which type a metric is (`# TYPE`).
    Type {
        /// The metric.
        name: &'a str,
        /// Its type.
        kind: Kind,
    },
    /// In which unit a metric is (`# UNIT`).
    Unit {
        /// The metric.
        name: &'a str,
        /// The unit; empty where there is none.
        unit: &'a str,
    },
    /// The page is whole (`# EOF`).
    Eof,
}

impl<'a> Entry<'a> {
    /// The sample, where it is one.
    #[must_use]
    pub fn into_sample(self) -> Option<Sample<'a>> {
        if let Self::Sample(sample) = self { Some(sample) } else { None }
    }
}

/// A value of a metric under its labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<'a> {
    /// Its name, with the suffix that the type gives it, such as `vllm:e2e_request_latency_seconds_bucket`.
    pub name: &'a str,
    /// Its labels.
    pub labels: Labels<'a>,
    /// Its value, which may be infinite or no number at all.
    pub value: f64,
    /// When it was so, where the service says; most leave that to whoever asks.
    pub timestamp: Option<Timestamp>,
    /// One observation that went into it.
    pub exemplar: Option<Exemplar<'a>>,
}

/// An observation that stands for those in a bucket or counter: `# {trace_id="…"} 0.67 1520879607.789`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exemplar<'a> {
    /// Its labels.
    pub labels: Labels<'a>,
    /// Its value.
    pub value: f64,
    /// When it was made, in seconds since 1970.
    pub seconds: Option<f64>,
}

/// An instant since 1970, in the unit of the page's format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timestamp {
    /// The text format's unit. Negative before 1970.
    Milliseconds(i64),
    /// The unit of OpenMetrics. Finite.
    Seconds(f64),
}

impl Timestamp {
    /// Seconds since 1970.
    #[must_use]
    pub fn seconds(self) -> f64 {
        match self {
            Self::Seconds(seconds) => seconds,
            #[expect(clippy::cast_precision_loss, reason = "exact for 285 000 years around 1970")]
            Self::Milliseconds(milliseconds) => milliseconds as f64 / 1000.0,
        }
    }
}

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows, but for restarts.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by bucket, with their sum.
    Histogram,
    /// Quantiles, as the service computed them.
    Summary,
    /// A histogram of what is now (OpenMetrics).
    GaugeHistogram,
    /// Labels that do not change (OpenMetrics).
    Info,
    /// Which of some states hold (OpenMetrics).
    StateSet,
    /// `untyped`, in OpenMetrics `unknown`.
    Unknown,
}

impl Kind {
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "counter" => Self::Counter,
            "gauge" => Self::Gauge,
            "histogram" => Self::Histogram,
            "summary" => Self::Summary,
            "gaugehistogram" => Self::GaugeHistogram,
            "info" => Self::Info,
            "stateset" => Self::StateSet,
            "untyped" | "unknown" => Self::Unknown,
            _ => return None,
        })
    }
}
