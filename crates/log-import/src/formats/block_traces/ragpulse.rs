//! The trace of RAGPulse: seconds in strings, from an instant that nobody knows.

use serde::Deserialize;

use super::{BLOCKS, TIME, first_row, request, require_blocks};
use crate::{
    Entry, Framing, Importer, Opening, RowReader, Start, StartError,
    formats::rows::{Reading, Rows, read_object},
    value::{Field, RowFault},
};

/// RAGPulse's trace.
pub(in crate::formats) struct RagPulse;

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow, default)]
    timestamp: Field<'a>,
    #[serde(borrow, default)]
    input_length: Field<'a>,
    #[serde(borrow, default)]
    output_length: Field<'a>,
    #[serde(borrow, default)]
    hash_ids: Field<'a>,
    /// It begins with the instant of its conversation, which the clock of the trace hides; it is kept as a pseudonym alone.
    #[serde(borrow, default)]
    session_id: Field<'a>,
}

impl Importer for RagPulse {
    fn name(&self) -> &'static str {
        "ragpulse"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let row = first_row(opening)?;
        let is_it =
            row.get(BLOCKS).is_some_and(serde_json::Value::is_object) && row.contains_key("session_id");
        is_it.then(|| "its rows have session_id and an object of hash_ids".to_owned())
    }

    fn open_fields(&self) -> &[&str] {
        &[TIME, super::INPUT, super::OUTPUT, BLOCKS]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Rows::boxed(row, start.options))
    }
}

fn row(text: &str, _: Reading) -> Result<Entry<'_>, RowFault> {
    let row: Row<'_> = read_object(text)?;
    require_blocks(row.hash_ids, '{', "no object: Mooncake's is a list, and its clock counts milliseconds")?;
    let mut entry = request(row.timestamp, 1_000_000_000, (row.input_length, row.output_length))?;
    entry.session = row.session_id.text();
    Ok(entry)
}
