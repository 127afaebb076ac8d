//! Reading rows, each checked against the line before it.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use crate::{
    digest::{self, Hasher},
    files::FileError,
    layout::FORMAT,
    rows::{self, Row, Unreadable},
};

/// Rows cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A row was written by a newer version of the tool.
    #[error("read {}, line {line}: package of a newer format, {version}, where this version knows {FORMAT} (update the tool)", path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// Its format.
        version: u32,
    },
    /// A line is no row.
    #[error("read {}, line {line}: it is no row: {reason} (the evidence is damaged; ask for an intact copy)", path.display())]
    NotARow {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// What the parser said.
        reason: String,
    },
    /// A row is not chained to the line before it.
    #[error("read {}, line {line}: the line before it was changed, or lines were taken out or put in (the evidence is damaged; ask for an intact copy)", path.display())]
    BrokenChain {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
    },
    /// The first row is not chained to the frozen files that stand in the package.
    #[error("read {}, line 1: plan, samples, environment, agreement or calibration are not those that were frozen before the run (the evidence is damaged; ask for an intact copy)", path.display())]
    OtherFrozen {
        /// The file.
        path: PathBuf,
    },
    /// The whole file is not the one whose digest was written when the run ended.
    #[error("read {}: it does not have the digest in evidence-sha256.txt (the evidence is damaged; ask for an intact copy)", path.display())]
    OtherDigest {
        /// The file.
        path: PathBuf,
    },
}

impl ReadError {
    /// The package is damaged, rather than out of reach. A row of a newer format is damage, since such a package says
    /// so of itself and is not opened.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::File(error) => error.is_damage(),
            _ => true,
        }
    }

    /// Where in the file and what, without the file's place on this machine.
    pub(crate) fn reason(&self) -> String {
        let text = self.to_string();
        let path = match self {
            Self::File(error) => error.path(),
            Self::NewerFormat { path, .. }
            | Self::NotARow { path, .. }
            | Self::BrokenChain { path, .. }
            | Self::OtherFrozen { path }
            | Self::OtherDigest { path } => path,
        };
        let rest = text.split_once(&path.display().to_string()).map_or(text.as_str(), |(_, rest)| rest);
        rest.trim_start_matches([',', ':', ' ']).to_owned()
    }
}

/// The rows of one file, in the order in which they were written. Memory does not grow with the file.
///
/// An unterminated last line is what a `kill -9` leaves of the row that was being written: it is dropped, and
/// [`Rows::torn`] says so. Everything else that is not as it was written is an error, and the last item. In a
/// package that is complete that includes the last row, for whose change the chain has no witness: the file's
/// digest, compared when its end is reached, is one.
#[derive(Debug)]
pub struct Rows<T> {
    path: PathBuf,
    reader: BufReader<File>,
    decode: Decode<T>,
    prev: String,
    line: u64,
    whole: Whole,
    torn: bool,
    ended: bool,
}

/// Longer lines are not rows; one of a million gaps has a tenth of it. Bounds what a damaged file can take up.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Reads a line; gives what it is chained to, and the row.
type Decode<T> = fn(&[u8]) -> Result<(String, T), Unreadable>;

/// The digest of the whole file, where it is known what it should be.
struct Whole {
    hasher: Hasher,
    expected: Option<String>,
}

impl std::fmt::Debug for Whole {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.expected.fmt(formatter)
    }
}

impl<T> Rows<T> {
    pub(crate) fn open<R: Row<Live = T>>(
        path: &Path,
        genesis: &str,
        expected: Option<String>,
    ) -> Result<Self, ReadError> {
        let file = File::open(path).map_err(FileError::of("open", path))?;
        Ok(Self {
            path: path.to_owned(),
            reader: BufReader::with_capacity(64 * 1024, file),
            decode: rows::decode::<R>,
            prev: genesis.to_owned(),
            line: 0,
            whole: Whole { hasher: Hasher::default(), expected },
            torn: false,
            ended: false,
        })
    }

    /// Number of the line that was read last, from 1; 0 before the first.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// An unterminated last line was dropped. Known once the rows have come to their end.
    #[must_use]
    pub fn torn(&self) -> bool {
        self.torn
    }

    fn read(&mut self) -> Result<Option<T>, ReadError> {
        let mut line = Vec::new();
        (&mut self.reader)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(FileError::of("read", &self.path))?;
        self.whole.hasher.update(&line);
        if line.len() as u64 == LONGEST_LINE {
            let reason = format!("it is longer than {LONGEST_LINE} bytes");
            return Err(ReadError::NotARow { path: self.path.clone(), line: self.line + 1, reason });
        }
        let Some(line) = line.strip_suffix(b"\n") else {
            self.torn = !line.is_empty();
            return self.check_whole().map(|()| None);
        };
        self.line += 1;
        let (prev, row) = (self.decode)(line).map_err(|error| self.unreadable(error))?;
        if prev != self.prev {
            return Err(if self.line == 1 {
                ReadError::OtherFrozen { path: self.path.clone() }
            } else {
                ReadError::BrokenChain { path: self.path.clone(), line: self.line }
            });
        }
        self.prev = digest::sha256_hex(line);
        Ok(Some(row))
    }

    fn check_whole(&mut self) -> Result<(), ReadError> {
        let found = std::mem::take(&mut self.whole.hasher).finish();
        match &self.whole.expected {
            Some(expected) if *expected != found => Err(ReadError::OtherDigest { path: self.path.clone() }),
            _ => Ok(()),
        }
    }

    fn unreadable(&self, error: Unreadable) -> ReadError {
        let (path, line) = (self.path.clone(), self.line);
        match error {
            Unreadable::Newer(version) => ReadError::NewerFormat { path, line, version },
            Unreadable::Malformed(reason) => ReadError::NotARow { path, line, reason },
        }
    }
}

impl<T> Iterator for Rows<T> {
    type Item = Result<T, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let row = self.read().transpose();
        self.ended = !matches!(row, Some(Ok(_)));
        row
    }
}

impl<T> std::iter::FusedIterator for Rows<T> {}
