//! Public traces that tell of inputs by the ids of their blocks: Mooncake's, Bailian's and RAGPulse's.
//!
//! They have the same keys and clocks that count other units: milliseconds, seconds with a fraction, seconds in strings.

mod bailian;
mod conversations;
mod mooncake;
mod ragpulse;

pub(super) use bailian::Bailian;
pub(super) use mooncake::Mooncake;
pub(super) use ragpulse::RagPulse;
use serde_json::{Map, Value};
use workload_model::traffic::Dropped;

use super::{
    relative::relative_at,
    request::{OfField, set_tokens},
    rows::{first_object, has_all},
};
use crate::{
    Blocks, Entry, Opening,
    value::{Field, RowFault, read_json},
};

const TIME: &str = "timestamp";
const INPUT: &str = "input_length";
const OUTPUT: &str = "output_length";
const BLOCKS: &str = "hash_ids";

/// The first row, where it has what all of these traces have.
fn first_row<'a>(opening: &Opening<'a>) -> Option<&'a Map<String, Value>> {
    first_object(opening).filter(|row| has_all(row, &[TIME, INPUT, OUTPUT, BLOCKS]))
}

/// What all of these traces tell of a request.
fn request<'a>(
    at: Field<'a>,
    unit_ns: u64,
    (input, output): (Field<'a>, Field<'a>),
) -> Result<Entry<'a>, RowFault> {
    let mut entry = relative_at(at, unit_ns, TIME)?;
    set_tokens(&mut entry, input.count().of(INPUT)?, output.count().of(OUTPUT)?);
    Ok(entry)
}

/// Refuses a row whose blocks are another trace's: its clock counts another unit.
fn require_blocks(blocks: Field<'_>, sign: char, other: &str) -> Result<(), RowFault> {
    let right = blocks.is_unknown() || blocks.json().is_some_and(|json| json.starts_with(sign));
    right.then_some(()).ok_or_else(|| RowFault::new(Dropped::BadRow, format!("hash_ids: it is {other}")))
}

/// A list of blocks, each of so many tokens but the last.
fn blocks(field: Field<'_>, tokens: u32) -> Result<Option<Blocks>, RowFault> {
    if field.is_unknown() {
        return Ok(None);
    }
    ids(field, BLOCKS).map(|ids| Some(Blocks { ids, tokens: Some(tokens) }))
}

/// Ids of blocks: whole numbers from 0.
fn ids(field: Field<'_>, name: &str) -> Result<Vec<u64>, RowFault> {
    read_json(field.json().unwrap_or("null")).map_err(|_| {
        RowFault::new(Dropped::BadNumber, format!("{name}: it is no list of whole numbers from 0"))
    })
}
