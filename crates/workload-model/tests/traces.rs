//! Figures of public traces against those that another program computed of them. The traces stand in the folder that
//! `ACCEPTBENCH_SHARED` names, or in a folder `shared` beside the repository or above. Without them nothing is run.

use std::{
    fs,
    path::{Path, PathBuf},
};

use workload_model::{
    profile::{Facet, Groups, LEAST_ROWS, Profile, ProfileFacts, build},
    traffic::{Call, Ending, Row, RowFacts, StampKind, StampSource, Traffic},
};

fn traces() -> Option<PathBuf> {
    let within = |shared: PathBuf| shared.join("data/traces");
    if let Some(named) = std::env::var_os("ACCEPTBENCH_SHARED") {
        let folder = within(named.into());
        assert!(folder.exists(), "ACCEPTBENCH_SHARED names a folder without traces: {}", folder.display());
        return Some(folder);
    }
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|folder| within(folder.join("shared"))).find(|folder| folder.exists())
}

/// The profile of rows of (arrival in nanoseconds, input, output).
fn profile(relative: bool, rows: impl IntoIterator<Item = (i64, u32, u32)>) -> Profile {
    let mut traffic = Traffic::default();
    let words = "timestamp".to_owned();
    traffic.sources.push(StampSource { words, kind: StampKind::Arrival, resolution_ns: 1, relative });
    for (line, (arrival_ns, input, output)) in (1..).zip(rows) {
        traffic.push(Row::new(RowFacts {
            arrival_ns,
            source: 0,
            file: 0,
            line,
            group: 0,
            call: Call::Chat,
            ending: Ending::Unknown,
            stream: None,
            input_tokens: Some(input),
            output_tokens: Some(output),
            output_cut: false,
            ttft: None,
            duration: None,
            caller: None,
            session: None,
        }));
    }
    let grouped = Groups::of_facet(Facet::Call).settle(&mut traffic, LEAST_ROWS);
    let profile = build(&traffic, &ProfileFacts::new(grouped, "trace")).expect("rows in an order");
    assert_eq!(Profile::from_json(&profile.to_json()).as_ref(), Ok(&profile));
    profile
}

fn azure(folder: &Path, name: &str) -> Profile {
    let text = fs::read_to_string(folder.join("azure-2023").join(name)).expect("a trace");
    profile(
        false,
        text.lines().skip(1).map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let instant: jiff::Timestamp = format!("{}Z", fields[0]).parse().expect("an instant");
            let arrival_ns = i64::try_from(instant.as_nanosecond()).expect("an instant of our time");
            (arrival_ns, fields[1].parse().expect("a count"), fields[2].parse().expect("a count"))
        }),
    )
}

fn json_lines(folder: &Path, name: &str, unit_ns: i64) -> Profile {
    let text = fs::read_to_string(folder.join(name)).expect("a trace");
    let rows = text.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).expect("a row");
        let count =
            |key: &str| row[key].as_u64().and_then(|count| u32::try_from(count).ok()).expect("a count");
        let stamp = &row["timestamp"];
        let stamp = stamp.as_i64().or_else(|| stamp.as_str()?.parse().ok()).expect("a stamp");
        (stamp * unit_ns, count("input_length"), count("output_length"))
    });
    profile(true, rows.collect::<Vec<_>>())
}

/// Peaks by window, and index of dispersion by window.
type Windows = [(f64, u64, f64); 3];

fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-5 * expected.abs()
}

#[test]
fn figures_of_azure_2023_are_those_of_another_program() {
    let Some(folder) = traces() else { return };
    let conv: Windows = [(1.0, 19, 1.385_537_640), (10.0, 112, 3.868_047_462), (60.0, 522, 16.411_211_043)];
    let code: Windows =
        [(1.0, 72, 13.190_268_038), (10.0, 415, 71.850_947_224), (60.0, 723, 166.892_629_347)];
    for (name, rows, cv, rho, windows) in [
        ("AzureLLMInferenceTrace_conv.full.csv", 19_366, 1.094_169_982, 0.072_750_894, conv),
        ("AzureLLMInferenceTrace_code.full.csv", 8_819, 13.151_290_975, -0.021_462_356, code),
    ] {
        let profile = azure(&folder, name);
        assert_eq!((profile.source.kept, profile.source.segments.len()), (rows, 1));
        let arrivals = &profile.arrivals;
        assert!(!arrivals.ties.too_coarse);
        assert!(is_near(arrivals.gap_cv.unwrap(), cv), "{name} {:?}", arrivals.gap_cv);
        let found = profile.groups[0].lengths.rank_correlation.unwrap();
        assert!((found - rho).abs() < 1e-6, "{name} {found}");
        for ((window, requests, index), (peak, dispersion)) in
            windows.into_iter().zip(arrivals.peaks.iter().zip(&arrivals.dispersion))
        {
            assert_eq!((peak.window_s.get(), peak.requests), (window, requests), "{name}");
            assert!(is_near(dispersion.index, index), "{name} {dispersion:?}");
        }
    }
    // Quantiles as the trace's own description has them.
    let code = azure(&folder, "AzureLLMInferenceTrace_code.full.csv").groups[0].lengths.clone();
    let of = |quantiles: Option<workload_model::profile::Quantiles>| {
        quantiles.map(|quantiles| [quantiles.p50, quantiles.p90, quantiles.p99, quantiles.max])
    };
    assert_eq!(of(code.input), Some([1469.0, 5194.0, 7436.0, 7437.0]));
    assert_eq!(of(code.output), Some([13.0, 55.0, 252.0, 1899.0]));
}

#[test]
fn the_two_weeks_of_ragpulse_are_not_laid_over_each_other() {
    let Some(folder) = traces() else { return };
    let profile = json_lines(&folder, "ragpulse/0_trace.clock-reset.jsonl", 1_000_000_000);
    let segments: Vec<(u64, f64)> =
        profile.source.segments.iter().map(|segment| (segment.rows, segment.duration_s.get())).collect();
    assert_eq!(segments, [(11, 647.0), (12, 487.0)]);
    assert_eq!(
        profile.arrivals.rates.iter().map(|rate| rate.counts.iter().sum()).collect::<Vec<u64>>(),
        [11, 12]
    );
    assert!(profile.arrivals.by_hour.is_empty());
}

#[test]
fn the_ticks_of_mooncake_are_no_bursts() {
    let Some(folder) = traces() else { return };
    let conversation = json_lines(&folder, "mooncake/conversation_trace.first2000.jsonl", 1_000_000).arrivals;
    let ties = conversation.ties;
    assert_eq!((ties.instants, ties.most, ties.tick_s.map(|tick| tick.get())), (224, 19, Some(3.0)));
    assert!(ties.too_coarse && conversation.gap_cv.is_none());
    assert_eq!(conversation.peaks.first().map(|peak| peak.window_s.get()), Some(10.0));
    let synthetic = json_lines(&folder, "mooncake/synthetic_trace.first2000.jsonl", 1_000_000).arrivals;
    assert_eq!((synthetic.ties.instants, synthetic.ties.most, synthetic.ties.too_coarse), (1_992, 2, false));
    assert!((synthetic.gap_cv.unwrap() - 1.0).abs() < 0.1, "{:?}", synthetic.gap_cv);
}
