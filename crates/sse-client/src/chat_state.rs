//! What one event after another does to the answer.

use std::borrow::Cow;

use crate::accumulate::Accumulator;
use crate::chat::{Chat, Problem, Seen, ToolCall, Usage};
use crate::lenient::Figures;
use crate::named::Named;
use crate::parser::{Event, Sink};
use crate::service_error::{ServiceError, is_error};
use crate::shortcut::{Adds, Shortcut};
use crate::terminal::Terminal;
use crate::wire::{Choice, Chunk, Delta, Details, FunctionDelta, Number, UsageFields};

/// The kind of events that have no name.
const MESSAGE: &str = "message";

/// Most tool calls kept of one answer.
const TOOL_CALLS: usize = 1024;

#[derive(Debug, Default)]
pub(crate) struct ChatState {
    text: Accumulator,
    reasoning: Accumulator,
    refusal: Accumulator,
    tool_calls: Vec<ToolCall>,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    problem: Option<Problem>,
    response_id: Option<String>,
    counts: Counts,
    named: Named,
    first_output_event: Option<u64>,
    flushed: bool,
    stray_markup: bool,
    seen: Seen,
    shortcut: Shortcut,
}

#[derive(Debug, Default)]
struct Counts {
    events: u64,
    token: u64,
    content: u64,
    reasoning: u64,
    tool_call: u64,
    role_or_empty: u64,
    malformed: u64,
    replaced: u64,
    stray: u64,
}

/// What one event holds, over all its choices.
#[derive(Clone, Copy, Default)]
struct Holds {
    content: bool,
    reasoning: bool,
    refusal: bool,
    tool_call: bool,
    role_or_content_key: bool,
}

impl ChatState {
    pub(crate) fn begin_chunk(&mut self) {
        self.seen = Seen { done: self.seen.done, ..Seen::default() };
    }

    pub(crate) fn seen(&self) -> Seen {
        self.seen
    }

    pub(crate) fn events(&self) -> u64 {
        self.counts.events
    }

    pub(crate) fn is_done(&self) -> bool {
        self.seen.done
    }

    pub(crate) fn disable_shortcut(&mut self) {
        self.shortcut.disable();
    }

    pub(crate) fn discard_text(&mut self) {
        for text in [&mut self.text, &mut self.reasoning, &mut self.refusal] {
            text.discard();
        }
    }

    pub(crate) fn flushed(&mut self) {
        self.flushed = true;
    }

    pub(crate) fn into_chat(self) -> Chat {
        Chat {
            cumulative: self.text.is_cumulative() || self.reasoning.is_cumulative(),
            text: self.text.into_text(),
            reasoning: self.reasoning.into_text(),
            refusal: self.refusal.into_text(),
            tool_calls: self.tool_calls,
            finish_reason: self.finish_reason,
            done: self.seen.done,
            usage: self.usage,
            terminal: Terminal::Truncated,
            problem: self.problem,
            response_id: self.response_id,
            events: self.counts.events,
            token_events: self.counts.token,
            content_events: self.counts.content,
            reasoning_events: self.counts.reasoning,
            tool_call_events: self.counts.tool_call,
            role_or_empty_events: self.counts.role_or_empty,
            first_output_event: self.first_output_event,
            malformed: self.counts.malformed + self.named.holes(),
            replaced: self.counts.replaced,
            comments: 0,
            stray_lines: self.counts.stray,
            flushed: self.flushed,
            stray_markup: self.stray_markup,
        }
    }

