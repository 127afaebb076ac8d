//! What a format makes of a text, for tests.

use std::fmt::Display;

use workload_model::traffic::Dropped;

use crate::framing::{Buffer, Lines, Piece, Table, lines, values};
use crate::source::Text;
use crate::{Entry, Framing, Importer, Opening, ReadOptions, Sink, Start, with_opening};

/// Rows of a text: those that were kept and those that were not.
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) kept: Vec<(u64, Entry<'static>)>,
    pub(super) dropped: Vec<(u64, Dropped, String)>,
}

impl Sink for Recorder {
    fn keep(&mut self, line: u64, entry: &Entry<'_>) {
        self.kept.push((line, entry.clone().into_owned()));
    }

    fn drop(&mut self, line: u64, reason: Dropped, detail: &dyn Display) {
        self.dropped.push((line, reason, detail.to_string()));
    }
}

/// The format of this name.
pub(super) fn format(name: &str) -> &'static dyn Importer {
    super::all().iter().copied().find(|format| format.name() == name).expect("a format")
}

/// What a user may say of the logs of the tests.
pub(super) fn said() -> ReadOptions {
    ReadOptions { zone: Some(8 * 3600), year: Some(2026), keep_text: true, ..ReadOptions::default() }
}

/// Reads a text, cut as the format has it cut.
pub(super) fn read(format: &dyn Importer, text: &str, options: &ReadOptions) -> Recorder {
    const MOST: usize = 1 << 20;
    let mut recorder = Recorder::default();
    let mut count = Lines::default();
    let mut buffer = Text::new(Box::new(text.as_bytes()), None).and_then(Buffer::new).expect("a text");
    let framing = with_opening(text, |opening| format.framing(opening));
    let mut table = match framing {
        Framing::Table => Table::new(&mut buffer, MOST, &mut count).expect("a table"),
        Framing::Lines | Framing::Json => None,
    };
    let header = table.as_ref().map(|table| table.header.clone()).unwrap_or_default();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let separator = table.as_ref().map(|table| table.separator);
    let start = |opening: &Opening<'_>| {
        format.start(&Start { header: &header, separator, opening: *opening, options })
    };
    let mut reader = with_opening(text, start).expect("a reader");
    let mut each = |piece: Piece<'_>| {
        match piece {
            Piece::Unit(unit) => reader.read(unit, &mut recorder),
            Piece::Bad { line, reason, detail } => Sink::drop(&mut recorder, line, reason, &detail),
        }
        true
    };
    let read = match (framing, &mut table) {
        (Framing::Table, None) => Ok(()),
        (Framing::Table, Some(table)) => table.read(&mut buffer, MOST, &mut count, &mut each),
        (Framing::Lines, _) => lines(&mut buffer, MOST, &mut count, &mut each),
        (Framing::Json, _) => values(&mut buffer, MOST, &mut count, &mut each),
    };
    read.expect("a whole text");
    reader.finish(&mut recorder);
    recorder
}
