//! Logs of gateways and services, through an import whose format nobody named.

use std::{fs, path::PathBuf};

use log_import::{
    Choice, ImportOptions, Imported, Input, MaxBad, Secret,
    audit::{Haystack, audit},
    formats, import,
};
use proptest::{prelude::*, sample::Index};
use workload_model::{
    profile::{Facet, Groups, ProfileFacts, build},
    traffic::Note,
};

/// Every log of `fixtures/logs` with its format, rows that were kept and rows that were not.
const LOGS: [(&str, &str, u64, u64); 15] = [
    ("litellm.spendlogs.jsonl", "litellm", 5, 0),
    ("new-api.logs.jsonl", "new-api", 7, 2),
    ("new-api.api-page.json", "new-api", 2, 1),
    ("one-api.logs.bom-crlf.csv", "one-api", 3, 2),
    ("one-api.api-page.json", "one-api", 2, 0),
    ("higress.access.jsonl", "higress", 5, 0),
    ("envoy-ai-gateway.access.jsonl", "envoy-ai-gateway", 5, 0),
    ("apisix.access.log", "apisix", 3, 1),
    ("apisix.http-logger.jsonl", "apisix", 4, 2),
    ("kong-ai.file-log.jsonl", "kong", 6, 1),
    ("nginx-json.access.jsonl", "nginx-json", 5, 2),
    ("vllm.server.log", "vllm-log", 2, 6),
    ("otel-genai.otlp.jsonl", "otel-genai", 4, 1),
    ("langfuse.observations_v2.jsonl", "langfuse", 5, 1),
    ("dify.messages.csv", "dify", 4, 0),
];

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/logs").join(file)
}

fn log(file: &str) -> Vec<Input<'static>> {
    vec![Input::file(&path(file))]
}

fn said() -> ImportOptions {
    let mut options = ImportOptions { max_bad: MaxBad::Rows(1), ..ImportOptions::default() };
    options.read.zone = Some(8 * 3600);
    options.read.year = Some(2026);
    options
}

fn grouped(file: &str, groups: &mut Groups) -> Imported {
    import(log(file), Choice::Auto(formats::all()), &said(), &Secret::new(&[7; 32]), groups, &mut ())
        .unwrap_or_else(|fault| panic!("{file}: {fault}"))
}

fn imported(file: &str) -> Imported {
    grouped(file, &mut Groups::of_facet(Facet::Call))
}

#[test]
fn every_log_is_recognised_and_every_row_accounted_for() {
    for (file, format, kept, dropped) in LOGS {
        let found = imported(file);
        assert_eq!(found.format, format, "{file}");
        assert!(found.why.is_some(), "{file}");
        assert_eq!(found.traffic.kept(), kept, "{file}: kept");
        assert_eq!(found.traffic.dropped.values().sum::<u64>(), dropped, "{file}: dropped");
    }
}

#[test]
fn an_arrival_is_the_end_less_the_duration() {
    let found = imported("new-api.logs.jsonl");
    let arrivals: Vec<i64> = found.traffic.rows().map(|row| row.facts().arrival_ns / 1_000_000_000).collect();
    assert_eq!(
        arrivals,
        [
            1_795_050_060,
            1_795_050_061,
            1_795_050_007,
            1_795_049_944,
            1_795_049_928,
            1_795_049_969,
            1_795_049_991
        ]
    );
    let words: Vec<&str> = found.traffic.sources.iter().map(|source| source.words.as_str()).collect();
    assert_eq!(words, ["created_at - use_time"]);
}

#[test]
fn what_is_to_be_known_of_rows_is_counted() {
    let notes = |file: &str, note| imported(file).traffic.notes.get(&note).copied();
    assert_eq!(notes("one-api.logs.bom-crlf.csv", Note::ArrivalIsEnd), Some(1));
    assert_eq!(notes("new-api.api-page.json", Note::PartialExport), Some(2));
    assert_eq!(notes("litellm.spendlogs.jsonl", Note::CacheHit), Some(1));
    assert_eq!(notes("litellm.spendlogs.jsonl", Note::ZeroIsUnknown), Some(1));
    assert_eq!(notes("dify.messages.csv", Note::ZoneAssumed), Some(3));
    assert_eq!(notes("dify.messages.csv", Note::ApplicationCounts), Some(4));
    assert_eq!(notes("vllm.server.log", Note::YearAssumed), Some(2));
    assert_eq!(notes("langfuse.observations_v2.jsonl", Note::ZoneAssumed), None);
    assert_eq!(notes("apisix.access.log", Note::NoFirstToken), Some(2));
}

#[test]
fn a_conversation_keeps_its_link_and_not_its_name() {
    let found = imported("dify.messages.csv");
    let sessions: Vec<_> = found.traffic.rows().map(|row| row.facts().session).collect();
    let [first, second, third, fourth] = sessions.as_slice() else { panic!("{} rows", sessions.len()) };
    assert!(first.is_some() && second.is_some());
    assert_eq!((first, second), (third, fourth));
    assert_ne!(first, second);
}

#[test]
fn a_profile_tells_nothing_of_its_log() {
    for (file, format, ..) in LOGS {
        for facet in [Facet::Call, Facet::Model, Facet::Caller, Facet::Label, Facet::Path] {
            let mut groups = Groups::of_facet(facet);
            let mut traffic = grouped(file, &mut groups).traffic;
            let facts = ProfileFacts::new(groups.settle(&mut traffic, 1), format);
            let profile = build(&traffic, &facts).unwrap_or_else(|fault| panic!("{file}: {fault}")).to_json();
            let haystack = Haystack::new(vec![("profile.json".into(), profile)]);
            let audited = audit(log(file), formats::all(), &said(), &haystack).expect("an audit");
            assert!(audited.values > 0, "{file}: nothing was looked for");
            assert!(audited.found.is_empty(), "{file}: by {facet:?}: {:?}", audited.found);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Bytes of a log are replaced, and it may end anywhere.
    #[test]
    fn whatever_happened_to_a_log_every_row_is_accounted_for(
        damage in proptest::collection::vec((any::<Index>(), any::<u8>()), 0..6),
        length in any::<Index>(),
    ) {
        for (file, format, ..) in LOGS {
            let mut bytes = fs::read(path(file)).expect("it can be read");
            for (at, byte) in &damage {
                let at = at.index(bytes.len());
                bytes.splice(at..=at, [*byte]);
            }
            bytes.truncate(length.index(bytes.len()) + bytes.len() / 2);
            let importer = formats::all().iter().find(|one| one.name() == format).expect("a format");
            let inputs = vec![Input::reader(file, bytes.as_slice())];
            let options = ImportOptions { max_bad: MaxBad::Rows(u64::MAX), ..said() };
            let groups = &mut Groups::of_facet(Facet::Call);
            let found = import(inputs, Choice::Named(*importer), &options, &Secret::new(&[7; 32]), groups, &mut ());
            if let Ok(found) = found {
                let kept = found.files.iter().map(|file| file.kept).sum::<u64>();
                let rows = found.files.iter().map(|file| file.rows).sum::<u64>();
                prop_assert_eq!(kept, found.traffic.kept());
                prop_assert_eq!(rows, kept + found.traffic.dropped.values().sum::<u64>());
            }
        }
    }
}
