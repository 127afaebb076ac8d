//! Access log of Higress with its plugin `ai-statistics`.

use std::borrow::Cow;

use serde::Deserialize;
use workload_model::traffic::{Call, Ending, Note, StampKind};

use super::prompt::prompt_of;
use super::request::{
    OfField, call_of_path, ending_of_status, first_address, no_model, path_of, request_at, set_ending,
    set_first_token, set_tokens, without_port,
};
use super::rows::{Reading, first_object, hand_on, has_all, no_text, read_object};
use crate::value::{Field, RowFault, read_json};
use crate::{Entry, Framing, Importer, Opening, Prompt, RowReader, Sink, Start, StartError, Unit};

/// Higress's access log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Higress;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Row<'a> {
    #[serde(borrow)]
    ai_log: Field<'a>,
    start_time: Field<'a>,
    duration: Field<'a>,
    method: Field<'a>,
    path: Field<'a>,
    response_code: Field<'a>,
    response_flags: Field<'a>,
    route_name: Field<'a>,
    consumer: Field<'a>,
    x_forwarded_for: Field<'a>,
    downstream_remote_address: Field<'a>,
    // Older versions have what the plugin counts beside the rest.
    model: Field<'a>,
    input_token: Field<'a>,
    output_token: Field<'a>,
    llm_first_token_duration: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct AiLog<'a> {
    #[serde(borrow)]
    model: Field<'a>,
    input_token: Field<'a>,
    output_token: Field<'a>,
    llm_first_token_duration: Field<'a>,
    response_type: Field<'a>,
    session_id: Field<'a>,
    consumer: Field<'a>,
    question: Field<'a>,
    messages: Field<'a>,
}

impl Importer for Higress {
    fn name(&self) -> &'static str {
        "higress"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let object = first_object(opening)?;
        if has_all(object, &["ai_log", "start_time"]) {
            return Some("its rows have ai_log and start_time".into());
        }
        has_all(object, &["route_name", "input_token", "output_token", "response_flags"])
            .then(|| "its rows have route_name, input_token, output_token and response_flags".into())
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "start_time",
            "duration",
            "method",
            "protocol",
            "response_code",
            "response_flags",
            "response_code_details",
            "bytes_received",
            "bytes_sent",
            "upstream_service_time",
            "istio_policy_status",
            "model",
            "input_token",
            "output_token",
            "total_token",
            "llm_first_token_duration",
            "llm_service_duration",
            "response_type",
            "reasoning_tokens",
            "cached_tokens",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Box::new(Reader(start.options.into())))
    }
}

struct Reader(Reading);

impl RowReader for Reader {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        let Unit::Text { line, text } = unit else {
            return hand_on(unit.line(), Err(no_text()), sink);
        };
        if let Err(fault) = read(text, self.0, &mut |entry| sink.keep(line, entry)) {
            hand_on(line, Err(fault), sink);
        }
    }
}

/// Reads a row. What it borrows from the JSON inside does not outlive this function.
fn read(text: &str, reading: Reading, keep: &mut dyn FnMut(&Entry<'_>)) -> Result<(), RowFault> {
    let row: Row<'_> = read_object(text)?;
    // It is JSON inside a string of JSON, unless the log was unpacked on its way.
    let inside = match row.ai_log.json().filter(|_| row.ai_log.is_nested()) {
        Some(json) => Some(Cow::Borrowed(json)),
        None => row.ai_log.text(),
    };
    let ai_log = match &inside {
        Some(json) => Some(
            read_json::<AiLog<'_>>(json)
                .map_err(|fault| RowFault::new(fault.reason, format!("ai_log: {fault}")))?,
        ),
        None => None,
    };
    keep(&entry(row, ai_log, reading)?);
    Ok(())
}

fn entry<'a>(row: Row<'a>, ai_log: Option<AiLog<'a>>, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let path = row.path.text().map(path_of);
    let call = path.as_deref().and_then(call_of_path);
    let ai_log = match ai_log {
        Some(ai_log) => ai_log,
        None if !row.input_token.is_unknown() || !row.model.is_unknown() => AiLog {
            model: row.model,
            input_token: row.input_token,
            output_token: row.output_token,
            llm_first_token_duration: row.llm_first_token_duration,
            ..AiLog::default()
        },
        // A gateway has all kinds of requests; those that failed have no `ai_log`, but the path of a model.
        None if call.is_none() || row.method.text().is_some_and(|method| method != "POST") => {
            return Err(no_model());
        }
        None => AiLog::default(),
    };
    let start = row
        .start_time
        .time(reading.clock)
        .of("start_time")?
        .ok_or_else(|| RowFault::no_time("start_time"))?;
    let mut entry = request_at(start, StampKind::Arrival, "start_time");
    entry.call = call.unwrap_or(Call::Chat);
    entry.duration = row.duration.millis().of("duration")?;
    let status = row.response_code.count().of("response_code")?;
    set_ending(&mut entry, ending_of(row.response_flags.text().as_deref(), status));
    let input = ai_log.input_token.count().of("ai_log.input_token")?;
    let output = ai_log.output_token.count().of("ai_log.output_token")?;
    set_tokens(&mut entry, input, output);
    let first_token = ai_log.llm_first_token_duration.millis().of("ai_log.llm_first_token_duration")?;
    entry.stream = match ai_log.response_type.text().as_deref() {
        Some("stream") => Some(true),
        Some(_) => Some(false),
        None if first_token.is_some() => {
            entry.notes.add(Note::StreamInferred);
            Some(true)
        }
        None => None,
    };
    set_first_token(&mut entry, first_token);
    entry.model = ai_log.model.text();
    entry.path = path;
    entry.label = row.route_name.text();
    entry.caller = ai_log
        .consumer
        .text()
        .or_else(|| row.consumer.text())
        .or_else(|| row.x_forwarded_for.text().map(first_address))
        .or_else(|| row.downstream_remote_address.text().map(without_port));
    entry.session = ai_log.session_id.text();
    if reading.keep_text {
        entry.prompt = prompt_of(ai_log.messages).or_else(|| ai_log.question.text().map(Prompt::Text));
    }
    Ok(entry)
}

/// Flags of Envoy tell more than the status, which is 200 for a stream that broke off.
fn ending_of(flags: Option<&str>, status: Option<u32>) -> Ending {
    let any =
        |known: &[&str]| flags.is_some_and(|flags| flags.split(',').any(|flag| known.contains(&flag.trim())));
    match ending_of_status(status) {
        _ if any(&["DC"]) => Ending::ClientGone,
        _ if any(&["UT", "SI", "DT"]) => Ending::Timeout,
        _ if any(&["RL", "UO", "OM"]) => Ending::Rejected,
        Ending::Ok if any(&["UC", "UR", "LR", "UPE", "UF", "URX"]) => Ending::Error,
        ending => ending,
    }
}
