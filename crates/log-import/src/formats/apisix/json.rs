//! A row of `http-logger`, `kafka-logger` and their like: as they write it themselves, with a summary of the model's work,
//! or in a format of the operator's own whose keys are called after variables.

use serde::Deserialize;
use workload_model::traffic::{Call, Dropped, Note, StampKind};

use crate::Entry;
use crate::formats::prompt::prompt_of;
use crate::formats::request::{
    OfField, call_of_path, ending_of_status, no_model, path_of, request_at, set_ending, set_first_token,
    set_tokens,
};
use crate::formats::rows::{Reading, read_object};
use crate::value::{Field, RowFault, read_json};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Row<'a> {
    #[serde(borrow)]
    start_time: Field<'a>,
    latency: Field<'a>,
    // An object of the plugins' own format; a line in one of the operator's.
    request: Field<'a>,
    response: Field<'a>,
    consumer: Field<'a>,
    client_ip: Field<'a>,
    route_id: Field<'a>,
    llm_summary: Option<Summary<'a>>,
    llm_request: Option<Asked<'a>>,
    // Variables.
    request_type: Field<'a>,
    llm_time_to_first_token: Field<'a>,
    llm_prompt_tokens: Field<'a>,
    llm_completion_tokens: Field<'a>,
    llm_model: Field<'a>,
    request_llm_model: Field<'a>,
    llm_stream: Field<'a>,
    llm_end_user_id: Field<'a>,
    time_local: Field<'a>,
    time_iso8601: Field<'a>,
    #[serde(rename = "@timestamp")]
    at_timestamp: Field<'a>,
    request_time: Field<'a>,
    status: Field<'a>,
    uri: Field<'a>,
    request_uri: Field<'a>,
    consumer_name: Field<'a>,
    route_name: Field<'a>,
    remote_addr: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Summary<'a> {
    #[serde(borrow)]
    request_model: Field<'a>,
    model: Field<'a>,
    /// The time to the first token, in spite of its name.
    duration: Field<'a>,
    prompt_tokens: Field<'a>,
    completion_tokens: Field<'a>,
    stream: Field<'a>,
    end_user_id: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Asked<'a> {
    #[serde(borrow)]
    messages: Field<'a>,
    stream: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Parts<'a> {
    #[serde(borrow)]
    uri: Field<'a>,
    method: Field<'a>,
    status: Field<'a>,
    username: Field<'a>,
}

pub(super) fn read<'a>(text: &'a str, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let row: Row<'a> = read_object(text)?;
    let parts = |field: Field<'a>| match field.json().filter(|json| json.starts_with('{')) {
        Some(json) => read_json::<Parts<'a>>(json),
        None => Ok(Parts::default()),
    };
    let (request, response) = (parts(row.request)?, parts(row.response)?);
    let path = request.uri.text().or_else(|| row.uri.text()).or_else(|| row.request_uri.text()).map(path_of);
    let call = path.as_deref().and_then(call_of_path);
    let request_type = row.request_type.text();
    if request_type.as_deref() == Some("traditional_http") {
        return Err(RowFault::new(Dropped::NoRequest, "request_type: traditional_http"));
    }
    let of_a_model =
        row.llm_summary.is_some() || request_type.is_some() || !row.llm_prompt_tokens.is_unknown();
    if !of_a_model && (call.is_none() || request.method.text().is_some_and(|method| method != "POST")) {
        return Err(no_model());
    }

    let mut entry = stamped(&row, reading)?;
    entry.call = call.unwrap_or(Call::Chat);
    let status = match response.status.is_unknown() {
        true => row.status.count().of("status")?,
        false => response.status.count().of("response.status")?,
    };
    set_ending(&mut entry, ending_of_status(status));
    let asked = row.llm_request.unwrap_or_default();
    let summary = row.llm_summary.unwrap_or_default();
    let or = |variable: Field<'a>, summary: Field<'a>| if variable.is_unknown() { summary } else { variable };
    entry.stream = match request_type.as_deref() {
        Some("ai_stream") => Some(true),
        Some("ai_chat") => Some(false),
        _ => or(row.llm_stream, or(summary.stream, asked.stream)).flag().of("llm_stream")?,
    };
    let input = or(row.llm_prompt_tokens, summary.prompt_tokens).count().of("llm_prompt_tokens")?;
    let output =
        or(row.llm_completion_tokens, summary.completion_tokens).count().of("llm_completion_tokens")?;
    set_tokens(&mut entry, input, output);
    let first_token = or(row.llm_time_to_first_token, summary.duration);
    set_first_token(&mut entry, first_token.millis().of("llm_time_to_first_token")?);
    if entry.input_tokens.is_none() && entry.ttft.take().is_some() {
        entry.notes.add(Note::NoFirstToken);
    }
    entry.model = or(row.request_llm_model, summary.request_model)
        .text()
        .or_else(|| or(row.llm_model, summary.model).text());
    entry.path = path;
    entry.label = row.route_name.text().or_else(|| row.route_id.text());
    entry.caller = row
        .consumer_name
        .text()
        .or(parts(row.consumer)?.username.text())
        .or_else(|| row.consumer.text())
        .or_else(|| or(row.llm_end_user_id, summary.end_user_id).text())
        .or_else(|| row.client_ip.text())
        .or_else(|| row.remote_addr.text());
    if reading.keep_text {
        entry.prompt = prompt_of(asked.messages);
    }
    Ok(entry)
}

/// The row's time and duration: `start_time` where it stands, otherwise a time of the end.
fn stamped<'a>(row: &Row<'a>, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let latency = row.latency.millis().of("latency")?;
    let duration = match latency {
        None => row.request_time.seconds().of("request_time")?,
        latency => latency,
    };
    let times = [
        (row.start_time, "start_time", StampKind::Arrival, "start_time"),
        (row.time_iso8601, "time_iso8601", StampKind::End, "time_iso8601 - request_time"),
        (row.time_local, "time_local", StampKind::End, "time_local - request_time"),
        (row.at_timestamp, "@timestamp", StampKind::End, "@timestamp - request_time"),
    ];
    let (field, name, kind, words) = times
        .into_iter()
        .find(|(field, ..)| !field.is_unknown())
        .ok_or_else(|| RowFault::no_time("start_time"))?;
    let time = field.time(reading.clock).of(name)?.ok_or_else(|| RowFault::no_time(name))?;
    let mut entry = request_at(time, kind, words);
    entry.duration = duration;
    Ok(entry)
}
