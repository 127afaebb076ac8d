//! Completing a package whose writer was cut off.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
};

use crate::{
    bag::{self, Payload, SealError},
    chain::{ReadError, Rows},
    files::{self, FileError},
    layout,
    pack::{OpenError, Pack, State},
};

/// A package cannot be completed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FinalizeError {
    /// The folder is no package.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is nothing to do.
    #[error("complete {}: the package is complete already (see `acceptreport verify`)", .0.display())]
    Complete(PathBuf),
    /// Its writer is still at work.
    #[error("complete {}: a run is still writing it (wait for it, or stop it)", .0.display())]
    StillWritten(PathBuf),
    /// A row is damaged, so that nothing can be vouched for.
    #[error(transparent)]
    Damaged(#[from] ReadError),
    /// Evidence is not what its list says. The list is not written twice.
    #[error("complete {}: data/evidence-sha256.txt does not match the evidence (it is damaged; ask for an intact copy)", .0.display())]
    OtherEvidence(PathBuf),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The manifests could not be written.
    #[error(transparent)]
    Seal(#[from] SealError),
}

/// Completes a package that was cut short: writes the digests of its evidence and the manifests.
///
/// No byte of a row is changed. A torn last line stays where it is, under the digest, and readers drop it; with it,
/// or without an event that the run ended, the package says for good that it was interrupted.
///
/// # Errors
/// Where the folder is no package, or one that is complete, still written or damaged.
pub fn finalize(dir: impl AsRef<Path>) -> Result<Pack, FinalizeError> {
    let dir = dir.as_ref();
    let pack = Pack::open(dir)?;
    if pack.state() == State::Complete {
        return Err(FinalizeError::Complete(dir.to_owned()));
    }
    let folder = File::open(dir).map_err(FileError::of("open", dir))?;
    if matches!(folder.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(FinalizeError::StillWritten(dir.to_owned()));
    }
    read_through(pack.requests()?)?;
    read_through(pack.events()?)?;
    read_through(pack.client()?)?;
    bag::read_environment(dir)?;
    match files::read_if_any(&dir.join(layout::DATA).join(layout::EVIDENCE))? {
        Some(list) if list != Payload::read(dir)?.evidence().as_bytes() => {
            return Err(FinalizeError::OtherEvidence(dir.to_owned()));
        }
        Some(_) => {}
        None => bag::write_evidence(dir)?,
    }
    bag::seal(dir)?;
    Ok(Pack::open(dir)?)
}

fn read_through<T>(mut rows: Rows<T>) -> Result<(), ReadError> {
    rows.try_for_each(|row| row.map(drop))
}
