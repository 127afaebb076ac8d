//! The parts of a run: groups within a tier, origins, turns of conversations, lengths and tries.

use metrics_core::{
    Comparison, Ended, Facts, Fault, FaultKind, Input, Micros, Origin, Over, PlannedCount, Record, Seconds,
    SuccessRule, Tokens, Turn, WarningCode, failed_requests, judge_limit,
};

use crate::scene::{Scene, answer, record, refusal};

/// Two groups take turns at C2: `qa` is answered in 40 tokens, every fourth request of `long` refused.
fn two_groups() -> Scene {
    let mut scene = Scene::default();
    for (seq, group) in (0..24).zip(["qa", "qa", "long"].into_iter().cycle()) {
        let facts = match (group, seq % 4) {
            ("long", 0) => refusal(seq * 500),
            _ => answer(seq * 500, 40),
        };
        scene.records.push(Record {
            group: group.to_owned(),
            origin: Some(if group == "qa" { Origin::Real } else { Origin::Assumed }),
            ..record(seq, "steps", Some(2), facts)
        });
    }
    for (group, origin, count) in [("qa", Origin::Real, 16), ("long", Origin::Assumed, 8)] {
        scene.planned.push(PlannedCount {
            stage: "steps".to_owned(),
            tier: Some(2),
            group: group.to_owned(),
            origin: Some(origin),
            count,
            measured: true,
        });
    }
    scene
}

#[test]
fn a_tier_holds_its_groups_and_their_rates_add_up_to_its_own() {
    let summary = two_groups().summary();
    let tier = &summary.tiers[0];
    let names: Vec<&str> = tier.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["qa", "long"]);
    let rates: f64 = tier.groups.iter().filter_map(|group| group.figures.output_tps).sum();
    assert!((rates - tier.figures.output_tps.unwrap()).abs() < 2e-6);
    assert_eq!((tier.groups[1].figures.planned, tier.groups[1].figures.effective), (8, 6));
    assert!(tier.figures.sustained_output_tps.is_some());
    for group in &tier.groups {
        assert_eq!(group.figures.sustained_output_tps, None);
        assert_eq!(group.figures.sustained_absent.as_deref(), Some("part of a tier"));
    }
}

#[test]
fn origins_are_counted_apart() {
    let summary = two_groups().summary();
    let counts: Vec<_> = summary.totals.origins.iter().map(|o| (o.origin, o.planned, o.effective)).collect();
    assert_eq!(counts, [(Origin::Real, 16, 16), (Origin::Assumed, 8, 6)]);
    assert_eq!(summary.tiers[0].figures.origins, summary.totals.origins);
    let assumed = summary.warnings.iter().find(|warning| warning.code == WarningCode::AssumedTraffic);
    assert_eq!(assumed.map(|warning| (warning.tier, warning.value)), Some((None, Some(0.333_333))));
}

#[test]
fn a_request_without_a_row_is_counted_under_the_origin_that_it_was_planned_with() {
    let mut scene = two_groups();
    scene.records.retain(|record| record.group == "qa" || record.seq > 8);
    let origins = scene.summary().totals.origins;
    assert_eq!((origins[1].origin, origins[1].planned, origins[1].effective), (Origin::Assumed, 8, 4));
}

/// A summary of one group whose rows tell no origin has the keys that it always had.
#[test]
fn a_run_of_older_rows_has_none_of_the_parts() {
    let mut scene = Scene::tier(2, (0..8).map(|i| answer(i * 500, 10)));
    // The schedule of an older package is made anew, and knows origins.
    scene.planned[0].origin = Some(Origin::Synthetic);
    let text = serde_json::to_string(&scene.summary()).unwrap();
    for key in ["origins", "turns", "lengths", "tries", "retried"] {
        assert!(!text.contains(&format!("\"{key}\"")), "{key} stands in {text}");
    }
    assert_eq!(text.matches("\"groups\"").count(), 1);
}

/// A conversation of `turns` turns, each due two seconds after the answer before.
fn conversations(turns: u32) -> Scene {
    let mut scene = Scene::default();
    for turn in 1..=turns {
        let due = u64::from(turn) * 3_000;
        scene.records.push(Record {
            turn: Some(turn),
            origin: Some(Origin::Synthetic),
            ..record(u64::from(turn) - 1, "steps", Some(1), answer(due, 10 * u64::from(turn)))
        });
    }
    scene.planned.push(PlannedCount {
        stage: "steps".to_owned(),
        tier: Some(1),
        group: "all".to_owned(),
        origin: Some(Origin::Synthetic),
        count: u64::from(turns),
        measured: true,
    });
    scene
}

