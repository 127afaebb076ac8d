//! The traces of Mooncake (FAST'25): milliseconds from an instant that nobody knows.

use serde::Deserialize;

use super::{BLOCKS, TIME, blocks, first_row, request, require_blocks};
use crate::{
    Entry, Framing, Importer, Opening, RowReader, Start, StartError,
    formats::rows::{Reading, Rows, read_object},
    value::{Field, RowFault},
};

/// Mooncake's traces.
pub(in crate::formats) struct Mooncake;

/// Tokens of a block.
const BLOCK_TOKENS: u32 = 512;

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
}

impl Importer for Mooncake {
    fn name(&self) -> &'static str {
        "mooncake"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let row = first_row(opening)?;
        let is_it = row.get(BLOCKS).is_some_and(serde_json::Value::is_array)
            && row.get(TIME).is_some_and(serde_json::Value::is_number)
            && !row.contains_key("chat_id");
        is_it
            .then(|| "its rows have timestamp, input_length, output_length and a list of hash_ids".to_owned())
    }

    fn open_fields(&self) -> &[&str] {
        &[TIME, super::INPUT, super::OUTPUT, BLOCKS]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Rows::boxed(row, start.options))
    }
}

fn row(text: &str, reading: Reading) -> Result<Entry<'_>, RowFault> {
    let row: Row<'_> = read_object(text)?;
    require_blocks(row.hash_ids, '[', "no list: RAGPulse's is an object, and its clock counts seconds")?;
    let mut entry = request(row.timestamp, 1_000_000, (row.input_length, row.output_length))?;
    entry.blocks = blocks(row.hash_ids, BLOCK_TOKENS, reading.skip_blocks);
    Ok(entry)
}
