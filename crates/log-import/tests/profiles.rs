//! From a log to its profile.

mod common;

use common::{fixture, format, public_trace};
use log_import::{ImportOptions, Imported, Input, Secret, import};
use workload_model::{
    profile::{Facet, Groups, LEAST_ROWS, Profile, ProfileFacts, STEP_NS, Segments, build},
    traffic::write_rows,
};

/// What is read of these files, and its profile.
fn profile_of(files: &[std::path::PathBuf], facet: Facet) -> (Imported, Profile) {
    let inputs = files.iter().map(|file| Input::file(file)).collect();
    let mut groups = Groups::of_facet(facet);
    let (options, secret) = (ImportOptions::default(), Secret::new(&[7; 32]));
    let mut imported = import(inputs, format("auto"), &options, &secret, &mut groups, &mut ())
        .unwrap_or_else(|fault| panic!("{fault}"));
    let grouped = groups.settle(&mut imported.traffic, LEAST_ROWS);
    let facts = ProfileFacts::new(grouped, imported.format.clone());
    let profile = build(&imported.traffic, &facts).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(Profile::from_json(&profile.to_json()).as_ref(), Ok(&profile));
    (imported, profile)
}

/// Lines of the rows, by segment and in their order.
fn lines(imported: &Imported) -> Vec<Vec<u64>> {
    let segments = Segments::find(&imported.traffic, STEP_NS).expect("a log in some order");
    let line = |at: &u32| imported.traffic.get(*at as usize).map(|row| row.facts().line).unwrap_or_default();
    (0..segments.len()).map(|segment| segments.rows(segment).iter().map(line).collect()).collect()
}

#[test]
fn the_table_of_new_api_is_read_from_its_end_and_ordered_by_arrival() {
    let (imported, profile) = profile_of(&[fixture("new-api.logs.jsonl")], Facet::Call);
    // 00:58:48, 00:59:04, :29, :51, 01:00:07, 01:01:00, :01
    assert_eq!(lines(&imported), [vec![7, 6, 8, 9, 5, 2, 3]]);
    assert_eq!((profile.source.rows_read, profile.source.kept), (9, 7));
    assert_eq!(profile.source.period.from, "2026-11-19T00:58:48Z");
    assert_eq!(profile.source.arrivals_from.get("created_at - use_time"), Some(&7));
    let told: Vec<(&str, u64)> =
        profile.groups.iter().map(|group| (group.name.as_str(), group.rows)).collect();
    assert_eq!(told, [("chat", 6), ("embeddings", 1)]);
    let chat = &profile.groups[0].lengths;
    assert_eq!((chat.both, chat.cut, chat.input_only, chat.output_only, chat.neither), (3, 1, 1, 0, 1));
}

#[test]
fn callers_of_few_rows_are_others_and_rows_tell_which_they_were() {
    let (imported, profile) = profile_of(&[fixture("new-api.logs.jsonl")], Facet::Caller);
    assert_eq!(profile.groups.len(), 1);
    assert_eq!(profile.groups[0].name, "other");
    assert_eq!(profile.deidentification.rows_merged, 7);
    let segments = Segments::find(&imported.traffic, STEP_NS).expect("a log in some order");
    let mut out = Vec::new();
    write_rows(&imported.traffic, &segments, &mut out).expect("memory");
    let text = String::from_utf8(out).expect("text");
    assert_eq!(text.lines().count(), 7);
    assert!(
        text.lines().all(|line| line.contains("\"caller\":\"") && line.contains("\"group\":\"other\"")),
        "{text}"
    );
    assert!(!text.contains("demo"), "{text}");
}

#[test]
fn files_of_one_clock_come_together_and_a_clock_that_began_anew_does_not() {
    let azure = || fixture("traces/azure-2023.csv");
    let (_, twice) = profile_of(&[azure(), azure()], Facet::Call);
    assert_eq!((twice.source.segments.len(), twice.source.kept), (1, 6));
    assert_eq!(twice.arrivals.ties.most, 2);
    let (imported, ragpulse) = profile_of(&[fixture("traces/ragpulse.jsonl")], Facet::Call);
    assert_eq!(lines(&imported), [vec![1], vec![2]]);
    assert!(ragpulse.source.relative_time && ragpulse.arrivals.by_hour.is_empty());
    let mooncake = || fixture("traces/mooncake.jsonl");
    let (_, twice) = profile_of(&[mooncake(), mooncake()], Facet::Call);
    assert_eq!(twice.source.segments.len(), 2);
}

#[test]
fn public_traces_are_what_they_are_known_to_be() {
    if let Some(trace) = public_trace("ragpulse/0_trace.clock-reset.jsonl") {
        let (_, profile) = profile_of(&[trace], Facet::Call);
        let rows: Vec<u64> = profile.source.segments.iter().map(|segment| segment.rows).collect();
        assert_eq!(rows, [11, 12]);
    }
    if let Some(trace) = public_trace("mooncake/conversation_trace.first2000.jsonl") {
        let (_, profile) = profile_of(&[trace], Facet::Call);
        assert!(profile.arrivals.ties.too_coarse && profile.arrivals.gap_cv.is_none());
    }
    if let Some(trace) = public_trace("azure-2023/AzureLLMInferenceTrace_code.full.csv") {
        let (_, profile) = profile_of(&[trace], Facet::Call);
        assert_eq!(profile.arrivals.gap_cv, Some(13.151_291));
        assert_eq!(profile.source.segments.len(), 1);
    }
}

#[test]
fn no_group_is_called_by_what_has_the_form_of_a_number_or_a_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.csv");
    let models = ["qwen3-32b", "13812345678", "AKIAIOSFODNN7EXAMPLE", "2001:db8::7"];
    let rows = models.iter().cycle().take(40).map(|model| format!("2026-11-19 09:00:00,1,2,{model}\n"));
    let text = format!("timestamp,input_tokens,output_tokens,model\n{}", rows.collect::<String>());
    std::fs::write(&path, text).expect("it can be written");
    let (_, profile) = profile_of(&[path], Facet::Model);
    let told: Vec<(&str, u64)> =
        profile.groups.iter().map(|group| (group.name.as_str(), group.rows)).collect();
    assert_eq!(told, [("no model", 30), ("qwen3-32b", 10)]);
}
