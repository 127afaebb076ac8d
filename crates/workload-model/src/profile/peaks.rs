//! The busiest windows, and how long it stayed nearly as busy.

use super::instants::{Instants, between};

/// A busiest window of one stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Busiest {
    pub(crate) from_ns: i64,
    pub(crate) requests: u64,
    pub(crate) lasted_ns: u64,
}

/// The window of this length with most arrivals, the first of several. Windows are half open, `[s, s + window)`; one that
/// begins at an arrival has as many as any. `None` of nothing.
pub(crate) fn busiest(times: &impl Instants, window_ns: u64) -> Option<Busiest> {
    let (mut best, mut until_best) = (0, 0);
    let mut until = 0;
    for from in 0..times.len() {
        let begin = times.at(from);
        while until < times.len() && between(begin, times.at(until)) < window_ns {
            until += 1;
        }
        if until - from > until_best - best {
            (best, until_best) = (from, until);
        }
    }
    (until_best > best).then(|| Busiest {
        from_ns: times.at(best),
        requests: (until_best - best) as u64,
        lasted_ns: lasted(times, (best, until_best), window_ns),
    })
}

/// How long it stayed busy. The windows that begin between two instants around the busiest one all hold at least 80 % of its
/// arrivals; told is the time from the first arrival in any of them to the last, and the window's length where that is longer.
/// A steady burst lasts as long as it is in this way, whatever the window.
fn lasted(times: &impl Instants, (from, until): (usize, usize), window_ns: u64) -> u64 {
    let peak = until - from;
    let busy = |arrivals: usize| 5 * arrivals >= 4 * peak;
    let at = |place: usize| i128::from(times.at(place));
    let window = i128::from(window_ns);
    // To the right an arrival is lost as soon as the window begins behind it, and one is won as soon as the window ends
    // behind it.
    let (mut first, mut end) = (from, until);
    let last = loop {
        let lost = (first < end).then(|| at(first));
        let won = (end < times.len()).then(|| at(end) - window);
        let before = end - 1;
        let Some(step) = lost.into_iter().chain(won).min() else { break before };
        while first < end && at(first) == step {
            first += 1;
        }
        while end < times.len() && at(end) - window == step {
            end += 1;
        }
        if !busy(end - first) {
            break before;
        }
    };
    // To the left an arrival is won where the window begins at it, and one is lost where the window ends at it.
    let (mut first, mut end) = (from, until);
    let first = loop {
        let won = first.checked_sub(1).map(&at);
        let lost = (first < end).then(|| at(end - 1) - window);
        let before = first;
        let Some(step) = lost.into_iter().chain(won).max() else { break before };
        while first > 0 && at(first - 1) == step {
            first -= 1;
        }
        while first < end && at(end - 1) - window == step {
            end -= 1;
        }
        if !busy(end - first) {
            break before;
        }
    };
    between(times.at(first), times.at(last)).max(window_ns)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Arrivals in the window that begins at `begin`, which counts half nanoseconds.
    fn in_window(times: &[i64], begin: i64, window: i64) -> usize {
        times.iter().filter(|time| **time * 2 >= begin && **time * 2 < begin + 2 * window).count()
    }

    /// By the definition, at every instant and between any two.
    fn oracle(times: &[i64], window: i64) -> (i64, usize, i64) {
        let all = || (-200..400).map(|begin| (begin, in_window(times, begin, window)));
        let peak = all().map(|(_, arrivals)| arrivals).max().unwrap_or(0);
        let from = times.iter().copied().find(|time| in_window(times, time * 2, window) == peak).unwrap();
        let busy = |begin: i64| 5 * in_window(times, begin, window) >= 4 * peak;
        // Begins of windows in half nanoseconds.
        let mut begins = vec![2 * from];
        begins.extend((2 * from + 1..).take_while(|begin| busy(*begin)));
        begins.extend((0..2 * from + 400).map(|back| 2 * from - 1 - back).take_while(|begin| busy(*begin)));
        let inside =
            |time: &&i64| begins.iter().any(|begin| **time * 2 >= begin && **time * 2 < begin + 2 * window);
        let first = times.iter().find(inside).unwrap();
        let last = times.iter().rfind(inside).unwrap();
        (from, peak, (last - first).max(window))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_busiest_window_and_how_long_it_lasted_are_those_of_the_definition(
            mut times in proptest::collection::vec(0_i64..60, 1..50),
            window in 1_i64..25,
        ) {
            times.sort_unstable();
            let found = busiest(&times, window as u64).unwrap();
            let expected = oracle(&times, window);
            prop_assert_eq!((found.from_ns, found.requests as usize, found.lasted_ns as i64), expected);
        }
    }

    #[test]
    fn a_steady_burst_lasts_as_long_as_it_is() {
        let times: Vec<i64> = (0..100).map(|at| 1_000 + 10 * at).chain([5_000]).collect();
        assert_eq!([20, 100, 500].map(|window| busiest(&times, window).unwrap().lasted_ns), [990; 3]);
        assert_eq!(busiest(&vec![7], 5).unwrap().lasted_ns, 5);
        // What lies apart does not make one peak, even if each part is as busy.
        let apart: Vec<i64> = [0, 1, 2, 50, 51, 52].to_vec();
        assert_eq!(busiest(&apart, 5).unwrap().lasted_ns, 5);
    }

    #[test]
    fn instants_at_the_ends_of_what_can_be_told_are_no_fault() {
        let times = vec![i64::MIN, i64::MIN, i64::MAX];
        let found = busiest(&times, 5).unwrap();
        assert_eq!((found.from_ns, found.requests), (i64::MIN, 2));
        assert_eq!(busiest(&Vec::new(), 5), None);
    }
}
