//! A JSON value as what a format makes of it.

use std::marker::PhantomData;

use serde::{Deserialize, de::DeserializeSeed};
use serde_json::error::Category;
use workload_model::traffic::Dropped;

use super::RowFault;

/// Reads one JSON value. Structs whose fields are [`Field`](super::Field)s are read without copying.
///
/// # Errors
/// [`Dropped::BadJson`] where it is not one JSON value; [`Dropped::BadRow`] where it is one of another shape, lacks a field
/// or has one twice. What the value holds is not repeated.
pub fn read_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, RowFault> {
    read_json_with(text, PhantomData)
}

/// The same with a seed.
pub(crate) fn read_json_with<'a, S: DeserializeSeed<'a>>(
    text: &'a str,
    seed: S,
) -> Result<S::Value, RowFault> {
    let mut from = serde_json::Deserializer::from_str(text);
    let read = seed.deserialize(&mut from).and_then(|read| from.end().map(|()| read));
    read.map_err(|fault| match fault.classify() {
        Category::Data => RowFault::new(Dropped::BadRow, shape_of(&fault)),
        Category::Eof => RowFault::new(Dropped::BadJson, "the JSON value is cut short"),
        Category::Syntax | Category::Io => {
            RowFault::new(Dropped::BadJson, format!("not one JSON value (column {})", fault.column()))
        }
    })
}

/// The fault without what it says of the value, which may be a text of the row.
fn shape_of(fault: &serde_json::Error) -> String {
    let text = fault.to_string();
    let named = ["missing field", "duplicate field"].iter().any(|start| text.starts_with(start));
    let named = if named { text.split(" at line ").next() } else { None };
    named.map_or_else(|| format!("not of this format's shape (column {})", fault.column()), str::to_owned)
}
