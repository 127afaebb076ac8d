//! Runs that are cut short: what was measured is kept, and said to be a part.

use std::{
    io::{BufRead as _, Write as _},
    path::Path,
    process::Stdio,
    time::Duration,
};

use inference_sim::{FaultKind, SimConfig, When};
use serde_json::json;

use crate::{
    faults::criterion,
    program::{Ran, intact, program, rows, run, start, start_to},
    services::{faulty, faulty_for, sim},
};

/// The preflight, a warm-up and the first tier are served; then the service hangs.
fn hangs() -> SimConfig {
    faulty_for(When::Range(6..u64::MAX), FaultKind::Hang { after_tokens: 1 })
}

const ARGS: &[&str] = &["--tiers", "1,2", "--requests", "4", "--warmup", "1"];

/// All slots have a row; those of the second tier were cut off or never sent.
fn check(ran: &Ran) {
    ran.ends(&[1]);
    assert!(ran.intact().interrupted);
    assert_eq!(ran.rows().len(), 9);
    let outcomes = ran.summary()["totals"]["outcomes"].clone();
    let of = |outcome: &str| outcomes[outcome].as_u64().unwrap_or(0);
    assert_eq!((of("effective"), of("cancelled") + of("not_sent")), (4, 4), "{outcomes}");
    assert_eq!(criterion(ran, "test_integrity"), "fail");
    assert_eq!(ran.verdict()["edition"], "internal");
    assert!(ran.stderr.contains("what was measured is kept"), "{}", ran.stderr);
    assert!(ran.stdout.contains("interrupt"), "{}", ran.stdout);
    assert!(ran.report("report.zh.md").contains("不通过"));
}

#[test]
fn one_signal_ends_a_sweep_in_order() {
    for signal in ["INT", "TERM"] {
        let service = sim(hangs());
        let mut running = start(&service.base_url(), ARGS);
        running.until(|out| rows(out).len() == 5);
        running.signal(signal);
        check(&running.end());
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let service = sim(hangs());
    // Nobody reads what the sweep prints, so that it waits with its package written.
    let (_reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(&[b' '; 64 << 10]).unwrap();
    let mut running = start_to(&service.base_url(), ARGS, Stdio::from(writer));
    running.until(|out| rows(out).len() == 5);
    running.signal("INT");
    running.until(|out| rows(out).len() == 9);
    running.signal("INT");
    let ran = running.end();
    ran.ends(&[130]);
    whole_after_all(&ran.out);
}

/// Completes the package where that is still to be done; then it is intact and interrupted.
fn whole_after_all(out: &Path) {
    let finalized = run(&["finalize", out.to_str().unwrap()]);
    finalized.ends(&[0, 2]);
    if finalized.code == Some(2) {
        finalized.says(&["complete already"]);
        acceptreport::write_documents(
            out,
            &acceptreport::Under::Run,
            &[report_render::Language::En],
            acceptreport::Format::WRITTEN,
            None,
        )
        .unwrap();
    }
    assert!(intact(out).interrupted);
}

#[test]
fn a_signal_during_the_preflight_leaves_nothing() {
    let service = sim(faulty(FaultKind::Hang { after_tokens: 0 }));
    let mut running = start(&service.base_url(), &[]);
    let mut stderr = std::io::BufReader::new(running.child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.contains("asking the service"), "{line}");
    running.signal("INT");
    let mut rest = String::new();
    while stderr.read_line(&mut rest).unwrap() > 0 {}
    let ran = running.end();
    ran.ends(&[3]);
    assert!(rest.contains("interrupted during the preflight"), "{rest}");
    assert!(!ran.out.exists());
}

#[test]
fn after_a_kill_only_rows_at_the_end_are_missing() {
    const AT_ONCE: usize = 4;
    for rows_before in [0, 1, 2, 5, 9, 17, 30, 48] {
        let service = sim(SimConfig { decode_base: Duration::from_millis(2), ..SimConfig::fast() });
        let tier = AT_ONCE.to_string();
        let mut running =
            start(&service.base_url(), &["--tiers", &tier, "--requests", "400", "--warmup", "2", "--quiet"]);
        running.until(|out| out.join("bagit.txt").exists() && rows(out).len() >= rows_before);
        running.child.kill().unwrap();
        let out = running.out.clone();
        let ran = running.end();
        assert_eq!(ran.code, None);

        let before = rows(&out);
        let unfinished = acceptreport::check(&out).unwrap();
        assert!(
            !unfinished.intact && unfinished.problems.iter().any(|problem| problem.en.contains("finalize"))
        );

        let finalized = run(&["finalize", out.to_str().unwrap()]);
        finalized.ends(&[0]);
        assert!(finalized.stderr.contains("interrupted for good"), "{}", finalized.stderr);
        let check = intact(&out);
        assert!(check.interrupted && check.recomputed && check.documents > 0, "{check:?}");
        assert_eq!(check.requests as usize, before.len());
        let mut kept: Vec<_> = before.iter().map(|row| row["seq"].as_u64().unwrap() as usize).collect();
        kept.sort_unstable();
        let holes = kept.last().map_or(0, |last| last + 1 - kept.len());
        assert!(holes < AT_ONCE, "only what was in flight may be missing before the last row: {kept:?}");
        assert_eq!(criterion(&ran, "test_integrity"), "fail");
        assert_eq!(ran.summary()["run"]["interrupted"], json!(true));
        run(&["finalize", out.to_str().unwrap()]).ends(&[2]).says(&["complete already"]);
    }
}

#[test]
fn a_package_is_not_completed_under_the_hands_of_its_writer() {
    let service = sim(hangs());
    let mut running = start(&service.base_url(), ARGS);
    running.until(|out| rows(out).len() == 5);
    run(&["finalize", running.out.to_str().unwrap()]).ends(&[2]).says(&["still writing", "wait for it"]);
    running.signal("INT");
    check(&running.end());
}

#[test]
fn the_simulated_service_ends_with_a_signal() {
    let mut child = program().args(["sim", "--port", "0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ran = run(&["probe", "--url", line.trim(), "--model", "sim-chat", "--quiet"]);
    ran.ends(&[0]);
    assert!(ran.stdout.contains("sim-chat"));
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
