//! Profiles and rows as files.

mod common;

use std::sync::OnceLock;

use common::{START, at, facts, traffic};
use metrics_core::Micros;
use proptest::prelude::*;
use sha2::Digest as _;
use workload_model::{
    profile::{Facet, Groups, LEAST_ROWS, Profile, STEP_NS, Segments, build},
    traffic::{Ending, Pseudonym, RowFacts, StampKind, write_rows},
};

/// A profile of some rows, as its file.
fn file() -> String {
    let rows =
        (0..50).map(|second| RowFacts { session: Some(Pseudonym(1 + second as u64 % 7)), ..at(second * 3) });
    let mut log = traffic(StampKind::Arrival, false, rows);
    let facts = facts(&mut log);
    build(&log, &facts).expect("rows").to_json()
}

static FILE: OnceLock<String> = OnceLock::new();

/// The file with another value, or another sign, in one place.
fn damaged(file: &str, at: prop::sample::Index, with: &str) -> String {
    let starts: Vec<usize> =
        file.match_indices(|sign: char| sign.is_ascii_digit()).map(|(at, _)| at).collect();
    let start = starts[at.index(starts.len())];
    let end = start + file[start..].find(|sign: char| !sign.is_ascii_digit()).unwrap_or_default();
    [&file[..start], with, &file[end..]].concat()
}

#[test]
fn a_file_ends_in_one_line_break_and_has_one_digest() {
    let file = file();
    assert!(file.ends_with("}\n") && !file.ends_with("\n\n"));
    assert!(file.contains("\n          [100, 10, 50]\n"), "{file}");
    let profile = Profile::from_json(&file).unwrap();
    assert_eq!(profile.to_json(), file);
    assert_eq!(profile.digest(), hex::encode(sha2::Sha256::digest(&file)));
}

#[test]
fn a_profile_that_was_changed_by_hand_is_refused_with_what_is_wrong() {
    let file = file();
    for (from, to, told) in [
        ("\"format\": 1", "\"format\": 9", "its format is 9, and this version knows up to 1"),
        ("\"format\": 1", "\"format\": 0", "format: 0 is none"),
        ("\"kept\": 50", "\"kept\": 51", "the parts make 51, and the rows that were read are 50"),
        ("\"chat\": 50", "\"chat\": 49", "calls: the parts make 49"),
        ("[100, 10, 50]", "[100, 10, 49]", "lengths.cells: the parts make 49"),
        ("[100, 10, 50]", "[101, 10, 50]", "is no bin with rows"),
        ("\"share\": 1.0", "\"share\": 0.5", "0.5 is not the share of 50 of 50 rows"),
        ("\"p50\": 100.0", "\"p50\": 90.0", "the percentiles fall"),
        ("\"mean\": 100.0", "\"mean\": 900.0", "the mean lies outside all values"),
        ("\"zone\": \"+00:00\"", "\"zone\": \"Asia/Shanghai\"", "no offset such as +08:00"),
        ("\"priority\": null", "\"priority\": 1", "nobody stands for them"),
        ("\"sessions\": 7", "\"sessions\": 8", "sessions.turns: the parts make 7"),
        ("\"name\": \"profile\"", "\"title\": \"profile\"", "unknown field `title`"),
        ("\"from\": \"2026-11-19T00:00:00Z\"", "\"from\": \"yesterday\"", "is no instant"),
    ] {
        assert!(file.contains(from), "{from}: {file}");
        let error = Profile::from_json(&file.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(told), "{to}: {error}");
    }
}

#[test]
fn rows_are_written_in_the_order_of_reading_and_name_nobody() {
    let row = RowFacts {
        arrival_ns: START + 123_400_000,
        ttft: Some(Micros(412_000)),
        duration: Some(Micros(9_000_000)),
        caller: Some(Pseudonym(0xab)),
        output_tokens: None,
        ending: Ending::ClientGone,
        ..at(0)
    };
    let mut log = traffic(StampKind::Arrival, false, [at(7_200), row]);
    let groups = Groups::of_facet(Facet::Call).settle(&mut log, LEAST_ROWS);
    assert_eq!(groups.groups.len(), 1);
    let segments = Segments::find(&log, STEP_NS).unwrap();
    let mut out = Vec::new();
    write_rows(&log, &segments, &mut out).unwrap();
    let lines = String::from_utf8(out).unwrap();
    let last = concat!(
        r#"{"file":0,"line":2,"arrival":"2026-11-19T00:00:00.1234Z","arrival_source":"time","segment":1,"call":"chat","#,
        r#""input_tokens":100,"output_tokens":null,"stream":true,"ttft_s":0.412,"duration_s":9.0,"status":"client_gone","#,
        r#""caller":"00000000000000ab","session":null,"group":"other"}"#,
    );
    assert_eq!(lines.lines().nth(1), Some(last));
    assert!(lines.lines().next().is_some_and(|line| line.contains("T02:00:00Z")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_profile_is_refused_or_read_and_never_a_panic(at in any::<prop::sample::Index>(), digits in "[-0-9e.]{1,22}|[\\[\\]{}\",:a-z]{1,3}") {
        let file = damaged(FILE.get_or_init(file), at, &digits);
        if let Ok(profile) = Profile::from_json(&file) {
            prop_assert!(Profile::from_json(&profile.to_json()).is_ok());
        }
    }
}
