//! Stretches of a log between backward jumps of its clock.
//!
//! A log is read in its own direction, and only within a stretch are rows put in the order of their arrivals. A clock that
//! started anew would otherwise lay one week over another and double the load.

use super::instants::between;
use crate::traffic::{Row, StampKind, Traffic};

/// Most stretches of one file: with more, the file is in no order of time.
const MOST_OF_A_FILE: usize = 100;

/// The largest backward step of a log's clock that is still disorder within one stretch, where nobody says otherwise:
/// 30 minutes.
pub const STEP_NS: u64 = 30 * 60 * 1_000_000_000;

/// The order of all rows: by stretch, and within a stretch by arrival.
///
/// It takes 4 bytes a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segments {
    /// Places of rows in [`Traffic`], the stretches one after another.
    pub(crate) order: Vec<u32>,
    /// Where each stretch ends in `order`.
    pub(crate) ends: Vec<usize>,
    runs: Vec<Run>,
}

/// Rows that stand together in a file, of one stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    from: u32,
    until: u32,
    file: u16,
    newest_first: bool,
    segment: usize,
}

/// Rows cannot be put into an order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentsError {
    /// More rows than can be told apart.
    #[error("order {rows} rows: more than 4294967295 (import a shorter window)")]
    TooMany {
        /// Rows.
        rows: u64,
    },
    /// A file in no order of time.
    #[error(
        "order file {file}, counted from 1: its clock jumps back more than {MOST_OF_A_FILE} times by more than {step_s} s, so that it is in no order of time (export it in the order of time, or allow a larger step where these are no jumps of a clock)"
    )]
    NoOrder {
        /// The file, counted from 1 in the order in which they were read.
        file: u32,
        /// The largest step that is no jump, in seconds.
        step_s: u64,
    },
}

impl Segments {
    /// Finds the stretches of all files.
    ///
    /// - A file is read from its end where its own stamps step back more often than forth, steps larger than `step_ns` aside.
    /// - A row begins a new stretch where it lies more than `step_ns` before the one before, and so does its end, where that
    ///   is known: a long request that is logged when it ends is no jump of the clock. Compared is the instant that the log
    ///   writes down, which is the end of a request in a log that is written then.
    /// - Files with an absolute clock are one traffic: the first stretches of all of them are one stretch, so are the second
    ///   ones, and so on. Hosts of one gateway, and rotated files in any order, come together in this way.
    /// - Where no file holds a time, for longer than `step_ns` and than twice the longest file, nobody knows what arrived: the
    ///   stretch ends there, and another one begins with the next file. A shorter time between files is one in which nothing came.
    /// - A file whose clock is relative has stretches of its own.
    /// - Within a stretch rows stand by arrival; those of one instant stay as they were read.
    ///
    /// # Errors
    /// Where a file is in no order of time.
    pub fn find(traffic: &Traffic, step_ns: u64) -> Result<Self, SegmentsError> {
        let rows = traffic.kept();
        let Ok(count) = u32::try_from(rows) else { return Err(SegmentsError::TooMany { rows }) };
        let mut runs = Vec::new();
        let mut from = 0;
        while from < count {
            let file = row(traffic, from).file();
            let until = (from..count).find(|at| row(traffic, *at).file() != file).unwrap_or(count);
            let newest_first = newest_first(traffic, (from, until), step_ns);
            runs.extend(runs_of(traffic, (from, until), newest_first, step_ns)?);
            from = until;
        }
        let segments = number(traffic, &mut runs);
        let segments = part(traffic, &mut runs, segments, step_ns);
        let mut order = Vec::with_capacity(count as usize);
        let mut ends = Vec::with_capacity(segments);
        for segment in 0..segments {
            let begin = order.len();
            for run in runs.iter().filter(|run| run.segment == segment) {
                if run.newest_first {
                    order.extend((run.from..run.until).rev());
                } else {
                    order.extend(run.from..run.until);
                }
            }
            let arrival = |at: &u32| row(traffic, *at).arrival_ns();
            if !order[begin..].is_sorted_by_key(arrival) {
                order[begin..].sort_by_key(arrival);
            }
            ends.push(order.len());
        }
        Ok(Self { order, ends, runs })
    }

    /// How many stretches there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// There is none, since there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Places in [`Traffic`] of the rows of a stretch, in the order of their arrivals; none of one that does not exist.
    #[must_use]
    pub fn rows(&self, segment: usize) -> &[u32] {
        let begin = segment.checked_sub(1).map_or(0, |before| self.ends.get(before).copied().unwrap_or(0));
        self.ends.get(segment).map_or(&[], |end| &self.order[begin..*end])
    }

    /// The stretch of every row, in the order in which they were read.
    pub(crate) fn in_reading_order(&self) -> impl Iterator<Item = usize> {
        self.runs.iter().flat_map(|run| (run.from..run.until).map(|_| run.segment))
    }
}

