//! `acceptbench decode` on every captured dialect.

use std::path::Path;

use serde_json::Value;

use crate::program::{json, program, run, run_with};

#[test]
fn every_captured_dialect_is_decoded() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/sse"));
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sse") {
            continue;
        }
        let expected = json(&path.with_extension("expected.json"));
        let ran = run(&["decode", path.to_str().unwrap(), "--json"]);
        ran.ends(&[0]);
        let decoded: Value = serde_json::from_str(&ran.stdout).unwrap();
        for key in [
            "text",
            "reasoning",
            "tool_calls",
            "terminal",
            "finish_reason",
            "done",
            "usage",
            "events",
            "token_events",
            "malformed",
            "notes",
        ] {
            assert!(decoded.get(key).is_some(), "{key} of {}", path.display());
        }
        for key in ["text", "reasoning", "terminal", "finish_reason"] {
            // A text too long for the fixture is given by its length.
            if !(key == "text" && expected[key].is_null()) {
                assert_eq!(decoded[key], expected[key], "{key} of {}", path.display());
            }
        }
        if let Some(length) = expected["text_len_chars"].as_u64() {
            assert_eq!(decoded["text"].as_str().unwrap().chars().count() as u64, length);
        }
        assert_eq!(decoded["done"], expected["done_marker"], "{}", path.display());
        assert_eq!(decoded["events"], expected["events_lenient_eof"], "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 30, "{seen}");
}

#[test]
fn files_that_hold_no_stream() {
    run(&["decode", "/no/such/file"]).ends(&[2]).says(&["read /no/such/file", "captured stream"]);
    let folder = tempfile::tempdir().unwrap();
    run(&["decode", folder.path().to_str().unwrap()]).ends(&[2]).says(&["captured stream"]);
    let ran = run(&["decode", "/dev/null", "--json"]);
    ran.ends(&[0]);
    let decoded: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&decoded["terminal"], decoded["events"].as_u64()), (&"truncated".into(), Some(0)));
    run_with(program(), &["decode", "-"]).ends(&[0]);
}
