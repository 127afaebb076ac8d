//! A profile of a log: its account of rows, its files, and what of the log is in none of them.

use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Ran, files, json as read_json, run};

const LOGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/logs");

/// A log of this project.
pub(crate) fn fixture(name: &str) -> String {
    format!("{LOGS}/{name}")
}

/// The log of new-api with a value that stands nowhere else in every field that is sensitive, row by row.
#[derive(Debug)]
pub(crate) struct Planted {
    pub(crate) folder: TempDir,
    pub(crate) path: String,
    /// Every planted value, with its field.
    pub(crate) values: Vec<(String, String)>,
}

pub(crate) fn planted() -> Planted {
    let expected = read_json(Path::new(&fixture("EXPECTED.json")));
    let sensitive = expected["new-api.logs.jsonl"]["sensitive"].as_array().unwrap().clone();
    let text = std::fs::read_to_string(fixture("new-api.logs.jsonl")).unwrap();
    let (mut lines, mut values) = (String::new(), Vec::new());
    for (row, line) in text.lines().enumerate() {
        let mut log: Value = serde_json::from_str(line).unwrap();
        for (at, field) in sensitive.iter().map(|field| field.as_str().unwrap()).enumerate() {
            let number = 731_904_200 + row * 100 + at;
            let value = match field {
                "user_id" | "token_id" => json!(number),
                "ip" => json!(format!("203.0.113.{}", 100 + row)),
                // What tells people apart is the user, and what they have in common is the group.
                "group" => json!("tenant-zxq"),
                "other.admin_info" => json!({ "use_channel": [format!("admin-zxq-{number}")] }),
                _ => json!(format!("{field}-zxq-{number}")),
            };
            let word = match &value {
                Value::Object(info) => info["use_channel"][0].as_str().unwrap().to_owned(),
                Value::String(word) => word.clone(),
                other => other.to_string(),
            };
            values.push((field.to_owned(), word));
            if field == "other.admin_info" {
                let mut other: Value = serde_json::from_str(log["other"].as_str().unwrap()).unwrap();
                other["admin_info"] = value;
                log["other"] = json!(other.to_string());
            } else {
                assert!(log.get(field).is_some(), "the log has no {field}");
                log[field] = value;
            }
        }
        lines.push_str(&format!("{log}\n"));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    std::fs::write(&path, lines).unwrap();
    Planted { path: path.to_str().unwrap().to_owned(), folder, values }
}

/// Makes a profile of a log.
pub(crate) fn profile(log: &str, more: &[&str]) -> Ran {
    run(&[&["profile", log, "--out", "OUT"], more].concat())
}

fn answer(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn every_row_is_kept_or_dropped_for_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let rows_file = folder.path().join("rows.jsonl");
    let ran = profile(&fixture("new-api.logs.jsonl"), &["--json", "--rows", rows_file.to_str().unwrap()]);
    ran.ends(&[0]);
    let (made, profile) = (answer(&ran), read_json(&ran.out.join("profile.json")));
    let dropped = made["dropped"].as_object().unwrap();
    let sum: u64 = dropped.values().map(|rows| rows.as_u64().unwrap()).sum();
    assert_eq!(made["rows_read"].as_u64().unwrap(), made["kept"].as_u64().unwrap() + sum);
    assert_eq!((&made["rows_read"], &made["kept"], &made["segments"]), (&json!(9), &json!(7), &json!(1)));
    assert_eq!(made["dropped"], json!({ "no_request": 2 }));
    for field in ["rows_read", "kept", "dropped", "notes"] {
        assert_eq!(made[field], profile["source"][field], "{field}");
    }
    let shares = |groups: &Value| -> Vec<Value> {
        let groups = groups.as_array().unwrap().iter();
        groups.map(|group| json!([group["name"], group["rows"], group["share"]])).collect()
    };
    assert_eq!(shares(&made["groups"]), [json!(["chat", 6, 0.857143]), json!(["embeddings", 1, 0.142857])]);
    assert_eq!(shares(&made["groups"]), shares(&profile["groups"]));
    assert_eq!(made["segment_list"], profile["source"]["segments"]);

    // Rows are those of the log that the account of it lists.
    let expected = read_json(Path::new(&fixture("EXPECTED.json")));
    let mut wanted: Vec<Value> = expected["new-api.logs.jsonl"]["rows_expected"].as_array().unwrap().clone();
    let mut rows = json_lines(&rows_file);
    assert_eq!(rows.len(), 7);
    for row in &rows {
        assert_eq!(row["segment"], 0, "{row}");
        assert_eq!(row["group"], row["call"], "{row}");
    }
    let key = |row: &Value, arrival: &str| {
        format!("{} {} {}", row[arrival], row["input_tokens"], row["output_tokens"])
    };
    rows.sort_by_key(|row| key(row, "arrival"));
    wanted.sort_by_key(|row| key(row, "arrival_utc"));
    for (row, wanted) in rows.iter().zip(&wanted) {
        assert_eq!(row["arrival"], wanted["arrival_utc"], "{row}");
        for field in ["input_tokens", "output_tokens", "stream", "status", "call"] {
            assert_eq!(row[field], wanted[field], "{field} of {row}");
        }
    }
    assert_eq!(mode(&rows_file), 0o600);
}

#[test]
fn the_folder_is_its_owner_s_alone_and_holds_documents_in_both_languages() {
    let ran = profile(&fixture("new-api.logs.jsonl"), &["--json"]);
    ran.ends(&[0]);
    assert_eq!(mode(&ran.out), 0o700);
    let mut names: Vec<String> = Vec::new();
    for (path, _) in files(&ran.out) {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        names.push(path.strip_prefix(&ran.out).unwrap().to_str().unwrap().to_owned());
    }
    let told = answer(&ran)["documents"].as_array().unwrap().clone();
    let mut told: Vec<String> = told.iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    for page in ["profile.zh.html", "profile.en.html", "profile.zh.md", "profile.en.md"] {
        assert!(told.iter().any(|name| name == page), "{page} is not in {told:?}");
    }
    assert!(told.iter().any(|name| name.ends_with(".svg")), "{told:?}");
    told.push("profile.json".to_owned());
    told.sort();
    names.sort();
    assert_eq!(names, told);
    let check = acceptreport::check_workload(&ran.out).unwrap();
    assert!(check.intact, "{check:?}");
}

#[test]
fn nothing_sensitive_of_the_log_is_in_any_file() {
    let log = planted();
    assert_eq!(log.values.len(), 9 * 9, "nine fields of nine rows");
    let source = std::fs::read_to_string(&log.path).unwrap();
    for by in ["call", "caller", "label", "model", "path", "stream"] {
        let rows = log.folder.path().join(format!("rows-{by}.jsonl"));
        let rows = rows.to_str().unwrap();
        let ran = profile(&log.path, &["--group-by", by, "--least-rows", "1", "--rows", rows]);
        ran.ends(&[0]);
        let mut places = files(&ran.out);
        places.push((PathBuf::from("rows"), std::fs::read(rows).unwrap()));
        places.push((PathBuf::from("stdout"), ran.stdout.clone().into_bytes()));
        places.push((PathBuf::from("stderr"), ran.stderr.clone().into_bytes()));
        for (field, value) in &log.values {
            assert!(source.contains(value), "{value} was not planted");
            for (path, bytes) in &places {
                let found = memchr::memmem::find(bytes, value.as_bytes()).is_some();
                assert!(!found, "grouped by {by}: {field} {value} is in {}", path.display());
            }
        }
    }
}

/// The rows that a run with further arguments writes, and who called, row by row.
fn callers(log: &str, more: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("rows.jsonl");
    profile(log, &[&["--rows", rows.to_str().unwrap()], more].concat()).ends(&[0]);
    json_lines(&rows).iter().map(|row| row["caller"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn pseudonyms_change_with_every_import_unless_a_key_is_kept() {
    let log = fixture("new-api.logs.jsonl");
    let (one, other) = (callers(&log, &[]), callers(&log, &[]));
    assert_eq!((one.len(), other.len()), (7, 7));
    assert!(one.iter().all(|caller| !other.contains(caller)), "{one:?} {other:?}");
    // Rows of one caller stay together: users 11, 14, 12, 13, 11, 12, 11.
    let places = |callers: &[String]| -> Vec<usize> {
        callers.iter().map(|caller| callers.iter().position(|first| first == caller).unwrap()).collect()
    };
    assert_eq!(places(&one), [0, 1, 2, 3, 0, 2, 0]);
    assert_eq!(places(&one), places(&other));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.key");
    let key = ["--key-file", path.to_str().unwrap()];
    let first = callers(&log, &key);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!((text.trim().len(), mode(&path)), (64, 0o600));
    assert_eq!(callers(&log, &key), first);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let another = folder.path().join("another.key");
    assert_ne!(callers(&log, &["--key-file", another.to_str().unwrap()]), first);

    let kept = profile(&log, &key);
    kept.ends(&[0]);
    assert_eq!(read_json(&kept.out.join("profile.json"))["deidentification"]["key_kept"], true);
    for (path, bytes) in files(&kept.out) {
        let found = memchr::memmem::find(&bytes, text.trim().as_bytes()).is_some();
        assert!(!found, "the key is in {}", path.display());
    }
    let not_kept = profile(&log, &[]);
    assert_eq!(read_json(&not_kept.out.join("profile.json"))["deidentification"]["key_kept"], false);
}

#[test]
fn a_new_key_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.key");
    let key = ["--key-file", path.to_str().unwrap()];
    let made = profile(&fixture("new-api.logs.jsonl"), &key);
    assert!(made.stderr.contains("made the key") && made.stderr.contains(key[1]), "{}", made.stderr);
    let again = profile(&fixture("new-api.logs.jsonl"), &key);
    assert!(!again.stderr.contains("made the key"), "{}", again.stderr);
}

const CARD: &str = "[profile]\nname = \"Desk of November\"\ndescription = \"Gateway of the desk\"\n\
    traffic_share = 0.8\nnot_covered = [\"The mobile app\"]\n\n\
    [[group]]\nname = \"interactive\"\nmatch = { call = \"chat\", stream = true }\npriority = 1\n\
    ttft_limit_s = 2\ndeadline_s = 60\nfailing = \"queue\"\nby = \"Head of desk\"\nbasis = \"Service promise\"\n\n\
    [[assumption]]\nwhat = \"Traffic grows by a third\"\nby = \"Product management\"\nbasis = \"Plan\"\n";

#[test]
fn what_the_card_says_is_in_the_profile_and_on_its_pages() {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.toml");
    std::fs::write(&card, CARD).unwrap();
    let ran = profile(&fixture("new-api.logs.jsonl"), &["--card", card.to_str().unwrap()]);
    ran.ends(&[0]);
    let profile = read_json(&ran.out.join("profile.json"));
    assert_eq!(profile["name"], "Desk of November");
    assert_eq!(profile["source"]["description"], "Gateway of the desk");
    assert_eq!(profile["source"]["traffic_share"], 0.8);
    let groups = &profile["groups"];
    assert_eq!((&groups[0]["name"], &groups[0]["rows"]), (&json!("interactive"), &json!(5)));
    assert_eq!((&groups[1]["name"], &groups[1]["rows"]), (&json!("other"), &json!(2)));
    let terms = json!({
        "priority": 1,
        "ttft_limit_s": 2.0,
        "deadline_s": 60.0,
        "failing": "queue",
        "by": "Head of desk",
        "basis": "Service promise",
    });
    assert_eq!(groups[0]["terms"], terms);
    assert!(groups[1]["terms"].as_object().unwrap().values().all(Value::is_null), "{groups}");
    let assumption =
        json!({ "what": "Traffic grows by a third", "by": "Product management", "basis": "Plan" });
    assert_eq!(profile["assumptions"], json!([assumption]));
    for page in ["profile.en.html", "profile.en.md", "profile.zh.html", "profile.zh.md"] {
        let text = std::fs::read_to_string(ran.out.join(page)).unwrap();
        for words in [
            "Desk of November",
            "interactive",
            "Head of desk",
            "Service promise",
            "Traffic grows by a third",
            "Product management",
            "The mobile app",
            if page.contains(".en.") { "waits in a queue" } else { "排队等待" },
        ] {
            assert!(text.contains(words), "{words:?} is not in {page}");
        }
    }
}

#[test]
fn the_card_to_fill_in_is_one_as_it_stands_and_filled_in() {
    let printed = run(&["profile", "card"]);
    printed.ends(&[0]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card.toml");
    let card = path.to_str().unwrap();
    run(&["profile", "card", "--out", card]).ends(&[0]);
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written.trim_end(), printed.stdout.trim_end());
    run(&["profile", "card", "--out", card]).ends(&[2]).says(&["write card", card, "not there yet"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), written);

    let as_it_stands = profile(&fixture("new-api.logs.jsonl"), &["--card", card]);
    as_it_stands.ends(&[0]);
    let made = read_json(&as_it_stands.out.join("profile.json"));
    assert_eq!((&made["assumptions"], &made["groups"][0]["name"]), (&json!([]), &json!("chat")));

    // Its examples are good ones.
    std::fs::write(&path, written.replace("#: ", "")).unwrap();
    let filled_in = profile(&fixture("new-api.logs.jsonl"), &["--card", card]);
    filled_in.ends(&[0]);
    let made = read_json(&filled_in.out.join("profile.json"));
    assert_eq!(made["groups"][0]["name"], "interactive");
    assert_eq!(made["assumptions"].as_array().unwrap().len(), 1, "{}", made["assumptions"]);
}
