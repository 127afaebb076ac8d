//! Raw bytes of failed responses: enough to see what a service said, never so much that failing fills the disk.

use std::path::{Path, PathBuf};

use crate::{
    files::{self, FileError},
    layout,
};

/// Most bytes kept of one failed response.
pub const FAILURE_LIMIT: usize = 16 * 1024;

/// Most bytes kept of all failed responses of a run.
pub const FAILURES_LIMIT: usize = 4 * 1024 * 1024;

/// The folder of failed responses, and the room left in it.
#[derive(Debug)]
pub(crate) struct Failures {
    folder: PathBuf,
    room: usize,
}

impl Failures {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, room: FAILURES_LIMIT }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name is a plain file name and not taken yet.
    pub(crate) fn takes(&self, name: &str) -> bool {
        layout::is_file_name(name) && !self.folder.join(name).exists()
    }

    /// Writes the file; where the room is used up, nothing.
    pub(crate) fn keep(&mut self, name: &str, bytes: &[u8]) -> Result<bool, FileError> {
        let bytes = &bytes[..bytes.len().min(FAILURE_LIMIT)];
        if bytes.len() > self.room {
            return Ok(false);
        }
        files::write_new(&self.folder.join(name), bytes)?;
        self.room -= bytes.len();
        Ok(true)
    }
}