#[test]
fn turns_stand_apart_and_the_last_holds_all_later_ones() {
    let turns = conversations(13).summary().turns;
    let numbers: Vec<(u32, u64)> = turns.iter().map(|turn| (turn.turn, turn.figures.planned)).collect();
    let expected: Vec<(u32, u64)> = (1..10).map(|turn| (turn, 1)).chain([(Turn::LAST, 4)]).collect();
    assert_eq!(numbers, expected);
    // First token after 200 ms and a token every 20 ms, however long was thought before.
    assert_eq!(turns[1].figures.ttft_s.max, Some(Seconds::new(0.2)));
    assert_eq!(turns[1].figures.e2e_s.max, Some(Seconds::new(0.2 + 19.0 * 0.02 + 0.005)));
}

#[test]
fn a_turn_that_was_never_sent_breaks_its_conversation() {
    let mut scene = conversations(3);
    scene.records[1].facts = refusal(6_000);
    let fault = Fault { kind: FaultKind::NoAnswerBefore, message: String::new() };
    scene.records[2].facts = Facts { due: Micros(6_010_000), error: Some(fault), ..Facts::default() };
    let broken = |scene: &Scene| {
        let warnings = scene.summary().warnings;
        warnings.into_iter().find(|warning| warning.code == WarningCode::ConversationBroken)
    };
    assert_eq!(broken(&scene).map(|warning| (warning.tier, warning.value)), Some((Some(1), Some(1.0))));
    // Where the run was cut short before it, that is why it was not sent.
    scene.records[2].facts.error = None;
    assert_eq!(broken(&scene), None);
    assert_eq!(broken(&conversations(3)), None);
}

/// `answer` reports 100 input tokens.
fn asked(input: u64) -> Scene {
    Scene::tier(1, (0..5).map(|i| Facts { asked_input: Some(Tokens(input)), ..answer(i * 1_000, 10) }))
}

#[test]
fn missed_lengths_are_warned_of_with_the_median() {
    let missed = |scene: Scene| {
        let warnings = scene.summary().warnings;
        let found = warnings.into_iter().find(|warning| warning.code == WarningCode::AskedLengthsMissed);
        found.map(|warning| warning.value.unwrap())
    };
    for (input, expected) in [(100, None), (91, None), (110, None), (90, Some(1.111_111)), (125, Some(0.8))] {
        assert_eq!(missed(asked(input)), expected, "{input}");
    }
}

#[test]
fn a_group_whose_lengths_are_missed_is_not_hidden_by_the_others() {
    let mut scene = two_groups();
    for record in &mut scene.records {
        record.facts.asked_input = Some(Tokens(if record.group == "qa" { 100 } else { 200 }));
    }
    let warnings = scene.summary().warnings;
    let missed = warnings.iter().find(|warning| warning.code == WarningCode::AskedLengthsMissed);
    assert_eq!(missed.and_then(|warning| warning.value), Some(0.5));
}

/// evalscope and vllm#42532: what was asked for stands beside what came.
#[test]
fn an_answer_that_is_too_short_is_in_the_lengths() {
    let mut scene = Scene::tier(
        1,
        [50, 50, 20]
            .into_iter()
            .enumerate()
            .map(|(i, tokens)| Facts { asked_output: Some(Tokens(50)), ..answer(i as u64 * 2_000, tokens) }),
    );
    let fixed = SuccessRule { fixed_output: true, ..SuccessRule::default() };
    scene.rules.insert("all".to_owned(), fixed);
    let figures = scene.figures();
    assert_eq!(figures.effective, 2);
    let output = figures.lengths.unwrap().output.unwrap();
    assert_eq!((output.n, output.asked, output.received), (3, 150, 120));
    assert_eq!((output.ratio.min, output.ratio.p50, output.ratio.max), (0.4, 1.0, 1.0));
}

#[test]
fn tries_are_counted_where_there_was_more_than_one() {
    let mut scene = Scene::tier(1, [refusal(0), answer(1_000, 10)]);
    assert_eq!((scene.figures().tries, scene.figures().retried), (None, None));
    let again = Record { attempt: 1, ..record(0, "steps", Some(1), answer(500, 10)) };
    scene.records.push(again);
    let figures = scene.figures();
    assert_eq!((figures.planned, figures.effective), (2, 2));
    assert_eq!((figures.tries, figures.retried), (Some(3), Some(1)));
    assert_eq!(figures.e2e_s.max, Some(Seconds::new(0.5 + 0.2 + 9.0 * 0.02 + 0.005)), "from the first due");
}

