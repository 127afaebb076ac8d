//! Services that answer, and badly: it is measured, kept, and judged.

use inference_sim::{Cut, FaultKind, SimConfig, When};
use serde_json::{Value, json};

use crate::{
    program::{Ran, SOUND, run, start, sweep},
    services::{endless, faulty, faulty_for, sim},
};

/// A sweep of four requests in two tiers ends with one of `codes`, every request as `outcomes` says, and a package
/// that holds together.
fn check(config: SimConfig, more: &[&str], codes: &[i32], outcomes: &Value) -> Ran {
    let service = sim(config);
    let ran = sweep(&service.base_url(), more);
    ran.ends(codes);
    ran.intact();
    let totals = &ran.summary()["totals"];
    assert_eq!(totals["planned"], 4);
    assert_eq!(&totals["outcomes"], outcomes, "{more:?}\n{}", ran.stderr);
    ran
}

#[test]
fn what_goes_wrong_everywhere_fails_by_its_own_name() {
    let http = |status| FaultKind::HttpError { status, retry_after_s: None };
    let finish = |after_tokens, reason: &str| FaultKind::Finish { after_tokens, reason: reason.to_owned() };
    let cut = |cut| FaultKind::Truncate { after_tokens: 2, cut };
    for (kind, outcome) in [
        (http(429), "rejected"),
        (FaultKind::HttpError { status: 503, retry_after_s: Some(1) }, "rejected"),
        (http(500), "http_error"),
        (http(502), "http_error"),
        (FaultKind::StreamError { after_tokens: 2 }, "stream_error"),
        (cut(Cut::Close), "truncated"),
        (cut(Cut::CleanEnd), "truncated"),
        (cut(Cut::InventedDone), "truncated"),
        (FaultKind::MalformedEvent { after_tokens: 2 }, "malformed"),
        (finish(2, "length"), "capped"),
        (finish(2, "content_filter"), "filtered"),
        (finish(2, "abort"), "aborted"),
        (finish(0, "stop"), "empty"),
    ] {
        let ran = check(faulty(kind), &[], &[1], &json!({ outcome: 4 }));
        assert_eq!(ran.summary()["totals"]["success_rate"], 0.0, "{outcome}");
        nothing_is_taken_for_zero(&ran);
        assert!(ran.report("report.zh.md").contains("不通过"), "{outcome}");
    }
}

/// Where no request was effective there is no latency and no throughput, in figures, table and report.
fn nothing_is_taken_for_zero(ran: &Ran) {
    for tier in ran.summary()["tiers"].as_array().unwrap() {
        for figure in ["e2e_s", "ttft_s", "tpot_s", "inter_event_s"] {
            for key in ["mean", "p50", "p95", "p99", "min", "max"] {
                assert_eq!(tier[figure][key], Value::Null, "{figure}.{key}");
            }
            assert_eq!(tier[figure]["n"], 0, "{figure}");
        }
        assert_eq!(tier["sustained_output_tps"], Value::Null);
    }
    let is_tier = |line: &&str| line.starts_with("C1 ") || line.starts_with("C2 ");
    let table: Vec<_> = ran.stdout.lines().filter(is_tier).collect();
    assert_eq!(table.len(), 2, "{}", ran.stdout);
    assert!(table.iter().all(|line| line.contains('—') && !line.contains("0.00")), "{}", ran.stdout);
    assert!(ran.report("report.en.md").contains('—'));
}

#[test]
fn waits_that_the_service_outlasts_are_cut() {
    for (kind, wait, outcome) in [
        (FaultKind::Hang { after_tokens: 0 }, "--first-token-timeout", "late_first_token"),
        (FaultKind::Hang { after_tokens: 2 }, "--stall-timeout", "stalled"),
    ] {
        let ran = check(faulty(kind), &[wait, "0.2"], &[1, 3], &json!({ outcome: 4 }));
        assert!(ran.stderr.contains("did not come in time"), "{}", ran.stderr);
        held_against_the_service(&ran);
    }
    held_against_the_service(&check(endless(), &["--timeout", "0.2"], &[1, 3], &json!({ "deadline": 4 })));
}

/// Time-outs fail, unless this machine was too busy to tell whose they are.
fn held_against_the_service(ran: &Ran) {
    let invalid = ran.summary()["client"]["valid"] == false;
    ran.ends(if invalid { &[1, 3] } else { &[1] });
}

#[test]
fn an_endless_stream_meets_every_bound() {
    for (bound, most, by) in
        [("--max-output-tokens", "200", "max_output_tokens"), ("--max-duration", "0.5", "max_duration")]
    {
        // The answer to the preflight is as endless, and counts.
        let all = sim(endless());
        let ran = sweep(&all.base_url(), &[bound, most]);
        stopped(&ran, by);
        assert_eq!(ran.summary()["totals"]["outcomes"], json!({ "not_sent": 4 }), "{}", ran.stderr);

        // Preflight and warm-up are sound; what was under way is kept as cancelled.
        let ends = FaultKind::Finish { after_tokens: 3, reason: "stop".to_owned() };
        let later = sim(SimConfig { faults: faulty_for(When::Range(0..2), ends).faults, ..endless() });
        let ran = sweep(&later.base_url(), &[bound, most]);
        stopped(&ran, by);
        assert_eq!(
            ran.summary()["totals"]["outcomes"],
            json!({ "cancelled": 1, "not_sent": 3 }),
            "{}",
            ran.stderr
        );
    }
}

