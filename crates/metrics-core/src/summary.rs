//! Every figure of a run, as `analysis/summary.json` holds it.
//!
//! `null` (`None`) is "this figure does not exist here"; a figure that does not exist is never 0.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    calibration::CalibrationDoubt, control::ControlFigures, lengths::LengthFigures, origins::OriginFigures,
    outcome::Outcome, quantity::Seconds,
};

/// The schema that this version writes.
pub const SUMMARY_SCHEMA: &str = "acceptbench.summary/1";

/// Every figure of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`SUMMARY_SCHEMA`].
    pub schema: String,
    /// SHA-256 of the package's `evidence-sha256.txt`, in hexadecimal.
    pub evidence_digest: String,
    /// The run as a whole.
    pub run: RunFacts,
    /// Over all measured stages.
    pub totals: Totals,
    /// One a concurrency tier, in the order in which they ran.
    pub tiers: Vec<Tier>,
    /// The same by group.
    pub groups: Vec<Group>,
    /// The same by turn of a conversation, over all measured stages; empty where none was sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
    /// Where throughput was highest.
    pub peak: Peak,
    /// The generator's own limits.
    pub client: ClientFigures,
    /// The highest tier once more with a client that has more or does less; `None` where no control was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlFigures>,
    /// What a reader must know beside the figures.
    pub warnings: Vec<Warning>,
}

/// The run as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    /// Random id of the run.
    pub id: String,
    /// Start, RFC 3339 in UTC.
    pub started_at: String,
    /// From the run's start to its last recorded instant.
    pub duration_s: Option<Seconds>,
    /// Cut short (Ctrl-C, a bound, a stop condition, a crash): for good.
    pub interrupted: bool,
}

/// Counts over all measured stages; warm-up is in none of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Scheduled.
    pub planned: u64,
    /// Begun: a connection was tried or a byte was sent.
    pub sent: u64,
    /// Settled, with any outcome but `not_sent` or a `cancelled` of an interrupt.
    pub finished: u64,
    /// Whole answers in time.
    pub effective: u64,
    /// effective / planned; `None` when nothing was planned.
    pub success_rate: Option<f64>,
    /// One-sided 95 % lower bound of the success rate (Clopper–Pearson).
    pub success_rate_low: Option<f64>,
    /// How many ended how; outcomes that did not occur are left out.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// The same counts apart by where requests' shapes come from; empty where rows do not tell, as in older packages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<OriginFigures>,
}

/// The figures of one concurrency tier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tier {
    /// Requests in flight.
    pub concurrency: u32,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// The figures of each group within it; empty where the whole run has one group. Their rates are per second of the
    /// tier's window, so that they add up to the tier's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

/// The figures of one group, over all measured stages or within one tier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The group's name in the plan.
    pub name: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// The figures of the requests that are the same turn of their conversations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Which turn, from 1; [`Turn::LAST`] stands for itself and all later ones.
    pub turn: u32,
    /// Its figures. Latencies run from when a turn was due, which is after the think time: no pause is in them.
    #[serde(flatten)]
    pub figures: Figures,
    /// The figures of each group with such a turn, where the run has several groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

impl Turn {
    /// This turn and all later ones are counted together, since few conversations are as long.
    pub const LAST: u32 = 10;
}

/// What is computed from any set of requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Scheduled.
    pub planned: u64,
    /// Settled.
    pub finished: u64,
    /// Whole answers in time.
    pub effective: u64,
    /// effective / planned.
    pub success_rate: Option<f64>,
    /// One-sided 95 % lower bound of it.
    pub success_rate_low: Option<f64>,
    /// First due to last end.
    pub window_s: Option<Seconds>,
    /// How many ended how.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// End-to-end time from due.
    pub e2e_s: Distribution,
    /// Time to first token from due.
    pub ttft_s: Distribution,
    /// Time per output token after the first read.
    pub tpot_s: Distribution,
    /// The usual form (last − first) / (n − 1), for comparison with other tools; absent where it is the same.
    pub tpot_usual_s: Option<Distribution>,
    /// Gaps between token-bearing events, over all of them.
    pub inter_event_s: Distribution,
    /// Gaps may be called inter-token latency: events and output tokens agree within 2 %.
    pub inter_event_is_itl: bool,
    /// End-to-end time per output token.
    pub e2e_per_token_s: Distribution,
    /// The same latencies from the instant of sending.
    pub from_sent: FromSent,
    /// Output tokens per token-bearing event.
    pub tokens_per_event: Option<f64>,
    /// Output tokens of effective requests per second of the window.
    pub output_tps: Option<f64>,
    /// Input and output tokens of effective requests per second of the window.
    pub total_tps: Option<f64>,
    /// Effective requests per second of the window.
    pub rps: Option<f64>,
    /// Output tokens a second while the tier was full.
    pub sustained_output_tps: Option<f64>,
    /// Why there is no sustained figure.
    pub sustained_absent: Option<String>,
    /// Share of planned requests that are effective and meet every limit of their group.
    pub attainment: Option<f64>,
    /// The same number per second of the window.
    pub goodput_rps: Option<f64>,
    /// Sum over effective requests; `None` where any of them lacks a count.
    pub input_tokens: Option<u64>,
    /// Sum over effective requests; `None` where any of them lacks a count.
    pub output_tokens: Option<u64>,
    /// Share of the input that the service took from its prefix cache; `None` where it does not say.
    pub cached_input_share: Option<f64>,
    /// Who counted: `usage`, `tokenizer`, `events`, or `mixed`.
    pub token_source: Option<String>,
    /// Requests that were sent once more because their pooled connection was already dead.
    pub reconnects: u64,
    /// Tries of all requests together, each a row; `None` where no request was tried more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tries: Option<u64>,
    /// Requests that were tried more than once; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retried: Option<u64>,
    /// Asked and received lengths; `None` where no request was made to a length, or no count came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lengths: Option<LengthFigures>,
    /// The counts apart by where requests' shapes come from; empty where rows do not tell, as in older packages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<OriginFigures>,
}

