//! `LiteLLM_SpendLogs` of LiteLLM's proxy as JSON: rows, or pages of its interface.

use serde::Deserialize;
use workload_model::traffic::{Call, Dropped, Ending, Note, StampKind};

use super::pages::rows_have;
use super::prompt::prompt_of;
use super::request::{
    OfField, between, ending_of_status, request_at, set_ending, set_first_token, set_tokens,
};
use super::rows::{Reading, Rows, read_object};
use crate::value::{Field, RowFault, read_json};
use crate::{Entry, Framing, Importer, Opening, RowReader, Start, StartError};

/// Rows of LiteLLM's table of spend.
#[derive(Debug, Clone, Copy)]
pub(super) struct Litellm;

/// Whom the proxy's own checks of models are charged to.
const OWN_ACCOUNT: &str = "litellm-internal-health-check";

/// The database keeps milliseconds, and leaves out what ends in zeros or writes more of them.
const MILLISECOND: u64 = 1_000_000;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Row<'a> {
    #[serde(borrow)]
    call_type: Field<'a>,
    api_key: Field<'a>,
    prompt_tokens: Field<'a>,
    completion_tokens: Field<'a>,
    #[serde(rename = "startTime")]
    start: Field<'a>,
    #[serde(rename = "endTime")]
    end: Field<'a>,
    #[serde(rename = "completionStartTime")]
    first_token: Field<'a>,
    model: Field<'a>,
    model_group: Field<'a>,
    user: Field<'a>,
    end_user: Field<'a>,
    team_id: Field<'a>,
    session_id: Field<'a>,
    requester_ip_address: Field<'a>,
    status: Field<'a>,
    cache_hit: Field<'a>,
    metadata: Field<'a>,
    messages: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata<'a> {
    #[serde(borrow)]
    status: Field<'a>,
    error_information: Option<ErrorInformation<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ErrorInformation<'a> {
    #[serde(borrow)]
    error_code: Field<'a>,
}

impl Importer for Litellm {
    fn name(&self) -> &'static str {
        "litellm"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        rows_have(opening, &["call_type", "startTime", "completionStartTime"])
            .then(|| "its rows have call_type, startTime and completionStartTime".into())
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "call_type",
            "spend",
            "total_tokens",
            "prompt_tokens",
            "completion_tokens",
            "startTime",
            "endTime",
            "request_duration_ms",
            "completionStartTime",
            "model",
            "model_group",
            "custom_llm_provider",
            "cache_hit",
            "status",
            "cached_tokens",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Rows::boxed(read, start.options))
    }
}

fn read<'a>(text: &'a str, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let row: Row<'a> = read_object(text)?;
    let call = call_of(row.call_type.text().as_deref())?;
    // Tags say so as well, but any caller may set these.
    if [row.api_key, row.team_id].iter().any(|field| field.text().as_deref() == Some(OWN_ACCOUNT)) {
        return Err(RowFault::new(Dropped::NoRequest, "a check of a model by the proxy itself"));
    }
    let mut start =
        row.start.time(reading.clock).of("startTime")?.ok_or_else(|| RowFault::no_time("startTime"))?;
    start.resolution_ns = start.resolution_ns.max(MILLISECOND);
    let end = row.end.time(reading.clock).of("endTime")?;
    let first = row.first_token.time(reading.clock).of("completionStartTime")?;

    let mut entry = request_at(start, StampKind::Arrival, "startTime");
    entry.call = call;
    entry.duration = end.map(|end| between(start, end, "endTime")).transpose()?;
    set_ending(&mut entry, ending_of(&row));
    let counts = (
        row.prompt_tokens.count().of("prompt_tokens")?,
        row.completion_tokens.count().of("completion_tokens")?,
    );
    set_tokens(&mut entry, counts.0, counts.1);
    if let (Some(first), Some(end)) = (first, end)
        && entry.ending != Ending::CacheHit
    {
        // There is no field for it: an answer that came at once has its first token at its end.
        entry.stream = Some(first.at_ns < end.at_ns);
        entry.notes.add(Note::StreamInferred);
        set_first_token(&mut entry, Some(between(start, first, "completionStartTime")?));
    }
    entry.model = row.model_group.text().or_else(|| row.model.text());
    entry.label = row.team_id.text();
    entry.caller = row
        .end_user
        .text()
        .or_else(|| row.user.text().filter(|user| user != "default_user_id"))
        .or_else(|| row.api_key.text())
        .or_else(|| row.requester_ip_address.text());
    entry.session = row.session_id.text();
    if reading.keep_text {
        entry.prompt = prompt_of(row.messages);
    }
    Ok(entry)
}

fn call_of(call_type: Option<&str>) -> Result<Call, RowFault> {
    // Most kinds stand there twice, as `embedding` and as `aembedding`.
    let plain = call_type.map(|call| match call {
        "anthropic_messages" => call,
        _ => call.strip_prefix('a').unwrap_or(call),
    });
    Ok(match plain {
        None | Some("completion" | "responses" | "anthropic_messages" | "generate_content") => Call::Chat,
        Some("generate_content_stream") => Call::Chat,
        Some("text_completion") => Call::Completion,
        Some("embedding") => Call::Embeddings,
        Some("rerank") => Call::Rerank,
        Some("image_generation" | "image_edit" | "speech" | "transcription" | "video_generation") => {
            Call::Media
        }
        Some(call) if call.contains("mcp_tool") || call.contains("health_check") => {
            return Err(RowFault::new(
                Dropped::NoRequest,
                "call_type: a call of a tool, or one that asks for health",
            ));
        }
        Some(_) => Call::Other,
    })
}

fn ending_of(row: &Row<'_>) -> Ending {
    if row.cache_hit.flag() == Ok(Some(true)) {
        return Ending::CacheHit;
    }
    // Older versions have the state in the metadata alone, which may be JSON inside a string.
    let unpacked = row.metadata.text();
    let metadata = match (row.metadata.is_nested(), unpacked.as_deref()) {
        (true, _) => row.metadata.json(),
        (false, text) => text,
    };
    let metadata = || metadata.and_then(|json| read_json::<Metadata<'_>>(json).ok()).unwrap_or_default();
    match row
        .status
        .text()
        .or_else(|| metadata().status.text().map(|status| status.into_owned().into()))
        .as_deref()
    {
        Some("success") => Ending::Ok,
        Some("failure") => {
            let code = metadata().error_information.and_then(|error| error.error_code.count().ok().flatten());
            match ending_of_status(code) {
                Ending::Ok | Ending::Unknown => Ending::Error,
                ending => ending,
            }
        }
        _ => Ending::Unknown,
    }
}
