//! Observations of Langfuse: rows of its export, or pages of its interface, which spells names in another way.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use workload_model::traffic::{Call, Dropped, Ending, Note, StampKind};

use super::pages::first_row;
use super::prompt::prompt_of;
use super::request::{OfField, between, request_at, set_ending, set_first_token, set_tokens};
use super::rows::{Reading, Rows, read_object};
use crate::value::{Clock, Field, RowFault, read_json};
use crate::{Entry, Framing, Importer, Opening, RowReader, Start, StartError};

/// Langfuse's observations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Langfuse;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Row<'a> {
    #[serde(borrow, rename = "type")]
    kind: Field<'a>,
    #[serde(alias = "startTime")]
    start_time: Field<'a>,
    #[serde(alias = "endTime")]
    end_time: Field<'a>,
    #[serde(alias = "completionStartTime")]
    completion_start_time: Field<'a>,
    level: Field<'a>,
    #[serde(alias = "statusMessage")]
    status_message: Field<'a>,
    #[serde(alias = "providedModelName", alias = "model")]
    provided_model_name: Field<'a>,
    #[serde(alias = "usageDetails")]
    usage_details: Field<'a>,
    environment: Field<'a>,
    #[serde(alias = "traceName")]
    trace_name: Field<'a>,
    #[serde(alias = "userId")]
    user_id: Field<'a>,
    #[serde(alias = "sessionId")]
    session_id: Field<'a>,
    input: Field<'a>,
}

impl Importer for Langfuse {
    fn name(&self) -> &'static str {
        "langfuse"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let object = first_row(opening.json?)?;
        let any = |keys: &[&str]| keys.iter().any(|key| object.contains_key(*key));
        (any(&["trace_id", "traceId"])
            && any(&["start_time", "startTime"])
            && any(&["usage_details", "usageDetails", "parent_observation_id", "parentObservationId"])
            && object.contains_key("type"))
        .then(|| "its rows are observations with a trace, a type and a start time".into())
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "type",
            "start_time",
            "end_time",
            "completion_start_time",
            "level",
            "provided_model_name",
            "usage_details",
            "cost_details",
            "total_cost",
            "latency",
            "time_to_first_token",
            "environment",
            "version",
            "release",
            "created_at",
            "updated_at",
            "bookmarked",
            "public",
            "total",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Rows::boxed(read, start.options))
    }
}

/// Its times are in UTC where they have no zone, as its documentation says.
const UTC: Clock = Clock { zone: 0, year: None };

fn read<'a>(text: &'a str, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let row: Row<'a> = read_object(text)?;
    let call = match row.kind.text().as_deref() {
        None => Call::Chat,
        Some(kind) if kind.eq_ignore_ascii_case("generation") => Call::Chat,
        Some(kind) if kind.eq_ignore_ascii_case("embedding") => Call::Embeddings,
        Some(_) => {
            return Err(RowFault::new(
                Dropped::NoRequest,
                "type: a span, an event or a tool, no call of a model",
            ));
        }
    };
    let mut start =
        row.start_time.time(UTC).of("start_time")?.ok_or_else(|| RowFault::no_time("start_time"))?;
    start.zone_assumed = false;
    let mut entry = request_at(start, StampKind::Arrival, "start_time");
    entry.call = call;
    let end = row.end_time.time(UTC).of("end_time")?;
    entry.duration = end.map(|end| between(start, end, "end_time")).transpose()?;
    set_ending(&mut entry, ending_of(&row, end.is_some()));
    let (input, output) = usage(row.usage_details)?;
    set_tokens(&mut entry, input, output);
    // Only an answer that is streamed has an instant at which it began.
    if let Some(first) = row.completion_start_time.time(UTC).of("completion_start_time")? {
        entry.stream = Some(end.is_none_or(|end| first.at_ns < end.at_ns));
        entry.notes.add(Note::StreamInferred);
        set_first_token(&mut entry, Some(between(start, first, "completion_start_time")?));
    }
    entry.model = row.provided_model_name.text();
    entry.label = row.trace_name.text().or_else(|| row.environment.text());
    entry.caller = row.user_id.text();
    entry.session = row.session_id.text();
    if reading.keep_text {
        entry.prompt = prompt_of(row.input);
    }
    Ok(entry)
}

fn ending_of(row: &Row<'_>, ended: bool) -> Ending {
    let level = row.level.text();
    match level.as_deref() {
        Some("ERROR") => {
            let message = row.status_message.text().unwrap_or_default().to_ascii_lowercase();
            match () {
                () if message.contains("timeout") || message.contains("timed out") => Ending::Timeout,
                () if message.contains("429") || message.contains("rate limit") => Ending::Rejected,
                () => Ending::Error,
            }
        }
        _ if ended => Ending::Ok,
        _ => Ending::Unknown,
    }
}

/// Tokens of input and output. Kinds of them, such as `input_cached_tokens`, stand beside `input` and are not in it, unless
/// the total says so.
fn usage(details: Field<'_>) -> Result<(Option<u32>, Option<u32>), RowFault> {
    let inside = match details.is_nested() {
        true => details.json().map(Cow::Borrowed),
        false => details.text(),
    };
    let Some(json) = inside else { return Ok((None, None)) };
    let kinds: BTreeMap<Cow<'_, str>, Field<'_>> =
        read_json(&json).map_err(|fault| RowFault::new(fault.reason, format!("usage_details: {fault}")))?;
    let count = |name: &str| kinds.get(name).map_or(Ok(None), |field| field.count()).of("usage_details");
    let (input, output, total) = (count("input")?, count("output")?, count("total")?);
    if let (Some(input), Some(output), Some(total)) = (input, output, total)
        && input.checked_add(output) == Some(total)
    {
        return Ok((Some(input), Some(output)));
    }
    let sum = |part: &str| {
        let mut sum = None::<u32>;
        for (_, field) in kinds.iter().filter(|(name, _)| name.contains(part)) {
            if let Some(count) = field.count().of("usage_details")? {
                sum = Some(sum.unwrap_or(0).saturating_add(count));
            }
        }
        Ok(sum)
    };
    Ok((sum("input")?, sum("output")?))
}
