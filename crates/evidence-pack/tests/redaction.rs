//! No secret in any file of a package, in any form, and rows that stay rows.

mod common;

use std::fs;

use base64::{Engine, engine::general_purpose};
use common::{event, frozen, record, slots};
use evidence_pack::{Redactor, Writer, verify_bytes};
use metrics_core::{Ended, Fault, FaultKind, Happening, TokenSource};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;

const KEY: &str = "sk-Ab+9/\"q\\Z~ 7=";

fn redactor(secrets: &[&str]) -> Redactor {
    Redactor::new(secrets.iter().map(|secret| (*secret).to_owned()))
}

fn base64_forms(key: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for text in [
        key.to_owned(),
        format!("u:{key}"),
        format!("user:{key}"),
        format!("abc:{key}x"),
        format!("ab:{key}xy"),
    ] {
        for engine in [
            general_purpose::STANDARD,
            general_purpose::STANDARD_NO_PAD,
            general_purpose::URL_SAFE,
            general_purpose::URL_SAFE_NO_PAD,
        ] {
            forms.push(engine.encode(&text));
        }
    }
    forms
}

/// The longest run of the key's own characters that base64 leaves, wherever the key started.
fn longest_common(left: &str, form: &str) -> usize {
    (1..=form.len())
        .rev()
        .find(|length| {
            form.as_bytes().windows(*length).any(|part| left.as_bytes().windows(*length).any(|w| w == part))
        })
        .unwrap_or(0)
}

#[test]
fn a_key_is_found_in_every_form() {
    let redactor = redactor(&[KEY]);
    let json = serde_json::to_string(KEY).unwrap();
    let percent = utf8_percent_encode(KEY, NON_ALPHANUMERIC).to_string();
    for form in [
        KEY.to_owned(),
        json.clone(),
        serde_json::to_string(&json).unwrap(),
        json.replace('/', "\\/"),
        json.replace('+', "\\u002B").replace('~', "\\u007e"),
        percent.to_lowercase().replace("sk%2dab", "sk%2dAb").replace("%5cz", "%5cZ"),
        percent.replace("%2D", "-").replace("%7E", "~"),
        percent,
    ] {
        let text = format!("a {form}, b");
        let clean = redactor.scrub(&text);
        assert!(clean.contains("[secret]") && !clean.contains("Ab"), "{text} gave {clean}");
    }
    for form in base64_forms(KEY) {
        let clean = redactor.scrub(&form).replace("[secret]", " ");
        // What is left is the neighbours' part: `user:` and at most one shared character at either end.
        assert!(
            clean.len() <= 12 && longest_common(&clean, &base64_forms(KEY)[1]) < 4,
            "{form} gave {clean}"
        );
    }
}

#[test]
fn a_key_that_a_limit_cut_in_two_is_taken_out_as_well() {
    let redactor = redactor(&["sk-1234567890abcdef"]);
    assert_eq!(redactor.scrub("bad key sk-1234567"), "bad key [secret]");
    assert_eq!(redactor.scrub_bytes(b"\xff key sk-1234567890abcde").as_ref(), b"\xff key [secret]");
    assert_eq!(redactor.scrub("task sk-"), "task sk-");
}

#[test]
fn text_without_a_secret_is_not_even_copied() {
    let text = "plain";
    assert!(matches!(redactor(&[KEY]).scrub(text), std::borrow::Cow::Borrowed("plain")));
    assert_eq!(redactor(&["", "  "]).scrub("a  b"), "a  b");
}

#[test]
fn a_dummy_key_goes_only_as_a_whole_word_of_free_text() {
    let dummy = redactor(&["none", "EMPTY", "x"]);
    assert_eq!(dummy.scrub("key none is not nonesuch, x"), "key [secret] is not nonesuch, x");
    assert_eq!(dummy.scrub("key=EMPTY"), "key=[secret]");
}

#[test]
fn a_secret_is_never_shown_by_debug() {
    assert_eq!(format!("{:?}", redactor(&[KEY, "other-key"])), "Redactor(2 secrets)");
}

