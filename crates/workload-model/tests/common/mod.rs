//! Rows of logs, for tests.
#![allow(dead_code, reason = "every test takes what it needs")]

use workload_model::{
    profile::{Facet, Groups, LEAST_ROWS, ProfileFacts},
    traffic::{Call, Ending, Row, RowFacts, StampKind, StampSource, Traffic},
};

pub(crate) const SECOND: i64 = 1_000_000_000;

/// 2026-11-19T00:00:00Z
pub(crate) const START: i64 = 1_795_046_400 * SECOND;

pub(crate) fn at(second: i64) -> RowFacts {
    RowFacts {
        arrival_ns: START + second * SECOND,
        source: 0,
        file: 0,
        line: 1,
        group: 0,
        call: Call::Chat,
        ending: Ending::Ok,
        stream: Some(true),
        input_tokens: Some(100),
        output_tokens: Some(10),
        output_cut: false,
        ttft: None,
        duration: None,
        caller: None,
        session: None,
    }
}

pub(crate) fn traffic(kind: StampKind, relative: bool, rows: impl IntoIterator<Item = RowFacts>) -> Traffic {
    let words = "time".to_owned();
    let mut traffic = Traffic::default();
    traffic.sources.push(StampSource { words, kind, resolution_ns: 1, relative });
    for (line, row) in (1..).zip(rows) {
        traffic.push(Row::new(RowFacts { line, ..row }));
    }
    traffic
}

pub(crate) fn arrivals(seconds: &[i64]) -> Vec<RowFacts> {
    seconds.iter().map(|second| at(*second)).collect()
}

/// Facts of a log whose rows are grouped by call.
pub(crate) fn facts(traffic: &mut Traffic) -> ProfileFacts {
    ProfileFacts::new(Groups::of_facet(Facet::Call).settle(traffic, LEAST_ROWS), "jsonl")
}
