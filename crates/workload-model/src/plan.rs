//! The plan: a test card that fixes everything before the first request.
//!
//! It is a TOML file. What is frozen into a package is the whole of it, defaults written out, so that nothing
//! about a run depends on the version of the tool that reads it later.

use std::collections::BTreeMap;

use metrics_core::{Micros, SuccessRule};
use serde::{Deserialize, Serialize};

use crate::{plan_error::PlanError, random::DEFAULT_SEED, sample::SampleSet, stage::Stage};

/// The version of the plan's format that this version writes and reads.
pub const PLAN_FORMAT: u32 = 1;

/// Everything about a run that is fixed before its first request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`PLAN_FORMAT`].
    pub format: u32,
    /// What the order of requests, their arrivals and their pauses are drawn from; the same seed, the same schedule.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Who it is for; printed on the documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    /// The service.
    pub target: Target,
    /// What every request asks for beside its messages.
    #[serde(default)]
    pub request: RequestShape,
    /// What is sent.
    #[serde(default)]
    pub samples: SampleSource,
    /// The generator.
    #[serde(default)]
    pub client: Client,
    /// Longest waits; each is an outcome when it strikes.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// What stops the run early.
    #[serde(default)]
    pub bounds: Bounds,
    /// Groups with their success rules; one, `all`, where left out.
    #[serde(default = "one_group")]
    pub group: Vec<Group>,
    /// What is done, in order.
    pub stage: Vec<Stage>,
}

/// Who the test is for. `""` means left blank on purpose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Project {
    /// Name of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer: Option<String>,
    /// The supplier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supplier: Option<String>,
    /// Contract number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// A third party that tests, supervises or witnesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub third_party: Option<String>,
    /// Number of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Day on which the report is issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued: Option<String>,
}

/// The service under test, in the operator's words. `""` means left blank on purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Base up to and including `/v1`, or the full `…/chat/completions`.
    pub url: String,
    /// Model name, as the service knows it.
    pub model: String,
    /// Version of the service; the service is asked as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_version: Option<String>,
    /// Inference backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// Quantisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantisation: Option<String>,
    /// Hardware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<String>,
}

/// What every request asks for beside its messages. What is `None` is not in the request at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequestShape {
    /// Maximum output length; answers run to their natural stop where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// How long outputs are to be, where samples say.
    #[serde(skip_serializing_if = "Output::is_natural")]
    pub output: Output,
    /// Temperature; the service's default where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Ask for token counts (`stream_options.include_usage`).
    pub include_usage: bool,
}

impl Default for RequestShape {
    fn default() -> Self {
        Self { max_tokens: None, output: Output::Natural, temperature: None, include_usage: true }
    }
}

/// How long outputs are to be, where a sample says how many tokens its answer is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// As long as the model makes them: nothing is asked for.
    #[default]
    Natural,
    /// No longer than the sample says (`max_tokens`). An answer cut there is whole.
    Capped,
    /// Exactly as long (`max_tokens` and `ignore_eos`, where the service knows it). A shorter answer is `short`.
    Fixed,
}

impl Output {
    /// Nothing is asked for.
    #[must_use]
    pub fn is_natural(&self) -> bool {
        *self == Self::Natural
    }
}

fn default_seed() -> u64 {
    DEFAULT_SEED
}

/// Where the samples come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SampleSource {
    /// `builtin`; `file:NAME` for prompts of the user's own, which then stand in the package; `set:NAME` for a sample set.
    pub set: String,
    /// SHA-256 of `samples.jsonl` of a sample set, so that it is this one and no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What makes the openings of this run differ from those of any other.
    pub nonce: String,
    /// By how much the pauses between turns of conversations are longer than the samples say; 0 leaves them out.
    #[serde(skip_serializing_if = "is_one")]
    pub think_scale: f64,
}

impl Default for SampleSource {
    fn default() -> Self {
        Self { set: BUILTIN_SET.to_owned(), sha256: None, nonce: String::new(), think_scale: 1.0 }
    }
}

/// The name of the built-in sample set.
pub const BUILTIN_SET: &str = "builtin";

/// The generator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Client {
    /// Where it stands on the network, in the operator's words.
    pub location: String,
    /// Threads that read sockets.
    pub io_threads: u32,
    /// Which HTTP is spoken.
    pub http: Http,
    /// Most requests at a time on one connection of HTTP/2; more open another.
    pub streams_per_connection: u32,
    /// The longest head of a response that is taken, in bytes; a longer one is an outcome.
    pub max_head_bytes: u64,
    /// The longest event that is taken, and the longest line of one, in bytes; a longer one is an outcome.
    pub max_event_bytes: u64,
    /// The longest body that is taken, in bytes; a longer one is an outcome.
    pub max_body_bytes: u64,
    /// How often the service is asked whether it is ready, in seconds, beside the load.
    pub health_every_s: f64,
    /// The service's certificate is not checked, so anybody may have answered.
    pub insecure: bool,
    /// Name of the file whose certificate is shown to the service, without the folders above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_cert: Option<String>,
}