#[test]
fn a_package_holds_no_secret_wherever_it_was_put() {
    for key in [KEY, "lm-studio", "12345678901", "dXNlcjpwYXNz", "stage_started", "timeout:stall"] {
        let folder = tempfile::tempdir().unwrap();
        let mut all = frozen();
        all.plan = format!("{}# asked with {key}\n", all.plan);
        all.samples = all.samples.replacen("\"one\"", &json(key), 1);
        all.environment.target.url = format!("http://h/v1?key={key}");
        all.environment.target.dialect_notes = base64_forms(key);
        all.agreement = Some(format!("# {key}\n"));
        all.calibration = Some(format!("{{\"note\":{}}}\n", json(key)));
        let redactor = redactor(&[key]);
        let mut writer = Writer::create(folder.path(), &all, redactor.clone()).unwrap();
        for slot in slots() {
            let mut row = record(&slot);
            row.facts.ended = "timeout:stall".parse().unwrap();
            row.facts.bytes = 12_345_678_901;
            row.facts.error =
                Some(Fault { kind: FaultKind::Http, message: format!("{{\"auth\": {}}}", json(key)) });
            row.facts.response_id = Some(format!("chatcmpl-{key}"));
            row.facts.finish_reason = Some(key.into());
            writer.append_request(&row).unwrap();
        }
        writer.append_event(&event(1, Happening::StageStarted { stage: format!("s {key}") })).unwrap();
        writer
            .append_event(&event(2, Happening::UsageRefused { message: base64_forms(key).join(" ") }))
            .unwrap();
        writer.append_event(&event(3, Happening::RunEnded)).unwrap();
        assert!(writer.keep_failure("1.txt", format!("Authorization: Bearer {key}").as_bytes()).unwrap());
        let pack = writer.finish().unwrap();

        assert_eq!(redactor.check(folder.path()).unwrap(), Vec::<String>::new(), "{key}");
        for file in common::files(folder.path()) {
            let text = fs::read_to_string(&file).unwrap().replace("\"kind\":\"stage_started\"", "");
            let text = text.replace("\"ended\":\"timeout:stall\"", "").replace("\"bytes\":12345678901", "");
            assert!(!text.contains(key), "{key} in {}: {text}", file.display());
        }
        // Rows are still rows, and what is counted is untouched.
        for row in pack.requests().unwrap() {
            let facts = row.unwrap().facts;
            assert_eq!((facts.bytes, facts.ended.as_str()), (12_345_678_901, "timeout:stall"));
            assert_eq!(facts.token_source, Some(TokenSource::Usage));
            assert!(facts.error.unwrap().message.contains("[secret]"));
        }
        assert_eq!(verify_bytes(folder.path()).unwrap().problems, [], "{key}");
    }
}

#[test]
fn a_dummy_key_leaves_rows_readable() {
    for key in ["done", "usage", "stop", "http", "sweep", "true", "null", "kind"] {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(folder.path(), &frozen(), redactor(&[key])).unwrap();
        let mut row = record(&slots()[0]);
        row.facts.error = Some(Fault { kind: FaultKind::Http, message: format!("wrong key {key}") });
        writer.append_request(&row).unwrap();
        row.facts.error = Some(Fault { kind: FaultKind::Http, message: "wrong key [secret]".into() });
        let pack = writer.finish().unwrap();
        assert_eq!(pack.requests().unwrap().next().unwrap().unwrap(), row, "{key}");
    }
}

#[test]
fn check_names_the_files_that_hold_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let redactor = redactor(&[KEY]);
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::write(folder.path().join("clean.txt"), "sk-").unwrap();
    fs::write(folder.path().join("data/plain.txt"), format!("x{KEY}")).unwrap();
    fs::write(folder.path().join("data/basic.bin"), [b"\xff", base64_forms(KEY)[4].as_bytes()].concat())
        .unwrap();
    fs::write(folder.path().join("data/deep.json"), json(&json(KEY))).unwrap();
    assert_eq!(
        redactor.check(folder.path()).unwrap(),
        ["data/basic.bin", "data/deep.json", "data/plain.txt"]
    );
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_around_any_key_gives_a_row_without_it(key in "[ -~]{8,20}", before in ".{0,12}", after in ".{0,12}") {
        let key = key.trim().to_owned();
        prop_assume!(key.len() >= 8 && !"[secret]".contains(&key));
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(folder.path(), &frozen(), redactor(&[&key])).unwrap();
        let mut row = record(&slots()[0]);
        row.facts.ended = Ended::Eof;
        row.facts.error = Some(Fault { kind: FaultKind::Reset, message: format!("{before}{key}{after}") });
        writer.append_request(&row).unwrap();
        let read = writer.finish().unwrap().requests().unwrap().next().unwrap().unwrap();
        let message = read.facts.error.unwrap().message;
        prop_assert!(message.contains("[secret]") && !message.contains(&key), "{}", message);
    }
}
