//! Rows of a log in the order of a set, with their arrivals.

use super::{Account, Drawing, LeftOut, SamplingError, Take, from_profile::is_text};
use crate::{
    MAX_REQUESTS,
    profile::{Binning, Profile, Segments},
    random::Stream,
    traffic::{RowFacts, Traffic},
};

/// Between the last arrival of a stretch of the log and the first of the next, in microseconds: a minute in which nothing comes.
/// How much time lay between them nobody knows.
pub const SEGMENT_GAP_US: u64 = 60_000_000;

/// A row that is taken.
pub(super) struct Taken {
    /// Its place in the traffic.
    pub(super) at: u32,
    /// Its stretch of the log.
    pub(super) segment: usize,
    /// Its group, by its place in the profile.
    pub(super) group: usize,
    /// From the first row that is taken to it.
    pub(super) arrival_us: u64,
    /// What it holds; lengths are rounded as in the profile.
    pub(super) facts: RowFacts,
}

/// Groups that have no rows, since somebody assumed them.
pub(super) fn assumed(profile: &Profile) -> Vec<String> {
    profile.assumed_groups().map(|(group, _)| group.name.clone()).collect()
}

/// Rows of a log that make a set.
pub(super) struct Rows {
    /// Those that are taken, by arrival.
    pub(super) taken: Vec<Taken>,
    /// How many of each group of the profile could have been.
    pub(super) of_groups: Vec<u64>,
}

/// The rows that are taken, by arrival, and how many could have been.
///
/// Stretches of the log follow each other with [`SEGMENT_GAP_US`] between them. Where the profile rounds arrivals, those of one
/// bin are spread over it at random: a set tells no more of the log than its profile.
pub(super) fn taken(
    traffic: &Traffic,
    profile: &Profile,
    drawing: &Drawing,
    account: &mut Account,
    wants: impl Fn(&Taken) -> Option<LeftOut>,
) -> Result<Rows, SamplingError> {
    let groups = places(traffic, profile)?;
    let segments = Segments::find(traffic, drawing.step_ns)?;
    let binning = Binning {
        tokens: profile.deidentification.token_bin,
        seconds: profile.deidentification.time_bin_s.get() as u32,
    };
    let mut stream = Stream::new(drawing.seed, "samples:arrivals");
    let mut all: Vec<Taken> = Vec::new();
    let mut of_groups = vec![0; profile.groups.len()];
    for segment in 0..segments.len() {
        let begin = all.len();
        for at in segments.rows(segment) {
            let Some(row) = traffic.get(*at as usize) else { continue };
            let facts = binning.facts(row);
            let Some(Some(group)) = groups.get(usize::from(facts.group)).copied() else { continue };
            let taken = Taken { at: *at, segment, group, arrival_us: 0, facts };
            let other = (!is_text(facts.call)).then_some(LeftOut::OtherCall);
            match other.or_else(|| wants(&taken)) {
                Some(reason) => *account.left_out.entry(reason).or_default() += 1,
                None => {
                    of_groups[taken.group] += 1;
                    all.push(taken);
                }
            }
        }
        let after = begin.checked_sub(1).map_or(0, |last| all[last].arrival_us + SEGMENT_GAP_US);
        arrivals(&mut all[begin..], after, binning.seconds, &mut stream);
    }
    if let Take::First(most) = drawing.take {
        all.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    }
    check_number(all.len() as u64)?;
    Ok(Rows { taken: all, of_groups })
}

/// Rows that are taken are no more than a set can have samples.
fn check_number(rows: u64) -> Result<(), SamplingError> {
    if rows > MAX_REQUESTS { Err(SamplingError::TooManyRows(rows)) } else { Ok(()) }
}

/// Arrivals of the rows of one stretch, the first of them at this instant.
fn arrivals(rows: &mut [Taken], first_us: u64, bin_s: u32, stream: &mut Stream) {
    let Some(origin) = rows.first().map(|row| row.facts.arrival_ns) else { return };
    let bin_us = u64::from(bin_s) * 1_000_000;
    for same in rows.chunk_by_mut(|one, other| one.facts.arrival_ns == other.facts.arrival_ns) {
        let mut within: Vec<u64> =
            same.iter().map(|_| if bin_us > 0 { stream.below(bin_us) } else { 0 }).collect();
        within.sort_unstable();
        for (row, within) in same.iter_mut().zip(within) {
            row.arrival_us = row.facts.arrival_ns.abs_diff(origin) / 1000 + within;
        }
    }
    let before = rows.first().map_or(0, |row| row.arrival_us);
    for row in rows {
        row.arrival_us = row.arrival_us - before + first_us;
    }
}

/// Places in the profile of the traffic's groups; `None` of groups without rows.
fn places(traffic: &Traffic, profile: &Profile) -> Result<Vec<Option<usize>>, SamplingError> {
    let other = |words: String| SamplingError::OtherLog(words);
    if traffic.kept() != profile.source.kept {
        return Err(other(format!(
            "which has {} rows, and these are {}",
            profile.source.kept,
            traffic.kept()
        )));
    }
    let mut rows = vec![0_u64; traffic.groups.len()];
    for row in traffic.rows() {
        match rows.get_mut(usize::from(row.group())) {
            Some(rows) => *rows += 1,
            None => return Err(other("and one of them is of a group without a name".to_owned())),
        }
    }
    let place = |(name, rows): (&String, &u64)| {
        if *rows == 0 {
            return Ok(None);
        }
        let place = profile.groups.iter().position(|group| group.name == *name);
        match place.filter(|place| profile.groups[*place].rows == *rows) {
            Some(place) => Ok(Some(place)),
            None => Err(other(format!("which has not {rows} rows in a group {name:?}"))),
        }
    };
    traffic.groups.iter().zip(&rows).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rows_than_a_set_has_samples_are_refused() {
        assert_eq!(check_number(MAX_REQUESTS), Ok(()));
        let told = check_number(MAX_REQUESTS + 1).map_err(|fault| fault.to_string());
        assert!(
            told.is_err_and(|told| told.contains("1000001 can be taken") && told.contains("--samples N"))
        );
    }
}
