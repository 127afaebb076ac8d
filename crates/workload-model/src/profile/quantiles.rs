//! Exact percentiles of many values in little memory.

use metrics_core::{Percent, percentile, six_decimals};

use super::Quantiles;
use crate::traffic::PackedMicros;

/// The values of an iterator in a list that was never longer: one that grows is copied, which takes up to thrice its memory.
pub(crate) fn listed<T>(values: impl Iterator<Item = T> + Clone) -> Vec<T> {
    let mut list = Vec::with_capacity(values.clone().count());
    list.extend(values);
    list
}

/// Of lengths in any order; `None` of nothing.
pub(crate) fn of_lengths(mut lengths: Vec<u32>) -> Option<Quantiles> {
    lengths.sort_unstable();
    let sum: u128 = lengths.iter().map(|length| u128::from(*length)).sum();
    of_sorted(&lengths, sum as f64, f64::from)
}

/// Of durations in any order, in seconds; `None` of nothing.
pub(crate) fn of_durations(mut durations: Vec<PackedMicros>) -> Option<Quantiles> {
    durations.sort_unstable();
    let sum: u128 = durations.iter().map(|duration| u128::from(duration.micros().0)).sum();
    of_sorted(&durations, sum as f64 / 1e6, |duration| duration.micros().as_secs_f64())
}

fn of_sorted<T: Copy>(sorted: &[T], sum: f64, value: impl Fn(T) -> f64) -> Option<Quantiles> {
    let of = |percent| percentile(sorted, percent).map(&value);
    Some(Quantiles {
        n: sorted.len() as u64,
        mean: six_decimals(sum / sorted.len() as f64),
        min: value(*sorted.first()?),
        p50: of(Percent::P50)?,
        p90: of(Percent::P90)?,
        p95: of(Percent::P95)?,
        p99: of(Percent::P99)?,
        max: value(*sorted.last()?),
    })
}
