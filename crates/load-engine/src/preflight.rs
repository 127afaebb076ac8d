//! What can be found out about a service before it is put under load.
//!
//! A few requests, the same in kind as those of the run: they show whether there is any sense in running at all, and
//! what a run will have to do differently. Only what makes every request fail is a [`Refusal`]; a busy service
//! (429, 5xx, time-outs) is what a run is there to measure.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use bytes::Bytes;
use serde_json::{Value, json};
use sse_client::{
    Canceller, Clock, Connect, Ended, Exchange, FailureKind, Plain, PlainError, SendOptions, Session, Spoken,
    Terminal,
};
use workload_model::{Bounds, Http, Output, RequestShape, Timeouts, builtin, opening};

use crate::{
    facts,
    preflight_warning::PreflightWarning,
    request_id::request_id,
    service::{Service, timeouts},
    stop::{Spent, Stop},
};

/// How long a plain question may take.
const WITHIN: Duration = Duration::from_secs(10);

/// How long an answer may stream before the preflight has seen enough of it.
const ENOUGH: Duration = Duration::from_secs(60);

/// Output tokens that the preflight asks for where the run asks for outputs of a fixed length.
const FIXED: u64 = 16;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// Model name.
    pub model: &'a str,
    /// What requests of the run will ask for.
    pub shape: RequestShape,
    /// Longest waits.
    pub timeouts: Timeouts,
    /// Which HTTP to speak.
    pub http: Http,
    /// What the preflight and the run together may cost.
    pub bounds: Bounds,
    /// What makes the openings of this run its own.
    pub nonce: &'a str,
    /// Also try which limits are honoured (`max_tokens`, `ignore_eos`): two more requests.
    pub limits: bool,
}

/// What was found out.
#[derive(Debug, Clone, Default)]
pub struct Preflight {
    /// Models that the service lists.
    pub models: Vec<String>,
    /// Its version, as it tells it.
    pub version: Option<String>,
    /// Its `Server` header.
    pub server: Option<String>,
    /// Path that answers 200 while it is ready.
    pub health_path: Option<String>,
    /// It counts tokens when asked to; `None` where that could not be seen.
    pub usage: Option<bool>,
    /// Its words where it refused `stream_options`.
    pub usage_refused: Option<String>,
    /// First token after sending, in microseconds.
    pub ttft_us: Option<u64>,
    /// Whole answer after sending, in microseconds; `None` where it was not waited for.
    pub e2e_us: Option<u64>,
    /// Output tokens (or token events) of the answer as far as it was read.
    pub output_tokens: Option<u64>,
    /// Events with generated text.
    pub token_events: u64,
    /// Input tokens as counted by the service.
    pub prompt_tokens: Option<u64>,
    /// Finish reason.
    pub finish_reason: Option<String>,
    /// It sends reasoning in a field of its own.
    pub reasoning: bool,
    /// `Date` header, and when it was read, in microseconds of the clock.
    pub date: Option<(String, u64)>,
    /// `max_tokens` cut the answer where it should; `None` where that was not tried or the answer ended before.
    pub max_tokens_honoured: Option<bool>,
    /// `ignore_eos` made the answer go on; `None` where that was not tried.
    pub ignore_eos_honoured: Option<bool>,
    /// What was agreed on with it, where a connection came about.
    pub spoken: Option<Spoken>,
    /// What is particular about its dialect.
    pub dialect_notes: Vec<String>,
    /// What a run should know, and does not stop it.
    pub warnings: Vec<PreflightWarning>,
    /// What all this cost.
    pub spent: Spent,
}

/// Why there is no sense in a run. Every message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No connection, or nobody there who speaks HTTP.
    #[error("reach the service: {0}")]
    Unreachable(String),
    /// 401 or 403.
    #[error(
        "be let in: status {status}: {message} (set the key in the variable that --api-key-env names, OPENAI_API_KEY by default, or give --api-key-file)"
    )]
    Credentials {
        /// Status.
        status: u16,
        /// The service's words.
        message: String,
    },
    /// 404 or 405.
    #[error(
        "find {model:?} at {path}: status {status}: {message} (check --url, which ends in /v1, and --model{known})"
    )]
    NotFound {
        /// The model asked for.
        model: String,
        /// Path of the request.
        path: String,
        /// Status.
        status: u16,
        /// The service's words.
        message: String,
        /// The models it lists, as a hint; empty where it lists none.
        known: String,
    },
    /// 3xx.
    #[error(
        "get an answer: status {status}: it is a redirect, which is not followed (give the address it leads to by --url)"
    )]
    Redirected {
        /// Status.
        status: u16,
    },
    /// Any other 4xx but 408 and 429.
    #[error(
        "get an answer: status {status}: {message} (the service refuses requests of this kind altogether)"
    )]
    Rejected {
        /// Status.
        status: u16,
        /// The service's words.
        message: String,
    },
    /// Outputs of a fixed length are refused, and others are not.
    #[error(
        "ask for outputs of a fixed length: status {status}: {message} (the service takes no `ignore_eos` or `min_tokens`: ask for \"capped\" outputs instead (--output, or request.output of a plan), so that outputs are cut at their lengths and may end before)"
    )]
    FixedOutput {
        /// Status.
        status: u16,
        /// The service's words.
        message: String,
    },
    /// A 200 that is no event stream.
    #[error("get a stream: {0} (without streaming there is no first token to measure)")]
    NotStreaming(String),
}

