//! The texts that bind a package together, each a function of the files it names.
//!
//! ```text
//! genesis ── the digests of what was fixed before the first request; first `prev` of every file of rows
//! evidence-sha256.txt ── the digests of all evidence; ITS digest is the evidence digest
//! manifest-sha256.txt ── the digests of everything under data/
//! tagmanifest-sha256.txt ── the digests of bagit.txt, bag-info.txt, the manifest and the signatures
//! ```

use std::{collections::BTreeMap, fs, path::Path};

use crate::{
    digest,
    environment::{Environment, EnvironmentError},
    files::{self, FileError},
    layout,
};

/// What stands under `data/`, by path relative to it.
#[derive(Debug)]
pub(crate) struct Payload {
    files: BTreeMap<String, (String, u64)>,
    /// What a cut left behind in the making.
    pub(crate) partial: Vec<String>,
    /// Links and the like, sorted.
    pub(crate) unfit: Vec<String>,
}

impl Payload {
    /// Reads and digests every file; what a cut left behind in the making is set apart. Without a folder, nothing.
    pub(crate) fn read(dir: &Path) -> Result<Self, FileError> {
        let data = dir.join(layout::DATA);
        let mut listing = if data.is_dir() { files::list(&data)? } else { files::Listing::default() };
        listing.unfit.sort();
        let mut payload = Self { files: BTreeMap::new(), partial: Vec::new(), unfit: listing.unfit };
        for path in listing.files {
            if layout::is_partial(&path) {
                payload.partial.push(path);
            } else {
                let entry = digest::of_file(&data.join(&path))?;
                payload.files.insert(path, entry);
            }
        }
        Ok(payload)
    }

    /// Paths relative to `data/`, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The evidence and its list are those that a manifest names.
    pub(crate) fn fits(&self, manifest: &[u8]) -> bool {
        let fixed = |list: &[u8]| {
            let mut list = digest::parse_list(list);
            list.retain(|path, _| {
                let path = path.strip_prefix("data/");
                path.is_some_and(|path| path == layout::EVIDENCE || layout::is_evidence(path))
            });
            list
        };
        fixed(manifest) == fixed(self.manifest().as_bytes())
    }

    /// Text of `data/evidence-sha256.txt`, paths relative to `data/`.
    pub(crate) fn evidence(&self) -> String {
        digest::list(self.digests().filter(|(path, _)| layout::is_evidence(path)))
    }

    /// Text of `manifest-sha256.txt`, paths relative to the package.
    pub(crate) fn manifest(&self) -> String {
        let full: Vec<(String, &str)> =
            self.digests().map(|(path, digest)| (format!("{}/{path}", layout::DATA), digest)).collect();
        digest::list(full.iter().map(|(path, digest)| (path.as_str(), *digest)))
    }

    /// Text of `bag-info.txt`. Its date is the day of the run, so that the same package always has the same text.
    pub(crate) fn bag_info(&self, environment: &Environment) -> Result<String, EnvironmentError> {
        let octets: u64 = self.files.values().map(|(_, length)| length).sum();
        Ok(format!(
            "Bag-Software-Agent: {}\nBagging-Date: {}\nExternal-Description: {}\nExternal-Identifier: {}\nPayload-Oxum: {octets}.{}\n",
            one_line(&format!("{} {}", environment.tool.name, environment.tool.version)),
            environment.date()?,
            "Evidence of an acceptance test of an inference service",
            one_line(&environment.run_id),
            self.files.len(),
        ))
    }

