//! Everything that a report says, as plain data.

use crate::language::Language;
use metrics_core::{
    Calibration, Input, LoadCourse, Outcome, Seconds, Summary, TierCurves, TierTimeline, TokenSource,
    latency_curves, load_course, tier_timelines,
};
use verdict_rules::{Availability, CriterionId, Edition, Evidence, Judgement, Verdict};
use workload_model::{Group, Output, SetFacts};

/// Everything that a report says. Two equal materials give the same bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Every figure.
    pub summary: Summary,
    /// What was found, and the decision.
    pub verdict: Verdict,
    /// What was tested, how, and by whom.
    pub scope: Scope,
    /// What is known of the sample set; `None` of the built-in one, of a file of prompts and of older packages.
    pub sample_set: Option<SetFacts>,
    /// Some of the requests that did not succeed, in the order in which they are to be shown.
    pub failures: Vec<FailureExample>,
    /// Files of the package, in the order in which they are to be listed.
    pub archive: Vec<ArchiveEntry>,
    /// What was seen of the service's health; `None` where nobody looked.
    pub availability: Option<Availability>,
    /// What the check of the evidence found; `None` where it was not checked.
    pub evidence: Option<Evidence>,
    /// The generator's own limits on its host; `None` where it was not calibrated.
    pub calibration: Option<Calibration>,
    /// The generator's own life, in order; empty where it was not sampled.
    pub generator: Vec<GeneratorSample>,
    /// What is drawn of single requests.
    pub requests: Requests,
}

/// What is drawn of single requests: bounded, however many there were.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Requests {
    /// The latencies of each tier.
    pub curves: Vec<TierCurves>,
    /// When requests of each tier were due, sent, answered and over.
    pub timelines: Vec<TierTimeline>,
    /// What was under way over the whole run; `None` where nothing was.
    pub course: Option<LoadCourse>,
}

impl Requests {
    /// Most rows of a timeline: of more requests every n-th is shown.
    const MOST_ROWS: usize = 150;

    /// Most columns of a course: those of a longer run are longer than a second.
    const MOST_COLUMNS: usize = 240;

    /// From the rows of a run, in the measures of a drawing.
    #[must_use]
    pub fn of(input: &Input<'_>) -> Self {
        Self {
            curves: latency_curves(input),
            timelines: tier_timelines(input, Self::MOST_ROWS),
            course: load_course(input, Self::MOST_COLUMNS),
        }
    }
}

impl Material {
    /// The edition that is written. The verdict names it, and nothing that it holds may contradict it: with a
    /// criterion missing or not passed, or an agreed limit failed, it is the internal one.
    #[must_use]
    pub fn edition(&self) -> Edition {
        let verdict = &self.verdict;
        let passed = |id: &CriterionId| {
            verdict.criteria.iter().any(|found| found.id == *id && found.result == Judgement::Pass)
        };
        let sound = verdict.decision == Judgement::Pass
            && CriterionId::ALL.iter().all(passed)
            && verdict.sla.iter().all(|item| item.contract != Judgement::Fail);
        if sound { verdict.edition } else { Edition::Internal }
    }

    /// A request of this tier came to its end.
    pub(crate) fn finished(&self, tier: u32) -> bool {
        self.summary.tiers.iter().any(|found| found.concurrency == tier && found.figures.finished > 0)
    }

    /// Some of this tier's planned requests never came to their end.
    pub(crate) fn is_cut_short(&self, tier: u32) -> bool {
        let mut found = self.summary.tiers.iter().filter(|found| found.concurrency == tier);
        found.any(|tier| tier.figures.finished < tier.figures.planned)
    }

    /// The highest tier of which every planned request came to its end.
    pub(crate) fn highest_finished(&self) -> Option<u32> {
        let whole = self.summary.tiers.iter().filter(|tier| tier.figures.finished >= tier.figures.planned);
        whole.map(|tier| tier.concurrency).filter(|tier| self.finished(*tier)).max()
    }
}

/// What was tested, how, and by whom: the scope page.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    /// Names on the cover.
    pub project: Project,
    /// Model, as requests named it.
    pub model: String,
    /// Endpoint. Credentials and query in it are not printed.
    pub endpoint: String,
    /// Tiers of the frozen plan, in order.
    pub tiers: Vec<PlannedTier>,
    /// The groups of the plan: what is asked of their answers, and how they are sent.
    pub groups: Vec<Group>,
    /// When requests were sent.
    pub sending: Sending,
    /// Warm-up requests, which enter no figure.
    pub warm_up: u64,
    /// Requests of the control, which enter no figure but its own.
    pub control: u64,
    /// Answers were streamed.
    pub streaming: bool,
    /// How long outputs were to be, where samples say how many tokens they are to have.
    pub output: Output,
    /// Maximum output length that the plan sets for all requests; `None`: none.
    pub max_tokens: Option<u64>,
    /// Temperature that requests asked for; `None`: the service's default.
    pub temperature: Option<f64>,
    /// Inference backend. `None`: not stated; `Some("")`: left blank on purpose, and says so.
    pub backend: Option<String>,
    /// Quantisation. `None`: not stated; `Some("")`: left blank on purpose, and says so.
    pub quantisation: Option<String>,
    /// Hardware. `None`: not stated; `Some("")`: left blank on purpose, and says so.
    pub hardware: Option<String>,
    /// Service version by the operator's word.
    pub version_stated: Option<String>,
    /// Service version as the service itself told it.
    pub version_observed: Option<String>,
    /// What was asked.
    pub prompts: Prompts,
    /// Who counted the output tokens; `None` where tiers differ or nothing was counted: the detail says it by tier.
    pub token_source: Option<TokenSource>,
    /// Name of the tokenizer, where one counted.
    pub tokenizer: Option<String>,
    /// The client's time-outs.
    pub time_outs: TimeOuts,
    /// Where the generator stood on the network. `None`: not stated; `Some("")`: left blank on purpose.
    pub client_location: Option<String>,
    /// What was spoken with the service; `None` where that is not known.
    pub transport: Option<Transport>,
    /// Names of the further headers that every request carried.
    pub headers: Vec<String>,
    /// Host that the generator ran on.
    pub client_host: Option<String>,
    /// Name and version of the measuring tool.
    pub tool_version: String,
    /// How it was built, such as `release`.
    pub build_profile: String,
    /// The service is the simulator that comes with the tool: a demonstration, and no acceptance.
    pub simulated: bool,
}

