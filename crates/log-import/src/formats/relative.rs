//! Public traces whose clocks count from an instant that nobody knows.

use workload_model::traffic::StampKind;

use super::request::OfField;
use crate::{
    Entry, Stamp,
    value::{Field, RowFault},
};

/// A request so many of `unit_ns` nanoseconds after an instant that nobody knows.
pub(super) fn relative_at<'a>(
    field: Field<'_>,
    unit_ns: u64,
    name: &'static str,
) -> Result<Entry<'a>, RowFault> {
    let time = field.since(unit_ns).of(name)?.ok_or_else(|| RowFault::no_time(name))?;
    Ok(Entry::at(Stamp {
        at_ns: time.at_ns,
        resolution_ns: time.resolution_ns,
        kind: StampKind::Arrival,
        relative: true,
        words: name,
    }))
}
