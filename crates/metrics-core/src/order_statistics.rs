//! Percentiles by nearest rank, and what their doubt is.
//!
//! A percentile is one of the raw values, never a point between two, and its bounds are raw values too: they
//! come from ranks alone and hold whatever the distribution is (Hahn & Meeker, *Statistical Intervals*, 2nd
//! ed., 5.2).

use crate::{
    binomial::{at_least, at_most},
    quantity::Seconds,
    summary::{Bound, Bounds, Distribution},
};

/// Half of the 5 % that may lie outside an equal-tailed interval.
const TAIL: f64 = 0.025;

/// A percentage from 0.1 to 99.9, held in thousandths so that ranks are whole-number arithmetic: in floating
/// point 100 · 0.07 is over 7, and the rank would be one too high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(u16);

impl Percent {
    /// 5 %.
    pub const P5: Self = Self(50);
    /// The median.
    pub const P50: Self = Self(500);
    /// 90 %.
    pub const P90: Self = Self(900);
    /// 95 %.
    pub const P95: Self = Self(950);
    /// 99 %.
    pub const P99: Self = Self(990);

    /// From thousandths; `None` outside 1 to 999.
    #[must_use]
    pub fn from_per_mille(per_mille: u16) -> Option<Self> {
        (1..=999).contains(&per_mille).then_some(Self(per_mille))
    }

    /// In thousandths, 1 to 999.
    #[must_use]
    pub fn per_mille(self) -> u16 {
        self.0
    }

    /// As a share between 0 and 1.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// What lies above: 5 % for 95 %.
    #[must_use]
    pub fn complement(self) -> Self {
        Self(1000 - self.0)
    }

    /// The nearest rank ⌈n·p⌉ among `n` values, from 1; 0 only at n = 0.
    #[must_use]
    pub fn rank(self, n: u64) -> u64 {
        let product = (u128::from(n) * u128::from(self.0)).div_ceil(1000);
        // Never above n, since p < 1.
        u64::try_from(product).unwrap_or(n)
    }
}

/// The nearest-rank percentile of ascending values: the ⌈n·p⌉-th smallest. `None` of nothing.
#[must_use]
pub fn percentile<T: Copy>(sorted: &[T], percent: Percent) -> Option<T> {
    value_at(sorted, percent.rank(sorted.len() as u64))
}

/// The ranks (from 1) between which the true percentile lies with at least 95 %: the largest r with P(Bin(n,
/// p) ≤ r − 1) ≤ 0.025 and the smallest s with P(Bin(n, p) ≥ s) ≤ 0.025. A side without such a rank is
/// `None`: a P95 has an upper one from n = 72.
#[must_use]
pub fn bound_ranks(n: u64, percent: Percent) -> (Option<u64>, Option<u64>) {
    let p = percent.share();
    let below = first_where(1, n.saturating_add(1), |r| at_most(n, p, r - 1) > TAIL) - 1;
    let above = first_where(1, n.saturating_add(1), |s| at_least(n, p, s) <= TAIL);
    ((below >= 1 && n > 0).then_some(below), (above <= n).then_some(above))
}

/// The smallest number in `from..to` for which a condition holds that never turns false again; `to` where it
/// never does.
pub(crate) fn first_where(mut from: u64, mut to: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) { to = middle } else { from = middle + 1 }
    }
    from
}

impl Distribution {
    /// Mean, percentiles, extremes and bounds of raw values in any order; `left_out` is passed through. Of no
    /// values every figure is `None`.
    #[must_use]
    pub fn of(mut values: Vec<Seconds>, left_out: u64) -> Self {
        values.sort_by(|a, b| a.get().total_cmp(&b.get()));
        let n = values.len() as u64;
        let sum: f64 = values.iter().map(|value| value.get()).sum();
        Self {
            mean: (n > 0).then(|| Seconds::new(sum / n as f64)),
            p50: percentile(&values, Percent::P50),
            p90: percentile(&values, Percent::P90),
            p95: percentile(&values, Percent::P95),
            p99: percentile(&values, Percent::P99),
            min: values.first().copied(),
            max: values.last().copied(),
            n,
            left_out,
            bounds: Bounds {
                p50: bound(&values, Percent::P50),
                p90: bound(&values, Percent::P90),
                p95: bound(&values, Percent::P95),
                p99: bound(&values, Percent::P99),
            },
        }
    }
}

fn bound(sorted: &[Seconds], percent: Percent) -> Bound {
    let (low, high) = bound_ranks(sorted.len() as u64, percent);
    Bound(low.and_then(|rank| value_at(sorted, rank)), high.and_then(|rank| value_at(sorted, rank)))
}

/// The value of a rank from 1.
fn value_at<T: Copy>(sorted: &[T], rank: u64) -> Option<T> {
    let index = usize::try_from(rank.checked_sub(1)?).ok()?;
    sorted.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_whole_number_arithmetic() {
        let seven = Percent::from_per_mille(70).unwrap();
        assert_eq!(seven.rank(100), 7, "in floating point 100 * 0.07 is 7.000000000000001");
        for (n, p50, p95, p99) in
            [(1, 1, 1, 1), (2, 1, 2, 2), (20, 10, 19, 20), (100, 50, 95, 99), (101, 51, 96, 100)]
        {
            assert_eq!(
                (Percent::P50.rank(n), Percent::P95.rank(n), Percent::P99.rank(n)),
                (p50, p95, p99),
                "n = {n}"
            );
        }
        assert_eq!(Percent::P99.rank(u64::MAX), 18_262_276_632_972_456_099);
    }

    #[test]
    fn a_percent_is_strictly_between_nothing_and_everything() {
        assert_eq!(Percent::from_per_mille(0), None);
        assert_eq!(Percent::from_per_mille(1000), None);
        assert_eq!(Percent::from_per_mille(950), Some(Percent::P95));
        assert_eq!(Percent::P95.complement().share(), 0.05);
    }

    #[test]
    fn a_p95_has_an_upper_bound_from_72_values() {
        assert_eq!(bound_ranks(20, Percent::P95).1, None, "none at n = 20");
        assert_eq!(bound_ranks(71, Percent::P95).1, None);
        assert_eq!(bound_ranks(72, Percent::P95).1, Some(72));
        assert_eq!(bound_ranks(0, Percent::P50), (None, None));
        assert_eq!(bound_ranks(5, Percent::P50), (None, None), "2 * 0.5^5 is over 5 %");
        assert_eq!(bound_ranks(6, Percent::P50), (Some(1), Some(6)));
    }

    #[test]
    fn bounds_of_ten_million_values_lie_two_deviations_away() {
        let n = 10_000_000;
        let (low, high) = bound_ranks(n, Percent::P95);
        let deviation = (n as f64 * 0.95 * 0.05).sqrt();
        for (rank, expected) in
            [(low, 9_500_000.0 - 1.96 * deviation), (high, 9_500_000.0 + 1.96 * deviation)]
        {
            assert!((rank.unwrap() as f64 - expected).abs() < 5.0, "{rank:?} against {expected}");
        }
    }
}
