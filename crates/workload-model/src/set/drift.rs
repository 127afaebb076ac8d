//! Whether a set still matches a profile.

use std::collections::BTreeMap;

use metrics_core::six_decimals;
use serde::Serialize;

use crate::{
    DrawnFrom, Sample, SampleSet,
    profile::{Profile, ProfileGroup, Range, bin_of},
    sampling::{asked, below_of_range, bins, weights},
};

/// How likely it is at most that a set drawn from a profile is found to differ from it, over all comparisons together.
const ALPHA: f64 = 0.05;

/// A bound from which on a comparison tells nothing: half of all samples could be elsewhere.
const TOO_WIDE: f64 = 0.5;

/// Fewest samples on either side of a share for which its normal approximation holds.
const LEAST_OF_A_SHARE: f64 = 5.0;

/// A set held against a profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// Every comparison, group by group in the order of the profile.
    pub comparisons: Vec<Comparison>,
    /// Groups of which the set has samples and that the profile does not know.
    pub only_in_set: Vec<String>,
    /// Groups of the profile of which the set knows nothing.
    pub only_in_profile: Vec<String>,
    /// Groups of the profile that somebody assumed, of which a set made of rows can have no samples. They are in no comparison.
    pub left_out: Vec<String>,
    /// What follows.
    pub verdict: Verdict,
}

/// A comparison of a set with a profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The group.
    pub group: String,
    /// What is compared.
    pub what: Quantity,
    /// Of a share the difference; of lengths the largest difference between the shares that are no longer than some length
    /// (Kolmogorov–Smirnov).
    pub distance: f64,
    /// What a set of this profile stays below.
    pub bound: f64,
    /// Values of the set.
    pub n: u64,
    /// Values of the profile, its chats and completions alone; `None` where it is an assumption, and known exactly.
    pub m: Option<u64>,
    /// What it shows.
    pub finding: Finding,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// The group's share of all requests.
    Share,
    /// Lengths of inputs.
    Input,
    /// Lengths of outputs.
    Output,
}

/// What a comparison shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// No more of a difference than between a profile and its own samples.
    Matches,
    /// More than that.
    Drifted,
    /// Too few values to tell.
    TooFew,
}

/// What follows of all comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing drifted, and every comparison could tell.
    Matches,
    /// Something drifted: draw the set again.
    SampleAgain,
    /// Nothing drifted, and of something nothing could be told: draw a larger set.
    TooFew,
}

/// Compares what a set sends with a profile: the share of every group, and its lengths.
///
/// Lengths are compared by the Kolmogorov–Smirnov distance over the bins of the profile, into which those of the set are put as
/// well. The bound of the distance is `c(α) √((n + m) / (n m))` with `c(α) = √(−ln(α / 2) / 2)` (Smirnov 1948; for an assumed
/// distribution, which is known exactly, `c(α) / √n`: Massart 1990), and holds for lengths that repeat as well. A share is compared
/// by the score test of two binomials, `z √(p (1 − p) (1/n + 1/m)) + 1/(2n)` with the `p` of both together; where fewer than five
/// samples are due on either side, by the bound of lengths. α is 0.05 over the number of comparisons (Bonferroni), so that of a
/// hundred sets that match no more than five are found to have drifted. A set that is drawn by strata lies closer to its
/// profile than that.
///
/// A bound of 0.5 or more tells nothing ([`Finding::TooFew`]), unless the distance is larger still; a set matches where nothing
/// drifted and every comparison could tell. Groups that only one of both
/// knows have drifted by themselves. Groups of which nothing can be drawn are left out, and so are assumed ones where the set was
/// made of rows.
#[must_use]
pub fn drift(set: &SampleSet, profile: &Profile) -> Drift {
    let mut of_groups: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
    for sample in &set.measured {
        of_groups.entry(sample.group.as_str()).or_default().push(sample);
    }
    let drawn_from = set.facts.as_ref().map_or(DrawnFrom::Profile, |facts| facts.source.drawn_from);
    let left_out = profile
        .groups
        .iter()
        .filter(|group| !drawn_from.draws(group) && !of_groups.contains_key(group.name.as_str()));
    let left_out: Vec<String> = left_out.map(|group| group.name.clone()).collect();
    let mut weights = weights(profile);
    for (weight, group) in weights.iter_mut().zip(&profile.groups) {
        if left_out.contains(&group.name) {
            *weight = 0.0;
        }
    }
    let all: f64 = weights.iter().sum();
    let rows: f64 = profile
        .groups
        .iter()
        .zip(&weights)
        .filter(|(_, weight)| **weight > 0.0)
        .map(|(group, _)| asked(group) as f64)
        .sum();
    let n = set.measured.len() as u64;
    let mut measured = Vec::new();
    let (mut only_in_profile, none) = (Vec::new(), Vec::new());
    let known = |name: &str| set.facts.iter().flat_map(|facts| &facts.groups).any(|group| group.name == name);
    for (group, weight) in profile.groups.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0) {
        let samples = of_groups.remove(group.name.as_str()).unwrap_or_default();
        if samples.is_empty() && !known(&group.name) {
            only_in_profile.push(group.name.clone());
        }
        let m = group.assumed.is_none().then_some(rows as u64);
        let share = if n == 0 { 0.0 } else { samples.len() as f64 / n as f64 };
        measured.push(Measured::share(group, share, weight / all, (n, m)));
        measured.extend(Measured::lengths(group, if samples.is_empty() { &none } else { &samples }));
    }
    // A profile of one group has no shares to speak of.
    let shares = measured.iter().filter(|measured| measured.what == Quantity::Share).count();
    measured.retain(|measured| shares > 1 || measured.what != Quantity::Share);
    let alpha = ALPHA / measured.len().max(1) as f64;
    let comparisons: Vec<Comparison> = measured.into_iter().map(|measured| measured.judged(alpha)).collect();
    let only_in_set: Vec<String> = of_groups.into_keys().map(str::to_owned).collect();
    let has = |finding| comparisons.iter().any(|comparison| comparison.finding == finding);
    let verdict = match () {
        () if has(Finding::Drifted) || !only_in_set.is_empty() || !only_in_profile.is_empty() => {
            Verdict::SampleAgain
        }
        () if comparisons.is_empty() || has(Finding::TooFew) => Verdict::TooFew,
        () => Verdict::Matches,
    };
    Drift { comparisons, only_in_set, only_in_profile, left_out, verdict }
}

