//! Completing a package whose writer was cut off.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    bag::{self, Payload, SealError},
    chain::{ReadError, Rows},
    files::{self, FileError},
    layout::{self, FORMAT},
    pack::{OpenError, Pack, State},
};

/// `data/finalized.json`: evidence, under the evidence digest, that the writer was cut off before it listed the
/// evidence itself. With it a package is interrupted, whatever its events say: nobody can vouch that the rows are all
/// that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finalized {
    /// Version of the file, [`FORMAT`].
    pub v: u32,
    /// Name and version of the program that completed the package.
    pub tool: String,
    /// Rows of `raw/requests.jsonl` that it found; a torn last one is none.
    pub requests: u64,
    /// Rows of `raw/events.jsonl`.
    pub events: u64,
    /// Rows of `raw/client.jsonl`.
    pub client: u64,
}

impl Finalized {
    pub(crate) fn new(tool: String, requests: u64, events: u64, client: u64) -> Self {
        Self { v: FORMAT, tool, requests, events, client }
    }

    /// The file's text.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("text and counts") + "\n"
    }
}

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
    /// What was frozen before the first request is gone.
    #[error("complete {}: data/{missing} is missing (the evidence is damaged; ask for an intact copy)", dir.display())]
    Frozen {
        /// The package.
        dir: PathBuf,
        /// The file, relative to `data/`.
        missing: &'static str,
    },
    /// The list of the evidence was taken out: what is only made after it stands there. It is not written twice.
    #[error("complete {}: data/evidence-sha256.txt was taken out, for {later} is only made after it (the evidence is damaged; ask for an intact copy)", dir.display())]
    ListGone {
        /// The package.
        dir: PathBuf,
        /// What stands there.
        later: &'static str,
    },
    /// Evidence is not what its list or the manifest says. The list is not written twice.
    #[error("complete {}: data/evidence-sha256.txt or the manifest does not match the evidence (it is damaged; ask for an intact copy)", .0.display())]
    OtherEvidence(PathBuf),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The manifests could not be written.
    #[error(transparent)]
    Seal(#[from] SealError),
}

impl FinalizeError {
    /// The package is damaged, rather than none, complete, still written, of a newer format, or out of reach.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Open(error) => error.is_damage(),
            Self::Damaged(error) => error.is_damage(),
            Self::File(error) => error.is_damage(),
            Self::Seal(error) => error.is_damage(),
            Self::Frozen { .. } | Self::ListGone { .. } | Self::OtherEvidence(_) => true,
            Self::Complete(_) | Self::StillWritten(_) => false,
        }
    }
}

/// Completes a package that was cut short, in the name of `tool` (name and version): writes the digests of its
/// evidence and the manifests.
///
/// No byte of a row is changed. A torn last line stays where it is, under the digest, and readers drop it. Where the
/// writer had not come to list its evidence, `data/finalized.json` joins the evidence, and with it the package says
/// for good that it was interrupted. Where it had, nothing was lost, and only the manifests are written.
///
/// # Errors
/// Where the folder is no package, or one that is complete, still written or damaged. What is made after the list of
/// the evidence vouches that there was one: without it, such a package is damaged.
pub fn finalize(dir: impl AsRef<Path>, tool: &str) -> Result<Pack, FinalizeError> {
    let dir = dir.as_ref();
    let pack = Pack::open(dir)?;
    if pack.state() == State::Complete {
        return Err(FinalizeError::Complete(dir.to_owned()));
    }
    let folder = File::open(dir).map_err(FileError::of("open", dir))?;
    if matches!(folder.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(FinalizeError::StillWritten(dir.to_owned()));
    }
    for missing in [layout::PLAN, layout::SAMPLES, layout::ENVIRONMENT] {
        if !pack.data(missing).exists() {
            return Err(FinalizeError::Frozen { dir: dir.to_owned(), missing });
        }
    }
    let requests = count(pack.requests()?)?;
    let events = count(pack.events()?)?;
    let client = count(pack.client()?)?;
    bag::read_environment(dir)?;
    if let Some(list) = files::read_if_any(&pack.data(layout::EVIDENCE))? {
        let payload = Payload::read(dir)?;
        let manifest = files::read_if_any(&dir.join(layout::MANIFEST))?;
        if list != payload.evidence().as_bytes() || manifest.is_some_and(|list| !payload.fits(&list)) {
            return Err(FinalizeError::OtherEvidence(dir.to_owned()));
        }
    } else {
        if let Some(later) = layout::MADE_LATER.into_iter().find(|later| dir.join(later).exists()) {
            return Err(FinalizeError::ListGone { dir: dir.to_owned(), later });
        }
        let finalized = Finalized::new(tool.to_owned(), requests, events, client);
        files::replace(&pack.data(layout::FINALIZED), finalized.to_json().as_bytes())?;
        bag::write_evidence(dir)?;
    }
    bag::seal(dir)?;
    Ok(Pack::open(dir)?)
}

fn count<T>(mut rows: Rows<T>) -> Result<u64, ReadError> {
    rows.try_for_each(|row| row.map(drop))?;
    Ok(rows.line())
}