/// When the requests of the measured stages were sent. By default as many are in flight as the concurrency says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sending {
    /// Some stage sends by the schedule, whatever became of the requests before.
    pub open: bool,
    /// Places of a closed loop pause between an answer and the next request.
    pub pauses: bool,
    /// Some requests are turns of conversations.
    pub conversations: bool,
}

/// What was spoken with the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transport {
    /// The protocol's registered name, `http/1.1` or `h2`.
    pub http: String,
    /// Version of TLS, such as `1.3`; `None` without TLS.
    pub tls: Option<String>,
    /// The service's certificate was not checked.
    pub unchecked: bool,
    /// Name of the file with the certificate that was shown to the service.
    pub client_cert: Option<String>,
}

/// Names on the cover. `None`: not stated, and left open there; `Some("")`: left blank on purpose, and says so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Project {
    /// Project.
    pub name: Option<String>,
    /// Who accepts.
    pub customer: Option<String>,
    /// Who delivers.
    pub supplier: Option<String>,
    /// Contract or order number.
    pub contract: Option<String>,
    /// Who tests, supervises or witnesses beside the two.
    pub third_party: Option<String>,
    /// Number of the report.
    pub number: Option<String>,
    /// Day on which the report is issued.
    pub issued: Option<String>,
}

/// One tier of the frozen plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedTier {
    /// Requests in flight.
    pub concurrency: u32,
    /// Requests in all.
    pub requests: u64,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    /// Where the prompts come from.
    pub source: PromptSource,
    /// Every request differs from every other within its first characters, so that no prefix cache serves it.
    pub unique_opening: bool,
    /// How many of them are somebody's own words, taken from a log of real use.
    pub recorded: u64,
}

/// Where prompts come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptSource {
    /// A set that comes with the tool.
    BuiltIn {
        /// Its name and version.
        set: String,
    },
    /// A sample set: [`Material::sample_set`] says what is known of it.
    Set {
        /// What it is called.
        name: String,
    },
    /// A file of the customer's.
    File {
        /// Its name.
        name: String,
        /// SHA-256 of it, in hexadecimal, where it was taken.
        sha256: Option<String>,
    },
}

/// The client's time-outs in seconds; they run from the instant of sending.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeOuts {
    /// For a connection.
    pub connect_s: f64,
    /// For the first token.
    pub first_token_s: f64,
    /// Between two reads.
    pub stall_s: f64,
    /// For the whole answer.
    pub total_s: f64,
}

/// The defaults of a sweep.
impl Default for TimeOuts {
    fn default() -> Self {
        Self { connect_s: 10.0, first_token_s: 300.0, stall_s: 120.0, total_s: 3600.0 }
    }
}

/// One request that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureExample {
    /// Its place in the schedule.
    pub seq: u64,
    /// Its tier.
    pub tier: Option<u32>,
    /// What it amounts to.
    pub outcome: Outcome,
    /// The request id that was sent with it: what to search the service's log for.
    pub request_id: Option<String>,
    /// What the service or the system said.
    pub message: Option<String>,
    /// When it ended, RFC 3339.
    pub at: Option<String>,
}

/// What the generator saw of itself since the sample before, for about a second.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratorSample {
    /// End of the sample, from the run's start.
    pub at: Seconds,
    /// The tier that was under way.
    pub tier: Option<u32>,
    /// The warm-up was under way, of which nothing is judged.
    pub warm_up: bool,
    /// A control was under way, in which the generator is another.
    pub control: bool,
    /// CPU of the process, as a share of what it may use.
    pub cpu: Option<f64>,
    /// CPU of the host.
    pub host_cpu: Option<f64>,
    /// P99 of the delays of timers in it.
    pub timer_delay_p99: Option<Seconds>,
    /// Connections that were open at its end.
    pub connections: u64,
    /// Rows that waited for the writer at its end.
    pub queue_depth: u64,
}

/// One file of the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveEntry {
    /// Path in the package.
    pub path: String,
    /// SHA-256, in hexadecimal. `None` for what is made from this material, documents among it: none of them can hold
    /// its own digest. The package's manifest has it.
    pub sha256: Option<String>,
    /// What it is. `None`: known by its path, or left open.
    pub what: Option<String>,
    /// Only the document in this language lists it; `None`: each does.
    pub language: Option<Language>,
}
