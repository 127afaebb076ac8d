//! A profile's folder: the profile, the documents that show it, and who signed it.
//!
//! A business signs its request distribution before anything is sent. What it signs is `profile.json`, by its SHA-256; the
//! documents beside it say the same in words and pictures, and can be made again.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    digest,
    files::{self, FileError},
    key::SigningKey,
    layout,
    signature::{self, SCHEMA, SignError, Signature, Signed, Signer, Standing},
};

/// The file that is the profile.
pub const PROFILE_FILE: &str = "profile.json";

/// A folder that holds a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileFolder {
    dir: PathBuf,
    profile: Vec<u8>,
}

/// A folder of a profile cannot be made or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileFolderError {
    /// Something stands there.
    #[error("create {}: it is there already and not empty (name another folder, or empty this one)", .0.display())]
    NotEmpty(PathBuf),
    /// There is no profile in it.
    #[error("open {}: there is no {PROFILE_FILE} in it (name the folder that `acceptbench profile` wrote)", .0.display())]
    NoProfile(PathBuf),
    /// A file has a name that such a folder does not hold.
    #[error("write {0:?}: it is no name of a document")]
    Name(String),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What a party puts its name to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileStatement {
    /// Version of the statement.
    pub schema: u32,
    /// In which part: `business`, `customer`, `supplier`, `witness` or the like.
    pub role: String,
    /// Who, in the signer's own words.
    pub name: Option<String>,
    /// When, by the signer's clock (RFC 3339, UTC).
    pub signed_at: String,
    /// SHA-256 of `profile.json`.
    pub profile_sha256: String,
    /// SHA-256 of every document that stood beside it, by name.
    pub documents: BTreeMap<String, String>,
    /// The key whose secret half signed this, in base64. Whose it is, somebody else has to say.
    pub public_key: String,
}

impl Signed for ProfileStatement {
    fn role(&self) -> &str {
        &self.role
    }

    fn public_key(&self) -> &str {
        &self.public_key
    }

    fn over(&self) -> String {
        format!("profile {}", self.profile_sha256)
    }
}

impl ProfileFolder {
    /// Whether a folder is that of a profile rather than a package.
    #[must_use]
    pub fn is_one(dir: &Path) -> bool {
        dir.join(PROFILE_FILE).is_file() && !dir.join(layout::BAGIT).exists()
    }

    /// Makes a folder of this profile and these documents, readable by the owner alone. The profile is written last, so that
    /// a folder that was cut short is none.
    ///
    /// # Errors
    /// Where the folder holds something, a name is none, or a file cannot be written.
    pub fn create(
        dir: &Path,
        profile: &[u8],
        documents: &[(String, Vec<u8>)],
    ) -> Result<Self, ProfileFolderError> {
        Self::check_vacant(dir)?;
        files::create_dir(dir)?;
        let folder = Self { dir: dir.to_owned(), profile: profile.to_vec() };
        let written = folder
            .put_documents(documents)
            .and_then(|()| Ok(files::replace(&dir.join(PROFILE_FILE), profile)?));
        if let Err(error) = written {
            // Documents without their profile would only stand in the way of the next try.
            for (name, _) in documents {
                let _ = std::fs::remove_file(dir.join(name));
            }
            let _ = std::fs::remove_dir(dir);
            return Err(error);
        }
        Ok(folder)
    }

    /// Whether a profile may be written into a folder: one that is not there yet, or empty.
    ///
    /// # Errors
    /// Where something stands there.
    pub fn check_vacant(dir: &Path) -> Result<(), ProfileFolderError> {
        if files::is_vacant(dir)? { Ok(()) } else { Err(ProfileFolderError::NotEmpty(dir.to_owned())) }
    }

    /// Opens a folder.
    ///
    /// # Errors
    /// Where it holds no profile, or that cannot be read.
    pub fn open(dir: &Path) -> Result<Self, ProfileFolderError> {
        let profile = files::read_if_any(&dir.join(PROFILE_FILE))?;
        let profile = profile.ok_or_else(|| ProfileFolderError::NoProfile(dir.to_owned()))?;
        Ok(Self { dir: dir.to_owned(), profile })
    }