/// A part of the preflight, for whoever shows its progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Models, version and health.
    Questions,
    /// One chat completion, as the run will send them.
    Chat,
    /// The same without `stream_options`.
    WithoutUsage,
    /// The same without asking for an output of a fixed length.
    WithoutFixed,
    /// Limits.
    Limits,
}

/// Asks.
///
/// # Errors
/// [`Refusal`], where no request of a run could succeed.
pub async fn preflight<C: Connect>(
    service: &Service<C>,
    clock: &Arc<dyn Clock>,
    asked: &Asked<'_>,
    mut progress: impl FnMut(Step),
) -> Result<Preflight, Refusal> {
    let mut found = Preflight::default();
    let mut talk = Talk {
        session: service.session(clock, &asked.timeouts, asked.http),
        clock: Arc::clone(clock),
        asked,
        spent: Spent::default(),
        reachable: true,
    };
    progress(Step::Questions);
    talk.questions(&mut found).await;
    progress(Step::Chat);
    let mut exchange = talk.chat(&asked.shape, &json!({})).await;
    if asked.shape.include_usage && refuses(&exchange) && talk.stop().begin() {
        progress(Step::WithoutUsage);
        let shape = RequestShape { include_usage: false, ..asked.shape.clone() };
        let again = talk.chat(&shape, &json!({})).await;
        // A busy service (429, 503) says nothing against it: a run that asked with it would be refused every time.
        if !refuses(&again) {
            found.usage_refused = Some(words(&exchange));
        }
        exchange = again;
    }
    if asked.shape.output == Output::Fixed
        && let Some(status) = exchange.status.filter(|_| refuses(&exchange))
        && talk.stop().begin()
    {
        progress(Step::WithoutFixed);
        let shape = RequestShape { output: Output::Natural, include_usage: false, ..asked.shape.clone() };
        if !refuses(&talk.chat(&shape, &json!({})).await) {
            return Err(Refusal::FixedOutput { status, message: words(&exchange) });
        }
    }
    refusal(&exchange, &talk, &found)?;
    take_over(&mut found, &exchange, asked);
    if asked.limits && exchange.status == Some(200) {
        progress(Step::Limits);
        talk.limits(&mut found).await;
    }
    found.spoken = talk.session.spoken().cloned();
    found.spent = talk.spent();
    Ok(found)
}

/// The conversation with the service.
struct Talk<'a, C: Connect> {
    session: Session<C>,
    clock: Arc<dyn Clock>,
    asked: &'a Asked<'a>,
    spent: Spent,
    /// Connecting has not failed so far.
    reachable: bool,
}

