//! The profile as a file: `profile.json`.

use std::collections::BTreeMap;

use metrics_core::Seconds;
use serde::{Deserialize, Serialize};

use super::AssumedShape;
use crate::{synthesis::Tongue, traffic::Call};

/// The version of the profile's format that this version writes and reads.
pub const PROFILE_FORMAT: u32 = 1;

/// What traffic is like: by group, with where every part comes from and what is not covered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// [`PROFILE_FORMAT`].
    pub format: u32,
    /// Name and version of the tool that made it.
    pub made_by: String,
    /// What it is called, in the operator's words.
    pub name: String,
    /// Where it comes from.
    pub source: Source,
    /// What was done so that it names nobody.
    pub deidentification: Deidentification,
    /// The groups, those with most rows first.
    pub groups: Vec<ProfileGroup>,
    /// How requests of all groups together arrive.
    pub arrivals: Arrivals,
    /// Traffic that it does not speak for, in the operator's words.
    pub not_covered: Vec<String>,
    /// What somebody assumed, beside the assumptions of single groups.
    pub assumptions: Vec<Assumption>,
}

/// Whether something was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From a log of real use.
    Real,
    /// From a log of traffic that a program made.
    Synthetic,
    /// From nothing but somebody's word.
    Assumed,
}

impl From<Origin> for metrics_core::Origin {
    /// As what requests of such a group are counted.
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Real => Self::Real,
            Origin::Synthetic => Self::Synthetic,
            Origin::Assumed => Self::Assumed,
        }
    }
}

/// Where a profile comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Whether it was measured.
    pub origin: Origin,
    /// Whose log, of which system, in the operator's words.
    pub description: String,
    /// The share of all traffic that the log holds, from 0 to 1, in the operator's word; `None` where nobody said.
    pub traffic_share: Option<f64>,
    /// Name of the log's format.
    pub log_format: String,
    /// SHA-256 of each file that was read, in the order in which they were read.
    pub files_sha256: Vec<String>,
    /// When.
    pub period: Period,
    /// Rows that were read. It is `kept` and all of `dropped` together.
    pub rows_read: u64,
    /// Rows that were kept.
    pub kept: u64,
    /// Rows that were not kept, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// What is to be known of the rows that were kept, and of how many ([`Note`](crate::traffic::Note)).
    pub notes: BTreeMap<String, u64>,
    /// Arrivals as the log has them: in words, with how many rows.
    pub arrivals_from: BTreeMap<String, u64>,
    /// The log's clock counts from an instant that nobody knows.
    pub relative_time: bool,
    /// Stretches of the log between backward jumps of its clock, in order. They are never laid over each other.
    pub segments: Vec<Segment>,
}

/// From when to when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// First arrival (RFC 3339, UTC). It counts from 1970-01-01 where the log's time is relative.
    pub from: String,
    /// Last arrival.
    pub until: String,
    /// The window that was asked for, as it was asked for.
    pub window: Option<String>,
    /// Zone in which days and hours of the profile are told, and in which times without a zone were read: `+08:00`.
    pub zone: String,
}

/// A stretch of the log in which its clock does not jump back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// First arrival (RFC 3339, UTC).
    pub from: String,
    /// From the first arrival to the last.
    pub duration_s: Seconds,
    /// Rows.
    pub rows: u64,
}

/// What was done so that a profile names nobody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deidentification {
    /// The secret behind the pseudonyms is kept by the operator, so that they stay the same over several imports;
    /// otherwise it was made for this import and is gone.
    pub key_kept: bool,
    /// Lengths were rounded up to multiples of this many tokens; 1 leaves them exact.
    pub token_bin: u32,
    /// Arrivals were rounded down to multiples of this; 0 leaves them exact.
    pub time_bin_s: Seconds,
    /// Fewest rows of a label that stands for itself.
    pub least_rows: u64,
    /// Labels with fewer rows or without a name that may be told, which together became part of the group `other`.
    pub labels_merged: u64,
    /// Rows of these.
    pub rows_merged: u64,
}