/// Latencies from the instant of sending: without connecting and without waiting inside the client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FromSent {
    /// End-to-end time.
    pub e2e_s: Distribution,
    /// Time to first token.
    pub ttft_s: Distribution,
}

/// A set of raw values: each counted once, none interpolated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Arithmetic mean.
    pub mean: Option<Seconds>,
    /// Nearest rank.
    pub p50: Option<Seconds>,
    /// Nearest rank.
    pub p90: Option<Seconds>,
    /// Nearest rank.
    pub p95: Option<Seconds>,
    /// Nearest rank.
    pub p99: Option<Seconds>,
    /// Smallest.
    pub min: Option<Seconds>,
    /// Largest.
    pub max: Option<Seconds>,
    /// Number of values.
    pub n: u64,
    /// Planned requests that gave no value here.
    pub left_out: u64,
    /// Distribution-free 95 % interval around each percentile; a side without a rank is `None`.
    pub bounds: Bounds,
}

/// Intervals around the percentiles, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Around the median.
    pub p50: Bound,
    /// Around the 90th percentile.
    pub p90: Bound,
    /// Around the 95th percentile.
    pub p95: Bound,
    /// Around the 99th percentile.
    pub p99: Bound,
}

/// `[low, high]`; a side for which no rank exists at this number of values is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bound(pub Option<Seconds>, pub Option<Seconds>);

/// Where throughput was highest, and at which tier.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Peak {
    /// Highest output rate of any tier.
    pub output_tps: Option<f64>,
    /// Its tier.
    pub output_tps_tier: Option<u32>,
    /// Highest rate of input and output together.
    pub total_tps: Option<f64>,
    /// Its tier.
    pub total_tps_tier: Option<u32>,
}

/// What the generator saw of itself, and whether it may speak about the service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientFigures {
    /// No limit of its own was hit; `None` when it was not sampled, or not in a tier that ran for 2 s or longer.
    pub valid: Option<bool>,
    /// Which limits were hit, and where.
    pub limits_hit: Vec<LimitHit>,
    /// The service ran on the same host and shared its limits.
    pub co_located: bool,
    /// The client was built without optimisation: its figures are marked.
    pub unoptimised: bool,
    /// One-second samples taken.
    pub samples: u64,
    /// Mean CPU of the process, as a share of what it may use.
    pub cpu_mean: Option<f64>,
    /// Highest second.
    pub cpu_max: Option<f64>,
    /// Highest second of the host.
    pub host_cpu_max: Option<f64>,
    /// How late a 10 ms timer on the IO threads fired.
    pub timer_delay_p99_s: Option<Seconds>,
    /// How long a thread that could run waited for a core, per time slice.
    pub run_delay_p99_s: Option<Seconds>,
    /// Largest resident memory.
    pub rss_max_bytes: Option<u64>,
    /// Most connections at once.
    pub connections_max: Option<u64>,
    /// Deepest write queue.
    pub queue_depth_max: Option<u64>,
    /// The calibration that it is held against; `None` where it was not calibrated.
    #[serde(default)]
    pub calibration: Option<CalibrationFigures>,
    /// How far its ceiling lies above the load, in every measured tier; empty where it was not calibrated.
    #[serde(default)]
    pub headroom: Vec<Headroom>,
}

