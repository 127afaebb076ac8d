//! What is read.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use crate::source::SourceError;

/// A file of an import, or whatever else can be read.
pub struct Input<'r> {
    name: String,
    from: From<'r>,
}

enum From<'r> {
    File(PathBuf),
    Reader(Box<dyn Read + 'r>),
}

impl<'r> Input<'r> {
    /// This file. It is opened when its turn comes.
    #[must_use]
    pub fn file(path: &Path) -> Self {
        Self { name: path.display().to_string(), from: From::File(path.to_owned()) }
    }

    /// Whatever this reader gives. Errors call it by this name.
    #[must_use]
    pub fn reader(name: impl Into<String>, reader: impl Read + 'r) -> Self {
        Self { name: name.into(), from: From::Reader(Box::new(reader)) }
    }

    /// What errors call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is there to be read: all files are looked at before the first is read.
    pub(crate) fn check(&self) -> Result<(), SourceError> {
        match &self.from {
            From::File(path) if std::fs::metadata(path)?.is_dir() => Err(SourceError::Folder),
            From::File(_) | From::Reader(_) => Ok(()),
        }
    }

    pub(crate) fn open(self) -> Result<Box<dyn Read + 'r>, SourceError> {
        Ok(match self.from {
            From::File(path) => Box::new(File::open(path)?),
            From::Reader(reader) => reader,
        })
    }
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Input").field("name", &self.name).finish_non_exhaustive()
    }
}
