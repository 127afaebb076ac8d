//! Spans of OpenTelemetry after its conventions for generative AI, as OTLP in JSON: one batch a line, or one a file.

mod attributes;

use serde::Deserialize;
use serde_json::value::RawValue;
use workload_model::traffic::{Call, Dropped, Ending, StampKind};

use self::attributes::{Attributes, Resource};
use super::prompt::prompt_of_text;
use super::request::{
    OfField, between, ending_of_status, request_at, set_cut, set_ending, set_first_token, set_tokens,
};
use super::rows::{LineCounter, Reading, first_object, hand_on, no_text, read_object};
use crate::value::{Clock, Field, RowFault};
use crate::{Entry, Framing, Importer, Opening, RowReader, Sink, Start, StartError, Unit};

/// OTLP spans of calls of models.
#[derive(Debug, Clone, Copy)]
pub(super) struct OtelGenai;

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Batch<'a> {
    #[serde(borrow)]
    resource_spans: Vec<OfResource<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct OfResource<'a> {
    #[serde(borrow)]
    resource: Resource<'a>,
    #[serde(alias = "instrumentationLibrarySpans")]
    scope_spans: Vec<OfScope<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OfScope<'a> {
    /// Each is read by itself, so that one that cannot be read costs no other.
    #[serde(borrow)]
    spans: Vec<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Span<'a> {
    #[serde(borrow)]
    start_time_unix_nano: Field<'a>,
    end_time_unix_nano: Field<'a>,
    attributes: Attributes<'a>,
    status: Status<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Status<'a> {
    #[serde(borrow)]
    code: Field<'a>,
}

impl Importer for OtelGenai {
    fn name(&self) -> &'static str {
        "otel-genai"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        // A batch may be longer than what is looked at.
        let batch = match first_object(opening) {
            Some(object) => object.contains_key("resourceSpans"),
            None => opening.text.trim_start().starts_with('{') && opening.text.contains("\"resourceSpans\""),
        };
        (batch && opening.text.contains("\"gen_ai."))
            .then(|| "it has resourceSpans with attributes gen_ai.*".into())
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "kind",
            "startTimeUnixNano",
            "endTimeUnixNano",
            "code",
            "gen_ai.operation.name",
            "gen_ai.provider.name",
            "gen_ai.system",
            "gen_ai.request.model",
            "gen_ai.response.model",
            "gen_ai.request.max_tokens",
            "gen_ai.request.temperature",
            "gen_ai.request.top_p",
            "gen_ai.request.stream",
            "gen_ai.response.time_to_first_chunk",
            "gen_ai.response.finish_reasons",
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.prompt_tokens",
            "gen_ai.usage.completion_tokens",
            "gen_ai.tool.name",
            "error.type",
            "server.port",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Box::new(Batches(start.options.into())))
    }
}

struct Batches(Reading);

impl RowReader for Batches {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        let Unit::Text { line, text } = unit else {
            return hand_on(unit.line(), Err(no_text()), sink);
        };
        let batch: Batch<'_> = match read_object(text) {
            Ok(batch) => batch,
            Err(fault) => return hand_on(line, Err(fault), sink),
        };
        let mut lines = LineCounter::new(text, line);
        let mut none = true;
        for of_resource in &batch.resource_spans {
            for span in of_resource.scope_spans.iter().flat_map(|scope| &scope.spans) {
                none = false;
                hand_on(lines.line_of(span.get()), read(span.get(), &of_resource.resource, self.0), sink);
            }
        }
        if none {
            hand_on(line, Err(RowFault::new(Dropped::NoRequest, "no spans")), sink);
        }
    }
}

fn read<'a>(text: &'a str, resource: &Resource<'a>, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let span: Span<'a> = read_object(text)?;
    let own = &span.attributes;
    let call = call_of(own)?;
    let clock = Clock::default();
    let start = span.start_time_unix_nano.time(clock).of("startTimeUnixNano")?;
    let start = start.ok_or_else(|| RowFault::no_time("startTimeUnixNano"))?;
    let end = span.end_time_unix_nano.time(clock).of("endTimeUnixNano")?;
    let mut entry = request_at(start, StampKind::Arrival, "startTimeUnixNano");
    entry.call = call;
    entry.duration = end.map(|end| between(start, end, "endTimeUnixNano")).transpose()?;
    set_ending(&mut entry, ending_of(&span, end.is_some()));
    let input = own.input_tokens.value().count().of("gen_ai.usage.input_tokens")?;
    let output = own.output_tokens.value().count().of("gen_ai.usage.output_tokens")?;
    set_tokens(&mut entry, input, output);
    if own
        .finish_reasons
        .text()
        .is_some_and(|reasons| reasons.contains("length") || reasons.contains("max_tokens"))
    {
        set_cut(&mut entry);
    }
    let first_token = own.time_to_first_chunk.value().seconds().of("gen_ai.response.time_to_first_chunk")?;
    entry.stream = own.stream.value().flag().of("gen_ai.request.stream")?;
    if entry.stream.is_none() && first_token.is_some() {
        entry.stream = Some(true);
        entry.notes.add(workload_model::traffic::Note::StreamInferred);
    }
    set_first_token(&mut entry, first_token);
    entry.model = own.request_model.value().text().or_else(|| own.response_model.value().text());
    entry.label = resource.service_name();
    entry.caller = own.user.value().text();
    entry.session = own.conversation.value().text();
    if reading.keep_text {
        entry.prompt = own.input_messages.messages();
    }
    Ok(entry)
}

/// What an operation asks for; earlier conventions and some servers do not name one.
fn call_of(own: &Attributes<'_>) -> Result<Call, RowFault> {
    let no_request = |detail: &str| Err(RowFault::new(Dropped::NoRequest, detail));
    match own.operation.value().text().as_deref() {
        Some("chat" | "generate_content") => Ok(Call::Chat),
        Some("text_completion" | "completion") => Ok(Call::Completion),
        Some("embeddings" | "embedding") => Ok(Call::Embeddings),
        Some("rerank") => Ok(Call::Rerank),
        Some("execute_tool") => no_request("gen_ai.operation.name: execute_tool"),
        Some(_) => {
            no_request("gen_ai.operation.name: an agent or a step, which calls models in spans of their own")
        }
        None if own.of_a_model() => Ok(Call::Chat),
        None => no_request("a span without attributes gen_ai.*"),
    }
}

fn ending_of(span: &Span<'_>, ended: bool) -> Ending {
    let error = span.attributes.error.value().text().map(|error| error.to_ascii_lowercase());
    let error = error.as_deref();
    let any = |words: &[&str]| error.is_some_and(|error| words.iter().any(|word| error.contains(word)));
    let failed = matches!(span.status.code.text().as_deref(), Some("2" | "STATUS_CODE_ERROR"));
    match error.and_then(|error| error.parse().ok()).map(|status| ending_of_status(Some(status))) {
        Some(ending @ (Ending::Timeout | Ending::Rejected | Ending::ClientGone)) => ending,
        _ if any(&["timeout", "timed_out", "deadline"]) => Ending::Timeout,
        _ if any(&["ratelimit", "rate_limit", "too_many"]) => Ending::Rejected,
        _ if any(&["cancel", "disconnect"]) => Ending::ClientGone,
        _ if failed || error.is_some() => Ending::Error,
        _ if ended => Ending::Ok,
        _ => Ending::Unknown,
    }
}
