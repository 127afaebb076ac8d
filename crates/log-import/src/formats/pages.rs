//! Pages of an interface: an object that holds rows under `data`, or under `items` of that.

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};
use workload_model::traffic::{Dropped, Note};

use super::rows::{LineCounter, has_all};
use crate::value::{Field, RowFault, read_json};
use crate::{Entry, Opening};

/// The rows of a page.
pub(super) struct Page<'a> {
    rows: Vec<(u64, &'a str)>,
    partial: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Envelope<'a> {
    #[serde(borrow)]
    data: Field<'a>,
    items: Field<'a>,
    total: Field<'a>,
    meta: Meta<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Meta<'a> {
    #[serde(borrow, rename = "totalItems")]
    total_items: Field<'a>,
}

/// Whether a text is an object whose first key is `data`: no row of any format begins so.
pub(super) fn begins_as_page(text: &str) -> bool {
    text.strip_prefix('{').is_some_and(|text| text.trim_start().starts_with("\"data\""))
}

impl<'a> Page<'a> {
    /// Reads a page that begins on this line.
    pub(super) fn read(text: &'a str, line: u64) -> Result<Self, RowFault> {
        let outer: Envelope<'a> = read_json(text)?;
        let inner = match outer.data.json().filter(|json| json.starts_with('{')) {
            Some(json) => read_json(json)?,
            None => Envelope::default(),
        };
        let list = if inner.items.is_nested() { inner.items } else { outer.data };
        let items: Vec<&'a RawValue> = read_json(list.json().unwrap_or_default())?;
        if items.is_empty() {
            return Err(RowFault::new(Dropped::NoRequest, "a page without rows"));
        }
        let totals = [inner.total, outer.total, outer.meta.total_items];
        let total = totals.into_iter().find_map(|total| total.count().ok().flatten());
        let mut lines = LineCounter::new(text, line);
        let rows: Vec<_> = items.iter().map(|item| (lines.line_of(item.get()), item.get())).collect();
        Ok(Self { partial: total.is_some_and(|total| total as usize > rows.len()), rows })
    }

    /// The rows, each with the line on which it begins.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u64, &'a str)> {
        self.rows.iter().copied()
    }

    /// Notes of a row whether there are more than the page has.
    pub(super) fn note(&self, entry: &mut Entry<'_>) {
        if self.partial {
            entry.notes.add(Note::PartialExport);
        }
    }
}

/// Whether the rows of a file have all of these keys, as rows of their own or on a page.
pub(super) fn rows_have(opening: &Opening<'_>, keys: &[&str]) -> bool {
    match opening.json {
        Some(value) => first_row(value).is_some_and(|row| has_all(row, keys)),
        // A page may be longer than what is looked at.
        None => {
            let text = opening.text.trim_start();
            text.starts_with('{')
                && keys.iter().chain(&["data"]).all(|key| text.contains(&format!("\"{key}\"")))
        }
    }
}

/// The first row that a value is or holds.
pub(super) fn first_row(value: &Value) -> Option<&Map<String, Value>> {
    match value {
        Value::Array(list) => list.first()?.as_object(),
        Value::Object(object) => match object.get("data") {
            Some(Value::Array(list)) => list.first()?.as_object(),
            Some(Value::Object(page)) if page.contains_key("items") => {
                page.get("items")?.as_array()?.first()?.as_object()
            }
            _ => Some(object),
        },
        _ => None,
    }
}
