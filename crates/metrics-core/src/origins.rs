//! Requests counted apart by where their shapes come from.

use serde::{Deserialize, Serialize};

use crate::{outcome::Outcome, population::Selection, record::Origin};

/// The counts of the requests of one origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginFigures {
    /// Where their shapes come from.
    pub origin: Origin,
    /// Scheduled.
    pub planned: u64,
    /// Settled.
    pub finished: u64,
    /// Whole answers in time.
    pub effective: u64,
}

/// One for each origin that there is, in the order of [`Origin`]; empty where rows do not tell, as in older packages.
///
/// Their sums are the counts of the whole selection.
pub(crate) fn origins(selection: &Selection<'_, '_>) -> Vec<OriginFigures> {
    let mut found: Vec<Origin> = selection.cells().filter_map(|cell| cell.origin).collect();
    found.sort_unstable();
    found.dedup();
    let counts = found.into_iter().map(|origin| {
        let part = selection.only(|cell| cell.origin == Some(origin));
        OriginFigures {
            origin,
            planned: part.planned(),
            finished: part.requests().filter(|request| request.finished).count() as u64,
            effective: part.requests().filter(|request| request.outcome == Outcome::Effective).count() as u64,
        }
    });
    // A cell without requests says nothing of an origin.
    counts.filter(|counts| counts.planned > 0).collect()
}
