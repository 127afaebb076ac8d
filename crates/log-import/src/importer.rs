//! What a log format has to tell of itself.

use std::fmt::Display;

use workload_model::traffic::Dropped;

use crate::entry::Entry;

/// A format of logs. Implement it to have one more read.
///
/// It grows by methods with a default alone.
pub trait Importer: Send + Sync {
    /// What `--format` calls it: lower-case letters, digits and hyphens.
    fn name(&self) -> &str;

    /// How a file that opens like this is cut into pieces.
    fn framing(&self, opening: &Opening<'_>) -> Framing;

    /// Why a file that opens like this is of the format, as the end of "it is taken for NAME, since …"; `None` where it is
    /// not. Only what no other format has is a reason.
    fn recognise(&self, opening: &Opening<'_>) -> Option<String>;

    /// Fields (keys of JSON objects, names of columns) whose values name nobody: counts, times, models, states; of lines of
    /// text, the words themselves. The audit of a profile takes the values of all others for sensitive, so that a field left
    /// out here is one looked for.
    fn open_fields(&self) -> &[&str];

    /// It reads what many makers write, by names of columns. `auto` takes it only where no other format is recognised, and
    /// nothing is wrong with naming it for a log of another format.
    fn is_general(&self) -> bool {
        false
    }

    /// Begins to read one file.
    ///
    /// # Errors
    /// Where its header, or what the user says of it, cannot be one of this format.
    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError>;
}

/// Reads the pieces of one file, in order.
pub trait RowReader {
    /// Reads a piece, and hands on every row of it to `sink`: kept or dropped, but never neither.
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink);

    /// Hands on whatever it still holds at the end of the file.
    fn finish(&mut self, sink: &mut dyn Sink) {
        let _ = sink;
    }
}

/// Takes what a reader found.
pub trait Sink {
    /// Keeps a request that stands on this line.
    fn keep(&mut self, line: u64, entry: &Entry<'_>);

    /// Counts a row that is not kept, with what is wrong with it. `detail` is shown to whoever runs the import, so that it
    /// names fields and never repeats a text of the row.
    fn drop(&mut self, line: u64, reason: Dropped, detail: &dyn Display);
}

/// How a file is cut into pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Lines of text.
    Lines,
    /// JSON values: one a line; or the elements of one list; or one value over many lines.
    Json,
    /// Records of a table whose first one names the columns. The sign between fields is found out.
    Table,
}

/// A piece of a file.
#[derive(Debug, Clone, Copy)]
pub enum Unit<'a> {
    /// A line, or a JSON value, without white space around it; never empty.
    Text {
        /// Line on which it begins, from 1.
        line: u64,
        /// The text.
        text: &'a str,
    },
    /// A record, with as many fields as the header.
    Record {
        /// Line on which it begins, from 1.
        line: u64,
        /// Its fields, unquoted.
        fields: &'a [&'a str],
    },
}

impl Unit<'_> {
    /// Line on which it begins, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        match self {
            Self::Text { line, .. } | Self::Record { line, .. } => *line,
        }
    }
}

/// How a file begins, decoded and unpacked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Opening<'a> {
    /// Its first lines, at most 64 KiB of them; a last line that was cut is left out, unless it is the only one.
    pub text: &'a str,
    /// Its first record, as if it were a table.
    pub header: &'a [&'a str],
    /// Its first JSON value, where it begins with one.
    pub json: Option<&'a serde_json::Value>,
}

/// What a reader may know before the first row.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// Names of columns, of a table.
    pub header: &'a [&'a str],
    /// The sign between its fields, of a table. Where it is `;` a comma is taken for a decimal mark.
    pub separator: Option<char>,
    /// How the file begins.
    pub opening: Opening<'a>,
    /// What the user said.
    pub options: &'a ReadOptions,
}

/// What the user says of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Offset from UTC, in seconds, of times that have no zone; taken as 0 where nobody said.
    pub zone: Option<i32>,
    /// Year of times that have none.
    pub year: Option<i16>,
    /// Columns or keys of the user's own, by what they hold (`--map`).
    pub map: Vec<(String, String)>,
    /// Hand on what was asked as well.
    pub keep_text: bool,
    /// Pass over the blocks of inputs, which take 4 bytes each: for whoever makes no samples of the rows.
    pub skip_blocks: bool,
}

/// A file cannot be read as this format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} ({hint})")]
pub struct StartError {
    /// What is wrong.
    pub reason: String,
    /// What to do.
    pub hint: String,
}
