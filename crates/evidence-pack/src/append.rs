//! Appending rows to a file, each chained to the one before.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    digest,
    files::{self, FileError},
    redact::Redactor,
};

/// Where rows go. A [`File`] is one; tests put a failing one in its place.
pub trait Sink: Write {
    /// Waits until what was written is on the disk.
    ///
    /// # Errors
    /// What the system reports.
    fn sync(&mut self) -> io::Result<()>;
}

impl Sink for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// A row was not written. The run has lost evidence and is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The row would not come back as it went in, such as one with a number that is not finite.
    #[error("write a row that cannot be read again: {0}")]
    Unreadable(String),
    /// An earlier row was not written, so this one may not be.
    #[error("write a row after one that was lost (the run is invalid; see the error before)")]
    Spoiled,
    /// The name is no plain file name, is taken, or holds a secret.
    #[error("keep a failed response as {0:?} (use a new name of letters, digits, '.', '_' and '-')")]
    Name(String),
}

/// A file of rows, and the digest of its last line.
#[derive(Debug)]
pub(crate) struct RowFile<S> {
    path: PathBuf,
    sink: S,
    prev: String,
}

impl<S: Sink> RowFile<S> {
    pub(crate) fn create(
        data: &Path,
        name: &'static str,
        genesis: &str,
        wrap: &mut impl FnMut(&'static str, File) -> S,
    ) -> Result<Self, FileError> {
        let path = data.join(name);
        let sink = wrap(name, files::create_file(&path)?);
        Ok(Self { path, sink, prev: genesis.to_owned() })
    }

    /// Appends the row that `row` makes of the digest of the line before.
    pub(crate) fn append(
        &mut self,
        redactor: &Redactor,
        row: impl FnOnce(&str) -> Result<String, AppendError>,
    ) -> Result<(), AppendError> {
        let json = row(&self.prev)?;
        let mut line = match redactor.scrub_row(&json) {
            Cow::Borrowed(_) => json,
            Cow::Owned(clean) => clean,
        };
        let digest = digest::sha256_hex(line.as_bytes());
        line.push('\n');
        self.sink.write_all(line.as_bytes()).map_err(FileError::of("write", &self.path))?;
        self.prev = digest;
        Ok(())
    }

    pub(crate) fn sync(&mut self) -> Result<(), FileError> {
        self.sink.sync().map_err(FileError::of("sync", &self.path))
    }
}

pub(crate) fn to_json(row: &impl Serialize) -> Result<String, AppendError> {
    // Room for most rows, so that it need not be made again and again.
    let mut json = Vec::with_capacity(1000);
    serde_json::to_writer(&mut json, row).map_err(|error| AppendError::Unreadable(error.to_string()))?;
    String::from_utf8(json).map_err(|error| AppendError::Unreadable(error.to_string()))
}
