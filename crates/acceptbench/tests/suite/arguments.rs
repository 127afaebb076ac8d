//! Arguments and files that cannot be used are refused before anything is sent.

use inference_sim::SimConfig;
use serde_json::json;

use crate::{
    faults::criterion,
    program::{SOUND, run, sweep},
    services::sim,
};

/// The sweep ends with 2 and words that hold `says`; the service never heard of it.
fn check(more: &[&str], says: &[&str]) {
    let service = sim(SimConfig::fast());
    let ran = sweep(&service.base_url(), more);
    ran.ends(&[2]).says(says);
    assert!(service.truth().is_empty(), "{more:?}: something was sent");
    assert!(!ran.out.exists(), "{more:?}: a package was begun");
}

#[test]
fn tiers_that_cannot_be_run() {
    check(&["--tiers", "0"], &["tier 0", "1 or more"]);
    check(&["--tiers", "0,1"], &["tier 0", "1 or more"]);
    check(&["--tiers", "4,2"], &["tier 2 after tier 4", "ascending"]);
    check(&["--tiers", "2,2"], &["tier 2 after tier 2", "each once"]);
    check(
        &["--tiers", "1,2,4", "--requests", "20,20"],
        &["3 tiers but 2 request counts", "one for each tier"],
    );
    check(&["--tiers", "8", "--requests", "4"], &["tier 8", "4 requests", "give 8 or more"]);
    check(&["--tiers", "200000"], &["200000", "100000"]);
    check(&["--tiers", "1", "--timeout", "0"], &["timeouts.total_s = 0", "above 0"]);
    check(&["--tiers", "1", "--max-duration=-1"], &["bounds.max_duration_s = -1", "above 0"]);
    check(&["--tiers", "1", "--io-threads", "0"], &["io_threads", "at least one"]);
}

#[test]
fn what_no_parser_takes_is_told_by_the_parser() {
    for more in [&["--tiers", "one"][..], &["--tiers", ""], &["--requests=-4"], &["--no-such-flag"]] {
        let ran = run(&[&["sweep", "--url", "http://127.0.0.1:1/v1", "--model", "m"], more].concat());
        ran.ends(&[2]);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        assert!(ran.stderr.contains("--help"), "{}", ran.stderr);
    }
    run(&[]).ends(&[2]);
    run(&["sweep", "--help"]).ends(&[0]);
}

#[test]
fn an_output_folder_that_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap().to_owned();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "mine").unwrap();
    let file = file.to_str().unwrap().to_owned();
    let below = format!("{file}/pack");
    let service = sim(SimConfig::fast());
    for (out, says) in [
        (out.as_str(), &["not empty", "another --out"][..]),
        (&file, &["not a folder", "another --out"]),
        (&below, &["another --out"]),
        ("/proc/no/such/place", &["/proc/no", "another --out"]),
    ] {
        let args = ["sweep", "--url", &service.base_url(), "--model", "sim-chat", "--out", out];
        run(&args).ends(&[2]).says(says);
    }
    assert!(service.truth().is_empty(), "something was sent");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn an_empty_output_folder_is_taken_and_left_empty_where_nothing_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let service = sim(SimConfig::fast());
    let url = service.base_url();
    let args = ["sweep", "--url", &url, "--model", "gpt-9", "--out", out];
    run(&args).ends(&[5]);
    assert_eq!(std::fs::read_dir(out).unwrap().count(), 0);
    let args = ["sweep", "--url", &url, "--model", "sim-chat", "--out", out, "--no-calibration"];
    run(&[&args[..], &["--tiers", "1", "--requests", "2"]].concat()).ends(SOUND);
}

#[test]
fn prompts_that_are_none() {
    let good = r#"{"messages": [{"role": "user", "content": "Hello"}]}"#;
    for (text, says) in [
        (format!("{good}\n\nnot JSON\n"), &["prompt on line 3", "\"messages\"", "prompts.jsonl"][..]),
        (format!("{good}\n{{\"prompt\": \"Hello\"}}"), &["prompt on line 2", "no \"messages\""]),
        (r#"[{"content": "Hello"}]"#.to_owned(), &["prompt on line 1", "no \"role\""]),
        ("\n".to_owned(), &["holds none"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prompts.jsonl");
        std::fs::write(&path, text).unwrap();
        check(&["--prompts", path.to_str().unwrap()], says);
    }
    check(&["--prompts", "/no/such/prompts.jsonl"], &["read /no/such/prompts.jsonl", "JSON Lines"]);
}

#[test]
fn agreements_that_are_none() {
    for (text, says) in [
        ("[acceptance]\nsuccess_rate = 99", &["line 2", "0.99"][..]),
        ("[[sla]]\nitem = \"x\"\nmetric = \"ttft_s.p95\"\nlimit = \"fast\"", &["line 4", "limit"]),
        ("[[sla]]\nitem = \"x\"\nmetric = \"speed\"\nlimit = \"<= 2\"", &["line 3", "speed"]),
        ("acceptance = 1", &["line 1"]),
        ("[acceptence]", &["acceptence"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agreement.toml");
        std::fs::write(&path, text).unwrap();
        check(&["--agreement", path.to_str().unwrap()], says);
    }
    check(&["--agreement", "/no/such/agreement.toml"], &["/no/such/agreement.toml", "TOML"]);
}

#[test]
fn agreed_limits_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agreement.toml");
    let agreement = "[acceptance]\ntiers = [1, 2]\n\n\
        [[sla]]\nitem = \"first token\"\nmetric = \"ttft_s.p95\"\ntier = 1\nlimit = \"<= 0.000001\"\nsource = \"annex 3\"\n\n\
        [[sla]]\nitem = \"whole answer\"\nmetric = \"e2e_s.p95\"\ntier = 2\nlimit = \"<= 600\"\n";
    std::fs::write(&path, agreement).unwrap();
    let service = sim(SimConfig::fast());
    let ran = sweep(&service.base_url(), &["--agreement", path.to_str().unwrap()]);
    ran.intact();
    let verdict = ran.verdict();
    let item = |index: usize| &verdict["sla"][index];
    // Where the generator could not keep up, the service is not blamed.
    let blamed = item(0)["contract"] == "fail";
    assert!(blamed || ran.summary()["client"]["valid"] == false, "{verdict}");
    ran.ends(if blamed { &[1] } else { &[1, 3] });
    assert_eq!((&item(0)["n"], &item(1)["support"]), (&json!(2), &json!("inconclusive")));
    assert_ne!(item(1)["contract"], "fail");
    assert!(item(0)["observed"].is_number() && item(0)["limit"] == "<= 0.000001", "{verdict}");
    assert_eq!(verdict["decision"], if ran.code == Some(1) { "fail" } else { "inconclusive" });
    assert_eq!(verdict["edition"], "internal");
    assert_eq!(std::fs::read_to_string(ran.out.join("data/agreement.toml")).unwrap(), agreement);
    assert!(ran.stdout.contains("first token ["), "{}", ran.stdout);
}

#[test]
fn an_agreed_tier_that_did_not_run_fails_test_integrity() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agreement.toml");
    std::fs::write(&path, "[acceptance]\ntiers = [1, 2, 4]\n").unwrap();
    let service = sim(SimConfig::fast());
    let ran = sweep(&service.base_url(), &["--agreement", path.to_str().unwrap()]);
    ran.ends(&[1]);
    assert_eq!(criterion(&ran, "test_integrity"), "fail");
}
