//! Logs of new-api: rows of its table as JSON Lines or CSV, or pages of its interface.

use serde::Deserialize;
use workload_model::traffic::{Call, Dropped, Ending, Note, StampKind};

use super::logs_table::{Row, either, name, start_either};
use super::pages::rows_have;
use super::request::{OfField, call_of_path, path_of, request_at, set_ending, set_first_token, set_tokens};
use super::rows::Reading;
use crate::value::{BadValue, Field, RowFault, read_json};
use crate::{Entry, Framing, Importer, Opening, RowReader, Start, StartError};

/// new-api's table of logs.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewApi;

/// What `other` tells, which is JSON inside a string.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Other<'a> {
    #[serde(borrow)]
    frt: Field<'a>,
    request_path: Field<'a>,
    status_code: Field<'a>,
    stream_status: StreamStatus<'a>,
    task_id: Field<'a>,
    pre_consumed: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct StreamStatus<'a> {
    #[serde(borrow)]
    status: Field<'a>,
    end_reason: Field<'a>,
}

/// What token and content of a row say where the gateway tried out a channel.
const TEST_OF_A_CHANNEL: &str = "模型测试";

impl Importer for NewApi {
    fn name(&self) -> &'static str {
        "new-api"
    }

    fn framing(&self, opening: &Opening<'_>) -> Framing {
        either(opening)
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let keys = ["created_at", "use_time", "is_stream", "other"];
        if keys.iter().all(|key| opening.header.contains(key)) {
            return Some("its columns are created_at, use_time, is_stream and other, among others".into());
        }
        rows_have(opening, &keys).then(|| "its rows have created_at, use_time, is_stream and other".into())
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "created_at",
            "type",
            "model_name",
            "quota",
            "prompt_tokens",
            "completion_tokens",
            "use_time",
            "is_stream",
            "frt",
            "request_path",
            "status_code",
            "error_type",
            "error_code",
            "status",
            "end_reason",
            "model_ratio",
            "group_ratio",
            "completion_ratio",
            "cache_tokens",
            "cache_ratio",
            "model_price",
            "user_group_ratio",
            "page",
            "page_size",
            "total",
            "success",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        start_either(start, row)
    }
}

fn row(row: &Row<'_>, reading: Reading, keep: &mut dyn FnMut(Entry<'_>)) -> Result<(), RowFault> {
    let failed = match row.kind.count().of("type")? {
        Some(2) => false,
        Some(5) => true,
        Some(kind) => {
            let detail = format!("type {kind}: a top-up, a refund or an act of an administrator");
            return Err(RowFault::new(Dropped::NoRequest, detail));
        }
        None => return Err(RowFault::new(Dropped::BadRow, "there is no type")),
    };
    if [row.token_name, row.content].iter().all(|field| field.text().as_deref() == Some(TEST_OF_A_CHANNEL)) {
        return Err(RowFault::new(Dropped::NoRequest, "a test of a channel by the gateway itself"));
    }
    let inside = match row.other.is_nested() {
        true => row.other.json().map(Into::into),
        false => row.other.text(),
    };
    let other = match &inside {
        Some(json) => read_json::<Other<'_>>(json)
            .map_err(|fault| RowFault::new(Dropped::BadRow, format!("other: {fault}")))?,
        None => Other::default(),
    };
    if !other.task_id.is_unknown() && !other.pre_consumed.is_unknown() {
        return Err(RowFault::new(Dropped::NoRequest, "other.pre_consumed: a task is accounted for anew"));
    }
    let end = row
        .created_at
        .time(reading.clock)
        .of("created_at")?
        .ok_or_else(|| RowFault::no_time("created_at"))?;
    let mut entry = request_at(end, StampKind::End, "created_at - use_time");
    entry.duration = row.use_time.seconds().of("use_time")?;
    set_ending(&mut entry, ending_of(failed, &other));
    entry.stream = row.is_stream.flag().of("is_stream")?;
    let input = row.prompt_tokens.count().of("prompt_tokens")?;
    let output = row.completion_tokens.count().of("completion_tokens")?;
    set_tokens(&mut entry, input, output);
    match other.frt.millis() {
        // -1000 stands for none.
        Err(BadValue::Negative) => entry.notes.add(Note::NoFirstToken),
        first_token => set_first_token(&mut entry, first_token.of("other.frt")?),
    }
    entry.path = other.request_path.text().map(path_of);
    entry.call = entry.path.as_deref().map_or(Call::Chat, |path| call_of_path(path).unwrap_or(Call::Other));
    name(&mut entry, row);
    keep(entry);
    Ok(())
}

fn ending_of(failed: bool, other: &Other<'_>) -> Ending {
    if failed {
        // A status of 429 is that of the last try of several, after the whole time of the row: it is an error.
        return match other.status_code.count() {
            Ok(Some(408 | 504 | 524)) => Ending::Timeout,
            _ => Ending::Error,
        };
    }
    match (other.stream_status.status.text().as_deref(), other.stream_status.end_reason.text().as_deref()) {
        (Some("error"), Some("client_gone" | "ping_fail")) => Ending::ClientGone,
        (Some("error"), Some("timeout")) => Ending::Timeout,
        (Some("error"), _) => Ending::Error,
        _ => Ending::Ok,
    }
}
