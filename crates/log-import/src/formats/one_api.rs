//! Logs of one-api: its table as CSV, or its rows as JSON.

use workload_model::traffic::{Dropped, StampKind};

use super::logs_table::{Row, either, name, start_either};
use super::pages::rows_have;
use super::request::{OfField, request_at, set_tokens};
use super::rows::Reading;
use crate::value::RowFault;
use crate::{Entry, Framing, Importer, Opening, RowReader, Start, StartError};

/// one-api's table of logs.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneApi;

impl Importer for OneApi {
    fn name(&self) -> &'static str {
        "one-api"
    }

    fn framing(&self, opening: &Opening<'_>) -> Framing {
        either(opening)
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let keys = ["created_at", "token_name", "quota", "elapsed_time"];
        let said = "created_at, token_name, quota and elapsed_time";
        if keys.iter().all(|key| opening.header.contains(key)) {
            return Some(format!("its columns are {said}, among others"));
        }
        rows_have(opening, &keys).then(|| format!("its rows have {said}"))
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "created_at",
            "type",
            "model_name",
            "quota",
            "prompt_tokens",
            "completion_tokens",
            "is_stream",
            "elapsed_time",
            "system_prompt_reset",
            "success",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        start_either(start, row)
    }
}

fn row(row: &Row<'_>, reading: Reading, keep: &mut dyn FnMut(Entry<'_>)) -> Result<(), RowFault> {
    match row.kind.count().of("type")? {
        Some(2) => {}
        Some(kind) => {
            let detail = format!("type {kind}: a top-up, a test of a channel or an act of an administrator");
            return Err(RowFault::new(Dropped::NoRequest, detail));
        }
        None => return Err(RowFault::new(Dropped::BadRow, "there is no type")),
    }
    let end = row
        .created_at
        .time(reading.clock)
        .of("created_at")?
        .ok_or_else(|| RowFault::no_time("created_at"))?;
    let mut entry = request_at(end, StampKind::End, "created_at - elapsed_time");
    // Versions before there was a duration hold 0 in its place.
    entry.duration = row.elapsed_time.millis().of("elapsed_time")?.filter(|elapsed| elapsed.0 > 0);
    entry.stream = row.is_stream.flag().of("is_stream")?;
    // Nothing tells how it ended, and only what was charged is there.
    let input = row.prompt_tokens.count().of("prompt_tokens")?;
    let output = row.completion_tokens.count().of("completion_tokens")?;
    set_tokens(&mut entry, input, output);
    name(&mut entry, row);
    keep(entry);
    Ok(())
}
