//! The generator's own limits: measured, kept in a file, and held against a sweep.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::Stdio,
};

use inference_sim::SimConfig;
use metrics_core::Calibration;
use serde_json::Value;

use crate::{
    program::{Ran, SMALL, program, run, run_with},
    services::sim,
};

/// Sweeps from a folder in which a calibration may lie, without a word of it.
fn sweep_in(folder: &Path, url: &str) -> Ran {
    let mut program = program();
    program.current_dir(folder);
    let target = ["sweep", "--url", url, "--model", "sim-chat", "--out", "OUT"];
    run_with(program, &[&target[..], SMALL].concat())
}

fn calibration_of(ran: &Ran) -> Calibration {
    let text = std::fs::read_to_string(ran.out.join("data/calibration.json")).unwrap();
    evidence_pack::parse_calibration(&text).unwrap()
}

/// This machine's, with something in it changed.
fn changed(text: &str, change: impl Fn(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap();
    change(&mut value);
    value.to_string()
}

#[test]
fn a_file_is_measured_taken_and_refused_where_it_does_not_speak_for_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calibration.json");
    let mut measuring = program();
    measuring.current_dir(folder.path());
    let ran = run_with(measuring, &["calibrate", "--quiet", "--json"]);
    ran.ends(&[0]);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(ran.stdout, text, "what is printed is what is kept");
    let measured = evidence_pack::parse_calibration(&text).unwrap();
    sound(&measured);
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["calibration.json"], "nothing else is left");
    run(&["calibrate", "--out", file.to_str().unwrap(), "--io-threads", "0"]).ends(&[2]);

    let service = sim(SimConfig::fast());
    let found = sweep_in(folder.path(), &service.base_url());
    found.ends(&[0, 3]);
    found.intact();
    assert!(!found.stderr.contains("measuring"), "{}", found.stderr);
    assert_eq!(calibration_of(&found), measured);
    let told = &found.summary()["client"];
    assert!(told["calibration"]["age_s"].as_f64().is_some_and(|age| age > 0.0), "{told}");
    assert_eq!(told["headroom"].as_array().unwrap().len(), 2, "one a tier");

    for (change, says) in [
        (
            (|value: &mut Value| value["measured_at"] = "2020-02-01T00:00:00Z".into()) as fn(&mut Value),
            "days old",
        ),
        (|value| value["host"]["fingerprint"] = "00".repeat(32).into(), "another machine"),
        (|value| value["tool"]["version"] = "0.0.9".into(), "version 0.0.9"),
        (|value| value["io_threads"] = 7.into(), "7 IO threads"),
        (|value| value["v"] = 9.into(), "format 9"),
        (|value| value["note"] = 1.into(), "note"),
    ] {
        let named = folder.path().join("named.json");
        std::fs::write(&named, changed(&text, change)).unwrap();
        refused(&named, says);
    }
    refused(Path::new("/no/such/calibration.json"), "acceptbench calibrate");
}

/// The sweep ends with 2 before anything is sent.
fn refused(calibration: &Path, says: &str) {
    let service = sim(SimConfig::fast());
    let ran = crate::program::sweep(&service.base_url(), &["--calibration", calibration.to_str().unwrap()]);
    ran.ends(&[2]).says(&[calibration.to_str().unwrap(), says]);
    assert!(service.truth().is_empty() && !ran.out.exists(), "{says}");
}

/// Figures that any machine that can run this has.
fn sound(measured: &Calibration) {
    let ceiling = &measured.ceiling;
    for rate in [ceiling.events_per_s, ceiling.coalesced_events_per_s, ceiling.requests_per_s] {
        assert!(rate.is_some_and(|rate| rate >= 1.0), "{measured:#?}");
    }
    assert!(ceiling.streams.is_some_and(|streams| streams > 0) && ceiling.streams_limited_by.is_some());
    let timing = measured.timing.as_ref().unwrap();
    assert_eq!((timing.streams, timing.ttft_error_s.unwrap().n), (16, 160));
    assert!(timing.gap_error_s.unwrap().n > 1_000 && measured.timer_delay_s.unwrap().n > 100);
    assert!(measured.write.as_ref().is_some_and(|write| write.bytes_per_s > write.rows_per_s));
    assert_eq!(measured.io_threads, 1);
}

#[test]
fn where_none_speaks_for_the_run_a_short_one_is_made_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let stale = include_str!("../../../../fixtures/calibration.json");
    std::fs::write(folder.path().join("calibration.json"), stale).unwrap();
    let service = sim(SimConfig::fast());
    let ran = sweep_in(folder.path(), &service.base_url());
    ran.ends(&[0, 3]);
    ran.intact();
    assert!(ran.stderr.contains("calibration.json") && ran.stderr.contains("a short calibration is made"));
    assert_eq!(ran.summary()["client"]["calibration"]["age_s"], 0.0);
    let measured = calibration_of(&ran);
    assert!(measured.ceiling.events_per_s.is_some() && measured.host.fingerprint != "5a0c".repeat(16));
    assert_eq!(std::fs::read_to_string(folder.path().join("calibration.json")).unwrap(), stale, "left alone");
    let beside = ran.out.parent().unwrap();
    assert_eq!(std::fs::read_dir(beside).unwrap().count(), 1, "only the package is left");
}

#[test]
fn without_one_the_package_says_so_and_no_more() {
    let service = sim(SimConfig::fast());
    let ran = crate::program::sweep(&service.base_url(), &[]);
    ran.ends(&[0, 3]);
    assert!(!ran.out.join("data/calibration.json").exists());
    let codes = ran.summary()["warnings"].clone();
    assert!(codes.as_array().unwrap().iter().any(|one| one["code"] == "uncalibrated"), "{codes}");
}

#[test]
fn a_file_that_is_no_calibration_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "mine").unwrap();
    for (out, says) in [
        (notes.clone(), "is no calibration"),
        (folder.path().to_owned(), "another --out"),
        (folder.path().join("no/such/c.json"), "another --out"),
    ] {
        run(&["calibrate", "--out", out.to_str().unwrap()]).ends(&[2]).says(&[says]);
    }
    assert_eq!(std::fs::read_to_string(notes).unwrap(), "mine");
}

#[test]
fn a_signal_ends_a_calibration_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("c.json");
    let mut child = program()
        .args(["calibrate", "--out", out.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut heard = String::new();
    while !heard.contains("measuring the timing error") {
        assert!(stderr.read_line(&mut heard).unwrap() > 0, "{heard}");
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
    while stderr.read_line(&mut heard).unwrap() > 0 {}
    assert_eq!(child.wait().unwrap().code(), Some(3), "{heard}");
    assert!(heard.contains("calibrate: interrupted") && !heard.contains("panicked"), "{heard}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_signal_while_a_sweep_calibrates_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let service = sim(SimConfig::fast());
    let url = service.base_url();
    let mut child = program()
        .current_dir(folder.path())
        .args(["sweep", "--url", &url, "--model", "sim-chat", "--out", "pack"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut heard = String::new();
    while !heard.contains("measuring the limits") {
        assert!(stderr.read_line(&mut heard).unwrap() > 0, "{heard}");
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
    while stderr.read_line(&mut heard).unwrap() > 0 {}
    assert_eq!(child.wait().unwrap().code(), Some(3), "{heard}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{heard}");
}
