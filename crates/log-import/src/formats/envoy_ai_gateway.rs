//! Access log of Envoy AI Gateway, as its example of an access log has it.

use serde::Deserialize;
use workload_model::traffic::{Call, Ending, StampKind};

use super::request::{
    OfField, call_of_path, ending_of_status, first_address, no_model, path_of, request_at, set_ending,
    set_tokens, without_port,
};
use super::rows::{Reading, Rows, first_object, has_all, read_object};
use crate::value::{Field, RowFault};
use crate::{Entry, Framing, Importer, Opening, RowReader, Start, StartError};

/// Envoy AI Gateway's access log.
#[derive(Debug, Clone, Copy)]
pub(super) struct EnvoyAiGateway;

// Dots are part of the keys: nothing is nested.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Row<'a> {
    #[serde(borrow, rename = "gen_ai.request.model")]
    request_model: Field<'a>,
    #[serde(rename = "gen_ai.response.model")]
    response_model: Field<'a>,
    #[serde(rename = "gen_ai.usage.input_tokens")]
    input_tokens: Field<'a>,
    #[serde(rename = "gen_ai.usage.output_tokens")]
    output_tokens: Field<'a>,
    #[serde(rename = "session.id")]
    session: Field<'a>,
    start_time: Field<'a>,
    method: Field<'a>,
    #[serde(rename = "request.path")]
    path: Field<'a>,
    #[serde(rename = "x-envoy-origin-path")]
    origin_path: Field<'a>,
    response_code: Field<'a>,
    connection_termination_details: Field<'a>,
    upstream_transport_failure_reason: Field<'a>,
    duration: Field<'a>,
    #[serde(rename = "x-forwarded-for")]
    forwarded_for: Field<'a>,
    downstream_remote_address: Field<'a>,
    upstream_cluster: Field<'a>,
}

impl Importer for EnvoyAiGateway {
    fn name(&self) -> &'static str {
        "envoy-ai-gateway"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        has_all(first_object(opening)?, &["gen_ai.request.model", "start_time", "response_code"])
            .then(|| "its rows have gen_ai.request.model, start_time and response_code".into())
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "gen_ai.request.model",
            "gen_ai.response.model",
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.total_tokens",
            "gen_ai.usage.reasoning_tokens",
            "start_time",
            "method",
            "response_code",
            "connection_termination_details",
            "upstream_transport_failure_reason",
            "bytes_received",
            "bytes_sent",
            "duration",
            "x-envoy-upstream-service-time",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Rows::boxed(read, start.options))
    }
}

fn read<'a>(text: &'a str, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let row: Row<'a> = read_object(text)?;
    let path = row.path.text().or_else(|| row.origin_path.text()).map(path_of);
    let call = path.as_deref().and_then(call_of_path);
    let not_posted = row.method.text().is_some_and(|method| method != "POST");
    if row.request_model.is_unknown() && (call.is_none() || not_posted) {
        return Err(no_model());
    }
    let start = row
        .start_time
        .time(reading.clock)
        .of("start_time")?
        .ok_or_else(|| RowFault::no_time("start_time"))?;
    let mut entry = request_at(start, StampKind::Arrival, "start_time");
    entry.call = call.unwrap_or(Call::Chat);
    entry.duration = row.duration.millis().of("duration")?;
    let ending = ending_of(&row, row.response_code.count().of("response_code")?);
    set_ending(&mut entry, ending);
    let input = row.input_tokens.count().of("gen_ai.usage.input_tokens")?;
    let output = row.output_tokens.count().of("gen_ai.usage.output_tokens")?;
    set_tokens(&mut entry, input, output);
    entry.model = row.request_model.text().or_else(|| row.response_model.text());
    entry.path = path;
    entry.label = row.upstream_cluster.text();
    entry.caller = row
        .forwarded_for
        .text()
        .map(first_address)
        .or_else(|| row.downstream_remote_address.text().map(without_port));
    entry.session = row.session.text();
    Ok(entry)
}

fn ending_of(row: &Row<'_>, status: Option<u32>) -> Ending {
    let ended = row.connection_termination_details.text().unwrap_or_default();
    match ending_of_status(status) {
        _ if ended.contains("downstream") => Ending::ClientGone,
        _ if ended.contains("timeout") => Ending::Timeout,
        Ending::Ok | Ending::Unknown if !row.upstream_transport_failure_reason.is_unknown() => Ending::Error,
        ending => ending,
    }
}