/// What a summary says of the calibration. The whole of it stands in the package's `calibration.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationFigures {
    /// When it was measured, RFC 3339 in UTC.
    pub measured_at: String,
    /// Its age when the run started; 0 where it was measured within the run.
    pub age_s: Option<Seconds>,
    /// Fingerprint of the host that it was measured on.
    pub fingerprint: String,
    /// How long measuring took.
    pub took_s: Seconds,
    /// Threads that read sockets.
    pub io_threads: u32,
    /// Why its figures are worse than the machine could give.
    pub doubts: Vec<CalibrationDoubt>,
}

/// How many times the load of a tier the generator could have carried: ceiling / load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Headroom {
    /// The tier (concurrency); `None` for a stage without tiers.
    pub tier: Option<u32>,
    /// Against the number of requests in flight.
    pub streams: Option<f64>,
    /// Against token events a second, over the tier's window.
    pub events: Option<f64>,
    /// Against requests sent a second, over the tier's window.
    pub requests: Option<f64>,
    /// The least of them, but for streams that open files or ports limit: those are counts, short of which nothing
    /// gets slower.
    pub least: Option<f64>,
    /// Which one that is.
    pub limited_by: Option<HeadroomOf>,
    /// Kinds of load that the tier had and whose ceiling was not measured: the least says nothing of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<HeadroomOf>,
}

/// What headroom is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadroomOf {
    /// Requests in flight.
    Streams,
    /// Token events a second.
    Events,
    /// Requests a second.
    Requests,
}

/// A limit of the generator that was hit in a tier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitHit {
    /// Which.
    pub limit: ClientLimit,
    /// The tier (concurrency) in which it was hit; `None` in a stage without tiers.
    pub tier: Option<u32>,
    /// What was observed: a share for CPU, a ratio for headroom and control, seconds otherwise.
    pub observed: f64,
    /// What was allowed: the most, and for headroom the least.
    pub allowed: f64,
    /// Only the inter-event figures are unsupported, since a quarter of the median gap is exceeded; the rest stands.
    pub inter_event_only: bool,
}

/// The generator's own limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientLimit {
    /// More than one in ten seconds over 80 % of the CPU it may use.
    Cpu,
    /// Timers fired late, against TTFT.
    TimerDelay,
    /// Threads waited for a core, against TTFT.
    RunDelay,
    /// Timers fired late, against TPOT.
    TimerDelayPerToken,
    /// Threads waited for a core, against TPOT.
    RunDelayPerToken,
    /// Requests left late against their due time (open loop).
    Lateness,
    /// The load exceeded half of the calibrated ceiling.
    Headroom,
    /// With more threads, or with less to record, the service got more requests or gave more tokens.
    Control,
}

/// Something that a reader must know beside the figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// Which.
    pub code: WarningCode,
    /// The tier that it concerns; `None` for the run.
    pub tier: Option<u32>,
    /// The figure behind it, where there is one.
    pub value: Option<f64>,
    /// In English; documents say it in their own language from the code.
    pub message: String,
}

/// Everything that is warned of. Closed, so that every document has words for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// Tokens came in bursts with TTFT near E2E: a proxy probably buffers.
    BufferedStream,
    /// Output was counted in events: the service gave no usage.
    CountedByEvents,
    /// One tier mixes token sources.
    MixedTokenSources,
    /// More than 5 % of a built-in tier's input came from the prefix cache.
    CachedInput,
    /// Several tokens an event: gaps are no inter-token latency.
    TokensPerEvent,
    /// Too few values for a bound on the highest percentiles.
    FewValues,
    /// The client was built without optimisation.
    UnoptimisedClient,
    /// The service ran on the generator's host.
    CoLocated,
    /// Timing of single gaps is not supported by the generator's own accuracy.
    InterEventUnsupported,
    /// Pooled connections were found dead and requests were sent once more.
    Reconnected,
    /// The run was cut short.
    Interrupted,
    /// The service refused `stream_options`; it was asked without.
    UsageRefused,
    /// A maximum output length was asked for: answers did not run to their natural stop.
    OutputCapped,
    /// The load exceeded a fifth of the generator's calibrated ceiling.
    LowHeadroom,
    /// No calibration speaks for the generator in this run, or not every ceiling was measured, so its headroom is not known.
    Uncalibrated,
    /// The service's certificate was not checked.
    InsecureTls,
    /// Inputs that were made to a length are, in the median, over 10 % longer or shorter as the service counts them.
    AskedLengthsMissed,
    /// Requests were sent whose shape nobody measured: it was assumed.
    AssumedTraffic,
    /// Turns of conversations were not sent, since the turn before gave nothing to go on from.
    ConversationBroken,
}
