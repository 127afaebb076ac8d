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

/// A list of blocks, each of so many tokens but the last. What is no list of whole numbers from 0 tells of no prefix; the row
/// has its lengths and its arrival all the same.
fn blocks(field: Field<'_>, tokens: u32, skip: bool) -> Option<Blocks> {
    let list = field.json().filter(|_| !skip && !field.is_unknown())?;
    read_json(list).ok().map(|ids| Blocks { ids, tokens: Some(tokens) })
}
