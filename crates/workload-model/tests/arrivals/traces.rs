//! Recorded arrivals, as they are and brought to another rate.

use workload_model::{
    TraceScale,
    arrival::{Trace, TraceArrival, recorded_rate},
    random::Stream,
};

use crate::statistics::{counts, dispersion, mean};

/// A burst of ten within 90 ms, then one every second.
const RECORDED: [u64; 14] = [
    500, 10_500, 20_500, 30_500, 40_500, 50_500, 60_500, 70_500, 80_500, 90_500, 1_000_500, 2_000_500,
    3_000_500, 3_000_500,
];

fn trace(scale: TraceScale, rate: Option<f64>) -> Trace {
    Trace::new(&RECORDED, scale, rate, Stream::new(1, "arrivals:trace")).expect("arrivals that take time")
}

fn taken(trace: Trace, count: usize) -> Vec<TraceArrival> {
    trace.take(count).collect()
}

#[test]
fn as_recorded_from_the_first_one_on_and_a_mean_gap_between_rounds() {
    let found = taken(trace(TraceScale::Time, None), 30);
    let dues: Vec<u64> = found.iter().map(|arrival| arrival.due_us).collect();
    let first: Vec<u64> = RECORDED.iter().map(|at| at - 500).collect();
    assert_eq!(dues[..14], first);
    // 3 s over 13 gaps.
    let round = 3_000_000 + 3_000_000 / 13;
    assert_eq!(dues[14..28], first.iter().map(|at| at + round).collect::<Vec<_>>());
    assert_eq!((found[13].round, found[13].place), (0, 13));
    assert_eq!((found[14].round, found[14].place), (1, 0));
}

#[test]
fn scaled_in_time_gaps_keep_their_proportions() {
    let rate = recorded_rate(&RECORDED).expect("a rate");
    assert!((rate - 13.0 / 3.0).abs() < 1e-12);
    let same = taken(trace(TraceScale::Time, Some(rate)), 14);
    assert!(same.iter().zip(RECORDED).all(|(found, at)| found.due_us.abs_diff(at - 500) <= 1));
    let twice = taken(trace(TraceScale::Time, Some(2.0 * rate)), 14_000);
    for (found, at) in twice.iter().zip(RECORDED) {
        assert!(found.due_us.abs_diff((at - 500) / 2) <= 1, "{found:?}");
    }
    let lasts = twice[13_999].due_us as f64 / 1e6;
    assert!((14_000.0 / lasts / (2.0 * rate) - 1.0).abs() < 1e-3);
    assert!(
        twice.iter().enumerate().all(|(number, found)| found.place == number % 14),
        "in the recorded order"
    );
}

#[test]
fn thinned_in_rate_each_arrival_is_kept_or_not_and_never_moved() {
    let rate = recorded_rate(&RECORDED).expect("a rate");
    let found = taken(trace(TraceScale::Rate, Some(0.3 * rate)), 30_000);
    let round = |arrival: &TraceArrival| {
        (arrival.round as u128 * 3_000_000 * 14 + u128::from(RECORDED[arrival.place] - 500) * 13) / 13
    };
    assert!(found.iter().all(|arrival| u128::from(arrival.due_us) == round(arrival) && arrival.copy == 0));
    for place in 0..14 {
        let kept = found.iter().filter(|arrival| arrival.place == place).count() as f64;
        let share = kept / found[29_999].round as f64;
        assert!((share - 0.3).abs() < 0.02, "place {place}: {share}");
    }
}

#[test]
fn above_the_recorded_rate_copies_follow_their_originals_before_the_next_one() {
    let rate = recorded_rate(&RECORDED).expect("a rate");
    let found = taken(trace(TraceScale::Rate, Some(2.5 * rate)), 35_000);
    assert!(found.is_sorted_by_key(|arrival| arrival.due_us));
    let a_second = 35_000.0 / (found[34_999].due_us as f64 / 1e6);
    assert!((a_second / (2.5 * rate) - 1.0).abs() < 0.02, "{a_second}");
    for copy in 0..3 {
        let copies = found.iter().filter(|arrival| arrival.copy == copy).count() as f64 / 14_000.0;
        assert!((copies - if copy == 2 { 0.5 } else { 1.0 }).abs() < 0.02, "copy {copy}: {copies}");
    }
    // Of two at one instant, the copies of the first have that instant as well.
    let together = found.iter().filter(|arrival| arrival.place == 12 && arrival.round == 0);
    assert!(together.into_iter().all(|arrival| arrival.due_us == 3_000_000));
    // The recorded burst stays where it was, and grows.
    let in_burst = found.iter().filter(|arrival| arrival.round == 0 && arrival.due_us < 90_000).count();
    assert!((18..=27).contains(&in_burst), "{in_burst} of 9 at 2.5 times the rate");
}

/// Scaled in rate, what came in bursts still does, and at the same times; scaled in time it comes at others.
#[test]
fn scaled_in_rate_the_load_keeps_its_course() {
    let recorded: Vec<u64> = (0..6_000_u64)
        .scan(0, |at, number| {
            let gap = if (number / 500) % 2 == 0 { 2_000 } else { 40_000 };
            *at += gap;
            Some(*at - gap)
        })
        .collect();
    let rate = recorded_rate(&recorded).expect("a rate");
    let scaled = |scale, times| {
        let stream = Stream::new(1, "course");
        let trace = Trace::new(&recorded, scale, Some(rate * times), stream).expect("a trace");
        let dues: Vec<u64> =
            trace.take_while(|arrival| arrival.round == 0).map(|arrival| arrival.due_us).collect();
        counts(&dues, 1_000_000)
    };
    let original = counts(&recorded, 1_000_000);
    let likeness = |other: &[f64]| {
        let (a, b) = (mean(&original), mean(other));
        let pairs = || original.iter().zip(other);
        let covariance: f64 = pairs().map(|(x, y)| (x - a) * (y - b)).sum();
        let squares: (f64, f64) =
            pairs().fold((0.0, 0.0), |sums, (x, y)| (sums.0 + (x - a).powi(2), sums.1 + (y - b).powi(2)));
        covariance / (squares.0 * squares.1).sqrt()
    };
    for times in [0.3, 1.7, 4.0] {
        let found = likeness(&scaled(TraceScale::Rate, times));
        assert!(found > 0.95, "{times}: {found}");
    }
    let found = likeness(&scaled(TraceScale::Time, 1.7));
    assert!(found < 0.5, "in time: {found}");
    assert!(dispersion(&recorded, 1_000_000) > 100.0, "the recorded load is uneven");
}

#[test]
fn arrivals_that_take_no_time_are_no_trace() {
    for recorded in [&[][..], &[5], &[5, 5, 5]] {
        assert_eq!(recorded_rate(recorded), None);
        assert!(Trace::new(recorded, TraceScale::Time, None, Stream::new(1, "t")).is_none());
    }
}
