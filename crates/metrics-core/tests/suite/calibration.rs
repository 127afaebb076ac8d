//! For which runs a calibration speaks, and what its ceilings leave above a load.

use metrics_core::{
    CalibrationError, CalibrationUse, Ceiling, ClientLimit, Facts, Headroom, HeadroomOf, Micros, Spread,
    StreamsLimit, WarningCode,
};

use crate::scene::{Scene, answer, calibration};

const RUN: CalibrationUse<'_> = CalibrationUse {
    at: "2026-11-30T08:00:00Z",
    fingerprint: "abababababababababababababababababababababababababababababababab",
    tool_version: "0.1.0",
    optimised: true,
    io_threads: 1,
};

#[test]
fn it_speaks_for_a_run_of_the_same_machine_tool_and_threads_within_a_month() {
    let check = |run: CalibrationUse<'_>| calibration().speaks_for(&run);
    assert_eq!(check(RUN), Ok(()));
    assert_eq!(check(CalibrationUse { at: "2026-11-29T08:00:00Z", ..RUN }), Ok(()), "at the very instant");
    assert_eq!(
        check(CalibrationUse { at: "2026-12-29T08:00:00Z", ..RUN }),
        Ok(()),
        "thirty days to the second"
    );
    let stale = CalibrationError::Stale { measured_at: "2026-11-29T08:00:00Z".to_owned(), days: 30 };
    assert_eq!(check(CalibrationUse { at: "2026-12-29T08:00:01Z", ..RUN }), Err(stale));
    let undated = CalibrationError::Undated { measured_at: "2026-11-29T08:00:00Z".to_owned() };
    assert_eq!(check(CalibrationUse { at: "2026-11-29T07:59:59Z", ..RUN }), Err(undated.clone()));
    assert_eq!(check(CalibrationUse { at: "yesterday", ..RUN }), Err(undated));
    assert_eq!(check(CalibrationUse { fingerprint: "cd", ..RUN }), Err(CalibrationError::Foreign));
    let other =
        |here: &str| CalibrationError::OtherTool { found: "version 0.1.0".to_owned(), here: here.to_owned() };
    assert_eq!(check(CalibrationUse { tool_version: "0.2.0", ..RUN }), Err(other("version 0.2.0")));
    assert_eq!(
        check(CalibrationUse { optimised: false, ..RUN }),
        Err(other("version 0.1.0 without optimisation"))
    );
    let threads = CalibrationError::OtherIoThreads { found: 1, here: 4 };
    assert!(threads.to_string().ends_with("(measure again with `acceptbench calibrate --io-threads 4`)"));
    assert_eq!(check(CalibrationUse { io_threads: 4, ..RUN }), Err(threads));
}

#[test]
fn its_age_is_told_at_the_start_of_the_run() {
    let age = |at| calibration().age_at(at).map(|age| age.get());
    assert_eq!(age("2026-11-30T08:00:00.5Z"), Some(86_400.5));
    assert_eq!(age("2026-11-29T07:59:00Z"), Some(0.0), "measured within the run");
    assert_eq!(age("yesterday"), None);
    let told = Scene::default().summary().client.calibration.unwrap();
    assert_eq!((told.age_s.map(|age| age.get()), told.took_s.get()), (Some(86_400.0), 31.5));
    assert_eq!(told.fingerprint, RUN.fingerprint);
}

/// Ten requests of ten token events each, one after the other through four slots, over a window of exactly two seconds.
fn tier(concurrency: u32) -> Scene {
    let last_end = answer(0, 10).end.unwrap().0;
    let due = |at: u64| if at == 9 { 2_000_000 - last_end } else { 0 } / 1_000;
    Scene::tier(concurrency, (0..10).map(|at| answer(due(at), 10)))
}

fn headroom(scene: &Scene) -> Headroom {
    scene.summary().client.headroom[0].clone()
}

#[test]
fn headroom_is_ceiling_over_load() {
    let found = headroom(&tier(4));
    let expected = Headroom {
        tier: Some(4),
        streams: Some(250.0),
        events: Some(100_000.0 / 50.0),
        requests: Some(2_000.0 / 5.0),
        least: Some(250.0),
        limited_by: Some(HeadroomOf::Streams),
        unknown: Vec::new(),
    };
    assert_eq!(found, expected);
}

/// Ten streams where there is room for fifteen: near enough to matter where each of them costs something.
#[test]
fn open_files_and_ports_are_counted_and_never_too_near() {
    use StreamsLimit::{Cpu, Descriptors, Memory, Ports};
    let with = |limited_by: Option<StreamsLimit>| {
        let mut scene = tier(10);
        let ceiling = &mut scene.calibration.as_mut().unwrap().ceiling;
        (ceiling.streams, ceiling.streams_limited_by) = (Some(15), limited_by);
        let found = headroom(&scene);
        let warned = scene.summary().warnings.iter().any(|one| one.code == WarningCode::LowHeadroom);
        assert_eq!(found.streams, Some(1.5), "{limited_by:?} is shown");
        (found.limited_by, warned, scene.summary().client.limits_hit.len())
    };
    for counted in [Descriptors, Ports] {
        assert_eq!(with(Some(counted)), (Some(HeadroomOf::Requests), false, 0), "{counted:?}");
    }
    for gradual in [Some(Memory), Some(Cpu), None] {
        assert_eq!(with(gradual), (Some(HeadroomOf::Streams), true, 1), "{gradual:?}");
    }
}

