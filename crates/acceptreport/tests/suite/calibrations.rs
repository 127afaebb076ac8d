//! A package's calibration: evidence, from which headroom follows and is computed again by whoever checks.

use acceptreport::{Under, write_documents};
use metrics_core::{ClientLimit, HeadroomOf, WarningCode};
use report_render::Language;

use crate::{
    packages::{Made, QUICK, calibrated, calibrated_on, complete},
    program::run,
};

const CALIBRATION: &str = include_str!("../../../../fixtures/calibration.json");

fn written(calibration: &str) -> (Made, metrics_core::Summary) {
    let made = calibrated(Some(calibration), |_| true);
    let written = write_documents(&made.dir, &Under::Run, &Language::ALL, &QUICK, None).unwrap();
    (made, written.assessment.summary)
}

#[test]
fn headroom_follows_from_the_package_alone() {
    let (made, summary) = written(CALIBRATION);
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    run("verdict", &made.dir, &[]).ends(0, &["\nPASSED – "]);
    let told = summary.client.calibration.unwrap();
    assert_eq!(
        told.age_s.map(|age| age.get()),
        Some(36.0 * 3_600.0),
        "the run starts at 08:00 two days later"
    );
    // C2: 20 requests of three token events within five seconds.
    let least = &summary.client.headroom[1];
    assert_eq!((least.tier, least.streams, least.events), (Some(2), Some(478.0), Some(10_700.0)));
    assert_eq!((least.least, least.limited_by), (Some(478.0), Some(HeadroomOf::Streams)));
    for (language, says) in [("zh", "测试开始前 36.0 小时"), ("en", "36.0 hours before the run")] {
        let report = made.read(&format!("data/reports/report.{language}.md"));
        assert!(
            report.contains(says) && report.contains(&format!("](generator.{language}.svg)")),
            "{language}"
        );
        assert!(report.contains(&format!("`data/reports/generator.{language}.svg`")), "it is listed");
    }
}

#[test]
fn without_headroom_the_generator_is_not_valid_and_without_a_calibration_nothing_changes() {
    let (made, summary) = written(&CALIBRATION.replace("\"streams\": 956", "\"streams\": 3"));
    assert_eq!(summary.client.valid, Some(false));
    let hits: Vec<_> =
        summary.client.limits_hit.iter().map(|hit| (hit.limit, hit.tier, hit.observed)).collect();
    assert_eq!(hits, [(ClientLimit::Headroom, Some(2), 1.5)]);
    run("verdict", &made.dir, &[]).ends(3, &["headroom", "C2"]);
    let bare = complete(|_| true);
    run("verdict", &bare.dir, &[]).ends(0, &["\nPASSED – "]);
}

/// Whoever writes the file before it is frozen may write another's: it is held against what the run says of itself.
#[test]
fn a_calibration_that_does_not_speak_for_the_run_is_none_and_is_warned_of() {
    let uncalibrated = |found: &str, instead: &str| {
        assert!(CALIBRATION.contains(found), "{found}");
        let (made, summary) = written(&CALIBRATION.replace(found, instead));
        assert_eq!(summary.client.calibration.is_none(), summary.client.headroom.is_empty());
        let warned = summary.warnings.iter().any(|one| one.code == WarningCode::Uncalibrated);
        assert_eq!(warned, summary.client.calibration.is_none());
        run("verify", &made.dir, &[]).ends(0, &["intact"]);
        warned
    };
    assert!(!uncalibrated("2026-02-27T20", "2026-02-28T20"));
    assert!(!uncalibrated("2026-02-27T20:00:00Z", "2026-03-01T08:00:10Z"), "within the run");
    for (found, instead) in [
        ("2026-02-27T20:00:00Z", "2026-03-01T08:00:31Z"),
        ("2026-02-27T20", "2026-01-27T20"),
        ("\"version\": \"0.1.0\"", "\"version\": \"0.0.9\""),
        ("\"optimised\": true", "\"optimised\": false"),
        ("\"io_threads\": 1", "\"io_threads\": 2"),
    ] {
        assert!(uncalibrated(found, instead), "{instead}");
    }
}

#[test]
fn a_calibration_of_another_host_is_none() {
    let of = |fingerprint: &str| {
        let made = calibrated_on(Some(fingerprint), Some(CALIBRATION), |_| true);
        let written = write_documents(&made.dir, &Under::Run, &Language::ALL, &QUICK, None).unwrap();
        written.assessment.summary.client.calibration.is_some()
    };
    assert!(of(&"5a0c".repeat(16)));
    assert!(!of(&"5a0d".repeat(16)));
}

#[test]
fn a_calibration_that_was_changed_or_is_none_is_damage_and_a_newer_one_asks_for_a_newer_tool() {
    let (made, _) = written(CALIBRATION);
    made.forge("data/calibration.json", &CALIBRATION.replace("956", "95600"));
    run("verify", &made.dir, &[]).ends(4, &["NOT intact", "calibration.json"]);
    for text in ["{\"v\": 1, \"streams\": 4000}", "{}", "{\"v\": 0}", "nothing"] {
        let made = calibrated(Some(text), |_| true);
        run("verdict", &made.dir, &[]).fails(4, &["read a calibration"]);
    }
    let made = calibrated(Some("{\"v\": 9}"), |_| true);
    run("verdict", &made.dir, &[]).fails(2, &["calibration of format 9", "update the tool"]);
}
