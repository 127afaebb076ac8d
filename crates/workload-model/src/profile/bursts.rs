//! How evenly requests arrive.

use metrics_core::{Seconds, six_decimals};

use super::{
    Dispersion, Ties,
    instants::{Instants, SECOND_NS, Span, between},
};

/// Fewest gaps, and fewest windows, of which anything is told.
const LEAST: u64 = 10;

/// Arrivals at the same instant, over all stretches.
///
/// The clock is too coarse for gaps where there are fewer than 7 instants for 10 arrivals (of more than 10). Rounding instants to ticks adds a
/// sixth of the tick's square to the variance of a gap. A Poisson process with x arrivals a tick shows (1 − e⁻ˣ) / x instants
/// an arrival, and its coefficient of variation becomes √(1 + x² / 6): at 7 instants for 10 arrivals x is 0.76 and the
/// coefficient 5 % too high, and from there on it grows fast.
pub(crate) fn ties<I: Instants>(pieces: &[(I, Span)]) -> Ties {
    let (mut instants, mut most, mut arrivals) = (0_u64, 0_u64, 0_u64);
    for (times, _) in pieces {
        let (mut last, mut together) = (None, 0);
        for time in times.iter() {
            arrivals += 1;
            if last == Some(time) {
                together += 1;
            } else {
                (last, together) = (Some(time), 1);
                instants += 1;
            }
            most = most.max(together);
        }
    }
    Ties {
        instants,
        most,
        tick_s: median_tick(pieces).map(seconds),
        too_coarse: arrivals > LEAST && u128::from(instants) * 10 < u128::from(arrivals) * 7,
    }
}

pub(crate) fn seconds(ns: u64) -> Seconds {
    Seconds::new(ns as f64 / SECOND_NS as f64)
}

fn gaps<I: Instants>(pieces: &[(I, Span)]) -> impl Iterator<Item = u64> {
    pieces.iter().flat_map(|(times, _)| {
        let earlier = times.iter();
        earlier.zip(times.iter().skip(1)).map(|(earlier, later)| between(earlier, later))
    })
}

/// The nearest-rank median of the gaps between different instants. It is found byte by byte, from the highest on, so that no
/// gap is held.
fn median_tick<I: Instants>(pieces: &[(I, Span)]) -> Option<u64> {
    let ticks = || gaps(pieces).filter(|gap| *gap > 0);
    let mut rank = (ticks().count() as u64).div_ceil(2);
    if rank == 0 {
        return None;
    }
    let mut found = 0_u64;
    for byte in (0..8).rev() {
        let shift = 8 * byte;
        let mut counts = [0_u64; 256];
        for gap in ticks().filter(|gap| (gap ^ found).checked_shr(shift + 8).unwrap_or(0) == 0) {
            counts[(gap >> shift & 0xff) as usize] += 1;
        }
        for (digit, count) in (0_u64..).zip(counts) {
            if rank <= count {
                found |= digit << shift;
                break;
            }
            rank -= count;
        }
    }
    Some(found)
}

/// Coefficient of variation of the gaps between arrivals, those of one instant among them: the standard deviation over the
/// mean, both of all gaps. `None` of fewer than 10 gaps or where all arrive at once.
pub(crate) fn gap_cv<I: Instants>(pieces: &[(I, Span)]) -> Option<f64> {
    let (mut n, mut sum) = (0_u64, 0_u128);
    for gap in gaps(pieces) {
        n += 1;
        sum += u128::from(gap);
    }
    if n < LEAST || sum == 0 {
        return None;
    }
    let mean = sum as f64 / n as f64;
    let squares: f64 = gaps(pieces).map(|gap| (gap as f64 - mean).powi(2)).sum();
    Some(six_decimals((squares / n as f64).sqrt() / mean))
}

