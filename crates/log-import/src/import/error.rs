//! Why an import failed.

use crate::{StartError, source::SourceError};

/// An import failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// There is nothing to read.
    #[error("no log was named")]
    NoFiles,
    /// There are more files than rows can name.
    #[error("more than 65,535 files (join some of them)")]
    TooManyFiles,
    /// A file cannot be read to its end.
    #[error("{file} {fault}{}", of_rows(*rows))]
    Source {
        /// Its name.
        file: String,
        /// What is wrong with it.
        fault: SourceError,
        /// How many of its rows were read before.
        rows: u64,
    },
    /// There is no such encoding.
    #[error("`{0}` is no encoding that is known (utf-8, gb18030, gbk, big5, utf-16le, utf-16be, latin1, …)")]
    Encoding(String),
    /// No format recognises a file.
    #[error("{file} is of no known format: {seen} ({hint})")]
    Unknown {
        /// Its name.
        file: String,
        /// What is in it, by names of columns or keys.
        seen: String,
        /// What to do.
        hint: String,
    },
    /// Several formats recognise a file.
    #[error("{file} may be of several formats: {} (name one with --format)", candidates.join("; "))]
    Ambiguous {
        /// Its name.
        file: String,
        /// Each with why.
        candidates: Vec<String>,
    },
    /// Files are of different formats.
    #[error(
        "{file} is taken for {format}, and the files before it for {first} (import each format on its own)"
    )]
    Mixed {
        /// Name of the file.
        file: String,
        /// Its format.
        format: String,
        /// That of the files before.
        first: String,
    },
    /// A file cannot be read as its format.
    #[error("{file} cannot be read as {format}: {fault}{}", or_rather(looks_like.as_deref()))]
    Start {
        /// Its name.
        file: String,
        /// Name of the format.
        format: String,
        /// What is wrong.
        fault: StartError,
        /// What else it looks like.
        looks_like: Option<String>,
    },
    /// More rows are bad than are accepted.
    #[error(
        "{bad} of {read} rows are bad, and {allowed} are accepted (--max-bad): {}{}",
        examples.join("; "),
        or_rather(looks_like.as_deref())
    )]
    TooManyBad {
        /// Bad rows so far.
        bad: u64,
        /// Rows so far.
        read: u64,
        /// How many may be bad.
        allowed: u64,
        /// The first of them, with file and line.
        examples: Vec<String>,
        /// What else the last file looks like.
        looks_like: Option<String>,
    },
    /// Not one row of a file is one of the format.
    #[error(
        "not one of {read} rows of {file} can be read as {format}: {}{}",
        examples.join("; "),
        or_rather(looks_like.as_deref())
    )]
    NothingKept {
        /// Name of the file.
        file: String,
        /// Name of the format.
        format: String,
        /// Rows that were read.
        read: u64,
        /// The first of them, with file and line.
        examples: Vec<String>,
        /// What else it looks like.
        looks_like: Option<String>,
    },
}

impl ImportError {
    pub(super) fn source(file: &str, fault: SourceError, rows: u64) -> Self {
        Self::Source { file: file.to_owned(), fault, rows }
    }
}

fn of_rows(rows: u64) -> String {
    if rows == 0 { String::new() } else { format!(" ({rows} rows were read before; none is kept)") }
}

fn or_rather(other: Option<&str>) -> String {
    other.map(|other| format!("; it looks like {other}")).unwrap_or_default()
}
