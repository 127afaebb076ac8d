//! Exact tails of the binomial distribution.
//!
//! Everything that is said about doubt rests on these two sums. They are added up term by term, always away
//! from the mean and starting from the largest term, so that no cancellation occurs; the first term is
//! computed by Loader's saddle-point form, whose error does not grow with n ("Fast and accurate computation
//! of binomial probabilities", 2000). About 9 standard deviations of terms count: 14,000 at n = 10⁷.

use std::f64::consts::TAU;

/// P(Bin(n, p) ≥ k): 1 at k = 0, 0 where k > n.
pub(crate) fn at_least(n: u64, p: f64, k: u64) -> f64 {
    if k == 0 {
        1.0
    } else if k > n || p <= 0.0 {
        0.0
    } else if p >= 1.0 {
        1.0
    } else if k as f64 > n as f64 * p {
        sum_upwards(n, p, k)
    } else {
        1.0 - sum_upwards(n, 1.0 - p, n - (k - 1))
    }
}

/// P(Bin(n, p) ≤ k): 1 where k ≥ n.
pub(crate) fn at_most(n: u64, p: f64, k: u64) -> f64 {
    if k >= n { 1.0 } else { at_least(n, 1.0 - p, n - k) }
}

/// The smallest success probability that is not refuted at `alpha` (one-sided) by `k` successes of `n`:
/// Clopper–Pearson. 0 at k = 0; `k` over `n` is taken as `n`; `None` at n = 0.
pub(crate) fn clopper_pearson_low(n: u64, k: u64, alpha: f64) -> Option<f64> {
    if n == 0 {
        return None;
    }
    let k = k.min(n);
    if k == 0 {
        return Some(0.0);
    }
    // The tail grows with p; 60 halvings leave less than the last bit.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at_least(n, middle, k) <= alpha { low = middle } else { high = middle }
    }
    Some(low)
}

/// The sum of the terms at k, k + 1, … n for k at or above the mean, where each is smaller than the one
/// before.
fn sum_upwards(n: u64, p: f64, k: u64) -> f64 {
    let odds = p / (1.0 - p);
    let mut term = point(n, p, k);
    let mut sum = term;
    for j in k..n {
        term *= (n - j) as f64 / (j + 1) as f64 * odds;
        sum += term;
        if term <= sum * 1e-17 {
            break;
        }
    }
    sum.min(1.0)
}

/// P(Bin(n, p) = k) for 0 < p < 1 and k ≤ n.
fn point(n: u64, p: f64, k: u64) -> f64 {
    let (whole, hits, misses) = (n as f64, k as f64, (n - k) as f64);
    if k == 0 {
        return (whole * (-p).ln_1p()).exp();
    }
    if k == n {
        return (whole * p.ln()).exp();
    }
    let exponent = stirling_error(whole)
        - stirling_error(hits)
        - stirling_error(misses)
        - deviance(hits, whole * p)
        - deviance(misses, whole * (1.0 - p));
    exponent.exp() * (whole / (TAU * hits * misses)).sqrt()
}

/// ln n! less Stirling's approximation of it.
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        let factorial: f64 = (1..=n as u64).map(|factor| factor as f64).product();
        return factorial.ln() - ((n + 0.5) * n.ln() - n + 0.5 * TAU.ln());
    }
    let square = n * n;
    (1.0 / 12.0
        - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * square)) / square) / square)
            / square)
        / n
}

/// x·ln(x/m) + m − x, without cancellation where x is near m.
fn deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() >= 0.1 * (x + mean) {
        return x * (x / mean).ln() + mean - x;
    }
    let ratio = difference / (x + mean);
    let mut sum = difference * ratio;
    let mut power = 2.0 * x * ratio;
    let square = ratio * ratio;
    for odd in (3_u32..).step_by(2) {
        power *= square;
        let next = sum + power / f64::from(odd);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain definition, good for small n.
    fn naive_point(n: u64, p: f64, k: u64) -> f64 {
        let ways: f64 = (1..=k).map(|j| (n - k + j) as f64 / j as f64).product();
        ways * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
    }

    #[test]
    fn tails_agree_with_the_definition() {
        for n in [1_u64, 2, 3, 7, 15, 16, 17, 40, 100] {
            for p in [0.001, 0.05, 0.3, 0.5, 0.9, 0.95, 0.99] {
                for k in 0..=n {
                    let upper: f64 = (k..=n).map(|j| naive_point(n, p, j)).sum();
                    let lower: f64 = (0..=k).map(|j| naive_point(n, p, j)).sum();
                    assert!((at_least(n, p, k) - upper).abs() < 1e-12, "P(Bin({n}, {p}) >= {k})");
                    assert!((at_most(n, p, k) - lower).abs() < 1e-12, "P(Bin({n}, {p}) <= {k})");
                    if upper < 1e-3 {
                        assert!((at_least(n, p, k) / upper - 1.0).abs() < 1e-11, "relative, {n} {p} {k}");
                    }
                }
            }
        }
    }

    #[test]
    fn ten_million_trials_stay_exact() {
        // Symmetry: at p = 1/2 and odd n, half of the probability lies above the middle.
        let n = 9_999_999;
        assert!((at_least(n, 0.5, 5_000_000) - 0.5).abs() < 1e-10);
        // The two tails and the point between them add up to one.
        let n = 10_000_000;
        for k in [9_499_000, 9_500_000, 9_501_351] {
            let whole = at_most(n, 0.95, k - 1) + point(n, 0.95, k) + at_least(n, 0.95, k + 1);
            assert!((whole - 1.0).abs() < 1e-10, "{k}: {whole}");
        }
        // A tail that the normal approximation gives as 0.025 at 1.96 standard deviations.
        let deviation = (n as f64 * 0.95 * 0.05).sqrt();
        let k = (n as f64 * 0.95 + 1.959_964 * deviation).round() as u64;
        assert!((at_least(n, 0.95, k) - 0.025).abs() < 1e-4);
    }

    #[test]
    fn the_edges() {
        assert_eq!(at_least(0, 0.5, 0), 1.0);
        assert_eq!(at_least(0, 0.5, 1), 0.0);
        assert_eq!(at_most(0, 0.5, 0), 1.0);
        assert_eq!(at_least(5, 0.0, 1), 0.0);
        assert_eq!(at_least(5, 1.0, 5), 1.0);
        assert_eq!(at_most(5, 0.0, 0), 1.0);
        assert_eq!(at_most(5, 1.0, 4), 0.0);
        assert_eq!(clopper_pearson_low(0, 0, 0.05), None);
        assert_eq!(clopper_pearson_low(20, 0, 0.05), Some(0.0));
    }
}
