//! Keys that parties sign with, in the files of minisign.

use std::{
    fmt, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use minisign::{KeyPair, PError, SecretKeyBox};

use crate::files::{self, FileError};

/// How a secret key begins: Ed25519, and how it is encrypted, with `scrypt` or not at all.
const ENCRYPTED: &[u8] = b"EdSc";
const PLAIN: &[u8] = b"Ed\0\0";

/// A key cannot be made or read. No message holds anything of a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A file of this name stands there; a key is never written over.
    #[error("write key {}: the file is there already (name another --out)", .0.display())]
    Exists(PathBuf),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file could not be read.
    #[error("read key {}: {error} (name a file that `acceptreport keygen` or minisign wrote)", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The file is no key.
    #[error("read key {}: {reason} (name a file that `acceptreport keygen` or minisign wrote)", path.display())]
    NotAKey {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The secret key is encrypted, and no password was given.
    #[error("read key {}: it is encrypted (name the variable that holds its password by --password-env)", .0.display())]
    Encrypted(PathBuf),
    /// The system gave no randomness.
    #[error("make a key: {0}")]
    Make(String),
}

/// A public key.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(minisign::PublicKey);

impl PublicKey {
    /// Reads a file as minisign writes it: a comment, and the key in base64.
    ///
    /// # Errors
    /// Where the file cannot be read, or is no key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let text = read(path)?;
        let not_a_key = |reason: &str| KeyError::NotAKey { path: path.to_owned(), reason: reason.to_owned() };
        let line = text.lines().nth(1).ok_or_else(|| not_a_key("it has no second line"))?;
        Self::parse(line).ok_or_else(|| not_a_key("its second line is no public key"))
    }

    /// From its base64.
    #[must_use]
    pub fn parse(base64: &str) -> Option<Self> {
        minisign::PublicKey::from_base64(base64.trim()).ok().map(Self)
    }

    /// Its base64, as in the second line of its file and behind `minisign -P`.
    #[must_use]
    pub fn to_base64(&self) -> String {
        self.0.to_base64()
    }

    /// The id by which minisign names it: sixteen hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> String {
        id(self.0.keynum())
    }

    pub(crate) fn inner(&self) -> &minisign::PublicKey {
        &self.0
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PublicKey({})", self.to_base64())
    }
}

/// A secret key, ready to sign. It is never printed.
pub struct SigningKey(minisign::SecretKey);

impl SigningKey {
    /// Reads a file as minisign writes it; an encrypted one with its password.
    ///
    /// # Errors
    /// Where the file cannot be read or is no key, and where it is encrypted and the password is not its own.
    pub fn read(path: &Path, password: Option<String>) -> Result<Self, KeyError> {
        let text = read(path)?;
        let not_a_key = |reason: String| KeyError::NotAKey { path: path.to_owned(), reason };
        let line = text.lines().nth(1).unwrap_or_default();
        let bytes = STANDARD.decode(line.trim()).unwrap_or_default();
        let key = match (bytes.get(..4), password) {
            // Without a password the tool writes no checksum, and the library wants one in the text form.
            (Some(PLAIN), _) => minisign::SecretKey::from_bytes(&bytes),
            (Some(ENCRYPTED), Some(password)) => SecretKeyBox::from(text).into_secret_key(Some(password)),
            (Some(ENCRYPTED), None) => return Err(KeyError::Encrypted(path.to_owned())),
            _ => return Err(not_a_key("its second line is no secret key".to_owned())),
        };
        key.map(Self).map_err(|error| not_a_key(error.to_string()))
    }

    /// Its public half.
    ///
    /// # Errors
    /// Where the key is none after all.
    pub fn public(&self) -> Result<PublicKey, KeyError> {
        let made = minisign::PublicKey::from_secret_key(&self.0);
        made.map(PublicKey).map_err(|error| KeyError::Make(error.to_string()))
    }

    pub(crate) fn inner(&self) -> &minisign::SecretKey {
        &self.0
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SigningKey(…)")
    }
}

/// Makes a key pair and writes it to `path`, readable by the owner alone, and `path` with `.pub` behind it; encrypted
/// where a password is given.
///
/// # Errors
/// Where either file is there already or cannot be written.
pub fn make_key(path: &Path, password: Option<String>) -> Result<PublicKey, KeyError> {
    let public_path = PathBuf::from(format!("{}.pub", path.display()));
    for path in [path, &public_path] {
        if path.exists() {
            return Err(KeyError::Exists(path.to_owned()));
        }
    }
    let failed = |error: PError| KeyError::Make(error.to_string());
    let pair = match password {
        Some(password) => KeyPair::generate_encrypted_keypair(Some(password)),
        None => KeyPair::generate_unencrypted_keypair(),
    };
    let KeyPair { pk, sk } = pair.map_err(failed)?;
    let public = PublicKey(pk);
    let comment = format!("minisign secret key {}", public.id());
    let secret = sk.to_box(Some(&comment)).map_err(failed)?.into_string();
    files::write_new(path, secret.as_bytes())?;
    let text = format!("untrusted comment: minisign public key {}\n{}\n", public.id(), public.to_base64());
    // Meant to be handed out, and so not for the owner alone.
    let mut file = fs::File::create_new(&public_path).map_err(FileError::of("create", &public_path))?;
    file.write_all(text.as_bytes()).map_err(FileError::of("write", &public_path))?;
    Ok(public)
}

/// How minisign prints the id of a key.
pub(crate) fn id(keynum: &[u8]) -> String {
    keynum.iter().rev().map(|byte| format!("{byte:02X}")).collect()
}

fn read(path: &Path) -> Result<String, KeyError> {
    fs::read_to_string(path).map_err(|error| KeyError::Read { path: path.to_owned(), error })
}
