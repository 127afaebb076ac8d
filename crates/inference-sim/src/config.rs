//! What the simulated service is like: its speed, its answers, its habits and its faults.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::fault::Fault;

/// The whole description of a simulated service.
///
/// Start from a preset and change what matters: `SimConfig { max_batch: 4, ..SimConfig::fast() }`.
#[derive(Clone, Debug)]
pub struct SimConfig {
    /// The one model that is served; any other name is answered with 404.
    pub model: String,
    /// What `GET /version` says.
    pub version: String,
    /// Decides texts, natural lengths, jitter and which requests a [`When::Share`](crate::When) hits.
    pub seed: u64,
    /// When set, requests without this bearer token are answered with 401.
    pub api_key: Option<ApiKey>,
    /// Whether the model is loaded at the start. While it is not, `/health` and chat requests are answered with 503.
    pub ready: bool,
    /// Start of the process in seconds since the Unix epoch, for `/metrics` and the `created` fields. The
    /// simulator reads no wall clock: without it the metric is absent and `created` counts from 0.
    pub process_start_s: Option<f64>,

    /// Sequences that are computed together, at most. At least 1.
    pub max_batch: usize,
    /// Sequences that may wait for a place in the batch; one more is answered with 429.
    pub queue_limit: usize,
    /// Time of one step with an empty batch.
    pub decode_base: Duration,
    /// What each sequence in the batch adds to the time of a step.
    pub decode_per_sequence: Duration,
    /// Prompt tokens per second. Prefill time is added to the step in which it happens, and so delays every
    /// running sequence.
    pub prefill_tokens_per_s: f64,
    /// Prompt tokens that one step takes in, at most (chunked prefill). At least 1.
    pub prefill_chunk_tokens: u64,
    /// Each step takes between 1 − this and 1 + this of its time, by the seed. From 0 to 0.9.
    pub step_jitter: f64,
    /// Time between the whole request and its place in the queue: parsing, tokenising, routing.
    pub request_overhead: Duration,

    /// Natural lengths of answers in tokens, without reasoning; which one depends on the end of the prompt.
    pub output_tokens: RangeInclusive<u64>,
    /// Prompt and answer together hold no more tokens than this.
    pub context_tokens: u64,
    /// Tokens of reasoning before each answer. 0: none.
    pub reasoning_tokens: u64,
    /// The name under which reasoning is sent.
    pub reasoning_field: ReasoningField,
    /// Tokens that a step yields for each sequence, in one event, as with multi-token prediction. At least 1.
    pub tokens_per_event: u64,
    /// Whether blocks of 16 prompt tokens that were seen before are skipped by prefill and reported as cached.
    pub prefix_cache: bool,

    /// Whether `max_tokens` and `max_completion_tokens` are honoured.
    pub honours_max_tokens: bool,
    /// Whether `ignore_eos` and `min_tokens` are honoured.
    pub honours_ignore_eos: bool,
    /// Whether `usage` is ever given.
    pub gives_usage: bool,
    /// Answers a request that has `stream_options` with 400.
    pub refuse_stream_options: bool,
    /// Answers a request that has `ignore_eos` or `min_tokens` with 400, as services that know neither do.
    pub refuse_ignore_eos: bool,
    /// Answers a request whose last message is not a user's, or in which two of the same role follow each other, with 400,
    /// as chat templates of many models do.
    pub strict_turns: bool,
    /// Answers every chat request with a 500 whose message repeats the `Authorization` header, as careless
    /// gateways do: a client must not let it through to a file.
    pub echo_authorization: bool,
    /// Closes the socket after every streamed response though keep-alive was announced, as llama.cpp does.
    pub close_after_response: bool,
    /// What goes wrong, and when. The first fault that applies to a request is taken.
    pub faults: Vec<Fault>,
    /// Whether truth is recorded. It grows with every request until it is drained: a simulator that runs for
    /// days turns it off.
    pub record_truth: bool,
}

impl SimConfig {
    /// A service whose standard sweep (180 requests at C1, 2, 4, 8 and 16, after 16 of warm-up) takes about a
    /// minute: latency rises gently with concurrency, and throughput has not levelled off at C16.
    pub fn demo() -> Self {
        SimConfig {
            version: "0.32.0+sim".to_owned(),
            decode_base: Duration::from_millis(20),
            decode_per_sequence: Duration::from_micros(900),
            prefill_tokens_per_s: 4_000.0,
            step_jitter: 0.04,
            request_overhead: Duration::from_millis(28),
            output_tokens: 24..=48,
            ..SimConfig::fast()
        }
    }

    /// A service for tests: steps of a millisecond, no jitter, answers of 4 to 8 tokens.
    pub fn fast() -> Self {
        SimConfig {
            model: "sim-chat".to_owned(),
            version: "0.0.0+sim".to_owned(),
            seed: 1,
            api_key: None,
            ready: true,
            process_start_s: None,
            max_batch: 32,
            queue_limit: 256,
            decode_base: Duration::from_millis(1),
            decode_per_sequence: Duration::ZERO,
            prefill_tokens_per_s: 1e6,
            prefill_chunk_tokens: 2_048,
            step_jitter: 0.0,
            request_overhead: Duration::ZERO,
            output_tokens: 4..=8,
            context_tokens: 32_768,
            reasoning_tokens: 0,
            reasoning_field: ReasoningField::ReasoningContent,
            tokens_per_event: 1,
            prefix_cache: false,
            honours_max_tokens: true,
            honours_ignore_eos: true,
            gives_usage: true,
            refuse_stream_options: false,
            refuse_ignore_eos: false,
            strict_turns: false,
            echo_authorization: false,
            close_after_response: false,
            faults: Vec::new(),
            record_truth: true,
        }
    }
}

/// The field of a delta that carries reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningField {
    /// `reasoning_content`, as DeepSeek and older vLLM name it.
    ReasoningContent,
    /// `reasoning`, as newer vLLM and OpenRouter name it.
    Reasoning,
}

impl ReasoningField {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ReasoningField::ReasoningContent => "reasoning_content",
            ReasoningField::Reasoning => "reasoning",
        }
    }
}

/// A bearer token that does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes the token as it stands after `Bearer `.
    pub fn new(token: impl Into<String>) -> Self {
        ApiKey(token.into())
    }

    pub(crate) fn admits(&self, authorization: Option<&str>) -> bool {
        authorization.and_then(|value| value.strip_prefix("Bearer ")) == Some(self.0.as_str())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}