    /// Where it stands.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The bytes of the profile.
    #[must_use]
    pub fn profile(&self) -> &[u8] {
        &self.profile
    }

    /// SHA-256 of the profile.
    #[must_use]
    pub fn digest(&self) -> String {
        digest::sha256_hex(&self.profile)
    }

    /// Writes documents, each in place of one of the same name.
    ///
    /// # Errors
    /// Where a name is none, or a file cannot be written.
    pub fn put_documents(&self, documents: &[(String, Vec<u8>)]) -> Result<(), ProfileFolderError> {
        for (name, bytes) in documents {
            if !layout::is_file_name(name) || name == PROFILE_FILE {
                return Err(ProfileFolderError::Name(name.clone()));
            }
            files::replace(&self.dir.join(name), bytes)?;
        }
        Ok(())
    }

    /// Takes a document out; none of that name is no error.
    ///
    /// # Errors
    /// Where the name is none, or the file cannot be taken out.
    pub fn remove_document(&self, name: &str) -> Result<(), ProfileFolderError> {
        if !layout::is_file_name(name) || name == PROFILE_FILE {
            return Err(ProfileFolderError::Name(name.to_owned()));
        }
        let path = self.dir.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(FileError::of("remove", &path)(error).into())
            }
            _ => Ok(()),
        }
    }

    /// Every file of the folder, by path, sorted.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn files(&self) -> Result<BTreeMap<String, Vec<u8>>, FileError> {
        let paths = files::list(&self.dir)?.files;
        let read = |path: String| {
            let bytes = files::read_if_any(&self.dir.join(&path))?;
            Ok(bytes.map(|bytes| (path, bytes)))
        };
        paths.into_iter().filter_map(|path| read(path).transpose()).collect()
    }

    /// What else stands in the folder: links, sockets, devices, and names that are not UTF-8, by path, sorted.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn unfit(&self) -> Result<Vec<String>, FileError> {
        let mut unfit = files::list(&self.dir)?.unfit;
        unfit.sort();
        Ok(unfit)
    }

    /// Everything in the folder but the profile and the signatures, by path, sorted.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn documents(&self) -> Result<BTreeMap<String, Vec<u8>>, FileError> {
        let mut files = self.files()?;
        let signatures = format!("{}/", layout::SIGNATURES);
        files.retain(|path, _| {
            path != PROFILE_FILE && !path.starts_with(&signatures) && !layout::is_partial(path)
        });
        Ok(files)
    }

    /// Signs the profile. Whether it is sound, whoever calls this has found out before.
    ///
    /// # Errors
    /// Where the role is none or has signed already (unless `replace`), and where a file cannot be read or written.
    pub fn sign(
        &self,
        key: &SigningKey,
        signer: Signer,
        replace: bool,
    ) -> Result<ProfileStatement, SignError> {
        signature::put(&self.dir.join(layout::SIGNATURES), key, &signer, replace, |public| {
            Ok(ProfileStatement {
                schema: SCHEMA,
                role: signer.role.clone(),
                name: signer.name.clone(),
                signed_at: signer.signed_at.clone(),
                profile_sha256: self.digest(),
                documents: self.document_digests()?,
                public_key: public.to_base64(),
            })
        })
    }

    /// Checks every signature that stands in the folder, by role.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn signatures(&self) -> Result<Vec<Signature<ProfileStatement>>, FileError> {
        let now = self.document_digests()?;
        signature::found(&self.dir.join(layout::SIGNATURES), |statement: &ProfileStatement| {
            Ok(Standing::of(statement.profile_sha256 == self.digest(), &statement.documents, &now))
        })
    }

    fn document_digests(&self) -> Result<BTreeMap<String, String>, FileError> {
        let digest = |(name, bytes): (String, Vec<u8>)| (name, digest::sha256_hex(&bytes));
        Ok(self.documents()?.into_iter().map(digest).collect())
    }
}
