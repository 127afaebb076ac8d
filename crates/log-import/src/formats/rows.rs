//! Formats whose every piece of text is one row, or a page of them.

use serde::Deserialize;
use workload_model::traffic::Dropped;

use super::pages::{Page, begins_as_page};
use crate::value::{Clock, RowFault, read_json};
use crate::{Entry, Opening, ReadOptions, RowReader, Sink, Unit};

/// What a row is read with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// What its times leave out.
    pub(super) clock: Clock,
    /// Hand on what was asked as well.
    pub(super) keep_text: bool,
    /// Pass over the blocks of inputs.
    pub(super) skip_blocks: bool,
}

impl From<&ReadOptions> for Reading {
    fn from(options: &ReadOptions) -> Self {
        Self { clock: Clock::from(options), keep_text: options.keep_text, skip_blocks: options.skip_blocks }
    }
}

/// Reads a row.
pub(super) type ReadRow = for<'t> fn(&'t str, Reading) -> Result<Entry<'t>, RowFault>;

/// Reads every piece of text as a row or a page.
pub(super) struct Rows {
    read: ReadRow,
    reading: Reading,
}

impl Rows {
    pub(super) fn boxed<'i>(read: ReadRow, options: &ReadOptions) -> Box<dyn RowReader + 'i> {
        Box::new(Self { read, reading: options.into() })
    }
}

impl RowReader for Rows {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        match unit {
            Unit::Text { line, text } if begins_as_page(text) => match Page::read(text, line) {
                Ok(page) => self.page(&page, sink),
                Err(fault) => hand_on(line, Err(fault), sink),
            },
            Unit::Text { line, text } => hand_on(line, (self.read)(text, self.reading), sink),
            Unit::Record { line, .. } => hand_on(line, Err(no_text()), sink),
        }
    }
}

impl Rows {
    fn page(&self, page: &Page<'_>, sink: &mut dyn Sink) {
        for (line, text) in page.rows() {
            let mut row = (self.read)(text, self.reading);
            if let Ok(entry) = &mut row {
                page.note(entry);
            }
            hand_on(line, row, sink);
        }
    }
}

/// Reads the object that a row is. A list would be taken for one by the order of its elements.
pub(super) fn read_object<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, RowFault> {
    match text.starts_with('[') {
        true => Err(RowFault::new(Dropped::BadRow, "a list, where an object is due")),
        false => read_json(text),
    }
}

/// Hands on a row or why it is none.
pub(super) fn hand_on(line: u64, row: Result<Entry<'_>, RowFault>, sink: &mut dyn Sink) {
    match row {
        Ok(entry) => sink.keep(line, &entry),
        Err(fault) => sink.drop(line, fault.reason, &fault),
    }
}

/// A record of a table where a text is due.
pub(super) fn no_text() -> RowFault {
    RowFault::new(Dropped::BadRow, "a record of a table, where this format has none")
}

/// The first object of a file: its first value, or the first element of that.
pub(super) fn first_object<'a>(
    opening: &Opening<'a>,
) -> Option<&'a serde_json::Map<String, serde_json::Value>> {
    match opening.json? {
        serde_json::Value::Array(list) => list.first()?.as_object(),
        value => value.as_object(),
    }
}

/// Whether an object has all of these keys.
pub(super) fn has_all(object: &serde_json::Map<String, serde_json::Value>, keys: &[&str]) -> bool {
    keys.iter().all(|key| object.contains_key(*key))
}

/// Lines on which pieces of a text begin, asked for from its front to its end.
pub(super) struct LineCounter<'a> {
    rest: &'a str,
    line: u64,
}

impl<'a> LineCounter<'a> {
    /// Begins with a text that begins on this line.
    pub(super) fn new(text: &'a str, line: u64) -> Self {
        Self { rest: text, line }
    }

    /// The line on which a part of the text begins.
    pub(super) fn line_of(&mut self, part: &str) -> u64 {
        let before = (part.as_ptr() as usize).wrapping_sub(self.rest.as_ptr() as usize);
        if let Some((passed, rest)) = self.rest.split_at_checked(before) {
            self.line += memchr::memchr_iter(b'\n', passed.as_bytes()).count() as u64;
            self.rest = rest;
        }
        self.line
    }
}