/// A difference whose bound is still to come.
struct Measured {
    group: String,
    what: Quantity,
    distance: f64,
    n: u64,
    m: Option<u64>,
    /// The share of both together, where its normal approximation holds.
    pooled: Option<f64>,
}

impl Measured {
    fn share(group: &ProfileGroup, found: f64, due: f64, (n, m): (u64, Option<u64>)) -> Self {
        let (of_set, of_profile) = (n as f64, m.map_or(0.0, |m| m as f64));
        let pooled = match m {
            Some(_) => (found * of_set + due * of_profile) / (of_set + of_profile),
            None => due,
        };
        let enough = of_set * pooled.min(1.0 - pooled) >= LEAST_OF_A_SHARE;
        let (group, distance) = (group.name.clone(), (found - due).abs());
        Self { group, what: Quantity::Share, distance, n, m, pooled: enough.then_some(pooled) }
    }

    /// Inputs and outputs, as far as both sides know any.
    fn lengths(group: &ProfileGroup, samples: &[&Sample]) -> Vec<Self> {
        let of_set = |of: fn(&Sample) -> Option<u64>| -> Vec<u64> {
            samples.iter().filter_map(|sample| of(sample)).map(|length| length.max(1)).collect()
        };
        let (inputs, outputs) =
            (of_set(|sample| sample.lengths.input), of_set(|sample| sample.lengths.output));
        let measured = |what, lengths: &[u64], distance: f64, m| Self {
            group: group.name.clone(),
            what,
            distance,
            n: lengths.len() as u64,
            m,
            pooled: None,
        };
        if let Some(shape) = &group.assumed {
            let input = measured(Quantity::Input, &inputs, of_range(&inputs, shape.input_tokens), None);
            let output = shape
                .output_tokens
                .map(|range| measured(Quantity::Output, &outputs, of_range(&outputs, range), None));
            return std::iter::once(input).chain(output).collect();
        }
        let bins = bins(group);
        let per_octave = group.lengths.bins_per_octave;
        let of_bins = |lengths: &[u64], of_profile: Vec<(u32, u64)>| {
            let binned = |length: &u64| bin_of(u32::try_from(*length).unwrap_or(u32::MAX), per_octave);
            let m: u64 = of_profile.iter().map(|(_, rows)| rows).sum();
            let of_profile =
                of_profile.into_iter().map(|(length, rows)| (bin_of(length.max(1), per_octave), rows));
            let of_set = lengths.iter().map(|length| (binned(length), 1));
            (smirnov(of_set, of_profile), m)
        };
        let (distance, m) = of_bins(&inputs, bins.iter().map(|bin| (*bin.input.start(), bin.rows)).collect());
        let input = measured(Quantity::Input, &inputs, distance, Some(m));
        let known =
            bins.iter().filter_map(|bin| bin.output.as_ref().map(|output| (*output.start(), bin.rows)));
        let known: Vec<(u32, u64)> = known.collect();
        if known.is_empty() {
            return vec![input];
        }
        let (distance, m) = of_bins(&outputs, known);
        vec![input, measured(Quantity::Output, &outputs, distance, Some(m))]
    }

