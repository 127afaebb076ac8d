//! Every warning, where it belongs and nowhere else.

use std::collections::BTreeSet;

use metrics_core::{ClientSample, Conditions, Facts, Happening, Micros, TokenSource, Tokens, WarningCode};

use crate::scene::{Scene, answer, calibration};

fn codes(scene: &Scene) -> Vec<(WarningCode, Option<u32>)> {
    scene.summary().warnings.iter().map(|warning| (warning.code, warning.tier)).collect()
}

/// Enough answers of one token an event that nothing is to be warned of.
fn plenty(change: impl Fn(Facts) -> Facts) -> Scene {
    Scene::tier(4, (0..400).map(|i| change(answer(i * 100, 20))))
}

/// The generator carries only so many token events a second.
fn with_ceiling(mut scene: Scene, events_per_s: f64) -> Scene {
    let mut calibration = calibration();
    calibration.ceiling.events_per_s = Some(events_per_s);
    scene.calibration = Some(calibration);
    scene
}

/// All tokens in one read, when the whole answer would have ended.
fn in_one_burst(facts: Facts) -> Facts {
    Facts { first_token: facts.last_token, gaps_us: Vec::new(), gap_events: vec![20], ..facts }
}

#[test]
fn a_sound_run_has_none() {
    assert_eq!(codes(&plenty(|facts| facts)), []);
}

#[test]
fn each_for_its_reason_alone() {
    use WarningCode::*;
    let cached = |facts| Facts { cached_tokens: Some(Tokens(6)), ..facts };
    let unique = Conditions { unique_prompts: true, ..Conditions::default() };
    let late_timers = ClientSample {
        tier: Some(4),
        timer_delay_us: vec![6_000; 200],
        cpu: Some(0.1),
        ..ClientSample::default()
    };
    let with = |conditions| Scene { conditions, ..plenty(|facts| facts) };
    let table = [
        (BufferedStream, Some(4), plenty(in_one_burst)),
        (
            CountedByEvents,
            Some(4),
            plenty(|facts| Facts { token_source: Some(TokenSource::Events), ..facts }),
        ),
        (CachedInput, Some(4), Scene { conditions: unique, ..plenty(cached) }),
        (TokensPerEvent, Some(4), plenty(|facts| Facts { output_tokens: Some(Tokens(40)), ..facts })),
        (FewValues, Some(4), Scene::tier(4, (0..367).map(|i| answer(i * 100, 20)))),
        (Reconnected, Some(4), plenty(|facts| Facts { reconnects: u32::from(facts.due.0 == 0), ..facts })),
        (InterEventUnsupported, Some(4), Scene { client: vec![late_timers], ..plenty(|facts| facts) }),
        (UnoptimisedClient, None, with(Conditions { unoptimised: true, ..Conditions::default() })),
        (CoLocated, None, with(Conditions { co_located: true, ..Conditions::default() })),
        (InsecureTls, None, with(Conditions { insecure_tls: true, ..Conditions::default() })),
        (OutputCapped, None, with(Conditions { output_capped: true, ..Conditions::default() })),
        (LowHeadroom, Some(4), with_ceiling(plenty(|facts| facts), 600.0)),
        (Uncalibrated, None, Scene { calibration: None, ..plenty(|facts| facts) }),
        (Interrupted, None, Scene { interrupted: true, ..plenty(|facts| facts) }),
        (
            Interrupted,
            None,
            plenty(|facts| facts).happened(9, Happening::Stopped { by: "max_errors".to_owned() }),
        ),
        (
            UsageRefused,
            None,
            plenty(|facts| facts).happened(1, Happening::UsageRefused { message: "no".to_owned() }),
        ),
    ];
    for (code, tier, scene) in &table {
        assert_eq!(codes(scene), [(*code, *tier)]);
        let message = &scene.summary().warnings[0].message;
        assert_eq!(message.starts_with("C4: "), tier.is_some(), "{message}");
        assert!(message.len() > 60, "says what it means and what to do: {message}");
    }
    let reached: BTreeSet<WarningCode> = table.iter().map(|(code, ..)| *code).collect();
    assert_eq!(reached.len(), 15, "all but mixed sources, which never stand alone");
}

