//! The table `logs` that one-api has and new-api took over: as CSV, as rows of JSON, or as pages of an interface.

use serde::Deserialize;

use super::pages::Page;
use super::rows::{Reading, hand_on, no_text, read_object};
use super::table::{Columns, no_record};
use crate::value::{Field, RowFault};
use crate::{Entry, Framing, Opening, RowReader, Sink, Start, StartError, Unit};

// A row has no use for its `id`: in pages that users see it is the remainder of a division by 1,024.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Row<'a> {
    #[serde(borrow)]
    pub(super) created_at: Field<'a>,
    #[serde(rename = "type")]
    pub(super) kind: Field<'a>,
    pub(super) content: Field<'a>,
    pub(super) username: Field<'a>,
    pub(super) user_id: Field<'a>,
    pub(super) token_name: Field<'a>,
    pub(super) model_name: Field<'a>,
    pub(super) prompt_tokens: Field<'a>,
    pub(super) completion_tokens: Field<'a>,
    pub(super) use_time: Field<'a>,
    pub(super) elapsed_time: Field<'a>,
    pub(super) is_stream: Field<'a>,
    pub(super) group: Field<'a>,
    pub(super) ip: Field<'a>,
    pub(super) other: Field<'a>,
    /// Of a page: its rows.
    pub(super) data: Field<'a>,
}

/// Reads a row, and hands it on.
pub(super) type ReadRow = fn(&Row<'_>, Reading, &mut dyn FnMut(Entry<'_>)) -> Result<(), RowFault>;

/// The table as CSV, or its rows as JSON.
pub(super) fn either(opening: &Opening<'_>) -> Framing {
    match opening.text.trim_start().starts_with(['{', '[']) {
        true => Framing::Json,
        false => Framing::Table,
    }
}

/// Begins to read either.
pub(super) fn start_either<'i>(
    start: &Start<'_>,
    row: ReadRow,
) -> Result<Box<dyn RowReader + 'i>, StartError> {
    let reading = Reading::from(start.options);
    if start.header.is_empty() {
        return Ok(Box::new(Pages { reading, row }));
    }
    let columns = Columns::of(start);
    columns.require(&["created_at", "type"])?;
    Ok(Box::new(Records { columns, reading, row }))
}

/// Reads rows that stand alone, and rows of pages.
struct Pages {
    reading: Reading,
    row: ReadRow,
}

impl RowReader for Pages {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        let Unit::Text { line, text } = unit else {
            return hand_on(unit.line(), Err(no_text()), sink);
        };
        match read_object::<Row<'_>>(text) {
            Ok(read) if read.data.is_nested() && read.created_at.is_unknown() => {
                self.page(text, line, sink);
            }
            Ok(read) => self.keep(line, &read, None, sink),
            Err(fault) => hand_on(line, Err(fault), sink),
        }
    }
}

impl Pages {
    fn page(&self, text: &str, line: u64, sink: &mut dyn Sink) {
        let page = match Page::read(text, line) {
            Ok(page) => page,
            Err(fault) => return hand_on(line, Err(fault), sink),
        };
        for (line, text) in page.rows() {
            match read_object::<Row<'_>>(text) {
                Ok(read) => self.keep(line, &read, Some(&page), sink),
                Err(fault) => hand_on(line, Err(fault), sink),
            }
        }
    }

    fn keep(&self, line: u64, row: &Row<'_>, page: Option<&Page<'_>>, sink: &mut dyn Sink) {
        let mut keep = |mut entry: Entry<'_>| {
            if let Some(page) = page {
                page.note(&mut entry);
            }
            sink.keep(line, &entry);
        };
        if let Err(fault) = (self.row)(row, self.reading, &mut keep) {
            hand_on(line, Err(fault), sink);
        }
    }
}

/// Reads records of the table.
struct Records {
    columns: Columns,
    reading: Reading,
    row: ReadRow,
}

impl RowReader for Records {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        let Unit::Record { line, fields } = unit else {
            return hand_on(unit.line(), Err(no_record()), sink);
        };
        let field = |name: &str| self.columns.field(fields, name);
        let read = Row {
            created_at: field("created_at"),
            kind: field("type"),
            content: field("content"),
            username: field("username"),
            user_id: field("user_id"),
            token_name: field("token_name"),
            model_name: field("model_name"),
            prompt_tokens: field("prompt_tokens"),
            completion_tokens: field("completion_tokens"),
            use_time: field("use_time"),
            elapsed_time: field("elapsed_time"),
            is_stream: field("is_stream"),
            group: field("group"),
            ip: field("ip"),
            other: field("other"),
            ..Row::default()
        };
        if let Err(fault) = (self.row)(&read, self.reading, &mut |entry| sink.keep(line, &entry)) {
            hand_on(line, Err(fault), sink);
        }
    }
}

/// Names of a row.
pub(super) fn name<'a>(entry: &mut Entry<'a>, row: &Row<'a>) {
    entry.model = row.model_name.text();
    entry.label = row.group.text();
    entry.caller = row
        .username
        .text()
        .or_else(|| row.token_name.text())
        .or_else(|| row.user_id.text())
        .or_else(|| row.ip.text());
}
