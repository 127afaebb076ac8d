//! Arrivals over time, and over the hours of the day.

use super::{
    Rate,
    bursts::seconds,
    instants::{Instants, SECOND_NS, Span, between},
};

/// Most bins of a stretch.
const MOST_BINS: u64 = 720;

/// Widths of bins in seconds that a person thinks in.
const WIDTHS: [u64; 14] = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

const HOUR_NS: i128 = 3600 * SECOND_NS as i128;

/// The narrowest width in seconds that gives the longest stretch 720 bins at most: of the list, or a day doubled until it
/// does. It is a multiple of `rounded_to_s`, to which arrivals were rounded, and no less than the clock's resolution.
pub(crate) fn bin_width_s(longest_ns: u64, rounded_to_s: u32, resolution_ns: u64) -> u64 {
    let least = u64::from(rounded_to_s.max(1));
    let days = std::iter::successors(Some(2 * 86_400_u64), |width| width.checked_mul(2));
    let mut multiples = WIDTHS.into_iter().chain(days).map(|width| width.next_multiple_of(least));
    let fits = |width: &u64| {
        longest_ns / SECOND_NS / width < MOST_BINS && width.saturating_mul(SECOND_NS) >= resolution_ns
    };
    multiples.find(fits).unwrap_or(u64::MAX / SECOND_NS)
}

/// Counts in bins that begin with the stretch, empty ones before the first arrival and behind the last left out.
pub(crate) fn rate(times: &impl Instants, span: Span, bin_s: u64) -> Rate {
    let bin_ns = bin_s * SECOND_NS;
    let bin = |time: i64| between(span.first_ns, time) / bin_ns;
    let first = if times.len() == 0 { 0 } else { bin(times.at(0)) };
    let mut counts = Vec::new();
    for time in times.iter() {
        let at = (bin(time) - first) as usize;
        if counts.len() <= at {
            counts.resize(at + 1, 0);
        }
        counts[at] += 1;
    }
    Rate { bin_s: seconds(bin_ns), from_s: seconds(first * bin_ns), counts }
}

/// Arrivals in each hour of the day, in a zone that is `zone_s` before UTC, and how often the hour occurs between the first
/// and the last arrival of all groups. Where arrivals were `rounded` to bins, the last instant is that at which the last bin ends.
pub(crate) fn by_hour<I: Instants>(pieces: &[(I, Span)], zone_s: i32, rounded: bool) -> Vec<(u64, u32)> {
    let hour =
        |time: i64| (i128::from(time) + i128::from(zone_s) * i128::from(SECOND_NS)).div_euclid(HOUR_NS);
    let of_day = |hour: i128| hour.rem_euclid(24) as usize;
    let mut hours = vec![(0, 0); 24];
    for (times, span) in pieces {
        for time in times.iter() {
            hours[of_day(hour(time))].0 += 1;
        }
        let (first, last) = (hour(span.first_ns), hour(span.last_ns.saturating_sub(i64::from(rounded))));
        let covered = last - first + 1;
        for (at, (_, days)) in (0_i128..).zip(&mut hours) {
            let behind = (at - first).rem_euclid(24);
            *days += u32::try_from((covered - behind + 23).div_euclid(24).max(0)).unwrap_or(u32::MAX);
        }
    }
    hours
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bin_that_ends_on_the_hour_is_of_the_hour_before() {
        let hour = 3600 * SECOND_NS as i64;
        let span = Span { first_ns: 0, last_ns: 2 * hour };
        let hours = by_hour(&[(vec![0, hour], span)], 0, true);
        assert_eq!(hours[..3], [(1, 1), (1, 1), (0, 0)]);
    }

    #[test]
    fn bins_are_narrow_while_there_are_720_at_most() {
        let width = |seconds: u64| bin_width_s(seconds * SECOND_NS, 0, 1);
        assert_eq!([0, 719, 720, 3_537, 86_400, 604_603].map(width), [1, 1, 5, 5, 300, 1800]);
        assert_eq!(width(86_400 * 719), 86_400);
        assert_eq!(width(86_400 * 721), 2 * 86_400);
        assert_eq!(bin_width_s(3_537 * SECOND_NS, 60, 1), 60);
        assert_eq!(bin_width_s(3_537 * SECOND_NS, 7, 1), 7);
        assert_eq!(bin_width_s(700 * SECOND_NS, 0, 60 * SECOND_NS), 60);
        assert!(u64::MAX / SECOND_NS / bin_width_s(u64::MAX, 0, 1) < MOST_BINS);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn counts_and_hours_are_those_of_their_definitions(
            seconds in proptest::collection::vec(-200_000_i64..200_000, 1..40),
            zone_s in -50_000_i32..50_000,
        ) {
            let mut times: Vec<i64> = seconds.into_iter().map(|time| time * 1_000_000_000).collect();
            times.sort_unstable();
            let span = Span { first_ns: times[0] - 5_000_000_000, last_ns: times[times.len() - 1] + 9_000_000_000 };
            let hours = by_hour(&[(times.clone(), span)], zone_s, false);
            let rate = rate(&times, span, 60);
            for (at, count) in (0_i64..).zip(&rate.counts) {
                let from = span.first_ns + (rate.from_s.get() * 1e9) as i64 + at * 60_000_000_000;
                let inside = times.iter().filter(|time| (from..from + 60_000_000_000).contains(time));
                prop_assert_eq!(inside.count() as u64, *count);
            }
            prop_assert_eq!(rate.counts.iter().sum::<u64>(), times.len() as u64);
            prop_assert!(rate.counts.first() != Some(&0) && rate.counts.last() != Some(&0));
            let hour = |time: i64| (time / 1_000_000_000 + i64::from(zone_s)).div_euclid(3600);
            for (of_day, (requests, days)) in (0_i64..).zip(hours) {
                let arrived = times.iter().filter(|time| hour(*time).rem_euclid(24) == of_day);
                prop_assert_eq!(arrived.count() as u64, requests);
                let occurs = (hour(span.first_ns)..=hour(span.last_ns)).filter(|hour| hour.rem_euclid(24) == of_day);
                prop_assert_eq!(occurs.count() as u32, days);
            }
        }
    }
}