impl<C: Connect> Talk<'_, C> {
    async fn questions(&mut self, found: &mut Preflight) {
        let endpoint = self.session.target().endpoint().clone();
        let models_path = endpoint.path_of("models");
        let models = self.ask(&models_path).await;
        if let Some(answer) = &models {
            found.server = answer.header("server").map(str::to_owned);
            found.date = answer.header("date").map(|date| (date.to_owned(), answer.end));
        }
        let models_answer = models.filter(Plain::is_success);
        found.models = models_answer.as_ref().map(|answer| model_names(&answer.body)).unwrap_or_default();
        for (path, key) in [("/version", "version"), ("/props", "build_info")] {
            if found.version.is_none()
                && let Some(answer) = self.ask(&endpoint.root_path(path)).await.filter(Plain::is_success)
            {
                found.version = text_of(&answer.body, key);
            }
        }
        let health = endpoint.root_path("/health");
        if self.ask(&health).await.is_some_and(|answer| answer.is_success()) {
            found.health_path = Some(health);
        } else if models_answer.is_some() {
            found.health_path = Some(models_path);
        }
    }

    /// Asks for a path. Where connecting failed once, nothing further is asked: a host that drops packets makes every
    /// question wait for its time-out, and the chat completion will say what is wrong.
    async fn ask(&mut self, path: &str) -> Option<Plain> {
        if !self.reachable {
            return None;
        }
        let within = self.stop().time_left().map_or(WITHIN, |left| left.min(WITHIN));
        let answer = self.session.get(path, &request_id(), within).await;
        self.reachable = !matches!(answer, Err(PlainError::Connect(_)));
        answer.ok()
    }

    /// What all this cost so far.
    fn spent(&self) -> Spent {
        Spent { elapsed_us: self.clock.now_us(), ..self.spent }
    }

    /// The bounds as far as they are left.
    fn stop(&self) -> Stop {
        Stop::new(self.asked.bounds, self.spent())
    }

    /// One chat completion on a prompt that no measured request uses, with further keys in its body.
    async fn chat(&mut self, shape: &RequestShape, more: &Value) -> Exchange {
        let mut sample = builtin().warm_up.swap_remove(0);
        sample.lengths.output = (shape.output == Output::Fixed).then_some(FIXED);
        let opening = opening(self.asked.nonce, u64::MAX - self.spent.requests);
        let mut body: Value = serde_json::from_str(&sample.body(self.asked.model, shape, &opening))
            .expect("a body of ours is JSON");
        if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
            body.extend(more.clone());
        }
        let exchange = self.send(Bytes::from(body.to_string())).await;
        self.spent.requests += 1 + u64::from(exchange.reconnects);
        self.spent.output_tokens += output_tokens(&exchange).unwrap_or(0);
        exchange
    }

    /// Sends, and reads on until there is enough of the answer, or a bound is met.
    async fn send(&mut self, body: Bytes) -> Exchange {
        let stop = self.stop();
        let canceller = Canceller::new();
        let cancel = canceller.watch();
        let mut id = request_id;
        let mut options = SendOptions::new(&mut id);
        options.timeouts = timeouts(&self.asked.timeouts);
        options.cancel = Some(&cancel);
        options.live_tokens = Some(&stop.token_events);
        let before = stop.token_events.load(Ordering::Relaxed);
        let exchange = self.session.chat(body, options);
        let bound = stop.watch_bounds();
        tokio::pin!(exchange, bound);
        let mut bound_met = false;
        loop {
            tokio::select! {
                exchange = &mut exchange => return exchange,
                () = &mut bound, if !bound_met => {
                    bound_met = true;
                    canceller.cancel();
                }
                () = tokio::time::sleep(ENOUGH) => {
                    // Only an answer that is streaming has been seen enough of; a silent one has its time-outs.
                    if stop.token_events.load(Ordering::Relaxed) > before {
                        canceller.cancel();
                    }
                }
            }
        }
    }

    async fn limits(&mut self, found: &mut Preflight) {
        const FEW: u64 = 3;
        const MORE: u64 = 512;
        let usage = self.asked.shape.include_usage && found.usage_refused.is_none();
        let shape = |max_tokens| RequestShape {
            max_tokens: Some(max_tokens),
            include_usage: usage,
            ..RequestShape::default()
        };
        let few = self.chat(&shape(FEW), &json!({})).await;
        if let Some(tokens) = output_tokens(&few) {
            let cut = few.finish_reason.as_deref() == Some("length");
            found.max_tokens_honoured = (cut || tokens > FEW).then_some(cut && tokens <= FEW);
        }
        let more = self.chat(&shape(MORE), &json!({ "ignore_eos": true })).await;
        if more.ended == Ended::Done || more.ended == Ended::Eof {
            found.ignore_eos_honoured = output_tokens(&more).map(|tokens| tokens >= MORE);
        }
    }
}

/// The service refuses what was asked, rather than whoever asked.
fn refuses(exchange: &Exchange) -> bool {
    matches!(exchange.status, Some(400 | 415 | 422 | 501))
}

fn refusal<C: Connect>(exchange: &Exchange, talk: &Talk<'_, C>, found: &Preflight) -> Result<(), Refusal> {
    let message = words(exchange);
    let unreachable = matches!(exchange.ended, Ended::Connect(_))
        || exchange.ended == Ended::Timeout(sse_client::Phase::Connect)
        || (exchange.ended == Ended::Reset && exchange.status.is_none());
    if unreachable {
        return Err(Refusal::Unreachable(message));
    }
    match exchange.status {
        Some(status @ (401 | 403)) => Err(Refusal::Credentials { status, message }),
        Some(status @ (404 | 405)) => {
            let known = match found.models.as_slice() {
                [] => String::new(),
                models => format!("; it lists {}", models.join(", ")),
            };
            let path = talk.session.target().endpoint().chat_path();
            Err(Refusal::NotFound { model: talk.asked.model.to_owned(), path, status, message, known })
        }
        Some(408 | 429) => Ok(()),
        Some(status @ (300..=399)) => Err(Refusal::Redirected { status }),
        Some(status @ (400..=499)) => Err(Refusal::Rejected { status, message }),
        Some(200)
            if exchange.error.as_ref().is_some_and(|error| error.kind == FailureKind::NotEventStream) =>
        {
            Err(Refusal::NotStreaming(message))
        }
        _ => Ok(()),
    }
}