/// Requests that are judged by one rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileGroup {
    /// Its name.
    pub name: String,
    /// What puts a row into it, in the operator's terms; callers and labels stand under their pseudonyms.
    pub rule: String,
    /// Whether it was measured.
    pub origin: Origin,
    /// Rows.
    pub rows: u64,
    /// Of all rows that were kept, from 0 to 1; of what is to be sent where it is assumed ([`Profile::mix`]).
    pub share: f64,
    /// What was asked for, and how often.
    pub calls: BTreeMap<Call, u64>,
    /// How many were streamed.
    pub streaming: Streaming,
    /// How they ended, and how often.
    pub ends: Ends,
    /// How long inputs and outputs are, together.
    pub lengths: Lengths,
    /// How requests arrive.
    pub arrivals: Arrivals,
    /// How conversations go on.
    pub sessions: Sessions,
    /// First token in the log, which is another service's and no limit of this one.
    pub ttft_s: Option<Quantiles>,
    /// Duration in the log.
    pub duration_s: Option<Quantiles>,
    /// Its shape, where nobody measured it. It has no rows then, and its share is one of what is to be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumed: Option<AssumedShape>,
    /// In which languages its requests are, by weight, in the operator's word; no log tells. Nobody said where there is none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub languages: Languages,
    /// What the business asks for.
    pub terms: Terms,
}

/// Languages, each with its weight.
pub type Languages = BTreeMap<Tongue, u32>;

/// How often each ending occurred, by [`Ending::as_str`](crate::traffic::Ending::as_str).
pub type Ends = BTreeMap<String, u64>;

/// How many rows were streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Streaming {
    /// Streamed.
    pub yes: u64,
    /// Not streamed.
    pub no: u64,
    /// Nobody knows.
    pub unknown: u64,
}

/// Lengths of inputs and outputs, in tokens, as a joint distribution.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lengths {
    /// Rows of which both lengths are known and the output came to its own end.
    pub both: u64,
    /// Rows of which both are known, but the output was cut short.
    pub cut: u64,
    /// Rows of which only the input is known.
    pub input_only: u64,
    /// Rows of which only the output is known.
    pub output_only: u64,
    /// Rows of which neither is known.
    pub neither: u64,
    /// All inputs that are known; `None` where there is none.
    pub input: Option<Quantiles>,
    /// All outputs that are known and came to their own end.
    pub output: Option<Quantiles>,
    /// Spearman's rank correlation of input and output over `both`; `None` of fewer than 10 rows, or where one of them
    /// never changes.
    pub rank_correlation: Option<f64>,
    /// Bins an octave: lengths up to this many tokens are held exactly, longer ones within bins of which each octave
    /// has this many.
    pub bins_per_octave: u32,
    /// The joint distribution over `both`, in the order of its lengths; bins without rows are left out.
    pub cells: Vec<Cell>,
    /// The same over `cut`: inputs, and the least outputs that were wanted.
    pub cut_cells: Vec<Cell>,
    /// Inputs of `input_only` (with an output of 0).
    pub input_cells: Vec<Cell>,
}

/// Rows whose lengths lie in one bin each: `[lowest input, lowest output, rows]`. Where a bin ends follows from
/// [`Lengths::bins_per_octave`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell(pub u32, pub u32, pub u64);

/// Nearest-rank percentiles of exact values (or of binned ones, where binning was asked for).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantiles {
    /// Values.
    pub n: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest.
    pub max: f64,
}