/// Index of dispersion for counts: variance over mean of the arrivals in consecutive windows (Cox & Lewis, *The Statistical
/// Analysis of Series of Events*, 1966, 4.5). Windows begin with the stretch, and only whole ones count. The variance is that
/// of a sample. `None` of fewer than 10 windows or where all are empty.
pub(crate) fn dispersion<I: Instants>(pieces: &[(I, Span)], window_ns: u64) -> Option<Dispersion> {
    let (mut windows, mut sum, mut squares) = (0_u128, 0_u128, 0_u128);
    for (times, span) in pieces {
        let whole = span.length_ns() / window_ns;
        windows += u128::from(whole);
        let (mut window, mut arrivals) = (0, 0_u128);
        for time in times.iter() {
            let this = between(span.first_ns, time) / window_ns;
            if this >= whole {
                break;
            }
            if this != window {
                squares += arrivals * arrivals;
                (window, arrivals) = (this, 0);
            }
            arrivals += 1;
            sum += 1;
        }
        squares += arrivals * arrivals;
    }
    if windows < u128::from(LEAST) || sum == 0 {
        return None;
    }
    let index = (windows * squares - sum * sum) as f64 / (windows - 1) as f64 / sum as f64;
    let windows = u64::try_from(windows).unwrap_or(u64::MAX);
    Some(Dispersion { window_s: seconds(window_ns), windows, index: six_decimals(index) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece(mut times: Vec<i64>) -> (Vec<i64>, Span) {
        times.sort_unstable();
        let span = Span { first_ns: times[0], last_ns: times[times.len() - 1] };
        (times, span)
    }

    fn variance(values: &[f64], less: usize) -> (f64, f64) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
        (mean, squares / (values.len() - less) as f64)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn figures_of_gaps_are_those_of_their_definitions(
            one in proptest::collection::vec(-40_i64..4000, 1..40),
            other in proptest::collection::vec(0_i64..50, 1..40),
        ) {
            let pieces = [piece(one), piece(other)];
            let all: Vec<f64> =
                pieces.iter().flat_map(|piece| piece.0.windows(2).map(|pair| (pair[1] - pair[0]) as f64)).collect();
            match gap_cv(&pieces) {
                Some(cv) => {
                    let (mean, variance) = variance(&all, 0);
                    prop_assert!((cv - variance.sqrt() / mean).abs() < 1e-5);
                }
                None => prop_assert!(all.len() < 10 || all.iter().all(|gap| *gap == 0.0)),
            }
            let mut ticks: Vec<f64> = all.into_iter().filter(|gap| *gap > 0.0).collect();
            ticks.sort_by(f64::total_cmp);
            let median = ticks.get(ticks.len().div_ceil(2).wrapping_sub(1)).map(|tick| *tick as u64);
            prop_assert_eq!(median_tick(&pieces), median);
            let found = ties(&pieces);
            let distinct = |piece: &(Vec<i64>, Span)| piece.0.chunk_by(|a, b| a == b).map(<[i64]>::len).collect::<Vec<_>>();
            let chunks: Vec<usize> = pieces.iter().flat_map(distinct).collect();
            prop_assert_eq!(found.instants as usize, chunks.len());
            prop_assert_eq!(found.most as usize, chunks.into_iter().max().unwrap());
        }

        #[test]
        fn dispersion_is_that_of_counts_in_whole_windows(
            one in proptest::collection::vec(0_i64..200, 1..60),
            other in proptest::collection::vec(0_i64..90, 1..60),
            window in 1_i64..12,
        ) {
            let pieces = [piece(one), piece(other)];
            let mut counts = Vec::new();
            for (times, span) in &pieces {
                let mut from = span.first_ns;
                while from + window <= span.last_ns {
                    counts.push(times.iter().filter(|time| (from..from + window).contains(time)).count() as f64);
                    from += window;
                }
            }
            match dispersion(&pieces, window as u64) {
                Some(found) => {
                    let (mean, variance) = variance(&counts, 1);
                    prop_assert_eq!(found.windows as usize, counts.len());
                    prop_assert!((found.index - variance / mean).abs() < 1e-5, "{:?} {}", found, variance / mean);
                }
                None => prop_assert!(counts.len() < 10 || counts.iter().all(|count| *count == 0.0)),
            }
        }
    }

    /// A Poisson process of one arrival a second, its instants rounded down to ticks.
    fn rounded(tick_ns: i64) -> (Vec<i64>, Span) {
        let mut state = 1_u64;
        let mut now = 0.0;
        piece(
            (0..200_000)
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    now -= ((state >> 11) as f64 + 1.0).ln() - ((1_u64 << 53) as f64).ln();
                    (now * 1e9) as i64 / tick_ns * tick_ns
                })
                .collect(),
        )
    }

    #[test]
    fn a_clock_is_too_coarse_from_where_it_makes_the_variation_5_percent_higher() {
        let fine = [rounded(1)];
        assert!((gap_cv(&fine).unwrap() - 1.0).abs() < 0.01, "{:?}", gap_cv(&fine));
        assert!(!ties(&fine).too_coarse);
        let bearable = [rounded(700_000_000)];
        assert!(!ties(&bearable).too_coarse);
        assert!(gap_cv(&bearable).unwrap() < 1.06, "{:?}", gap_cv(&bearable));
        let coarse = [rounded(900_000_000)];
        assert!(ties(&coarse).too_coarse);
        assert!(gap_cv(&coarse).unwrap() > 1.05, "{:?}", gap_cv(&coarse));
        assert_eq!(ties(&coarse).tick_s.map(Seconds::get), Some(0.9));
    }
}
