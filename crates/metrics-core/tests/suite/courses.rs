//! What charts are drawn from, against naive counting.

use metrics_core::{
    Curve, Ended, Facts, Micros, Outcome, Seconds, classify, latency_curves, load_course, tier_timelines,
};
use proptest::prelude::*;

use crate::{
    random_runs::scenes,
    scene::{Scene, answer, refusal},
};

/// The percentile that a curve tells of a percentage in thousandths.
fn told(curve: &Curve, per_mille: u16) -> Option<Seconds> {
    curve.steps.iter().find(|step| per_mille <= step.until_per_mille).map(|step| step.value)
}

fn check_curves(scene: &Scene) {
    let (summary, curves) = (scene.summary(), latency_curves(&scene.input()));
    assert_eq!(curves.len(), summary.tiers.len());
    for (tier, curves) in summary.tiers.iter().zip(&curves) {
        assert_eq!(tier.concurrency, curves.concurrency);
        for (found, curve) in [(&tier.figures.ttft_s, &curves.ttft_s), (&tier.figures.e2e_s, &curves.e2e_s)] {
            assert_eq!((found.n, found.left_out), (curve.n, curve.left_out));
            let figures =
                [(500, found.p50), (900, found.p90), (950, found.p95), (990, found.p99), (1000, found.max)];
            for (per_mille, figure) in figures {
                assert_eq!(told(curve, per_mille), figure, "{per_mille}");
            }
            let ascending = |pair: &[metrics_core::CurveStep]| {
                pair[0].value < pair[1].value && pair[0].until_per_mille < pair[1].until_per_mille
            };
            assert!(curve.steps.windows(2).all(ascending) && curve.steps.len() <= 120, "{:?}", curve.steps);
        }
    }
}

/// How many of the spans there are on average between two instants: every microsecond of a span within is one of theirs.
fn at_once(spans: &[(u64, u64)], from: u64, until: u64) -> f64 {
    let shared = |span: &(u64, u64)| span.1.min(until).saturating_sub(span.0.max(from));
    spans.iter().map(shared).sum::<u64>() as f64 / (until - from) as f64
}

fn check_course(scene: &Scene, most_columns: usize) {
    let begun: Vec<_> = scene.records.iter().filter(|record| record.facts.ended != Ended::NotSent).collect();
    let end = begun.iter().filter_map(|record| record.facts.end).max();
    let Some(course) = load_course(&scene.input(), most_columns) else {
        assert_eq!(end, None);
        return;
    };
    let end = end.unwrap().0;
    let column = Micros::from_secs_f64(course.column_s.get()).0;
    assert!(column.is_multiple_of(1_000_000) && course.columns.len() <= most_columns.max(1));
    assert!(
        (course.columns.len() as u64) * column > end && (course.columns.len() as u64 - 1) * column <= end
    );

    let until = |facts: &Facts| facts.end.map_or(end, |end| end.0);
    let in_flight: Vec<(u64, u64)> =
        begun.iter().filter_map(|row| Some((row.facts.sent?.0, until(&row.facts)))).collect();
    let waiting: Vec<(u64, u64)> = begun
        .iter()
        .map(|row| (row.facts.due.0, row.facts.sent.map_or_else(|| until(&row.facts), |sent| sent.0)))
        .collect();
    let outcome = |row: &metrics_core::Record| {
        classify(&row.facts, &scene.rules.get(&row.group).cloned().unwrap_or_default())
    };
    for (at, found) in (0..).zip(&course.columns) {
        let (from, until) = (at * column, (at + 1) * column);
        assert!((found.in_flight - at_once(&in_flight, from, until)).abs() < 1e-6, "column {at}");
        assert!((found.waiting - at_once(&waiting, from, until)).abs() < 1e-6, "column {at}");
        let ended = |effective: bool| {
            let within = |row: &&&metrics_core::Record| {
                row.facts.end.is_some_and(|end| (from..until).contains(&end.0))
                    && (outcome(row) == Outcome::Effective) == effective
            };
            begun.iter().filter(within).count() as u64
        };
        assert_eq!((found.effective, found.unsuccessful), (ended(true), ended(false)));
    }
    let told = |facts: &Facts| {
        let events: u64 = facts.token_reads().map(|(_, events)| u64::from(events)).sum();
        events > 0 && events == facts.token_events && facts.output_tokens.is_some()
    };
    let (told, untold): (Vec<&metrics_core::Record>, Vec<_>) =
        begun.iter().filter(|row| outcome(row) == Outcome::Effective).partition(|row| told(&row.facts));
    let tokens: u64 = told.iter().filter_map(|row| row.facts.output_tokens).map(|tokens| tokens.0).sum();
    let found: f64 = course.columns.iter().map(|column| column.output_tokens).sum();
    assert!((found - tokens as f64).abs() < 1e-6 * (tokens as f64).max(1.0), "{found} of {tokens}");
    assert_eq!(course.without_instants, untold.len() as u64);
}

fn check_timelines(scene: &Scene, most: usize) {
    let (summary, timelines) = (scene.summary(), tier_timelines(&scene.input(), most));
    assert_eq!(timelines.len(), summary.tiers.len());
    for (tier, found) in summary.tiers.iter().zip(&timelines) {
        assert_eq!(tier.concurrency, found.concurrency);
        assert_eq!(found.begun + found.never_sent, tier.figures.planned);
        assert_eq!(found.begun - found.unsuccessful, tier.figures.effective);
        assert!(found.requests.len() <= most.max(1));
        assert_eq!(found.requests.len() as u64, found.begun.div_ceil(found.every));
        assert!(
            found.every == 1 || found.begun.div_ceil(found.every - 1) > most as u64,
            "no more is left out than must be"
        );
        assert!(found.requests.windows(2).all(|pair| pair[0].due <= pair[1].due));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn curves_courses_and_timelines_are_what_counting_gives(scene in scenes(), most in 1_usize..9) {
        check_curves(&scene);
        check_course(&scene, most);
        check_timelines(&scene, most);
    }
}

#[test]
fn a_curve_has_no_more_steps_however_many_values_there_are() {
    let many = (0..3_000).map(|at| {
        let mut facts = answer(at, 2);
        facts.end = facts.end.map(|end| Micros(end.0 + at * at % 7_919));
        facts
    });
    let scene = Scene::tier(4, many);
    check_curves(&scene);
    let curve = latency_curves(&scene.input()).remove(0).e2e_s;
    assert!(curve.n == 3_000 && curve.steps.len() > 90, "{}", curve.steps.len());
}

#[test]
fn every_request_that_failed_is_counted_as_one() {
    let scene = Scene::tier(2, [answer(0, 50), refusal(0), answer(10, 50), refusal(1_500)]);
    let course = load_course(&scene.input(), 10).unwrap();
    let columns: Vec<_> =
        course.columns.iter().map(|c| (c.in_flight, c.effective, c.unsuccessful, c.output_tokens)).collect();
    assert_eq!(columns, [(1.997, 0, 1, 80.0), (0.389, 2, 1, 20.0)]);
    assert_eq!((course.steps[0].from, course.steps[0].until), (Micros(0), Micros(1_510_000)));
    let timeline = tier_timelines(&scene.input(), 2).remove(0);
    assert_eq!((timeline.begun, timeline.unsuccessful, timeline.every), (4, 2, 2));
    assert_eq!(timeline.requests.iter().map(|request| request.seq).collect::<Vec<_>>(), [0, 2]);
}