    fn data(&mut self, data: &str, kind: &str) {
        let Ok(chunk) = serde_json::from_str::<Chunk<'_>>(data) else {
            return self.not_a_chunk(data, kind);
        };
        if kind != MESSAGE && chunk.choices.is_some() {
            self.named.carried_choices(kind);
        }
        if let Some(error) = chunk.error.as_ref().filter(|error| is_error(error)) {
            let whole = serde_json::from_str(data).unwrap_or_else(|_| error.clone());
            self.report(Problem::ErrorObject, ServiceError::from_value(&whole));
        } else if chunk.choices.is_none() && chunk.usage.0.is_none() {
            let error = serde_json::from_str(data).ok().and_then(|value| ServiceError::from_value(&value));
            self.report(Problem::ErrorObject, error);
        }
        if self.response_id.is_none() && !chunk.id.as_str().is_empty() {
            self.response_id = Some(chunk.id.as_str().to_owned());
        }
        if !chunk.full_text.as_str().is_empty() {
            self.text.declare_cumulative();
        }
        let mut holds = Holds::default();
        for choice in chunk.choices.iter().flatten() {
            self.choice(choice, &mut holds);
        }
        self.count(holds);
        let groq = chunk.x_groq.0.iter().filter_map(|groq| groq.usage.0.as_ref());
        for usage in chunk.usage.0.iter().chain(groq) {
            self.usage(usage);
        }
        if kind == MESSAGE
            && let Some((adds, text)) = adds_text_alone(&chunk)
        {
            self.shortcut.learn(data, text, adds);
        }
    }

    /// Takes an event that adds text and does nothing else.
    fn add(&mut self, adds: Adds, text: &str) {
        let mut holds = Holds::default();
        match adds {
            Adds::Content => {
                holds.content = true;
                self.text.push(text);
            }
            Adds::Reasoning => {
                holds.reasoning = true;
                self.reasoning.push(text);
            }
        }
        self.count(holds);
    }

    /// JSON that is no chunk may still report an error; anything else is a hole in the text, but for events of a name
    /// of their own, such as `ping`, under which no text ever comes.
    #[cold]
    fn not_a_chunk(&mut self, data: &str, kind: &str) {
        match serde_json::from_str(data).ok().and_then(|value| ServiceError::from_value(&value)) {
            Some(error) => self.report(Problem::ErrorObject, Some(error)),
            None if kind == MESSAGE || data.contains("\"choices\"") => self.counts.malformed += 1,
            None => self.named.undecodable(kind),
        }
    }

    fn choice(&mut self, choice: &Choice<'_>, holds: &mut Holds) {
        let empty = Delta::default();
        let delta = choice.delta.0.as_ref().unwrap_or(&empty);
        let content =
            [delta.content.as_str(), choice.text.as_str()].into_iter().find(|text| !text.is_empty());
        let content = content.unwrap_or_default();
        let (reasoning, refusal) = (delta.reasoning(), delta.refusal.as_str());
        holds.content |= !content.is_empty();
        holds.reasoning |= !reasoning.is_empty();
        holds.refusal |= !refusal.is_empty();
        holds.tool_call |= calls(delta).any(|(_, _, function)| function.has_output());
        holds.role_or_content_key |= delta.role.is_present() || delta.content.is_present();

        if let Some(usage) = &choice.usage.0 {
            self.usage(usage);
        }
        if let Some(error) = choice.error.as_ref().filter(|error| is_error(error)) {
            let error = ServiceError::from_value(&serde_json::json!({ "error": error }));
            self.report(Problem::ErrorObject, error);
        }
        if choice.index.0.unwrap_or(0) != 0 {
            return;
        }
        self.text.push(content);
        self.reasoning.push(reasoning);
        self.refusal.push(refusal);
        for (index, id, function) in calls(delta) {
            self.tool_call(index, id, function);
        }
        // Some services fill the field with an empty string, or the word, until the end.
        let reason = choice.finish_reason.as_str();
        if !reason.is_empty() && reason != "null" {
            self.finish_reason = Some(reason.to_owned());
        }
    }

    fn count(&mut self, holds: Holds) {
        let visible = holds.content || holds.refusal || holds.tool_call;
        let token = visible || holds.reasoning;
        self.counts.content += u64::from(holds.content);
        self.counts.reasoning += u64::from(holds.reasoning);
        self.counts.tool_call += u64::from(holds.tool_call);
        self.counts.token += u64::from(token);
        self.counts.role_or_empty += u64::from(!token && holds.role_or_content_key);
        self.seen.token_events += u32::from(token);
        self.seen.visible_events += u32::from(visible);
        if token && self.first_output_event.is_none() {
            self.first_output_event = Some(self.counts.events - 1);
        }
    }

    fn tool_call(&mut self, index: Number, id: &str, function: &FunctionDelta<'_>) {
        if self.text.discards() {
            return;
        }
        // Without an index, an id begins a new call and anything else continues the last.
        let index = index.0.unwrap_or_else(|| match self.tool_calls.last() {
            Some(last) if id.is_empty() || last.id == id => last.index,
            Some(last) => last.index + 1,
            None => 0,
        });
        let place = self.tool_calls.binary_search_by_key(&index, |call| call.index).unwrap_or_else(|place| {
            self.tool_calls.insert(place, ToolCall { index, ..ToolCall::default() });
            place
        });
        self.tool_calls.truncate(TOOL_CALLS);
        let Some(call) = self.tool_calls.get_mut(place) else { return };
        if call.id.is_empty() {
            call.id.push_str(id);
        }
        if call.name != function.name.as_str() {
            call.name.push_str(function.name.as_str());
        }
        call.arguments.push_str(function.arguments.as_str());
    }

    /// A later usage replaces an earlier one: cumulative counts are never added.
    fn usage(&mut self, fields: &UsageFields) {
        let details = |details: &Figures<Details>| {
            details.0.as_ref().map(|details| (details.cached_tokens.0, details.reasoning_tokens.0))
        };
        let (cached, _) = details(&fields.prompt_tokens_details).unwrap_or_default();
        let (_, reasoning) = details(&fields.completion_tokens_details).unwrap_or_default();
        let usage = Usage {
            prompt_tokens: fields.prompt_tokens.0,
            completion_tokens: fields.completion_tokens.0,
            reasoning_tokens: reasoning.or(fields.reasoning_tokens.0),
            cached_tokens: cached.or(fields.cached_tokens.0).or(fields.prompt_cache_hit_tokens.0),
        };
        if usage.prompt_tokens.is_some() || usage.completion_tokens.is_some() {
            self.usage = Some(usage);
        }
    }

    /// The first error stands: what follows is mostly its echo.
    fn report(&mut self, problem: fn(ServiceError) -> Problem, error: Option<ServiceError>) {
        if let (None, Some(error)) = (&self.problem, error) {
            self.problem = Some(problem(error));
        }
    }
}

