//! A format of one's own, and an import of it.
//!
//! `cargo run -p log-import --example own_format`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use log_import::{
    BadLine, Choice, Entry, Framing, ImportOptions, Importer, Input, Opening, RowReader, Secret, Sink, Stamp,
    Start, StartError, Unit, Watch, formats, import,
    value::{BadValue, Clock, RowFault, count, time},
};
use workload_model::traffic::{Call, Dropped, Facets, Grouping, Note, StampKind};

/// A log of `key=value` pairs: `at=2026-11-19T09:00:00 key=k-1 in=812 out=233`.
struct Pairs;

impl Importer for Pairs {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Lines
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        opening.text.starts_with("at=").then(|| "its first line begins with at=".to_owned())
    }

    fn open_fields(&self) -> &[&str] {
        &["at", "in", "out"]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Box::new(Reader { clock: start.options.into() }))
    }
}

struct Reader {
    clock: Clock,
}

impl Reader {
    fn entry<'a>(&self, line: &'a str) -> Result<Entry<'a>, RowFault> {
        let of = |key: &str| line.split(' ').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
        let named = |key: &'static str| move |bad: BadValue| bad.of(key);
        let at = time(of("at").unwrap_or_default(), self.clock).map_err(named("at"))?;
        let at = at.ok_or_else(|| RowFault::no_time("at"))?;
        let mut entry = Entry::at(Stamp {
            at_ns: at.at_ns,
            resolution_ns: at.resolution_ns,
            kind: StampKind::Arrival,
            relative: false,
            words: "at",
        });
        if at.zone_assumed {
            entry.notes.add(Note::ZoneAssumed);
        }
        entry.input_tokens = count(of("in").unwrap_or_default(), false).map_err(named("in"))?;
        entry.output_tokens = count(of("out").unwrap_or_default(), false).map_err(named("out"))?;
        entry.caller = of("key").map(Into::into);
        Ok(entry)
    }
}

impl RowReader for Reader {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        match unit {
            Unit::Text { line, text } => match self.entry(text) {
                Ok(entry) => sink.keep(line, &entry),
                Err(fault) => sink.drop(line, fault.reason, &fault),
            },
            Unit::Record { line, .. } => sink.drop(line, Dropped::BadRow, &"a record of a table"),
        }
    }
}

/// One group for each kind of call.
struct ByCall;

impl Grouping for ByCall {
    fn group_of(&mut self, facets: &Facets<'_>) -> u16 {
        Call::ALL.iter().zip(0..).find(|(call, _)| **call == facets.call).map_or(0, |(_, at)| at)
    }

    fn names(&self) -> Vec<String> {
        Call::ALL.iter().map(|call| call.as_str().to_owned()).collect()
    }
}

/// Prints bad rows, which are named by their lines and never repeated.
struct Print;

impl Watch for Print {
    fn bad(&mut self, row: &BadLine<'_>) {
        println!("{row}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let log = "at=2026-11-19T09:00:00.120 key=k-1 in=812 out=233\n\
               at=2026-11-19T09:00:01.450 key=k-2 in=many out=8\n\
               at=2026-11-19T09:00:02.010 key=k-1 in=1,024 out=-\n";
    let known: Vec<&dyn Importer> =
        std::iter::once(&Pairs as &dyn Importer).chain(formats::all().iter().copied()).collect();
    let mut options = ImportOptions::default();
    options.read.zone = Some(8 * 3600);
    // A program takes 32 bytes from the system's generator of random numbers, and forgets them.
    let secret = Secret::new(&[7; 32]);
    let inputs = vec![Input::reader("own.log", log.as_bytes())];
    let imported = import(inputs, Choice::Auto(&known), &options, &secret, &mut ByCall, &mut Print)?;
    println!("taken for {}, since {}", imported.format, imported.why.unwrap_or_default());
    println!("{} rows were read, {} kept", imported.traffic.read(), imported.traffic.kept());
    for row in imported.traffic.rows() {
        let row = row.facts();
        println!(
            "line {}: {:?} in, {:?} out, caller {:?}",
            row.line, row.input_tokens, row.output_tokens, row.caller
        );
    }
    Ok(())
}
