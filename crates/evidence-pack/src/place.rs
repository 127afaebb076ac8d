//! Putting what was made from the evidence beside it: figures, verdicts, documents.

use std::path::PathBuf;

use crate::{
    bag::{self, SealError},
    digest,
    files::{self, FileError, Staged},
    layout,
    pack::Pack,
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
    /// The package was cut short.
    #[error("write into {}: the package was cut short (complete it with `acceptbench finalize`)", .0.display())]
    CutShort(PathBuf),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Pack {
    /// Puts figures and verdict into `data/analysis/`, in place of those before, with the name and version of the
    /// program that made them, so that a later version knows what it may compare to the letter. [`Pack::seal`] after
    /// it.
    ///
    /// # Errors
    /// Where the package was cut short, or a file cannot be written.
    pub fn write_analysis(
        &self,
        summary_json: &str,
        verdict_json: &str,
        made_by: &str,
    ) -> Result<(), PlaceError> {
        self.place(layout::SUMMARY, summary_json.as_bytes())?;
        self.place(layout::VERDICT, verdict_json.as_bytes())?;
        self.place(layout::MADE_BY, format!("{made_by}\n").as_bytes())
    }

    /// Puts the verdict under another agreement than the run's into `data/analysis/verdicts/`, and that agreement
    /// beside it, so that the verdict can be computed again: `DIGEST.json` and `DIGEST.toml`, named by the SHA-256 of
    /// the agreement. [`Pack::seal`] after it.
    ///
    /// # Errors
    /// Where the package was cut short, or a file cannot be written.
    pub fn write_other_verdict(&self, agreement: &str, verdict_json: &str) -> Result<(), PlaceError> {
        let name = format!("{}/{}", layout::OTHER_VERDICTS, digest::sha256_hex(agreement.as_bytes()));
        self.place(&format!("{name}.toml"), agreement.as_bytes())?;
        self.place(&format!("{name}.json"), verdict_json.as_bytes())
    }

    /// Puts a document into `data/reports/`, or into a folder in it (`FOLDER/NAME`), in place of the one of that name.
    /// [`Pack::seal`] after it.
    ///
    /// # Errors
    /// Where the name is none of plain names, the package was cut short, or the file cannot be written.
    pub fn write_report(&self, name: &str, bytes: &[u8]) -> Result<(), PlaceError> {
        self.stage_reports([(name, bytes)])?.put()
    }

    /// Writes documents beside those that they are to replace, so that a disk that is too full is found before anything
    /// is changed. [`StagedReports::put`] puts them in their places.
    ///
    /// # Errors
    /// As [`Pack::write_report`]; then nothing is left of any of them.
    pub fn stage_reports<'f>(
        &self,
        files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    ) -> Result<StagedReports, PlaceError> {
        let stage = |(name, bytes): (&str, &[u8])| {
            let path = self.room_for(&format!("{}/{}", layout::REPORTS, report_name(name)?))?;
            Ok(Staged::new(&path, bytes)?)
        };
        Ok(StagedReports(files.into_iter().map(stage).collect::<Result<_, PlaceError>>()?))
    }

    /// Takes a document out of `data/reports/`; none of that name is no error. [`Pack::seal`] after it.
    ///
    /// # Errors
    /// Where the name is none of plain names, or the file cannot be taken out.
    pub fn remove_report(&self, name: &str) -> Result<(), PlaceError> {
        let path = self.data(layout::REPORTS).join(report_name(name)?);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(FileError::of("remove", &path)(error).into());
            }
            _ => {}
        }
        // A folder that is empty now goes with its last file; one that is not stays.
        if let (Some(folder), true) = (path.parent(), name.contains('/')) {
            let _ = std::fs::remove_dir(folder);
        }
        Ok(())
    }

    /// What stands in `data/reports/`: every file's name and bytes, by name. None where there is no such folder; what
    /// a cut left behind in the making is passed over.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn reports(&self) -> Result<Vec<(String, Vec<u8>)>, FileError> {
        self.folder(layout::REPORTS)
    }

    /// Verdicts under other agreements than the run's, and those agreements, in `data/analysis/verdicts/`: name and
    /// bytes, by name.
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
        let mut listed = files::list(&folder)?.files;
        listed.sort();
        listed
            .into_iter()
            .filter(|file| !layout::is_partial(file))
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
        Ok(files::replace(&self.room_for(path)?, bytes)?)
    }

    /// Where a file goes that is made from the evidence, in a folder that is there.
    fn room_for(&self, path: &str) -> Result<PathBuf, PlaceError> {
        if self.evidence_list().is_empty() {
            return Err(PlaceError::CutShort(self.dir().to_owned()));
        }
        let path = self.data(path);
        if let Some(folder) = path.parent() {
            files::create_dir(folder)?;
        }
        Ok(path)
    }
}

/// Documents that are written and not in their places yet. Dropped, they are gone.
#[derive(Debug)]
#[must_use]
pub struct StagedReports(Vec<Staged>);

impl StagedReports {
    /// Puts each in its place. [`Pack::seal`] after it.
    ///
    /// # Errors
    /// Where one cannot be put there.
    pub fn put(self) -> Result<(), PlaceError> {
        self.0.into_iter().try_for_each(Staged::put).map_err(PlaceError::from)
    }
}

/// A plain name, or one in a folder of a plain name.
fn report_name(name: &str) -> Result<&str, PlaceError> {
    let (folder, file) = name.split_once('/').unwrap_or(("folder", name));
    if layout::is_file_name(folder) && layout::is_file_name(file) {
        Ok(name)
    } else {
        Err(PlaceError::Name(name.to_owned()))
    }
}