/// Which HTTP is spoken with the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Http {
    /// HTTP/2 where TLS agrees on it, else HTTP/1.1.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// HTTP/1.1.
    #[serde(rename = "1.1")]
    One,
    /// HTTP/2, over plain TCP without asking first.
    #[serde(rename = "2")]
    Two,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            location: String::new(),
            io_threads: 1,
            http: Http::Auto,
            streams_per_connection: 100,
            max_head_bytes: 64 << 10,
            max_event_bytes: 16 << 20,
            max_body_bytes: 1 << 30,
            health_every_s: 1.0,
            insecure: false,
            client_cert: None,
        }
    }
}

/// Longest waits, in seconds. They run from the instant of sending.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    /// Name, TCP and TLS.
    pub connect_s: f64,
    /// First token.
    pub first_token_s: f64,
    /// From a token to the next, and from the last to the end.
    pub stall_s: f64,
    /// The whole request.
    pub total_s: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect_s: 10.0, first_token_s: 300.0, stall_s: 120.0, total_s: 3600.0 }
    }
}

/// What stops a run early. All unset by default.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bounds {
    /// Most requests to send, the warm-up included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_requests: Option<u64>,
    /// Most output tokens to receive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Longest duration of the run in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_duration_s: Option<f64>,
    /// Most requests that end otherwise than effective.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_errors: Option<u64>,
}

/// A group of requests with a success rule of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its name; samples name their group.
    pub name: String,
    /// Its share of the requests against those of other groups. Where no group says, shares are those of the sample set, else
    /// every group has as many as there are samples of it; where some say, the others send nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// How often a request that came to nothing is tried again. Every try is a row; latencies run from when the first was
    /// due.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// From the end of a try to the next, in seconds; longer where the service says when to come again.
    #[serde(default = "retry_wait", skip_serializing_if = "is_retry_wait")]
    pub retry_wait_s: f64,
    /// First token no later than this after due, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_limit_s: Option<f64>,
    /// Whole answer no later than this after due, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_s: Option<f64>,
    /// Fewest output tokens of a whole answer.
    #[serde(default = "one_token")]
    pub min_output_tokens: u64,
    /// An answer cut at a length that was not asked for counts as whole.
    #[serde(default)]
    pub accept_length: bool,
}

/// The name of the one group of a plan that names none.
pub const DEFAULT_GROUP: &str = "all";

/// From a try to the next, in seconds, where the plan does not say.
const RETRY_WAIT: f64 = 1.0;

fn one_token() -> u64 {
    1
}

fn retry_wait() -> f64 {
    RETRY_WAIT
}

fn is_retry_wait(wait: &f64) -> bool {
    *wait == RETRY_WAIT
}

fn is_one(scale: &f64) -> bool {
    *scale == 1.0
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The group of a plan that names none.
#[must_use]
pub fn one_group() -> Vec<Group> {
    vec![Group::new(DEFAULT_GROUP)]
}

impl Group {
    /// A group without limits.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            weight: None,
            retries: 0,
            retry_wait_s: RETRY_WAIT,
            ttft_limit_s: None,
            deadline_s: None,
            min_output_tokens: one_token(),
            accept_length: false,
        }
    }
}

impl Plan {
    /// Reads a plan and checks it.
    ///
    /// # Errors
    /// Where the text is no plan, with line and column, and where it is one that cannot be run.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let plan: Self = toml::from_str(text).map_err(|error| PlanError::Syntax(error.to_string()))?;
        crate::check::check(&plan)?;
        Ok(plan)
    }

    /// Checks that the plan can be run with these samples: every stage has some to send, every sample is of a group
    /// of the plan, and no id stands for two.
    ///
    /// # Errors
    /// Where one of that does not hold.
    pub fn check_samples(&self, set: &SampleSet) -> Result<(), PlanError> {
        crate::check_samples::check_samples(self, set)
    }

    /// The plan as a file, defaults written out.
    ///
    /// # Errors
    /// Where a value has no TOML form (a number that is not finite).
    pub fn to_toml(&self) -> Result<String, PlanError> {
        toml::to_string(self).map_err(|error| PlanError::Unwritable(error.to_string()))
    }

    /// The success rule of every group, by name.
    #[must_use]
    pub fn rules(&self) -> BTreeMap<String, SuccessRule> {
        let rule = |group: &Group| SuccessRule {
            min_output_tokens: group.min_output_tokens,
            ttft_limit: group.ttft_limit_s.map(Micros::from_secs_f64),
            deadline: group.deadline_s.map(Micros::from_secs_f64),
            accept_length: group.accept_length || self.request.max_tokens.is_some(),
            fixed_output: self.request.output == Output::Fixed,
        };
        self.group.iter().map(|group| (group.name.clone(), rule(group))).collect()
    }

    /// Concurrency tiers of all measured stages, in order.
    #[must_use]
    pub fn tiers(&self) -> Vec<u32> {
        self.stage
            .iter()
            .filter(|stage| stage.kind.measured())
            .flat_map(|stage| stage.concurrency.clone())
            .collect()
    }
}
