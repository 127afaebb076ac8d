//! The highest tier once more: whether a client with more to work with gets more out of the service.

use metrics_core::{
    ClientLimit, ClientSample, Control, ControlChange, ControlResult, Ended, Facts, Happening, Micros,
    PlannedControl, Summary, Tokens,
};
use proptest::prelude::*;

use crate::scene::{Scene, answer, refusal};

const STAGE: &str = "control_threads";

/// Answers in four places that take so many milliseconds each, one after the other, from `start_ms` on.
fn closed_loop(start_ms: u64, times_ms: impl IntoIterator<Item = u64>) -> Vec<Facts> {
    let mut free = [start_ms; 4];
    let in_turn = times_ms.into_iter().map(|time| {
        let place = (0..4).min_by_key(|place| free[*place]).unwrap();
        let due = free[place];
        free[place] += time;
        let (last, end) = (Micros((due + time - 1) * 1_000), Micros((due + time) * 1_000));
        Facts { first_token: Some(last), last_token: Some(last), end: Some(end), ..answer(due, 10) }
    });
    in_turn.collect()
}

/// Times that differ from request to request, as those of different prompts do.
fn times(number: u64) -> impl Iterator<Item = u64> + Clone {
    (0..number).map(|i| 1_000 + i * 7_919 % 500)
}

/// A tier of four, and its repetition with twice the threads.
fn scene(before: Vec<Facts>, after: Vec<Facts>) -> Scene {
    let mut scene = Scene::tier(4, before);
    scene.place(STAGE, Some(4), false, after);
    let change = ControlChange { io_threads: Some(2), reduced_recording: false };
    scene.controls = vec![PlannedControl { stage: STAGE.to_owned(), tier: 4, change }];
    scene
}

fn control(summary: &Summary) -> &Control {
    &summary.control.as_ref().expect("a control").controls[0]
}

/// Which ratio hit the limit, if one did.
fn hit(summary: &Summary) -> Option<f64> {
    let hits: Vec<_> =
        summary.client.limits_hit.iter().map(|hit| (hit.limit, hit.tier, hit.observed)).collect();
    match hits[..] {
        [] => None,
        [(ClientLimit::Control, Some(4), observed)] => {
            assert_eq!(summary.client.valid, Some(false));
            Some(observed)
        }
        _ => panic!("{hits:?}"),
    }
}

#[track_caller]
fn check(before: Vec<Facts>, after: Vec<Facts>, result: ControlResult) {
    let summary = scene(before, after).summary();
    let found = control(&summary);
    assert_eq!(found.result, result, "{found:?}");
    assert_eq!(hit(&summary).is_some(), result == ControlResult::Grew, "{found:?}");
    assert_eq!(hit(&summary), found.growth);
}

#[test]
fn what_grew_what_did_not_and_what_chance_may_explain() {
    let percent =
        |number, share: u64| closed_loop(900_000, times(number).map(move |time| time * share / 100));
    for (number, share, result) in [
        (40, 80, ControlResult::Grew),
        (40, 94, ControlResult::Grew),
        (40, 97, ControlResult::NotGrown),
        (40, 100, ControlResult::NotGrown),
        (40, 130, ControlResult::NotGrown),
        // Six of six are no more than chance gives in 1.6 of a hundred.
        (6, 80, ControlResult::NotToldApart),
        (6, 100, ControlResult::NotToldApart),
        (7, 80, ControlResult::Grew),
        (7, 100, ControlResult::NotGrown),
    ] {
        check(closed_loop(0, times(number)), percent(number, share), result);
    }
    // As many are faster as are slower: faster in all, and nothing but chance.
    let uneven = times(40).enumerate().map(|(i, time)| if i % 2 == 0 { time / 2 } else { time * 11 / 10 });
    check(closed_loop(0, times(40)), closed_loop(900_000, uneven), ControlResult::NotToldApart);
}