    fn digests(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, (digest, _))| (path.as_str(), digest.as_str()))
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Text of `tagmanifest-sha256.txt`, with the signatures that are there and that `listed` takes.
pub(crate) fn tag_manifest(dir: &Path, listed: impl Fn(&str) -> bool) -> Result<String, FileError> {
    let mut names = [layout::BAG_INFO, layout::BAGIT, layout::MANIFEST].map(str::to_owned).to_vec();
    let signatures = dir.join(layout::SIGNATURES);
    if signatures.is_dir() {
        let mut files = files::list(&signatures)?.files;
        files.sort();
        let files = files.into_iter().map(|file| format!("{}/{file}", layout::SIGNATURES));
        names.extend(files.filter(|name| listed(name) && !layout::is_partial(name)));
    }
    let mut digests = Vec::new();
    for name in names {
        let path = dir.join(&name);
        if path.exists() {
            digests.push((name, digest::of_file(&path)?.0));
        }
    }
    Ok(digest::list(digests.iter().map(|(name, digest)| (name.as_str(), digest.as_str()))))
}

/// SHA-256 of the genesis text: the digests of the frozen files that are there, in the form of
/// `evidence-sha256.txt`.
pub(crate) fn genesis(dir: &Path) -> Result<String, FileError> {
    let mut digests = Vec::new();
    for name in layout::FROZEN {
        let path = dir.join(layout::DATA).join(name);
        if path.exists() {
            digests.push((name, digest::of_file(&path)?.0));
        }
    }
    Ok(digest::sha256_hex(
        digest::list(digests.iter().map(|(name, digest)| (*name, digest.as_str()))).as_bytes(),
    ))
}

/// A package cannot be sealed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The environment cannot be read, and with it the run's id and date.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// A link, a device or an unreadable name stands among the files.
    #[error("seal a package with {0} in it: it is no plain file (take it out)")]
    Unfit(String),
}

impl SealError {
    /// The package is damaged, rather than of a newer format, or the disk full.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::File(error) => error.is_damage(),
            Self::Environment(error) => error.is_damage(),
            Self::Unfit(_) => true,
        }
    }
}

/// Writes `evidence-sha256.txt`: once, when the last row is in.
pub(crate) fn write_evidence(dir: &Path) -> Result<(), SealError> {
    let payload = Payload::read(dir)?;
    refuse_unfit(&payload)?;
    Ok(files::replace(&dir.join(layout::DATA).join(layout::EVIDENCE), payload.evidence().as_bytes())?)
}

/// Writes the manifests and `bag-info.txt` anew from what is there, and `bagit.txt` where it is not as it was.
pub(crate) fn seal(dir: &Path) -> Result<(), SealError> {
    let environment = read_environment(dir)?;
    remove_partials(dir)?;
    let payload = Payload::read(dir)?;
    refuse_unfit(&payload)?;
    let bagit = dir.join(layout::BAGIT);
    if files::read_if_any(&bagit)?.as_deref() != Some(layout::BAGIT_TEXT.as_bytes()) {
        files::replace(&bagit, layout::BAGIT_TEXT.as_bytes())?;
    }
    files::replace(&dir.join(layout::BAG_INFO), payload.bag_info(&environment)?.as_bytes())?;
    files::replace(&dir.join(layout::MANIFEST), payload.manifest().as_bytes())?;
    Ok(files::replace(&dir.join(layout::TAG_MANIFEST), tag_manifest(dir, |_| true)?.as_bytes())?)
}

/// The package's environment.
pub(crate) fn read_environment(dir: &Path) -> Result<Environment, SealError> {
    let path = dir.join(layout::DATA).join(layout::ENVIRONMENT);
    let bytes = fs::read(&path).map_err(FileError::of("read", &path))?;
    let text = String::from_utf8(bytes).map_err(|error| EnvironmentError::Malformed(error.to_string()))?;
    Ok(Environment::parse(&text)?)
}

fn refuse_unfit(payload: &Payload) -> Result<(), SealError> {
    payload.unfit.first().map_or(Ok(()), |path| Err(SealError::Unfit(path.clone())))
}

fn remove_partials(dir: &Path) -> Result<(), FileError> {
    for path in files::list(dir)?.files.iter().filter(|path| layout::is_partial(path)) {
        let path = dir.join(path);
        fs::remove_file(&path).map_err(FileError::of("remove", &path))?;
    }
    Ok(())
}
