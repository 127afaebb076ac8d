//! What goes to which stream, and streams that are gone.

use std::process::Stdio;

use inference_sim::SimConfig;
use serde_json::Value;

use crate::{
    program::{SMALL, SOUND, program, run_with, sweep, sweep_args},
    services::sim,
};

#[test]
fn results_go_to_stdout_and_all_else_to_stderr() {
    let service = sim(SimConfig::fast());
    let plain = sweep(&service.base_url(), &[]);
    plain.ends(SOUND);
    assert!(
        plain.stdout.contains("1 Conclusion") && plain.stdout.contains("report.zh.html"),
        "{}",
        plain.stdout
    );
    assert!(
        plain.stderr.contains("5 requests, about ") && plain.stderr.contains("input tokens"),
        "{}",
        plain.stderr
    );
    assert!(plain.stderr.contains("C2: 2/2"), "{}", plain.stderr);
    assert!(
        plain.stderr.contains("TTFT P50 0.0") && !plain.stderr.contains("P50 0.000 "),
        "{}",
        plain.stderr
    );
    for text in [&plain.stdout, &plain.stderr] {
        assert!(!text.contains('\u{1b}'), "no colour and no bar but on a terminal: {text}");
    }

    let json = sweep(&service.base_url(), &["--json"]);
    json.ends(SOUND);
    let result: Value = serde_json::from_str(&json.stdout).unwrap();
    for key in ["pack", "documents", "stopped_by", "decision", "edition", "evidence_digest"] {
        assert!(result.get(key).is_some(), "{key} is not in {result}");
    }

    let quiet = sweep(&service.base_url(), &["--quiet", "--json"]);
    quiet.ends(SOUND);
    assert_eq!(quiet.stderr, "");

    let chinese = sweep(&service.base_url(), &["--lang", "zh"]);
    chinese.ends(SOUND);
    assert!(
        chinese.stdout.contains("1 总体结论") && chinese.stdout.contains("6 项验收标准中"),
        "{}",
        chinese.stdout
    );
    assert!(chinese.stderr.contains("5 个请求，输入约 "), "{}", chinese.stderr);
    assert!(chinese.stderr.contains("C2：完成 2/2，输出 "), "{}", chinese.stderr);
    assert!(chinese.stderr.contains("，TTFT P50 0.0"), "{}", chinese.stderr);
    assert!(chinese.out.join("data/reports/report.zh.md").exists());
    assert!(!chinese.out.join("data/reports/report.en.md").exists());
    chinese.intact();
}

#[test]
fn without_a_language_asked_for_it_speaks_that_of_the_locale() {
    let service = sim(SimConfig::fast());
    let url = service.base_url();
    let mut command = program();
    command.env_remove("LC_ALL").env_remove("LC_MESSAGES").env("LANG", "zh_CN.UTF-8");
    let ran = run_with(command, &sweep_args(&url, &[]));
    ran.ends(SOUND);
    assert!(ran.stdout.contains("1 总体结论") && ran.stdout.contains("report.en.html"), "{}", ran.stdout);
    for line in ran.stderr.lines() {
        assert!(line.chars().any(|c| c > '\u{2E7F}'), "not Chinese: {line}");
    }
}

#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    let service = sim(SimConfig::fast());
    let folder = tempfile::tempdir().unwrap();
    let url = service.base_url();
    let stream = folder.path().join("empty.sse");
    std::fs::write(&stream, "").unwrap();
    let out = folder.path().join("pack");
    let target = ["--url", &url, "--model", "sim-chat"];
    let sweep = [&["sweep", "--no-calibration", "--out", out.to_str().unwrap()], &target[..], SMALL].concat();
    let probe = [&["probe"], &target[..]].concat();
    for (args, codes) in [
        (sweep, SOUND),
        (probe, &[0][..]),
        (vec!["decode", stream.to_str().unwrap()], &[0]),
        (vec!["decode", "/no"], &[2]),
    ] {
        let mut child = program().args(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        let code = child.wait().unwrap().code();
        assert!(code.is_some_and(|code| codes.contains(&code)), "{args:?} ended with {code:?}");
    }
}