#[test]
fn the_figures_are_those_of_each_run_by_itself() {
    // 40 requests of 1 s in four places: 10 s; and the same in 8 s.
    let summary = scene(closed_loop(0, [1_000; 40]), closed_loop(900_000, [800; 40])).summary();
    let figures = summary.control.as_ref().unwrap();
    let baseline = &figures.baseline;
    assert_eq!((figures.tier, baseline.planned, baseline.sent, baseline.effective), (4, 40, 40, 40));
    assert_eq!(baseline.window_s.map(|window| window.get()), Some(10.0));
    assert_eq!((baseline.arrivals_per_s, baseline.events_per_s), (Some(4.0), Some(40.0)));
    assert_eq!(baseline.output_tps, Some(40.0));
    let found = control(&summary);
    assert_eq!((found.rates.arrivals_per_s, found.rates.output_tps), (Some(5.0), Some(50.0)));
    assert_eq!((found.arrivals_ratio, found.output_ratio, found.pairs), (Some(1.25), Some(1.25), 40));
    assert_eq!(hit(&summary), Some(1.25));
}

#[test]
fn more_tokens_in_the_same_time_are_growth_as_well() {
    let more = closed_loop(900_000, times(40))
        .into_iter()
        .map(|facts| Facts { output_tokens: Some(Tokens(12)), ..facts });
    let summary = scene(closed_loop(0, times(40)), more.collect()).summary();
    assert_eq!(control(&summary).result, ControlResult::Grew);
    assert_eq!((control(&summary).arrivals_ratio, hit(&summary)), (Some(1.0), Some(1.2)));
}

/// The same times with fewer tokens for half of the requests: arrivals did not grow, and of output that is not told.
#[test]
fn nothing_is_said_not_to_have_grown_of_which_one_measure_says_nothing() {
    let with = |tokens: fn(usize) -> Option<Tokens>| {
        let after = closed_loop(900_000, times(40)).into_iter().enumerate();
        let after = after.map(|(i, facts)| Facts { output_tokens: tokens(i), ..facts });
        control(&scene(closed_loop(0, times(40)), after.collect()).summary()).result
    };
    assert_eq!(with(|i| Some(Tokens(if i % 2 == 0 { 11 } else { 7 }))), ControlResult::NotToldApart);
    assert_eq!(with(|_| Some(Tokens(10))), ControlResult::NotGrown);
    assert_eq!(with(|_| None), ControlResult::NotGrown, "output that nobody counted is not asked");
}

#[test]
fn rows_without_reads_are_compared_like_any() {
    let reduced = closed_loop(900_000, times(40).map(|time| time * 8 / 10)).into_iter().map(|facts| Facts {
        gaps_us: Vec::new(),
        text_sha256: None,
        ..facts
    });
    check(closed_loop(0, times(40)), reduced.collect(), ControlResult::Grew);
}

#[test]
fn a_control_with_many_failures_is_told_of_and_not_compared() {
    let fast = || closed_loop(900_000, times(40).map(|time| time / 2));
    let failed = |number: usize| {
        fast().into_iter().enumerate().map(move |(i, facts)| match i < number {
            true => refusal(facts.due.0 / 1_000),
            false => facts,
        })
    };
    check(closed_loop(0, times(40)), failed(2).collect(), ControlResult::Grew);
    check(closed_loop(0, times(40)), failed(3).collect(), ControlResult::NotToldApart);
    let summary = scene(closed_loop(0, times(40)), failed(3).collect()).summary();
    assert_eq!((control(&summary).rates.effective, control(&summary).pairs), (37, 37));
    assert_eq!((summary.totals.planned, summary.totals.success_rate), (40, Some(1.0)), "the service's own");
}

