//! Putting what was made from the evidence beside it: figures, verdicts, documents.

use std::path::PathBuf;

use crate::{
    bag::{self, SealError},
    files::{self, FileError},
    layout,
    pack::{Pack, State},
};

/// A document cannot be put into the package.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// The name is no plain file name.
    #[error(
        "write report {0:?}: it is no plain file name (use letters, digits, '.', '_' and '-', not starting with '.')"
    )]
    Name(String),
    /// The digest is no SHA-256.
    #[error("write the verdict under agreement {0:?}: that is no SHA-256 in lower-case hexadecimal")]
    Digest(String),
    /// The package was cut short.
    #[error("write into {}: the package was cut short (complete it with `acceptbench finalize`)", .0.display())]
    CutShort(PathBuf),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Pack {
    /// Puts figures and verdict into `data/analysis/`, in place of those before. [`Pack::seal`] after it.
    ///
    /// # Errors
    /// Where the package was cut short, or a file cannot be written.
    pub fn write_analysis(&self, summary_json: &str, verdict_json: &str) -> Result<(), PlaceError> {
        self.place(layout::SUMMARY, summary_json.as_bytes())?;
        self.place(layout::VERDICT, verdict_json.as_bytes())
    }

    /// Puts the verdict under another agreement than the run's into `data/analysis/verdicts/`, named by the SHA-256
    /// of that agreement. [`Pack::seal`] after it.
    ///
    /// # Errors
    /// Where the digest is none, the package was cut short, or the file cannot be written.
    pub fn write_other_verdict(&self, agreement_digest: &str, verdict_json: &str) -> Result<(), PlaceError> {
        let is_digest = agreement_digest.len() == 64
            && agreement_digest.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if !is_digest {
            return Err(PlaceError::Digest(agreement_digest.to_owned()));
        }
        self.place(&format!("{}/{agreement_digest}.json", layout::OTHER_VERDICTS), verdict_json.as_bytes())
    }

    /// Puts a document into `data/reports/`, in place of the one of that name. [`Pack::seal`] after it.
    ///
    /// # Errors
    /// Where the name is no plain file name, the package was cut short, or the file cannot be written.
    pub fn write_report(&self, name: &str, bytes: &[u8]) -> Result<(), PlaceError> {
        if !layout::is_file_name(name) {
            return Err(PlaceError::Name(name.to_owned()));
        }
        self.place(&format!("{}/{name}", layout::REPORTS), bytes)
    }

    /// What stands in `data/reports/`: every file's name and bytes, by name. None where there is no such folder.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn reports(&self) -> Result<Vec<(String, Vec<u8>)>, FileError> {
        self.folder(layout::REPORTS)
    }

    /// Verdicts under other agreements than the run's, in `data/analysis/verdicts/`: name and bytes, by name.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn other_verdicts(&self) -> Result<Vec<(String, Vec<u8>)>, FileError> {
        self.folder(layout::OTHER_VERDICTS)
    }

    fn folder(&self, name: &str) -> Result<Vec<(String, Vec<u8>)>, FileError> {
        let folder = self.data(name);
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let listed = files::list(&folder)?;
        listed
            .files
            .into_iter()
            .map(|file| {
                let path = folder.join(&file);
                let bytes = std::fs::read(&path).map_err(FileError::of("read", &path))?;
                Ok((file, bytes))
            })
            .collect()
    }

    /// Writes manifests and `bag-info.txt` anew. The same files always give the same bytes, and the evidence
    /// digest stays as it is.
    ///
    /// # Errors
    /// Where a file cannot be read or written, or something that is no plain file stands among them.
    pub fn seal(&self) -> Result<(), SealError> {
        bag::seal(self.dir())
    }

    fn place(&self, path: &str, bytes: &[u8]) -> Result<(), PlaceError> {
        if self.state() == State::CutShort {
            return Err(PlaceError::CutShort(self.dir().to_owned()));
        }
        let path = self.data(path);
        if let Some(folder) = path.parent() {
            files::create_dir(folder)?;
        }
        Ok(files::replace(&path, bytes)?)
    }
}
