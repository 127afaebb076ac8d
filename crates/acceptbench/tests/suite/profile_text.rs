//! Real prompts: kept only where they are asked for, and told of in every document of a run that sends them.

use inference_sim::SimConfig;
use serde_json::Value;

use crate::{
    profiles::{fixture, mode, profile},
    program::{SOUND, files, sweep},
    services::sim,
};

/// Prompts are kept, and somebody said until when.
const KEPT: &[&str] = &["--keep-text", "--retain-until", "2999-12-31"];

const WORDS: &str = "zxq-how do I give notice to a tenant?";

/// A log with prompts, each of which holds the words.
fn log(folder: &std::path::Path) -> String {
    let text = std::fs::read_to_string(fixture("langfuse.observations_v2.jsonl")).unwrap();
    assert!(text.contains("示例"));
    let path = folder.join("langfuse.jsonl");
    std::fs::write(
        &path,
        text.replace("示例", WORDS).replace("\"input\":\"demo\"", &format!("\"input\":\"{WORDS}\"")),
    )
    .unwrap();
    path.to_str().unwrap().to_owned()
}

fn holds(bytes: &[u8], words: &str) -> bool {
    memchr::memmem::find(bytes, words.as_bytes()).is_some()
}

#[test]
fn prompts_are_kept_where_they_are_asked_for_and_outside_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path());
    let plain = profile(&log, &[]);
    plain.ends(&[0]);
    assert!(!plain.out.with_file_name("pack.samples").exists());
    assert!(!plain.stderr.contains("WARNING"), "{}", plain.stderr);

    let kept = profile(&log, &[KEPT, &["--json"]].concat());
    kept.ends(&[0]);
    let set = kept.out.with_file_name("pack.samples");
    let prompts = set.join("samples.jsonl");
    assert_eq!(mode(&prompts), 0o600);
    let text = std::fs::read_to_string(&prompts).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4, "one for each chat: an embedding is nothing that a sweep sends");
    for line in &lines {
        assert_eq!((&line["origin"], &line["messages"][0]["content"]), (&"recorded".into(), &WORDS.into()));
    }
    let made: Value = serde_json::from_str(&kept.stdout).unwrap();
    let drawn = &made["samples"];
    assert_eq!(drawn["left_out"]["other_call"], 1);
    assert_eq!(
        (&drawn["prompts_unusable"], &drawn["set"]["retain_until"]),
        (&0.into(), &"2999-12-31".into())
    );
    for want in ["WARNING: 4 prompts", "word for word", "by 2999-12-31", set.to_str().unwrap()] {
        assert!(kept.stderr.contains(want), "{want:?} is not in {}", kept.stderr);
    }
    let chinese = profile(&log, &[KEPT, &["--lang", "zh"]].concat());
    assert!(chinese.stderr.contains("含 4 条真实用户提示词原文"), "{}", chinese.stderr);

    // The profile is the same with and without, and says nothing of what was asked.
    for out in [&plain.out, &kept.out] {
        for (path, bytes) in files(out) {
            assert!(!holds(&bytes, "zxq"), "{}", path.display());
        }
    }
    let json = |out: &std::path::Path| std::fs::read_to_string(out.join("profile.json")).unwrap();
    assert_eq!(json(&plain.out), json(&kept.out));
}

#[test]
fn nobody_keeps_them_without_a_day_by_which_they_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path());
    for (args, told) in [
        (&["--keep-text"][..], "--retain-until"),
        (&["--keep-text", "--retain-until", "soon"], "write it as 2027-03-31"),
        (&["--keep-text", "--retain-until", "2020-01-01"], "has passed"),
        (&["--retain-until", "2999-12-31"], "--keep-text"),
    ] {
        let refused = profile(&log, args);
        refused.ends(&[2]);
        assert!(refused.stderr.contains(told), "{told:?} is not in {}", refused.stderr);
        assert!(!refused.out.exists() && !refused.out.with_file_name("pack.samples").exists());
    }
}

#[test]
fn every_report_of_a_run_that_sends_them_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let kept = profile(&log(folder.path()), KEPT);
    kept.ends(&[0]);
    let set = kept.out.with_file_name("pack.samples");
    let service = sim(SimConfig::fast());
    let sent = sweep(&service.base_url(), &["--samples", set.to_str().unwrap()]);
    sent.ends(SOUND);
    sent.intact();
    let samples = std::fs::read_to_string(sent.out.join("data/samples.jsonl")).unwrap();
    assert!(samples.contains(WORDS), "{samples}");
    let facts = std::fs::read_to_string(sent.out.join("data/sample-set.json")).unwrap();
    assert!(facts.contains("\"retain_until\": \"2999-12-31\""), "{facts}");
    assert!(sent.report("report.en.md").contains("2999-12-31"), "the report says until when");
    let own = sweep(&service.base_url(), &[]);
    own.ends(SOUND);
    for (report, notice, scope) in [
        (
            "report.en.",
            "Real prompts of users were sent and are in the package",
            "of real use, with the words",
        ),
        ("report.zh.", "测试使用了真实用户提示词，原文已存入证据包", "取自真实业务日志，含使用者原文"),
    ] {
        for format in ["html", "md"] {
            let name = format!("{report}{format}");
            let text = sent.report(&name);
            assert!(text.contains(notice) && text.contains(scope), "{name} does not say so");
            assert!(!own.report(&name).contains(notice), "{name} of a run without them says so");
        }
    }
}