/// How requests arrive.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Arrivals a second over all segments together, gaps between segments left out; `None` where there is no time
    /// between the first and the last.
    pub mean_rate: Option<f64>,
    /// Counts over time, one entry a segment, in the order of [`Source::segments`].
    pub rates: Vec<Rate>,
    /// Requests that arrived in each hour of the day, in the profile's zone, and in how many days' such hours that was.
    /// Empty where the log's time is relative.
    pub by_hour: Vec<(u64, u32)>,
    /// The busiest windows of 1, 10, 60 and 600 seconds. None is told of a window that is as long as every segment or longer,
    /// that is shorter than the tick of the log's clock, or that is no multiple of what arrivals are rounded to.
    pub peaks: Vec<Peak>,
    /// Coefficient of variation of the gaps between arrivals: 1 for a Poisson process, more where they come in bursts.
    /// `None` of fewer than 10 gaps, where arrivals are rounded, and where the log's clock is too coarse
    /// ([`Ties::too_coarse`]).
    pub gap_cv: Option<f64>,
    /// Index of dispersion for counts, by window: 1 for a Poisson process. Fewer than 10 windows tell nothing.
    pub dispersion: Vec<Dispersion>,
    /// Arrivals at the same instant.
    pub ties: Ties,
}

/// Counts over time in one segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Width of a bin.
    pub bin_s: Seconds,
    /// From the segment's first arrival (of all groups) to the start of the first bin.
    pub from_s: Seconds,
    /// Arrivals in each bin.
    pub counts: Vec<u64>,
}

/// A busiest window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peak {
    /// Its length.
    pub window_s: Seconds,
    /// Arrivals in it.
    pub requests: u64,
    /// The same a second.
    pub rate: f64,
    /// When it began (RFC 3339, UTC).
    pub from: String,
    /// How long the rate over windows of this length stayed at 80 % of the peak or more, the busiest window among them: from
    /// the first arrival in these windows to the last, and the window at least.
    pub lasted_s: Seconds,
}

/// Variance of counts over their mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispersion {
    /// Length of the windows in which arrivals are counted.
    pub window_s: Seconds,
    /// How many whole windows.
    pub windows: u64,
    /// Variance over mean.
    pub index: f64,
}

/// Arrivals at the same instant.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ties {
    /// Instants at which something arrived.
    pub instants: u64,
    /// Most arrivals at one of them.
    pub most: u64,
    /// Between the closest instants, in the median: the tick of the log's clock where ties are many.
    pub tick_s: Option<Seconds>,
    /// Instants are so few against rows that gaps between arrivals say more of the clock than of the traffic.
    pub too_coarse: bool,
}

/// How conversations go on. All of it is `None` or 0 where the log links no rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    /// Rows that belong to a conversation.
    pub rows: u64,
    /// Conversations.
    pub sessions: u64,
    /// Conversations by their number of turns; those of 20 and more stand under 20.
    pub turns: BTreeMap<u32, u64>,
    /// From the end of an answer to the next request of its conversation; `None` where durations are not known or arrivals
    /// are rounded.
    pub think_time_s: Option<Quantiles>,
    /// From a request to the next of its conversation.
    pub between_s: Option<Quantiles>,
    /// Requests that arrived before the answer to the one before had ended.
    pub overlapping: u64,
}

/// What the business asks of a group. No log tells any of it: it is an assumption of whoever wrote it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Whose requests come first: 1 is the highest.
    pub priority: Option<u32>,
    /// First token no later than this after arrival.
    pub ttft_limit_s: Option<f64>,
    /// Whole answer no later than this after arrival.
    pub deadline_s: Option<f64>,
    /// How it may fail.
    pub failing: Option<Way>,
    /// Who says so.
    pub by: Option<String>,
    /// Why.
    pub basis: Option<String>,
}

/// An acceptable way of failing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// It is refused at once.
    Reject,
    /// It waits.
    Queue,
    /// It is tried again.
    Retry,
    /// A smaller model or a shorter answer serves.
    Degrade,
    /// It must not fail.
    Never,
}

/// Something that nobody measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// What is assumed.
    pub what: String,
    /// Who assumed it.
    pub by: String,
    /// Why.
    #[serde(default)]
    pub basis: String,
}