#[test]
fn failed_requests_are_load_as_well_and_those_never_sent_are_none() {
    let mut scene = tier(4);
    for record in scene.records.iter_mut().take(4) {
        record.facts.status = Some(500);
    }
    assert_eq!(headroom(&scene), headroom(&tier(4)));
    scene.records[8].facts = Facts { due: Micros(5), ..Facts::default() };
    let found = headroom(&scene);
    assert_eq!((found.events, found.requests), (Some(six(100_000.0 / 45.0)), Some(six(2_000.0 / 4.5))));
}

fn six(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[test]
fn a_load_near_the_ceiling_is_warned_of_and_then_makes_the_generator_invalid() {
    let with = |events_per_s: f64| {
        let mut scene = tier(4);
        scene.calibration.as_mut().unwrap().ceiling.events_per_s = Some(events_per_s);
        let summary = scene.summary();
        let warned = summary.warnings.iter().find(|one| one.code == WarningCode::LowHeadroom).cloned();
        let hits: Vec<_> =
            summary.client.limits_hit.iter().map(|hit| (hit.limit, hit.tier, hit.observed)).collect();
        (warned.map(|warning| (warning.tier, warning.value)), hits, summary.client.valid)
    };
    // The load is 50 token events a second.
    assert_eq!(with(250.0), (None, vec![], None), "five times is enough");
    assert_eq!(with(249.0), (Some((Some(4), Some(4.98))), vec![], None));
    assert_eq!(
        with(100.0),
        (Some((Some(4), Some(2.0))), vec![], None),
        "twice is just enough to be evidence"
    );
    let hit = (ClientLimit::Headroom, Some(4), 1.98);
    assert_eq!(with(99.0), (Some((Some(4), Some(1.98))), vec![hit], Some(false)));
}

#[test]
fn a_ceiling_that_was_not_measured_leaves_nothing_to_say() {
    let mut scene = tier(4);
    let ceiling = &mut scene.calibration.as_mut().unwrap().ceiling;
    (ceiling.streams, ceiling.events_per_s, ceiling.requests_per_s) = (None, None, None);
    let found = headroom(&scene);
    assert_eq!((found.least, found.limited_by), (None, None));
    assert_eq!(found.unknown, [HeadroomOf::Streams, HeadroomOf::Events, HeadroomOf::Requests]);
    scene.calibration = None;
    let client = scene.summary().client;
    assert_eq!((client.calibration, client.headroom.len()), (None, 0));
}

#[test]
fn a_ceiling_that_was_not_measured_is_warned_of_in_each_tier_with_that_load() {
    let with = |change: fn(&mut Ceiling), scene: Scene| {
        let mut scene = scene;
        change(&mut scene.calibration.as_mut().unwrap().ceiling);
        let summary = scene.summary();
        let warned = summary.warnings.iter().filter(|one| one.code == WarningCode::Uncalibrated);
        warned.map(|one| one.tier).collect::<Vec<_>>()
    };
    let silent = || {
        let mut scene = tier(4);
        scene.records.iter_mut().for_each(|record| record.facts.token_events = 0);
        scene
    };
    assert_eq!(with(|_| {}, tier(4)), []);
    assert_eq!(with(|ceiling| ceiling.streams = None, tier(4)), [Some(4)]);
    assert_eq!(with(|ceiling| ceiling.events_per_s = None, tier(4)), [Some(4)]);
    assert_eq!(with(|ceiling| ceiling.requests_per_s = None, tier(4)), [Some(4)]);
    assert_eq!(with(|ceiling| ceiling.events_per_s = None, silent()), [], "no token event is no load");
    assert_eq!(
        with(|ceiling| ceiling.coalesced_events_per_s = None, tier(4)),
        [],
        "nothing is held against it"
    );
}

#[test]
fn a_tier_in_which_nothing_was_sent_has_no_headroom() {
    let scene = tier(4).and_tier(8, [Facts { due: Micros(9), ..Facts::default() }]);
    let tiers: Vec<_> = scene.summary().client.headroom.iter().map(|found| found.tier).collect();
    assert_eq!(tiers, [Some(4)]);
}

#[test]
fn a_spread_holds_raw_values() {
    let spread = Spread::of((1..=200).rev().map(Micros).collect()).unwrap();
    let us = [spread.p50, spread.p95, spread.p99, spread.max].map(|value| (value.get() * 1e6).round());
    assert_eq!((us, spread.n), ([100.0, 190.0, 198.0, 200.0], 200));
    assert_eq!(Spread::of(Vec::new()), None);
}

#[test]
fn written_and_read_back_it_is_the_same_and_a_strange_key_is_refused() {
    let text = serde_json::to_string_pretty(&calibration()).unwrap();
    assert_eq!(serde_json::from_str::<metrics_core::Calibration>(&text).unwrap(), calibration());
    let strange = text.replacen("\"v\": 1", "\"v\": 1, \"note\": \"\"", 1);
    assert!(serde_json::from_str::<metrics_core::Calibration>(&strange).is_err());
}