#[test]
fn a_limit_is_judged_over_a_group() {
    let scene = two_groups();
    let judge = |input: &Input<'_>, tier, group| {
        judge_limit(input, Over { tier, group }, "success_rate", Comparison::AtLeast, 0.9).unwrap()
    };
    let input = scene.input();
    assert_eq!(judge(&input, Some(2), Some("qa")).contract, Some(true));
    let long = judge(&input, Some(2), Some("long"));
    assert_eq!((long.contract, long.n, long.exceeding), (Some(false), 8, Some(2)));
    assert_eq!(judge(&input, None, Some("long")), long);
    assert_eq!(judge(&input, Some(2), None).n, 24);
    let nobody = judge(&input, Some(2), Some("nobody"));
    assert_eq!((nobody.contract, nobody.n), (None, 0), "nothing is judged of a group that is not there");
}

#[test]
fn a_group_that_is_the_whole_tier_has_its_sustained_rate() {
    let scene = Scene::tier(2, (0..8).map(|i| answer(i * 200, 10)));
    let over = |group| Over { tier: Some(2), group };
    let judge = |group| {
        judge_limit(&scene.input(), over(group), "sustained_output_tps", Comparison::AtLeast, 1.0).unwrap()
    };
    assert!(judge(None).observed.is_some());
    assert_eq!(judge(Some("all")), judge(None));
}

#[test]
fn an_event_is_no_token_where_lengths_are_compared() {
    let by_events = Facts {
        asked_output: Some(Tokens(50)),
        token_source: Some(metrics_core::TokenSource::Events),
        ended: Ended::Done,
        ..answer(0, 10)
    };
    assert_eq!(Scene::tier(1, [by_events]).figures().lengths, None);
}

#[test]
fn a_failure_that_another_try_mended_is_no_failed_request() {
    let mut scene = Scene::tier(1, [refusal(0), refusal(1_000), refusal(2_000)]);
    let again = |seq, attempt, facts| Record { attempt, ..record(seq, "steps", Some(1), facts) };
    scene.records.push(again(0, 1, answer(500, 10)));
    scene.records.push(again(1, 1, refusal(1_500)));
    let failed = failed_requests(&scene.input(), 9);
    let found: Vec<_> = failed.iter().map(|one| (one.seq, one.tier, one.facts.end)).collect();
    let end = |facts: Facts| facts.end;
    assert_eq!(found, [(1, Some(1), end(refusal(1_500))), (2, Some(1), end(refusal(2_000)))]);
    assert_eq!(failed[0].facts.due, Micros(1_000_000), "waited for since the first try");
    let totals = scene.summary().totals;
    assert_eq!(failed.len() as u64, totals.finished - totals.effective);
    assert_eq!(failed_requests(&scene.input(), 1), failed[..1]);
}

#[test]
fn every_try_is_load_for_the_generator() {
    let headroom = |scene: &Scene| {
        let summary = scene.summary();
        (summary.client.headroom[0].requests, summary.client.headroom[0].events)
    };
    let mut scene = Scene::tier(1, [answer(0, 10)]);
    // 2,000 requests and 100,000 events a second, against 1 and 10 in 0.385 s.
    assert_eq!(headroom(&scene), (Some(770.0), Some(3_850.0)));
    scene.records.push(Record { attempt: 1, ..record(0, "steps", Some(1), answer(1_000, 10)) });
    // Two tries of 10 events in 1.385 s.
    assert_eq!(headroom(&scene), (Some(1_385.0), Some(6_925.0)));
}

#[test]
fn turns_of_several_groups_stand_apart_by_group() {
    let mut scene = two_groups();
    for record in &mut scene.records {
        record.turn = Some(1 + u32::from(record.group == "qa" && record.seq % 3 == 1));
    }
    let turns = scene.summary().turns;
    let names = |turn: &Turn| turn.groups.iter().map(|group| group.name.clone()).collect::<Vec<_>>();
    assert_eq!((names(&turns[0]), names(&turns[1])), (vec!["qa".into(), "long".into()], vec!["qa".into()]));
    for turn in &turns {
        let sum: u64 = turn.groups.iter().map(|group| group.figures.planned).sum();
        assert_eq!(sum, turn.figures.planned);
        let rates: f64 = turn.groups.iter().filter_map(|group| group.figures.rps).sum();
        assert!((rates - turn.figures.rps.unwrap()).abs() < 2e-6);
    }
    assert_eq!(turns[0].groups[1].figures.effective, 6, "two of eight were refused");
    assert!(conversations(2).summary().turns.iter().all(|turn| turn.groups.is_empty()), "one group");
}