fn stopped(ran: &Ran, by: &str) {
    ran.ends(&[1]);
    assert!(ran.intact().interrupted);
    assert_eq!(criterion(ran, "test_integrity"), "fail");
    assert_eq!(ran.summary()["run"]["interrupted"], true);
    assert!(ran.stdout.contains(by), "{}", ran.stdout);
    assert_eq!(ran.rows().len(), 5, "every slot has a row");
}

#[test]
fn bounds_on_requests_and_errors_end_a_sweep() {
    let service = sim(SimConfig::fast());
    let ran = sweep(&service.base_url(), &["--max-requests", "3"]);
    stopped(&ran, "max_requests");
    assert!(
        ran.stderr.contains("--max-requests 3: the sweep will stop there and cannot pass"),
        "{}",
        ran.stderr
    );
    assert_eq!(service.truth().len(), 3, "the preflight's request counts");

    let broken = sim(faulty(FaultKind::HttpError { status: 500, retry_after_s: None }));
    let ran = sweep(&broken.base_url(), &["--max-errors", "2"]);
    stopped(&ran, "max_errors");
    assert_eq!(ran.summary()["totals"]["outcomes"], json!({ "http_error": 1, "not_sent": 3 }));
}

#[test]
fn without_the_services_own_count_events_are_counted_and_said_to_be() {
    let refuses = SimConfig { refuse_stream_options: true, ..SimConfig::fast() };
    let silent = SimConfig { gives_usage: false, ..SimConfig::fast() };
    for (config, refused) in [(refuses, true), (silent, false)] {
        let ran = check(config, &[], SOUND, &json!({ "effective": 4 }));
        let summary = ran.summary();
        let warned = summary["warnings"].as_array().unwrap().iter().any(|one| one["code"] == "usage_refused");
        assert_eq!(warned, refused, "{}", summary["warnings"]);
        for tier in summary["tiers"].as_array().unwrap() {
            assert_eq!(tier["token_source"], "events");
        }
        assert!(ran.report("report.en.md").contains("events"));
        assert_eq!(ran.stderr.contains("refuses stream_options"), refused, "{}", ran.stderr);
    }
}

#[test]
fn a_service_that_dies_midway_was_not_available() {
    let service = sim(SimConfig { decode_base: std::time::Duration::from_millis(4), ..SimConfig::fast() });
    let args = ["--tiers", "1,2", "--requests", "60", "--warmup", "1"];
    let mut running = start(&service.base_url(), &args);
    let mut seen = 0;
    running.until(|_| {
        seen += service.sim().truth().len();
        seen >= 8
    });
    drop(service);
    let ran = running.end();
    ran.ends(&[1]);
    ran.intact();
    assert_eq!(ran.rows().len(), 121);
    assert_eq!(criterion(&ran, "service_availability"), "fail");
    assert_eq!(criterion(&ran, "stability"), "fail");
    assert_ne!(criterion(&ran, "test_integrity"), "fail", "every request was made, and answered for");
    let outcomes = &ran.summary()["totals"]["outcomes"];
    assert!(outcomes["connect_failed"].as_u64().unwrap() >= 3, "{outcomes}");
    assert!(outcomes["effective"].as_u64().unwrap() >= 5, "{outcomes}");
}

/// The result of one criterion.
pub(crate) fn criterion(ran: &Ran, id: &str) -> String {
    let verdict = ran.verdict();
    let found = verdict["criteria"].as_array().unwrap().iter().find(|criterion| criterion["id"] == id);
    found.unwrap()["result"].as_str().unwrap().to_owned()
}

#[test]
fn a_probe_tells_of_a_service_what_a_sweep_will_do() {
    for (config, key, value) in [
        (SimConfig::fast(), "usage", json!(true)),
        (SimConfig { gives_usage: false, ..SimConfig::fast() }, "usage", json!(false)),
        (SimConfig { honours_max_tokens: false, ..SimConfig::fast() }, "max_tokens_honoured", json!(false)),
        (SimConfig { reasoning_tokens: 3, ..SimConfig::fast() }, "reasoning", json!(true)),
    ] {
        let service = sim(config);
        let ran = run(&["probe", "--url", &service.base_url(), "--model", "sim-chat", "--json", "--quiet"]);
        ran.ends(&[0]);
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(found[key], value, "{found}");
        assert_eq!(found["models"], json!(["sim-chat"]));
        assert_eq!(ran.stderr, "");
    }
}