/// A row that is known to be there.
pub(crate) fn row(traffic: &Traffic, at: u32) -> &Row {
    traffic.get(at as usize).expect("places are those of rows")
}

/// The instant that the log writes down.
fn stamp(traffic: &Traffic, row: &Row) -> i64 {
    match traffic.sources.get(usize::from(row.source())).map(|source| source.kind) {
        Some(StampKind::End) => latest(row),
        Some(StampKind::Arrival) | None => row.arrival_ns(),
    }
}

/// Its end, or its arrival where the end is not known.
fn latest(row: &Row) -> i64 {
    let duration = row.duration().map_or(0, |duration| duration.0.saturating_mul(1000));
    row.arrival_ns().saturating_add_unsigned(duration)
}

/// The file's own stamps step back more often than forth. A single step back that is larger than `step_ns` tells nothing: it may
/// be a clock that began anew.
fn newest_first(traffic: &Traffic, (from, until): (u32, u32), step_ns: u64) -> bool {
    let stamp = |at: u32| stamp(traffic, row(traffic, at));
    let mut forth = [0_u32; 2];
    let mut back = [0_u32; 2];
    for at in from.saturating_add(1)..until {
        let (earlier, later) = (stamp(at - 1), stamp(at));
        let size = usize::from(between(earlier, later) > step_ns);
        forth[size] += u32::from(later > earlier);
        back[size] += u32::from(later < earlier);
    }
    let [backward, forward] = [back, forth].map(|[small, large]| small + large);
    backward > forward && back != [0, 1]
}

/// The stretches of one file, in its own direction.
fn runs_of(
    traffic: &Traffic,
    (from, until): (u32, u32),
    newest_first: bool,
    step_ns: u64,
) -> Result<Vec<Run>, SegmentsError> {
    let file = row(traffic, from).file();
    let mut runs = Vec::new();
    let mut begin = from;
    for at in from + 1..until {
        let (earlier, later) = if newest_first { (at, at - 1) } else { (at - 1, at) };
        let (earlier, later) = (row(traffic, earlier), row(traffic, later));
        if latest(later).saturating_add_unsigned(step_ns) < stamp(traffic, earlier) {
            runs.push(Run { from: begin, until: at, file, newest_first, segment: 0 });
            begin = at;
        }
        if runs.len() >= MOST_OF_A_FILE {
            let step_s = step_ns / 1_000_000_000;
            return Err(SegmentsError::NoOrder { file: u32::from(file) + 1, step_s });
        }
    }
    runs.push(Run { from: begin, until, file, newest_first, segment: 0 });
    if newest_first {
        runs.reverse();
    }
    Ok(runs)
}

/// Gives every run the number of its stretch; says how many stretches there are.
fn number(traffic: &Traffic, runs: &mut [Run]) -> usize {
    let relative = |run: &Run| {
        let source = usize::from(row(traffic, run.from).source());
        traffic.sources.get(source).is_some_and(|source| source.relative)
    };
    let mut shared: Vec<usize> = Vec::new();
    let mut segments = 0;
    let mut nth = 0;
    for at in 0..runs.len() {
        nth = if at > 0 && runs[at].file == runs[at - 1].file { nth + 1 } else { 0 };
        let known = if relative(&runs[at]) { None } else { shared.get(nth).copied() };
        runs[at].segment = known.unwrap_or_else(|| {
            segments += 1;
            segments - 1
        });
        if known.is_none() && !relative(&runs[at]) {
            shared.push(runs[at].segment);
        }
    }
    // Runs were numbered in their own direction; from here on they stand as they were read.
    runs.sort_by_key(|run| run.from);
    segments
}

/// Parts stretches of several files where none of them holds the time, for longer than the step and than twice the longest of
/// them, and returns how many stretches there are then. A log that is rotated daily has its nights between two files.
fn part(traffic: &Traffic, runs: &mut [Run], segments: usize, step_ns: u64) -> usize {
    let mut parted = segments;
    for segment in 0..segments {
        let mut held: Vec<(i64, i64, usize)> = Vec::new();
        for (at, run) in runs.iter().enumerate().filter(|(_, run)| run.segment == segment) {
            let arrivals = || (run.from..run.until).map(|at| row(traffic, at).arrival_ns());
            held.extend(arrivals().min().zip(arrivals().max()).map(|(first, last)| (first, last, at)));
        }
        held.sort_unstable();
        let longest = held.iter().map(|(first, last, _)| between(*first, *last)).max().unwrap_or(0);
        let gap = step_ns.max(longest.saturating_mul(2));
        let (mut until, mut number) = (held.first().map_or(0, |(first, ..)| *first), segment);
        for (first, last, at) in held {
            if first > until && between(until, first) > gap {
                number = parted;
                parted += 1;
            }
            until = until.max(last);
            runs[at].segment = number;
        }
    }
    parted
}
