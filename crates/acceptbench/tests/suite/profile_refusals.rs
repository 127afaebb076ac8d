//! Logs and arguments of which no profile can be made: a clear answer, and no folder.

use std::path::Path;

use crate::{
    profiles::{fixture, profile},
    program::{json, run},
};

/// It ends with 2 and one line that holds each of `says`, and leaves no folder.
#[track_caller]
fn refused(log: &str, more: &[&str], says: &[&str]) {
    let ran = profile(log, more);
    ran.ends(&[2]).says(says);
    assert_eq!(ran.stdout, "", "{log} {more:?}");
    assert!(!ran.out.exists(), "{log} {more:?}: a folder was left");
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A log as gzip, without compression, of which the second half is missing.
fn cut_gzip() -> Vec<u8> {
    let text = std::fs::read(fixture("new-api.logs.jsonl")).unwrap();
    let length = u16::try_from(text.len()).unwrap();
    let mut bytes = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1];
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(&text[..text.len() / 2]);
    bytes
}

#[test]
fn a_log_that_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    refused("/no/such.jsonl", &[], &["/no/such.jsonl cannot be read"]);
    refused(dir.to_str().unwrap(), &[], &["is a folder", "name the log files in it"]);
    refused(&write(dir, "empty", b""), &[], &["empty is empty"]);
    refused(&write(dir, "blank", b"\n\n"), &[], &["blank", "no known format", "--format"]);
    refused(&write(dir, "prose", b"Dear all,\nsee below.\n"), &[], &["prose", "no known format"]);
    refused(&write(dir, "bytes", &[0, 1, 2, 0, 255, 254, 0, 3]), &[], &["bytes"]);
    refused(&write(dir, "cut.gz", &cut_gzip()), &[], &["cut.gz is gzip", "damaged or cut short"]);
    // One that is sound does not make another one sound.
    let ran = run(&["profile", &fixture("new-api.logs.jsonl"), "/no/such.jsonl", "--out", "OUT"]);
    ran.ends(&[2]).says(&["/no/such.jsonl cannot be read"]);
    assert!(!ran.out.exists());
}

#[test]
fn a_format_that_it_is_not_in() {
    let log = fixture("new-api.logs.jsonl");
    refused(
        &log,
        &["--format", "litellm", "--quiet"],
        &["not one of 9 rows", "can be read as litellm", "new-api.logs.jsonl:1", "looks like new-api"],
    );
    refused(&log, &["--format", "nope"], &["format \"nope\"", "litellm, new-api", "csv, jsonl"]);
    refused(&log, &["--encoding", "zork"], &["`zork`", "utf-8, gb18030"]);
}

#[test]
fn arguments_that_cannot_be_used() {
    let log = fixture("new-api.logs.jsonl");
    let mapped = |map| vec!["--format", "jsonl", "--map", map];
    refused(&log, &mapped("timestamp"), &["\"timestamp\"", "names no column", "KEY=COLUMN"]);
    refused(&log, &mapped("timestamp=created_at,foo=id"), &["`foo`", "input_tokens"]);
    refused(&log, &mapped("timestamp=zzz"), &["no key `zzz`", "created_at"]);
    for zone in ["Asia/Shanghai", "8", "+25"] {
        refused(&log, &["--zone", zone], &[&format!("{zone:?} for a zone"), "+08:00"]);
    }
    for (window, why) in [
        ("noon", "it has no .."),
        ("noon..", "\"noon\" is no time"),
        ("2026-11-20..2026-11-19", "ends before it begins"),
    ] {
        refused(&log, &["--window", window], &[&format!("window {window:?}"), why]);
    }
    refused(&log, &["--window", "2027-01-01.."], &["9 were read and none was kept"]);
    for more in [
        &["--bin", "tokens=0"][..],
        &["--bin", "lengths=64"],
        &["--group-by", "name"],
        &["--least-rows", "0"],
        &["--max-bad=-1"],
    ] {
        let ran = profile(&log, more);
        ran.ends(&[2]);
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(&more[0][..5]), "{}", ran.stderr);
        assert!(!ran.out.exists(), "{more:?}");
    }
    refused(&log, &["--rows", "/no/such/rows.jsonl"], &["write /no/such/rows.jsonl"]);
}

#[test]
fn a_card_that_is_none() {
    let log = fixture("new-api.logs.jsonl");
    let folder = tempfile::tempdir().unwrap();
    for (text, says) in [
        ("[profile\n", "line 1"),
        ("[[group]]\nname = 1\n", "line 2"),
        ("[profile]\nowner = \"x\"\n", "owner"),
        ("[[group]]\nname = \"a\"\nmatch = { call = \"chat\" }\npriority = 1\n", "by"),
    ] {
        let card = write(folder.path(), "card.toml", text.as_bytes());
        refused(&log, &["--card", &card], &["card.toml", says]);
    }
    refused(&log, &["--card", "/no/such.toml"], &["/no/such.toml", "`acceptbench profile card`"]);
}

#[test]
fn a_key_that_is_none_or_would_travel_with_the_profile() {
    let log = fixture("new-api.logs.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made");
    for key in [out.join("secret.key"), out.join("further/secret.key")] {
        let args = ["profile", &log, "--out", out.to_str().unwrap(), "--key-file", key.to_str().unwrap()];
        run(&args).ends(&[2]).says(&["take the key from", "would stand in the profile's folder"]);
        assert!(!out.exists(), "{}", key.display());
    }
    let no_key = write(folder.path(), "no.key", b"0123\n");
    refused(&log, &["--key-file", &no_key], &["no.key", "it is no key", "64 hexadecimal digits"]);
    assert_eq!(std::fs::read_to_string(no_key).unwrap(), "0123\n");
}

#[test]
fn a_folder_that_is_taken_keeps_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let notes = write(folder.path(), "notes.txt", b"mine");
    let out = folder.path().to_str().unwrap();
    run(&["profile", &fixture("new-api.logs.jsonl"), "--out", out]).ends(&[2]).says(&["not empty", out]);
    assert_eq!(std::fs::read_to_string(notes).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(out).unwrap().count(), 1);
}

#[test]
fn bad_rows_are_named_and_bounded() {
    let text = std::fs::read_to_string(fixture("new-api.logs.jsonl")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(3, "{\"id\": 1,");
    lines.insert(4, "nonsense");
    let folder = tempfile::tempdir().unwrap();
    let log = write(folder.path(), "bad.jsonl", lines.join("\n").as_bytes());
    let (first, second) = ("bad.jsonl:4: the JSON value is cut short", "bad.jsonl:5: not one JSON value");
    refused(&log, &["--max-bad", "1"], &["2 of 5 rows are bad", "--max-bad", first, second]);
    refused(&log, &["--max-bad", "0"], &["--max-bad", first]);
    for more in [&["--max-bad", "2"][..], &[]] {
        let ran = profile(&log, more);
        ran.ends(&[0]);
        assert!(ran.stderr.contains(first) && ran.stderr.contains(second), "{}", ran.stderr);
        let source = &json(&ran.out.join("profile.json"))["source"];
        assert_eq!(source["rows_read"], 11);
        assert_eq!(source["kept"], 7);
        assert_eq!(source["dropped"], serde_json::json!({ "bad_json": 2, "no_request": 2 }));
    }
    let quiet = profile(&log, &["--quiet"]);
    quiet.ends(&[0]);
    assert_eq!(quiet.stderr, "");
    assert!(quiet.stdout.contains("dropped: bad_json 2"), "{}", quiet.stdout);
}