fn take_over(found: &mut Preflight, exchange: &Exchange, asked: &Asked<'_>) {
    let since_sent = |instant: Option<u64>| Some(instant?.saturating_sub(exchange.sent?));
    let whole = matches!(exchange.ended, Ended::Done | Ended::Eof);
    found.ttft_us = since_sent(exchange.first_token);
    found.e2e_us = since_sent(exchange.end).filter(|_| whole);
    found.output_tokens = output_tokens(exchange);
    found.token_events = exchange.token_events;
    found.prompt_tokens = exchange.usage.and_then(|usage| usage.prompt_tokens);
    found.finish_reason = exchange.finish_reason.clone();
    found.reasoning = !exchange.reasoning.is_empty();
    found.usage = (exchange.terminal == Some(Terminal::Complete)).then_some(exchange.usage.is_some());
    if found.date.is_none() {
        found.date = exchange.date.clone().zip(exchange.first_byte);
    }
    notes(found, exchange);
    warnings(found, exchange, asked);
}

fn notes(found: &mut Preflight, exchange: &Exchange) {
    let mut note = |text: &str| found.dialect_notes.push(text.to_owned());
    if !exchange.reasoning.is_empty() {
        note("reasoning comes in a field of its own; it counts as output");
    }
    if exchange.cumulative {
        note("every delta carries the whole text so far");
    }
    if exchange.terminal == Some(Terminal::Complete) && !exchange.done {
        note("the stream ends without [DONE]");
    }
    if exchange.replaced > 0 {
        note("some events hold bytes that are not UTF-8; they were replaced by U+FFFD");
    }
    if exchange.comments > 0 {
        note("comment lines keep the stream alive");
    }
    let usage = exchange.usage.and_then(|usage| usage.completion_tokens);
    if usage.is_some_and(|tokens| tokens > exchange.token_events + exchange.token_events / 20) {
        note("some events carry several tokens");
    }
}

fn warnings(found: &mut Preflight, exchange: &Exchange, asked: &Asked<'_>) {
    let mut warn = |warning| found.warnings.push(warning);
    if !found.models.is_empty() && !found.models.iter().any(|model| model == asked.model) {
        let (model, listed) = (asked.model.to_owned(), found.models.join(", "));
        warn(PreflightWarning::ModelNotListed { model, listed });
    }
    match exchange.ended {
        Ended::Cancelled => warn(PreflightWarning::StillStreaming),
        Ended::Timeout(phase) => warn(PreflightWarning::Late { phase: format!("{phase:?}") }),
        Ended::TooLarge => warn(PreflightWarning::TooLarge),
        _ => {}
    }
    if let Some(status) = exchange.status.filter(|status| *status != 200) {
        warn(PreflightWarning::Status { status, message: words(exchange) });
    } else if let Some(error) = &exchange.error {
        warn(PreflightWarning::ErrorInStream { message: error.message.clone() });
    } else if exchange.terminal == Some(Terminal::Truncated) && exchange.ended != Ended::Cancelled {
        warn(PreflightWarning::BrokenOff);
    }
    let counted = exchange.usage.and_then(|usage| usage.completion_tokens);
    let whole = exchange.terminal == Some(Terminal::Complete) && asked.shape.output == Output::Fixed;
    let wanted = asked.shape.max_tokens.map_or(FIXED, |most| most.min(FIXED));
    if let Some(got) = counted.filter(|got| whole && *got < wanted) {
        warn(PreflightWarning::NotFixed { wanted, got });
    }
    if found.usage == Some(false) {
        warn(PreflightWarning::NoTokenCounts);
    }
}

fn output_tokens(exchange: &Exchange) -> Option<u64> {
    facts::output_tokens(exchange).map(|(tokens, _)| tokens)
}

fn words(exchange: &Exchange) -> String {
    let told = exchange.error.as_ref().map(|error| error.message.clone());
    told.unwrap_or_else(|| format!("it ended with {}", exchange.ended))
}

fn model_names(body: &[u8]) -> Vec<String> {
    let listed: Value = serde_json::from_slice(body).unwrap_or_default();
    let names = listed["data"].as_array().into_iter().flatten();
    names.filter_map(|model| model["id"].as_str().map(str::to_owned)).collect()
}

fn text_of(body: &[u8], key: &str) -> Option<String> {
    let value: Value = serde_json::from_slice(body).ok()?;
    value.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}
