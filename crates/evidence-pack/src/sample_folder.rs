//! A sample set's folder: the samples, and what is known of them.

use std::path::{Path, PathBuf};

use workload_model::{SAMPLES_FILE, SET_FILE};

use crate::files::{self, FileError};

/// A folder that holds a sample set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleFolder {
    /// Text of `samples.jsonl`.
    pub samples: String,
    /// Text of `sample-set.json`.
    pub facts: String,
}

/// A folder of a sample set cannot be made or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SampleFolderError {
    /// Something stands there.
    #[error("create {}: it is there already and not empty (name another folder, or empty this one)", .0.display())]
    NotEmpty(PathBuf),
    /// Not both files of a set are in it.
    #[error("open {}: there is no {missing} in it (name a folder that `acceptbench samples make` or `acceptbench profile` wrote)", dir.display())]
    NoSet {
        /// The folder.
        dir: PathBuf,
        /// The file that is not there.
        missing: &'static str,
    },
    /// A file is no text.
    #[error("read {}: it is no UTF-8 text (the file is damaged)", .0.display())]
    NotText(PathBuf),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl SampleFolder {
    /// Whether a folder is that of a sample set.
    #[must_use]
    pub fn is_one(dir: &Path) -> bool {
        dir.join(SET_FILE).is_file()
    }

    /// Whether a set may be written into a folder: one that is not there yet, or empty.
    ///
    /// # Errors
    /// Where something stands there.
    pub fn check_vacant(dir: &Path) -> Result<(), SampleFolderError> {
        if files::is_vacant(dir)? { Ok(()) } else { Err(SampleFolderError::NotEmpty(dir.to_owned())) }
    }

    /// Makes the folder, readable by the owner alone. What is known of the set is written last, so that a folder that was cut
    /// short is none.
    ///
    /// # Errors
    /// Where the folder holds something, or a file cannot be written; then nothing is left of it.
    pub fn create(&self, dir: &Path) -> Result<(), SampleFolderError> {
        Self::check_vacant(dir)?;
        files::create_dir(dir)?;
        let put = |name, text: &str| files::replace(&dir.join(name), text.as_bytes());
        put(SAMPLES_FILE, &self.samples).and_then(|()| put(SET_FILE, &self.facts)).map_err(|error| {
            let _ = std::fs::remove_file(dir.join(SAMPLES_FILE));
            let _ = std::fs::remove_dir(dir);
            error.into()
        })
    }

    /// Opens a folder.
    ///
    /// # Errors
    /// Where it holds no set, or that cannot be read.
    pub fn open(dir: &Path) -> Result<Self, SampleFolderError> {
        let read = |name| {
            let path = dir.join(name);
            let bytes = files::read_if_any(&path)?;
            let bytes =
                bytes.ok_or_else(|| SampleFolderError::NoSet { dir: dir.to_owned(), missing: name })?;
            String::from_utf8(bytes).map_err(|_| SampleFolderError::NotText(path))
        };
        Ok(Self { facts: read(SET_FILE)?, samples: read(SAMPLES_FILE)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_read_by_its_owner_alone_and_written_over_nothing() {
        let home = tempfile::tempdir().expect("a folder");
        let dir = home.path().join("set");
        let set = SampleFolder { samples: "{}\n".to_owned(), facts: "{}".to_owned() };
        set.create(&dir).expect("made");
        assert_eq!(SampleFolder::open(&dir).expect("opened"), set);
        assert!(SampleFolder::is_one(&dir) && !SampleFolder::is_one(home.path()));
        #[cfg(unix)]
        for name in [SAMPLES_FILE, SET_FILE] {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(dir.join(name)).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        assert!(matches!(set.create(&dir), Err(SampleFolderError::NotEmpty(_))));
        std::fs::remove_file(dir.join(SAMPLES_FILE)).expect("removed");
        let error = SampleFolder::open(&dir).expect_err("half a set");
        assert!(error.to_string().contains("there is no samples.jsonl"), "{error}");
        std::fs::write(dir.join(SAMPLES_FILE), [0xff]).expect("written");
        assert!(matches!(SampleFolder::open(&dir), Err(SampleFolderError::NotText(_))));
    }
}
