//! Metrics as services tell them: the Prometheus text format 0.0.4, and OpenMetrics 1.0 as text.
//!
//! [`Exposition`] walks over a page and borrows from it; nothing is copied but a label or a help text that has escapes
//! in it, so that the memory it takes does not grow with the page. It reads what services send rather than what the
//! formats demand: a line that is none is counted and passed over, and every other line is still there.
//!
//! ```
//! use load_engine::prometheus::{Entry, Exposition, Format};
//!
//! let page = b"# TYPE vllm:request_success_total counter\n\
//!     vllm:request_success_total{finished_reason=\"stop\",model_name=\"m \\\"1\\\"\"} 41.0\n\
//!     vllm:request_success_total{finished_reason=\n\
//!     process_start_time_seconds 1.79606903037e+09";
//! let mut page = Exposition::new(page, Format::of("text/plain; version=0.0.4"));
//! let samples: Vec<_> = page.by_ref().filter_map(Entry::into_sample).collect();
//!
//! assert_eq!((samples[0].name, samples[0].value), ("vllm:request_success_total", 41.0));
//! assert_eq!(samples[0].labels.get("model_name").as_deref(), Some("m \"1\""));
//! assert_eq!((samples[1].name, samples[1].value), ("process_start_time_seconds", 1_796_069_030.37));
//! assert_eq!(page.malformed(), 1);
//! assert_eq!(page.first_fault().unwrap().to_string(), "read line 3: a label has no value in quotes");
//! ```

mod entry;
mod labels;
mod line;

pub use entry::{Entry, Exemplar, Kind, Sample, Timestamp};
pub use labels::{Labels, LabelsIter};

/// The entries of a page of metrics, in their order. Blank lines and comments are passed over; malformed lines are
/// counted and passed over. An empty page has no entries.
///
/// Families are not put together, and what the formats say of several lines at once is not checked: a sample may come
/// twice or before its type, a label may be named twice, and lines may follow `# EOF`.
#[derive(Clone, Debug)]
pub struct Exposition<'a> {
    rest: &'a [u8],
    format: Format,
    line: u64,
    malformed: u64,
    first_fault: Option<Fault>,
}

impl<'a> Exposition<'a> {
    /// A page as it came. Lines end in LF or CRLF; the last one need not end.
    #[must_use]
    pub fn new(page: &'a [u8], format: Format) -> Self {
        Self { rest: page, format, line: 0, malformed: 0, first_fault: None }
    }

    /// How many lines so far were none of the format.
    #[must_use]
    pub fn malformed(&self) -> u64 {
        self.malformed
    }

    /// The first of them; `None` where there was none so far.
    #[must_use]
    pub fn first_fault(&self) -> Option<Fault> {
        self.first_fault
    }

    fn next_line(&mut self) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &self.rest[self.rest.len()..]),
        };
        self.rest = rest;
        self.line += 1;
        line.strip_suffix(b"\r").unwrap_or(line)
    }
}

impl<'a> Iterator for Exposition<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        while !self.rest.is_empty() {
            let line = self.next_line();
            match line::read(line, self.format) {
                Ok(Some(entry)) => return Some(entry),
                Ok(None) => {}
                Err(reason) => {
                    self.malformed += 1;
                    self.first_fault.get_or_insert(Fault { line: self.line, reason });
                }
            }
        }
        None
    }
}

impl std::iter::FusedIterator for Exposition<'_> {}

/// Which of the two formats a page is written in. They differ in the unit of timestamps, in the escapes of help texts,
/// and in whether `# UNIT` is more than a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// The Prometheus text format, 0.0.4 and what has been called 1.0.0 since.
    #[default]
    Text,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

impl Format {
    /// The format that a `Content-Type` names: `application/openmetrics-text` or, whatever else it says, the text
    /// format.
    #[must_use]
    pub fn of(content_type: &str) -> Self {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/openmetrics-text") {
            Self::OpenMetrics
        } else {
            Self::Text
        }
    }
}

/// A line that is none of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read line {line}: {reason}")]
pub struct Fault {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: Malformed,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// It is not UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// A sample, `# HELP`, `# TYPE` or `# UNIT` without the name of a metric. Names in quotes are none.
    #[error("it has no name of a metric (letters, digits, '_' and ':')")]
    Name,
    /// A `# TYPE` of neither format.
    #[error("it gives a type that neither format has")]
    Kind,
    /// A label without a name.
    #[error("a label has no name (letters, digits and '_')")]
    LabelName,
    /// A label without `="`, or whose quotes do not close.
    #[error("a label has no value in quotes")]
    LabelValue,
    /// Labels that neither go on nor close.
    #[error("labels do not close (by '}}', with ',' between them)")]
    LabelsEnd,
    /// No number where the value should be.
    #[error("its value is no number")]
    Value,
    /// No number where the timestamp should be: whole milliseconds, in OpenMetrics finite seconds.
    #[error("its timestamp is no number (whole milliseconds; in OpenMetrics, seconds)")]
    Timestamp,
    /// An exemplar without its braces.
    #[error("its exemplar has no labels in braces")]
    Exemplar,
    /// Something follows where the line should end.
    #[error("it goes on after its end")]
    Trailing,
}
