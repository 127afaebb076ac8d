//! The highest tier once more, with a client that has more and with one that does less.

use inference_sim::SimConfig;
use serde_json::Value;

use crate::{
    program::{SOUND, run, sweep},
    services::sim,
};

#[test]
fn a_control_is_planned_kept_compared_and_verified() {
    let service = sim(SimConfig::fast());
    let ran = sweep(&service.base_url(), &["--control", "--io-threads", "1"]);
    ran.ends(SOUND);
    // One of warm-up, two at C1, two at C2, and those at C2 twice more.
    assert!(ran.stderr.contains(": 9 requests, about"), "{}", ran.stderr);
    assert!(ran.stderr.contains("C2 with more threads: 2/2"), "{}", ran.stderr);
    assert!(ran.stderr.contains("C2 with less recording: 2/2"), "{}", ran.stderr);
    assert_eq!(ran.intact().requests, 9);

    let plan = std::fs::read_to_string(ran.out.join("data/plan.toml")).unwrap();
    assert!(plan.contains("io_threads = 2") && plan.contains("recording = \"reduced\""), "{plan}");
    let rows = ran.rows();
    let of = |stage: &'static str| rows.iter().filter(move |row| row["stage"] == stage);
    assert_eq!((of("control_threads").count(), of("control_recording").count()), (2, 2));
    let gaps = |row: &Value| row["gaps_us"].as_array().map_or(0, Vec::len);
    // Whether these have gaps depends on whether the machine had time for every event as it came.
    assert!(of("control_threads").all(|row| row["text_sha256"].is_string()));
    assert!(of("control_recording").all(|row| gaps(row) == 0 && row["text_sha256"].is_null()), "{rows:?}");

    let summary = ran.summary();
    assert_eq!(summary["totals"]["planned"], 4, "a control enters no figure of the sweep");
    let control = &summary["control"];
    assert_eq!((&control["tier"], &control["baseline"]["effective"]), (&Value::from(2), &Value::from(2)));
    assert_eq!(control["controls"][0]["io_threads"], 2);
    assert_eq!(control["controls"][1]["reduced_recording"], true);
    for one in control["controls"].as_array().unwrap() {
        assert_eq!((&one["effective"], &one["pairs"]), (&Value::from(2), &Value::from(2)));
        assert_eq!(one["result"], "not_told_apart", "two requests prove nothing");
    }
    assert!(ran.report("report.en.md").contains("cannot be told from chance"));
    assert!(ran.report("report.zh.md").contains("### 对照试验"));
}

#[test]
fn a_control_that_is_cut_short_says_so() {
    let service = sim(SimConfig::fast());
    // The preflight's, one of warm-up, four of the sweep, and one of the control.
    let ran = sweep(&service.base_url(), &["--control", "--max-requests", "7"]);
    ran.ends(SOUND);
    let said = "the sweep ends before, the control is cut short and tells nothing";
    assert!(ran.stderr.contains(said) && !ran.stderr.contains("cannot pass"), "{}", ran.stderr);
    assert!(ran.intact().interrupted);
    let summary = ran.summary();
    assert_eq!(
        (&summary["totals"]["finished"], &summary["totals"]["success_rate"]),
        (&4.into(), &1.0.into())
    );
    assert!(!summary["client"]["limits_hit"].to_string().contains("\"control\""), "{summary}");
    for one in summary["control"]["controls"].as_array().unwrap() {
        assert_eq!(one["result"], "not_finished");
    }
    assert!(ran.report("report.en.md").contains("did not run to its end: nothing follows from it"));
}

#[test]
fn what_cannot_be_controlled_is_refused_before_anything_is_sent() {
    let args =
        ["sweep", "--url", "http://127.0.0.1:9/v1", "--model", "m", "--control", "--io-threads", "200"];
    run(&args).ends(&[2]).says(&["use 400 IO threads", "at most 256 (lower --io-threads)"]);
}
