//! Instants of arrival in ascending order, wherever they are held.

use super::{Binning, segments::row};
use crate::traffic::Traffic;

/// Ascending instants in nanoseconds.
pub(crate) trait Instants {
    fn len(&self) -> usize;

    /// The instant at a place below `len`.
    fn at(&self, place: usize) -> i64;

    fn iter(&self) -> impl Iterator<Item = i64> {
        (0..self.len()).map(|place| self.at(place))
    }
}

/// Arrivals of rows, read where the rows are.
#[derive(Clone, Copy)]
pub(crate) struct RowInstants<'a> {
    pub(crate) traffic: &'a Traffic,
    pub(crate) rows: &'a [u32],
    pub(crate) binning: Binning,
}

impl Instants for RowInstants<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn at(&self, place: usize) -> i64 {
        self.binning.arrival_ns(row(self.traffic, self.rows[place]))
    }
}

impl Instants for Vec<i64> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn at(&self, place: usize) -> i64 {
        self[place]
    }
}

/// A stretch of the log, from the first arrival of all groups to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first_ns: i64,
    pub(crate) last_ns: i64,
}

impl Span {
    pub(crate) fn length_ns(self) -> u64 {
        between(self.first_ns, self.last_ns)
    }
}

/// From an instant to a later one, which any two instants allow.
pub(crate) fn between(earlier: i64, later: i64) -> u64 {
    later.abs_diff(earlier)
}

pub(crate) const SECOND_NS: u64 = 1_000_000_000;