    fn judged(self, alpha: f64) -> Comparison {
        let Self { group, what, distance, n, m, pooled } = self;
        let inverse = 1.0 / n as f64 + m.map_or(0.0, |m| 1.0 / m as f64);
        let bound = match pooled {
            _ if n == 0 => 1.0,
            Some(p) => normal(alpha) * (p * (1.0 - p) * inverse).sqrt() + 0.5 / n as f64,
            None => (-libm::log(alpha / 2.0) / 2.0 * inverse).sqrt(),
        };
        let finding = match () {
            () if n == 0 && what != Quantity::Share => Finding::TooFew,
            () if distance > bound => Finding::Drifted,
            () if bound >= TOO_WIDE => Finding::TooFew,
            () => Finding::Matches,
        };
        Comparison {
            group,
            what,
            distance: six_decimals(distance),
            bound: six_decimals(bound.min(1.0)),
            n,
            m,
            finding,
        }
    }
}

/// The largest difference between the shares of two samples that are no longer than some length; 0 where one is empty.
fn smirnov(one: impl Iterator<Item = (u32, u64)>, other: impl Iterator<Item = (u32, u64)>) -> f64 {
    let mut counts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    one.for_each(|(length, count)| counts.entry(length).or_default().0 += count);
    other.for_each(|(length, count)| counts.entry(length).or_default().1 += count);
    let sum = |of: fn(&(u64, u64)) -> u64| counts.values().map(of).sum::<u64>() as f64;
    let (n, m) = (sum(|count| count.0), sum(|count| count.1));
    if n == 0.0 || m == 0.0 {
        return 0.0;
    }
    let (mut below, mut largest) = ((0, 0), 0.0_f64);
    for (one, other) in counts.values() {
        below = (below.0 + one, below.1 + other);
        largest = largest.max((below.0 as f64 / n - below.1 as f64 / m).abs());
    }
    largest
}

/// The largest difference between the shares of lengths and of an assumed range; 0 of no length.
fn of_range(lengths: &[u64], range: Range) -> f64 {
    let n = lengths.len() as f64;
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut largest = 0.0_f64;
    let mut below = 0;
    for same in sorted.chunk_by(|one, other| one == other) {
        let length = same[0];
        let before = below as f64 / n - below_of_range(range, length.saturating_sub(1));
        below += same.len();
        let after = below as f64 / n - below_of_range(range, length);
        largest = largest.max(before.abs()).max(after.abs());
    }
    largest
}

/// The number of standard deviations that a normal value lies beyond, on either side, with this probability.
fn normal(alpha: f64) -> f64 {
    let beyond = |z: f64| libm::erfc(z / std::f64::consts::SQRT_2);
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if beyond(middle) > alpha { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_definition() {
        let count =
            |lengths: &[u32]| lengths.iter().map(|length| (*length, 1)).collect::<Vec<_>>().into_iter();
        assert_eq!(smirnov(count(&[1, 2, 3, 4]), count(&[1, 2, 3, 4])), 0.0);
        assert_eq!(smirnov(count(&[1, 2, 3, 4]), count(&[3, 3, 9, 9])), 0.5);
        assert_eq!(smirnov(count(&[1]), count(&[2, 2])), 1.0);
        assert_eq!(smirnov(count(&[]), count(&[2])), 0.0);
        let range = Range { min: 1, typical: 1, max: 2 };
        // Half of it is 1; of the other half, those below 1.5.
        let share = 0.5 + libm::log(1.5) / libm::log(2.0) / 2.0;
        assert!((of_range(&[2], range) - share).abs() < 1e-12);
    }

    #[test]
    fn the_normal_distribution_is_that_of_tables() {
        for (alpha, z) in [(0.05, 1.959_964), (0.01, 2.575_829), (0.001, 3.290_527)] {
            assert!((normal(alpha) - z).abs() < 1e-5, "{alpha}");
        }
    }
}
