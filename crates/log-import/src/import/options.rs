//! What an import is asked for.

use crate::{Importer, ReadOptions};

/// Which format the files are in.
#[derive(Clone, Copy)]
pub enum Choice<'i> {
    /// Whichever of these recognises them.
    Auto(&'i [&'i dyn Importer]),
    /// This one.
    Named(&'i dyn Importer),
}

/// How files are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// What the user says of the log.
    pub read: ReadOptions,
    /// Encoding of the files, by its name; found out where it is left out.
    pub encoding: Option<String>,
    /// Which arrivals are kept.
    pub window: Window,
    /// How many bad rows are accepted.
    pub max_bad: MaxBad,
    /// Longest line, JSON value or record that is read, in bytes.
    pub max_line: usize,
}

/// From when to when rows are kept, by their arrival. What lies outside is counted and no bad row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// From this instant, in nanoseconds from 1970-01-01T00:00:00Z.
    pub from_ns: Option<i64>,
    /// To before this instant.
    pub until_ns: Option<i64>,
}

/// How many bad rows ([`Dropped::is_bad`](workload_model::traffic::Dropped::is_bad)) an import accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MaxBad {
    /// One in a hundred of all rows that were read, and ten in any case.
    #[default]
    OnePercent,
    /// So many.
    Rows(u64),
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            read: ReadOptions::default(),
            encoding: None,
            window: Window::default(),
            max_bad: MaxBad::default(),
            max_line: 16 << 20,
        }
    }
}

impl Window {
    pub(super) fn holds(self, at_ns: i64) -> bool {
        self.from_ns.is_none_or(|from| from <= at_ns) && self.until_ns.is_none_or(|until| at_ns < until)
    }
}

impl MaxBad {
    /// How many of this many rows may be bad.
    #[must_use]
    pub fn of(self, rows: u64) -> u64 {
        match self {
            Self::OnePercent => (rows / 100).max(10),
            Self::Rows(most) => most,
        }
    }
}

impl std::fmt::Debug for Choice<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto(known) => out.debug_list().entries(known.iter().map(|one| one.name())).finish(),
            Self::Named(importer) => out.write_str(importer.name()),
        }
    }
}