#[test]
fn mixed_sources_are_named_beside_the_estimated_part() {
    let scene = plenty(|facts| match facts.due.0 {
        0 => Facts { token_source: Some(TokenSource::Events), ..facts },
        _ => facts,
    });
    assert_eq!(
        codes(&scene),
        [(WarningCode::CountedByEvents, Some(4)), (WarningCode::MixedTokenSources, Some(4))]
    );
    assert_eq!(scene.summary().warnings[0].value, Some(0.0025));
}

#[test]
fn the_limits_themselves_are_still_in_order() {
    // Five per cent cached; prompts that are meant to share; 2 % more tokens than events.
    let cached = |tokens| move |facts| Facts { cached_tokens: Some(Tokens(tokens)), ..facts };
    let unique = Conditions { unique_prompts: true, ..Conditions::default() };
    assert_eq!(codes(&Scene { conditions: unique, ..plenty(cached(5)) }), []);
    assert_eq!(codes(&plenty(cached(90))), []);
    let with_end_token =
        Scene::tier(4, (0..400).map(|i| Facts { output_tokens: Some(Tokens(51)), ..answer(i, 50) }));
    assert_eq!(codes(&with_end_token), []);
    assert_eq!(
        codes(&Scene::tier(4, (0..368).map(|i| answer(i * 100, 20)))),
        [],
        "a P99 is bounded from 368"
    );
}

/// dstack#4269: a proxy that buffers gives output in bursts of 16 KB.
#[test]
fn dstack_4269_bursts_in_mid_stream_are_seen() {
    let bursts = |facts: Facts| Facts {
        gaps_us: vec![190_000],
        gap_events: vec![10, 10],
        last_token: Some(Micros(facts.due.0 + 390_000)),
        ..facts
    };
    let scene = plenty(bursts);
    assert!(codes(&scene).contains(&(WarningCode::BufferedStream, Some(4))));
    assert_eq!(scene.summary().warnings[0].value, Some(1.0));
}

#[test]
fn half_of_the_answers_is_not_yet_the_rule() {
    let some = |every: u64| {
        plenty(move |facts| if facts.due.0 / 100_000 % every == 0 { facts } else { in_one_burst(facts) })
    };
    assert_eq!(codes(&some(2)), []);
    assert_eq!(codes(&some(3)), [(WarningCode::BufferedStream, Some(4))]);
}

#[test]
fn a_long_queue_and_a_service_that_writes_blocks_are_no_proxy() {
    let queued = |facts: Facts| {
        let later = |at: Option<Micros>| at.map(|at| Micros(at.0 + 60_000_000));
        Facts {
            first_token: later(facts.first_token),
            last_token: later(facts.last_token),
            end: later(facts.end),
            ..facts
        }
    };
    assert_eq!(codes(&plenty(queued)), []);
    let blocks = |facts: Facts| Facts { output_tokens: Some(Tokens(320)), ..facts };
    assert_eq!(codes(&plenty(blocks)), [(WarningCode::TokensPerEvent, Some(4))]);
}

#[test]
fn ordered_by_code_then_by_tier() {
    let mut scene = Scene::tier(4, [answer(0, 10)]).and_tier(2, [answer(9_000, 10)]);
    scene.conditions.co_located = true;
    scene.place("open", None, true, [answer(20_000, 10)]);
    assert_eq!(
        codes(&scene),
        [
            (WarningCode::FewValues, Some(4)),
            (WarningCode::FewValues, Some(2)),
            (WarningCode::FewValues, None),
            (WarningCode::CoLocated, None)
        ]
    );
    let messages: Vec<String> = scene.summary().warnings.into_iter().map(|warning| warning.message).collect();
    assert!(messages[0].starts_with("C4: P95 and P99 of 1: "), "{}", messages[0]);
    assert!(messages[2].starts_with("outside tiers: "), "{}", messages[2]);
}