/// The text that a chunk adds, where it does nothing else: one choice, the first, without error, usage, tool call or
/// finish reason, and one text in it.
fn adds_text_alone<'c>(chunk: &'c Chunk<'_>) -> Option<(Adds, &'c str)> {
    let [choice] = chunk.choices.as_deref()? else { return None };
    let delta = choice.delta.0.as_ref()?;
    let says_more = chunk.error.is_some()
        || chunk.usage.0.is_some()
        || chunk.x_groq.0.is_some()
        || choice.error.is_some()
        || choice.usage.0.is_some()
        || choice.index.0.unwrap_or(0) != 0
        || !choice.finish_reason.as_str().is_empty()
        || !choice.text.as_str().is_empty()
        || !delta.refusal.as_str().is_empty()
        || calls(delta).next().is_some();
    if says_more {
        return None;
    }
    match (delta.content.as_str().is_empty(), delta.reasoning().is_empty()) {
        (false, true) => Some((Adds::Content, delta.content.as_borrowed()?)),
        (true, false) => {
            let [first, second] = [&delta.reasoning_content, &delta.reasoning];
            let reasoning = if second.as_str().is_empty() { first } else { second };
            let twice = !first.as_str().is_empty() && !second.as_str().is_empty();
            if twice { None } else { Some((Adds::Reasoning, reasoning.as_borrowed()?)) }
        }
        _ => None,
    }
}

/// The tool calls of a delta, the older `function_call` among them: index, id, function.
fn calls<'d>(delta: &'d Delta<'_>) -> impl Iterator<Item = (Number, &'d str, &'d FunctionDelta<'d>)> {
    let listed = delta.tool_calls.0.iter();
    let listed = listed.filter_map(|call| Some((call.index, call.id.as_str(), call.function.0.as_ref()?)));
    listed.chain(delta.function_call.0.iter().map(|function| (Number(Some(0)), "", function)))
}

impl Sink for ChatState {
    fn event(&mut self, event: Event<'_>) {
        if self.seen.done {
            return;
        }
        self.counts.events += 1;
        if event.is_message()
            && let Some((adds, text)) = self.shortcut.text(event.data())
        {
            return self.add(adds, text);
        }
        let text = match std::str::from_utf8(event.data()) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                self.counts.replaced += 1;
                event.text()
            }
        };
        let data = text.trim_ascii();
        match event.kind().as_ref() {
            "error" => {
                let error = ServiceError::from_body(data.as_bytes());
                let error = error.unwrap_or_else(|| ServiceError::from_text("an error without a message"));
                self.report(Problem::ErrorEvent, Some(error));
            }
            _ if data.is_empty() => {}
            _ if data == "[DONE]" => self.seen.done = true,
            kind => self.data(data, kind),
        }
    }

    fn stray(&mut self, line: &[u8]) {
        if self.seen.done {
            return;
        }
        self.counts.stray += 1;
        let line = line.trim_ascii();
        if let Some(error) = line.strip_prefix(b"error:") {
            self.report(Problem::ErrorEvent, ServiceError::from_body(error.trim_ascii()));
        } else if line.starts_with(b"{") {
            let error = serde_json::from_slice(line).ok().and_then(|value| ServiceError::from_value(&value));
            self.report(Problem::ErrorObject, error);
        } else if line.starts_with(b"<") {
            self.stray_markup = true;
        }
    }
}
