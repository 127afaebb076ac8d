//! What is expected of every log, against what is read.

use std::collections::BTreeMap;

use metrics_core::Micros;
use serde::Deserialize;
use workload_model::traffic::{Dropped, Ending, StampKind};

use super::{LOGS, TRACES, fixture};
use crate::formats::all;
use crate::formats::recorder::{Recorder, format, read, said};
use crate::{Entry, recognise, with_opening};

/// What is expected of a log.
#[derive(Deserialize)]
struct Expected {
    #[serde(alias = "spans")]
    rows: usize,
    #[serde(alias = "requests")]
    keep: Option<usize>,
    #[serde(default)]
    excluded: BTreeMap<String, usize>,
    #[serde(default)]
    order: String,
    #[serde(default)]
    rows_expected: Vec<ExpectedRow>,
    #[serde(default)]
    sensitive: Vec<String>,
}

#[derive(Deserialize)]
struct ExpectedRow {
    key: serde_json::Value,
    arrival_utc: String,
    arrival_resolution_ms: f64,
    input_tokens: Option<u32>,
    output_tokens: Option<u32>,
    stream: Option<bool>,
    ttft_ms: Option<f64>,
    duration_ms: Option<f64>,
    status: String,
    call: String,
}

/// The row of which EXPECTED.json has it that its output is unknown, although the row says `"128"`, and has its input from
/// the string beside it.
const SAYS_128: (&str, usize) = ("envoy-ai-gateway.access.jsonl", 4);

fn expected() -> BTreeMap<String, Expected> {
    let read =
        |file| -> BTreeMap<String, Expected> { serde_json::from_str(&fixture(file)).expect("expectations") };
    let mut all = read("EXPECTED.json");
    for (file, more) in read("EXPECTED-more.json") {
        // The first has of this page only how many rows it has.
        let known = all.insert(file, more);
        assert!(known.is_none_or(|known| known.rows_expected.is_empty()));
    }
    all
}

fn ending(status: &str) -> Ending {
    match status {
        "cache_hit" => Ending::CacheHit,
        "429" => Ending::Rejected,
        "504" | "504 UT" | "timeout" => Ending::Timeout,
        "error" | "failure" => Ending::Error,
        "unknown" => Ending::Unknown,
        "client_gone" | "499 client_gone" | "aborted" => Ending::ClientGone,
        status if status.contains("downstream_disconnect") => Ending::ClientGone,
        status if status.starts_with("ok") => Ending::Ok,
        status => panic!("no ending is known for {status}"),
    }
}

fn reason(excluded: &str) -> Dropped {
    match excluded {
        "non-chat uri" => Dropped::OtherPath,
        excluded if excluded.starts_with("malformed JSON") => Dropped::BadJson,
        _ => Dropped::NoRequest,
    }
}

/// The arrival of a request, as the import works it out.
fn arrival_ns(entry: &Entry<'_>) -> i64 {
    match entry.stamp.kind {
        StampKind::Arrival => entry.stamp.at_ns,
        StampKind::End => entry.stamp.at_ns - entry.duration.map_or(0, |duration| duration.0 as i64 * 1000),
    }
}

#[test]
fn every_log_gives_what_is_expected_of_it() {
    let mut expected = expected();
    for (file, name) in LOGS {
        let expected = expected.remove(file).unwrap_or_else(|| panic!("nothing is expected of {file}"));
        let Recorder { mut kept, dropped } = read(format(name), &fixture(file), &said());
        assert_eq!(kept.len() + dropped.len(), expected.rows, "{file}: rows");
        assert_eq!(kept.len(), expected.keep.unwrap_or(expected.rows), "{file}: kept");
        assert_eq!(kept.len(), expected.rows_expected.len(), "{file}: rows looked at");
        let mut reasons = BTreeMap::<Dropped, usize>::new();
        for (excluded, rows) in &expected.excluded {
            *reasons.entry(reason(excluded)).or_default() += rows;
        }
        let mut found = BTreeMap::<Dropped, usize>::new();
        for (_, reason, _) in &dropped {
            *found.entry(*reason).or_default() += 1;
        }
        if name != "vllm-log" {
            assert_eq!(found, reasons, "{file}: dropped");
        }
        if expected.order == "newest first" {
            kept.reverse();
        }
        for (at, ((_, entry), row)) in kept.iter().zip(&expected.rows_expected).enumerate() {
            check(file, at, entry, row);
        }
    }
    assert!(expected.is_empty(), "no test reads {:?}", expected.keys());
}

fn check(file: &str, at: usize, entry: &Entry<'_>, row: &ExpectedRow) {
    let of = format!("{file}: {}", row.key);
    let arrival: jiff::Timestamp = row.arrival_utc.parse().expect("an instant");
    assert_eq!(i128::from(arrival_ns(entry)), arrival.as_nanosecond(), "{of}: arrival");
    let resolution = (row.arrival_resolution_ms * 1e6).round() as u64;
    assert_eq!(entry.stamp.resolution_ns, resolution, "{of}: resolution");
    let output = if (file, at) == SAYS_128 { Some(128) } else { row.output_tokens };
    assert_eq!((entry.input_tokens, entry.output_tokens), (row.input_tokens, output), "{of}: tokens");
    assert_eq!(entry.stream, row.stream, "{of}: streamed");
    // Whole milliseconds are all that most of them are given in.
    let same = |found: Option<Micros>, expected: Option<f64>| match (found, expected) {
        (Some(found), Some(expected)) if expected.fract() == 0.0 => found.0 / 1000 == expected as u64,
        (Some(found), Some(expected)) => found.0 == (expected * 1000.0).round() as u64,
        (found, expected) => found.is_none() && expected.is_none(),
    };
    assert!(same(entry.ttft, row.ttft_ms), "{of}: first token {:?}", entry.ttft);
    assert!(same(entry.duration, row.duration_ms), "{of}: duration {:?}", entry.duration);
    assert_eq!(entry.ending, ending(&row.status), "{of}: ending");
    assert_eq!(entry.call.as_str(), row.call, "{of}: call");
}

#[test]
fn what_names_somebody_is_no_open_field() {
    for (file, expected) in expected() {
        let Some((_, name)) = LOGS.iter().find(|(log, _)| *log == file) else { panic!("{file} is no log") };
        if *name == "vllm-log" {
            // Its lines have words and no fields.
            continue;
        }
        let open = format(name).open_fields();
        for sensitive in expected.sensitive {
            let sensitive = sensitive.split(' ').next().unwrap_or_default();
            let last = sensitive.rsplit('.').next().unwrap_or_default();
            assert!(!open.contains(&sensitive) && !open.contains(&last), "{name}: {sensitive} is open");
        }
    }
}

#[test]
fn every_format_knows_its_own_logs_and_no_others() {
    for (file, name) in LOGS.into_iter().chain(TRACES) {
        let text = fixture(file);
        let knows: Vec<String> = with_opening(&text, |opening| {
            recognise(opening, all()).iter().map(|finding| finding.importer.name().to_owned()).collect()
        });
        assert_eq!(knows, [name], "{file}");
    }
}

#[test]
fn every_format_has_a_log() {
    for format in all() {
        let mut logs = LOGS.iter().chain(&TRACES);
        assert!(logs.any(|(_, name)| *name == format.name()), "{} has none", format.name());
    }
}
