//! What a sample says about a limit beyond the sample itself.

use serde::{Deserialize, Serialize};

use crate::{
    binomial::{at_least, at_most, clopper_pearson_low},
    order_statistics::{Percent, first_where},
};

/// The error that is accepted, on one side.
const ALPHA: f64 = 0.05;

/// No sample is planned beyond this; a decision that would need more is not in reach.
const MOST_REQUESTS: u64 = 10_000_000_000;

/// What the number of requests behind a limit supports: one-sided, at 5 %, with requests taken as
/// independent, which batching makes them only partly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// So few exceed that the limit holds beyond this sample.
    Supported,
    /// So many exceed that it does not.
    Refuted,
    /// The sample is too small to say either; [`further_requests`] says how much too small.
    Inconclusive,
}

/// Whether `exceeding` of `n` planned requests support a limit on a percentile, such as "P95 ≤ 2 s".
///
/// Supported where P(Bin(n, 1 − p) ≤ k) ≤ 0.05, refuted where P(Bin(n, 1 − p) ≥ k) ≤ 0.05. 20 requests can
/// never support a P95; 59 without a miss can, 93 with one. `exceeding` over `n` is taken as `n`; n = 0 is
/// inconclusive.
///
/// ```
/// use metrics_core::{Percent, Support, further_requests, support};
///
/// assert_eq!(support(20, 0, Percent::P95), Support::Inconclusive);
/// assert_eq!(further_requests(20, 0, Percent::P95), Some(39));
/// assert_eq!(support(59, 0, Percent::P95), Support::Supported);
/// ```
#[must_use]
pub fn support(n: u64, exceeding: u64, percent: Percent) -> Support {
    weigh(n, exceeding, percent.complement().share())
}

/// How many further requests would support the limit if none of them exceeds; `None` where [`support`] is not
/// inconclusive, or where no number in reach (10¹⁰) would.
#[must_use]
pub fn further_requests(n: u64, exceeding: u64, percent: Percent) -> Option<u64> {
    further(n, exceeding, percent.complement().share())
}

/// Whether `missing` of `n` planned requests support a limit on a share, such as "success rate ≥ 0.99".
///
/// The same rule as [`support`] with 1 − `at_least` as the share that may miss. A share of 1 can be refuted
/// by one miss and never be supported, since no sample rules out a next miss. `at_least` is clamped to 0 … 1.
#[must_use]
pub fn support_share(n: u64, missing: u64, at_least: f64) -> Support {
    weigh(n, missing, share_that_may_miss(at_least))
}

/// To nine decimals: the difference of 1 and 0.95 is not 0.05 in floating point.
pub(crate) fn share_that_may_miss(at_least: f64) -> f64 {
    ((1.0 - at_least.clamp(0.0, 1.0)) * 1e9).round() / 1e9
}

/// The one-sided 95 % lower bound (Clopper–Pearson) of the success rate, 0 to 1: the smallest rate that
/// `effective` of `planned` does not refute. `None` when nothing was planned.
///
/// ```
/// let low = metrics_core::success_rate_low(20, 20);
/// assert!(low.is_some_and(|low| (0.860..0.862).contains(&low)));
/// ```
#[must_use]
pub fn success_rate_low(effective: u64, planned: u64) -> Option<f64> {
    clopper_pearson_low(planned, effective, ALPHA)
}

/// `allowed` is the share of requests that may exceed, 0 to 1.
pub(crate) fn weigh(n: u64, exceeding: u64, allowed: f64) -> Support {
    let k = exceeding.min(n);
    if at_most(n, allowed, k) <= ALPHA {
        Support::Supported
    } else if at_least(n, allowed, k) <= ALPHA {
        Support::Refuted
    } else {
        Support::Inconclusive
    }
}

/// See [`further_requests`].
pub(crate) fn further(n: u64, exceeding: u64, allowed: f64) -> Option<u64> {
    let k = exceeding.min(n);
    let supported = |n: u64| at_most(n, allowed, k) <= ALPHA;
    if weigh(n, k, allowed) != Support::Inconclusive || !supported(MOST_REQUESTS) {
        return None;
    }
    // Doubled up to a number that decides, so that no sum is longer than it must be.
    let mut enough = n.max(16);
    while !supported(enough) {
        enough = enough.saturating_mul(2);
    }
    Some(first_where(n, enough, supported) - n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_that_the_norm_quotes() {
        for k in 0..=20 {
            assert_ne!(support(20, k, Percent::P95), Support::Supported, "20 can never support a P95");
        }
        assert_eq!(further_requests(58, 0, Percent::P95), Some(1));
        assert_eq!(support(59, 0, Percent::P95), Support::Supported);
        assert_eq!(further_requests(92, 1, Percent::P95), Some(1));
        assert_eq!(support(93, 1, Percent::P95), Support::Supported);
        let percent = |effective, planned| {
            success_rate_low(effective, planned).map(|low| (low * 1000.0).floor() / 10.0)
        };
        assert_eq!(percent(20, 20), Some(86.0), "0.05^(1/20) = 0.8609, quoted as 86.1");
        assert!((success_rate_low(20, 20).unwrap() - 0.05_f64.powf(1.0 / 20.0)).abs() < 1e-12);
        assert!((success_rate_low(180, 180).unwrap() - 0.05_f64.powf(1.0 / 180.0)).abs() < 1e-12);
        assert!((success_rate_low(180, 180).unwrap() - 0.983).abs() < 0.001);
    }

    #[test]
    fn many_misses_refute() {
        // P(Bin(20, 0.05) >= 3) is 0.0755, >= 4 is 0.0159.
        assert_eq!(support(20, 3, Percent::P95), Support::Inconclusive);
        assert_eq!(support(20, 4, Percent::P95), Support::Refuted);
        assert_eq!(support(20, 25, Percent::P95), Support::Refuted, "more than all is all");
        assert_eq!(further_requests(20, 25, Percent::P95), None, "decided already");
    }

    #[test]
    fn nothing_is_inconclusive() {
        assert_eq!(support(0, 0, Percent::P95), Support::Inconclusive);
        assert_eq!(further_requests(0, 0, Percent::P95), Some(59));
        assert_eq!(success_rate_low(0, 0), None);
    }

    #[test]
    fn all_of_them_can_be_refuted_and_never_supported() {
        assert_eq!(support_share(1_000_000, 0, 1.0), Support::Inconclusive);
        assert_eq!(further(1_000_000, 0, 0.0), None);
        assert_eq!(support_share(1_000_000, 1, 1.0), Support::Refuted);
        assert_eq!(support_share(59, 0, 0.95), Support::Supported);
        assert_eq!(support_share(58, 0, 0.95), Support::Inconclusive);
    }

    #[test]
    fn what_is_said_to_be_missing_decides_and_one_less_does_not() {
        for (n, k) in [(0, 0), (10, 0), (30, 1), (50, 3), (400, 19), (5_000, 240)] {
            assert_eq!(support(n, k, Percent::P95), Support::Inconclusive, "{k} of {n}");
            let further = further_requests(n, k, Percent::P95).unwrap();
            assert_eq!(support(n + further, k, Percent::P95), Support::Supported);
            assert_ne!(support(n + further - 1, k, Percent::P95), Support::Supported);
        }
    }

    #[test]
    fn written_in_snake_case() {
        assert_eq!(serde_json::to_string(&Support::Supported).unwrap(), r#""supported""#);
        assert_eq!(serde_json::to_string(&Support::Inconclusive).unwrap(), r#""inconclusive""#);
    }
}
