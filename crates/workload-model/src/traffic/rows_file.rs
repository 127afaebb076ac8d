//! Rows as a file, for whoever runs an import to check it by.

use std::io::{self, Write};

use metrics_core::Seconds;
use serde::Serialize;

use super::Traffic;
use crate::profile::{Segments, timestamp};

/// One line of the file.
#[derive(Serialize)]
struct Line<'a> {
    file: u16,
    line: u64,
    arrival: String,
    arrival_source: &'a str,
    segment: usize,
    call: &'static str,
    input_tokens: Option<u32>,
    output_tokens: Option<u32>,
    stream: Option<bool>,
    ttft_s: Option<Seconds>,
    duration_s: Option<Seconds>,
    status: &'static str,
    caller: Option<String>,
    session: Option<String>,
    group: &'a str,
}

/// Writes every row that was kept as a line of JSON, in the order in which they were read.
///
/// Lengths and times are exact, even where a profile of them is binned, so that the file is no part of a profile: with them,
/// whoever has another log of the same traffic finds the rows again. `file` and `segment` count from 0, `line` from 1;
/// callers and sessions stand under their pseudonyms, in 16 hexadecimal digits.
///
/// # Errors
/// Where it cannot be written.
pub fn write_rows(traffic: &Traffic, segments: &Segments, out: &mut impl Write) -> io::Result<()> {
    for (row, segment) in traffic.rows().zip(segments.in_reading_order()) {
        let facts = row.facts();
        let source = traffic.sources.get(usize::from(facts.source));
        let line = Line {
            file: facts.file,
            line: facts.line,
            arrival: timestamp(facts.arrival_ns),
            arrival_source: source.map_or("", |source| source.words.as_str()),
            segment,
            call: facts.call.as_str(),
            input_tokens: facts.input_tokens,
            output_tokens: facts.output_tokens,
            stream: facts.stream,
            ttft_s: facts.ttft.map(Seconds::from),
            duration_s: facts.duration.map(Seconds::from),
            status: facts.ending.as_str(),
            caller: facts.caller.map(|caller| caller.to_string()),
            session: facts.session.map(|session| session.to_string()),
            group: traffic.groups.get(usize::from(facts.group)).map_or("", String::as_str),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}