#[test]
fn a_control_that_did_not_run_to_its_end_says_so_and_changes_nothing() {
    let fast = || closed_loop(900_000, times(40).map(|time| time / 2));
    let never = |facts: Facts| Facts { due: facts.due, ..Facts::default() };
    let cut = fast().into_iter().enumerate().map(|(i, facts)| if i < 39 { facts } else { never(facts) });
    check(closed_loop(0, times(40)), cut.collect(), ControlResult::NotFinished);
    check(closed_loop(0, times(40)), fast().into_iter().map(never).collect(), ControlResult::NotFinished);
    // A row that is not there at all.
    let mut missing = scene(closed_loop(0, times(40)), fast());
    missing.records.pop();
    assert_eq!(control(&missing.summary()).result, ControlResult::NotFinished);
    let mut cancelled = scene(closed_loop(0, times(40)), fast());
    cancelled.records.last_mut().unwrap().facts.ended = Ended::Cancelled;
    let cancelled = cancelled.happened(990, Happening::Stopped { by: "interrupt".to_owned() });
    assert_eq!(control(&cancelled.summary()).result, ControlResult::NotFinished);
    // Nor is anything said of a tier that did not.
    let mut cut = closed_loop(0, times(40));
    cut[39] = never(cut[39].clone());
    check(cut, fast(), ControlResult::NotFinished);
}

#[test]
fn a_control_enters_no_figure_of_the_sweep() {
    let second = |stage: &str, cpu| ClientSample {
        at: Micros(1_000_000),
        stage: Some(stage.to_owned()),
        tier: Some(4),
        cpu: Some(cpu),
        timer_delay_us: vec![100; 100],
        ..ClientSample::default()
    };
    let mut alone = Scene::tier(4, closed_loop(0, times(40)));
    alone.client = vec![second("steps", 0.2)];
    let alone = alone.summary();
    let mut both = scene(closed_loop(0, times(40)), closed_loop(900_000, times(40)));
    both.client = vec![second("steps", 0.2), second(STAGE, 0.99)];
    let mut both = both.summary();
    assert!(alone.control.is_none() && !serde_json::to_string(&alone).unwrap().contains("\"control\""));
    assert_eq!(both.client.valid, Some(true));
    both.control = None;
    both.run.duration_s = alone.run.duration_s;
    assert_eq!(both, alone);
}

/// P(Bin(n, 1/2) ≥ k) by the plain definition.
fn chance(n: usize, k: usize) -> f64 {
    let ways = |k: usize| (1..=k).map(|j| (n - k + j) as f64 / j as f64).product::<f64>();
    (k..=n).map(|j| ways(j) * 0.5_f64.powi(n as i32)).sum()
}

proptest! {
    /// With as many tokens everywhere both comparisons are the same one.
    #[test]
    fn the_result_is_that_of_the_definition(pairs in prop::collection::vec((500_u64..2_000, 500_u64..2_000), 4..60)) {
        let summary = scene(
            closed_loop(0, pairs.iter().map(|pair| pair.0)),
            closed_loop(900_000, pairs.iter().map(|pair| pair.1)),
        )
        .summary();
        let span = |facts: Vec<Facts>| {
            facts.iter().map(|one| one.end.unwrap().0).max().unwrap() - facts.iter().map(|one| one.due.0).min().unwrap()
        };
        let ratio = span(closed_loop(0, pairs.iter().map(|pair| pair.0))) as f64
            / span(closed_loop(0, pairs.iter().map(|pair| pair.1))) as f64;
        prop_assume!((ratio - 1.05).abs() > 1e-5);
        let faster = pairs.iter().filter(|(before, after)| before > after).count();
        let within = pairs.iter().filter(|(before, after)| before * 100 <= after * 105).count();
        let expected = if ratio > 1.05 && chance(pairs.len(), faster) <= 0.0125 {
            ControlResult::Grew
        } else if ratio <= 1.05 && chance(pairs.len(), within) <= 0.0125 {
            ControlResult::NotGrown
        } else {
            ControlResult::NotToldApart
        };
        prop_assert_eq!(control(&summary).result, expected);
    }
}
