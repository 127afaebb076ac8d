//! Sample sets: drawn, looked into, compared, checked, and sent.

use std::path::Path;

use inference_sim::SimConfig;
use serde_json::Value;

use crate::{
    profiles::{fixture, mode, profile},
    program::{Ran, SOUND, json, run, sweep},
    services::sim,
};

/// Two groups, one of which must be quick.
const CARD: &str = r#"
[profile]
name = "first quarter"

[[assumed]]
name = "questions"
covers = "planned_traffic"
share = 0.75
input_tokens = { min = 20, typical = 60, max = 200 }
output_tokens = { min = 5, typical = 10, max = 20 }
languages = { zh = 1 }
ttft_limit_s = 30
by = "Service desk"
basis = "Tickets of 2025"

[[assumed]]
name = "summaries"
covers = "long_inputs"
share = 0.25
input_tokens = { min = 400, typical = 600, max = 900 }
languages = { en = 1 }
failing = "retry"
by = "Pilot team"
basis = "Lengths of the pilot"
"#;

/// A profile of nothing but assumptions, and a set drawn from it.
fn assumed(more: &[&str]) -> (Ran, Ran, String) {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.toml");
    std::fs::write(&card, CARD).unwrap();
    let made = run(&["profile", "--card", card.to_str().unwrap(), "--out", "OUT"]);
    made.ends(&[0]);
    let args = ["samples", "make", made.out.to_str().unwrap(), "--requests", "20", "--out", "OUT"];
    let set = run(&[&args[..], more].concat());
    set.ends(&[0]);
    let path = set.out.to_str().unwrap().to_owned();
    (made, set, path)
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_set_needs_no_log_and_says_whose_word_it_is() {
    let (made, set, _) = assumed(&[]);
    let page = std::fs::read_to_string(made.out.join("profile.en.html")).unwrap();
    assert!(page.contains("Assumed, not measured") && page.contains("Tickets of 2025"));
    for name in ["samples.jsonl", "sample-set.json"] {
        assert_eq!(mode(&set.out.join(name)), 0o600, "{name}");
    }
    let facts = json(&set.out.join("sample-set.json"));
    let groups = facts["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2);
    for (group, samples, by) in [(&groups[0], 15, "Service desk"), (&groups[1], 5, "Pilot team")] {
        assert_eq!((&group["origin"], &group["samples"]), (&"assumed".into(), &samples.into()), "{group}");
        assert_eq!(group["by"], by);
    }
    let samples = lines(&set.out.join("samples.jsonl"));
    assert_eq!(samples.len(), 20);
    for sample in &samples {
        assert_eq!((&sample["shape"], &sample["origin"]), (&"assumed".into(), &"synthetic".into()));
        let input = sample["lengths"]["input"].as_u64().unwrap();
        let allowed = if sample["group"] == "questions" { 20..=200 } else { 400..=900 };
        assert!(allowed.contains(&input), "{sample}");
    }
}

#[test]
fn the_same_profile_and_seed_give_the_same_samples_on_every_machine() {
    let digest =
        |set: &Ran| json(&set.out.join("sample-set.json"))["samples_sha256"].as_str().unwrap().to_owned();
    let (_one, first, path) = assumed(&[]);
    let (_two, second, again) = assumed(&[]);
    let (_three, other, moved) = assumed(&["--seed", "2"]);
    assert_eq!(digest(&first), digest(&second));
    assert_ne!(digest(&first), digest(&other));
    // What every machine gives.
    assert_eq!(digest(&first), "420e6b7910c8ac8fc351f75f09aa58f7c54a91b3fda94aea5dd6d45fa5cd58e8");
    run(&["samples", "diff", &path, &again]).ends(&[0]);
    let differ = run(&["samples", "diff", &path, &moved]);
    differ.ends(&[1]);
    let json = run(&["samples", "diff", &path, &moved, "--json"]);
    assert!(serde_json::from_str::<Value>(&json.stdout).unwrap().is_object());
}

#[test]
fn a_log_gives_the_same_set_whatever_its_pseudonyms_are_made_with() {
    let log = fixture("new-api.logs.jsonl");
    let first = profile(&log, &["--samples", "all"]);
    let second = profile(&log, &["--samples", "all"]);
    let set =
        |ran: &Ran| std::fs::read_to_string(ran.out.with_file_name("pack.samples/samples.jsonl")).unwrap();
    first.ends(&[0]);
    second.ends(&[0]);
    assert_eq!(set(&first), set(&second));
    let samples = lines(&first.out.with_file_name("pack.samples/samples.jsonl"));
    let arrivals: Vec<u64> = samples.iter().map(|sample| sample["arrival_us"].as_u64().unwrap()).collect();
    assert!(arrivals.is_sorted() && arrivals[0] == 0, "{arrivals:?}");
    assert!(samples.iter().all(|sample| sample["shape"] == "real"), "{samples:?}");
}

#[test]
fn a_set_is_shown_and_held_against_its_profile() {
    let (made, _set, path) = assumed(&[]);
    let shown = run(&["samples", "show", &path]);
    shown.ends(&[0]);
    for want in ["questions", "summaries", "assumed", "20"] {
        assert!(shown.stdout.contains(want), "{want:?} is not in {}", shown.stdout);
    }
    let chinese = run(&["samples", "show", &path, "--lang", "zh"]);
    assert!(chinese.stdout.contains("假定"), "{}", chinese.stdout);
    let profile = made.out.to_str().unwrap();
    run(&["samples", "check", &path, "--profile", profile]).ends(&[0, 3]);
    let big = run(&["samples", "make", profile, "--requests", "400", "--out", "OUT"]);
    let big_path = big.out.to_str().unwrap();
    run(&["samples", "check", big_path, "--profile", profile]).ends(&[0]);
    // Business has changed: inputs are five times as long.
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.toml");
    std::fs::write(
        &card,
        CARD.replace("min = 20, typical = 60, max = 200", "min = 100, typical = 300, max = 1000"),
    )
    .unwrap();
    let moved = run(&["profile", "--card", card.to_str().unwrap(), "--out", "OUT"]);
    let drifted = run(&["samples", "check", big_path, "--profile", moved.out.to_str().unwrap()]);
    drifted.ends(&[1]);
    assert!(drifted.stdout.contains("questions"), "{}", drifted.stdout);
}

#[test]
fn every_group_of_a_set_is_judged_by_its_own_rule() {
    let (made, _set, path) = assumed(&[]);
    let service = sim(SimConfig::fast());
    let args = [
        "--samples",
        &path,
        "--tiers",
        "1,2",
        "--requests",
        "8",
        "--output",
        "capped",
        "--group",
        "summaries:deadline_s=0.000001",
    ];
    let sent = sweep(&service.base_url(), &args);
    sent.ends(&[1]);
    sent.intact();
    let summary = sent.summary();
    let groups = summary["groups"].as_array().unwrap();
    let of = |name: &str| groups.iter().find(|group| group["name"] == name).unwrap();
    assert_eq!(of("questions")["success_rate"], 1.0);
    assert_eq!(of("summaries")["success_rate"], 0.0);
    // Three in four of every step, in any order.
    assert_eq!((&of("questions")["planned"], &of("summaries")["planned"]), (&12.into(), &4.into()));
    for row in sent.rows() {
        assert_eq!(row["origin"], "assumed", "{row}");
        assert!(row["asked_input"].is_u64(), "{row}");
        if row["asked_output"].is_u64() {
            assert!(row["output_tokens"].as_u64() <= row["asked_output"].as_u64(), "{row}");
        }
    }
    let plan = std::fs::read_to_string(sent.out.join("data/plan.toml")).unwrap();
    assert!(plan.contains("set:") && plan.contains("sha256 = ") && plan.contains("retries = 1"), "{plan}");
    let facts = json(&sent.out.join("data/sample-set.json"));
    assert_eq!(facts["groups"][0]["by"], "Service desk");
    for (name, words) in [("report.en.md", "Service desk"), ("report.zh.md", "全部请求均为假定")] {
        assert!(sent.report(name).contains(words), "{words:?} is not in {name}");
    }
    // A profile does as well.
    let drawn = sweep(&service.base_url(), &["--samples", made.out.to_str().unwrap(), "--requests", "4"]);
    drawn.ends(SOUND);
    drawn.intact();
}

#[test]
fn what_cannot_be_sent_is_refused_with_words() {
    let (_made, set, path) = assumed(&[]);
    let url = "http://127.0.0.1:9/v1";
    let check = |args: &[&str], wants: &[&str]| {
        sweep(url, args).ends(&[2]).says(wants);
    };
    check(&["--samples", "/no/such/set"], &["neither a sample set nor a profile", "samples make"]);
    check(&["--samples", &path, "--group", "nobody:weight=1"], &["nobody", "questions, summaries"]);
    sweep(url, &["--samples", &path, "--group", "questions"]).ends(&[2]);
    sweep(url, &["--samples", &path, "--prompts", "x"]).ends(&[2]);
    sweep(url, &["--output", "fixed"]).ends(&[2]);
    let samples = set.out.join("samples.jsonl");
    let text = std::fs::read_to_string(&samples).unwrap();
    std::fs::write(&samples, text.replacen("\"user\"", "\"system\"", 1)).unwrap();
    check(&["--samples", &path], &["use the sample set", "its SHA-256 is", "draw the set again"]);
    std::fs::write(&samples, &text[..text.len() / 2]).unwrap();
    check(&["--samples", &path], &["use the sample set", &path]);
    run(&["samples", "show", &path]).ends(&[2]);
    std::fs::remove_file(&samples).unwrap();
    check(&["--samples", &path], &["there is no samples.jsonl"]);
    run(&["samples", "make", "/no/such/profile"]).ends(&[2]);
    run(&["profile", "--samples", "all"]).ends(&[2]);
}

#[test]
fn conversations_are_sent_with_the_services_own_answers() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let row = |session: u32, turn: u32| {
        let at = 1_795_050_000_u64 + u64::from(session) + u64::from(turn) * 5;
        let input = 40 + turn * 30;
        serde_json::json!({ "timestamp": at, "input_tokens": input, "output_tokens": 8, "session": format!("s{session}"), "duration": 0.5 })
            .to_string()
    };
    let text: Vec<String> =
        (1..=4).flat_map(|session| (0..3).map(move |turn| (session, turn))).map(|(s, t)| row(s, t)).collect();
    std::fs::write(&log, text.join("\n")).unwrap();
    let map = "timestamp=timestamp,input_tokens=input_tokens,output_tokens=output_tokens,session=session,duration=duration";
    let made = profile(log.to_str().unwrap(), &["--format", "jsonl", "--map", map, "--samples", "all"]);
    made.ends(&[0]);
    let set = made.out.with_file_name("pack.samples");
    let samples = lines(&set.join("samples.jsonl"));
    assert_eq!(samples.iter().filter(|sample| sample["turn"]["number"] == 3).count(), 4, "{samples:?}");
    // The pauses of the log are seconds long; those of the test are not.
    let service = sim(SimConfig::fast());
    let sent = sweep(
        &service.base_url(),
        &["--samples", set.to_str().unwrap(), "--tiers", "2", "--requests", "6", "--think-scale", "0"],
    );
    sent.ends(SOUND);
    sent.intact();
    let rows = sent.rows();
    let turns: Vec<u64> = rows.iter().filter_map(|row| row["turn"].as_u64()).collect();
    assert_eq!(
        (turns.iter().filter(|turn| **turn == 1).count(), turns.iter().filter(|turn| **turn == 3).count()),
        (2, 2)
    );
    let summary = sent.summary();
    assert_eq!(summary["turns"].as_array().unwrap().len(), 3, "{}", summary["turns"]);
    assert!(sent.report("report.en.md").contains("Results by turn"));
}
