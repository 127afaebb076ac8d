//! Signatures in a folder: a party's statement, and beside it the signature of its key over that statement.

use std::{collections::BTreeMap, io::Cursor, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use minisign::SignatureBox;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    bag::SealError,
    files::{self, FileError},
    key::{self, KeyError, PublicKey, SigningKey},
    layout,
};

/// Version of the statements that this crate writes, and the only one that it reads.
pub(crate) const SCHEMA: u32 = 1;

const STATEMENT: &str = ".statement.json";
const SIGNATURE: &str = ".statement.json.minisig";

/// What a party puts its name to.
pub(crate) trait Signed: Serialize + DeserializeOwned {
    /// In which part.
    fn role(&self) -> &str;

    /// The key that is to have signed it, in base64.
    fn public_key(&self) -> &str;

    /// What it is over, in few words, for the signature's untrusted comment.
    fn over(&self) -> String;
}

/// Who signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    /// In which part: lower-case ASCII letters, digits and `-`, at most 32. It names the files.
    pub role: String,
    /// Who.
    pub name: Option<String>,
    /// When (RFC 3339, UTC).
    pub signed_at: String,
}

/// A package cannot be signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The role cannot name a file.
    #[error(
        "sign as {0:?}: it is no role (use lower-case letters, digits and '-', such as customer, supplier or witness)"
    )]
    Role(String),
    /// There is a signature of this role.
    #[error("sign as {0}: this role has signed already (take --replace to put yours in its place)")]
    Signed(String),
    /// There is nothing to sign yet.
    #[error(
        "sign: there is no {0} (complete the package with `acceptbench finalize` and `acceptreport render`)"
    )]
    Nothing(&'static str),
    /// The key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The signature could not be made.
    #[error("sign: {0}")]
    Sign(String),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The lists of the package could not be written.
    #[error(transparent)]
    Seal(#[from] SealError),
}

/// Signs: puts the statement that `state` makes for the key into the folder, with its signature beside it. What stands in
/// the folder besides is left alone.
pub(crate) fn put<S: Signed>(
    folder: &Path,
    key: &SigningKey,
    signer: &Signer,
    replace: bool,
    state: impl FnOnce(&PublicKey) -> Result<S, SignError>,
) -> Result<S, SignError> {
    let role = &signer.role;
    if !is_role(role) {
        return Err(SignError::Role(role.clone()));
    }
    let path = |ending: &str| folder.join(format!("{role}{ending}"));
    if !replace && [STATEMENT, SIGNATURE].iter().any(|ending| path(ending).exists()) {
        return Err(SignError::Signed(role.clone()));
    }
    let public = key.public()?;
    let statement = state(&public)?;
    let text = serde_json::to_string_pretty(&statement).expect("a statement is text") + "\n";
    let signature = minisign::sign(
        Some(public.inner()),
        key.inner(),
        Cursor::new(&text),
        Some(&format!("{role} signs {}", statement.over())),
        Some(&format!("signature by key {}", public.id())),
    )
    .map_err(|error| SignError::Sign(error.to_string()))?;
    files::create_dir(folder)?;
    files::replace(&path(STATEMENT), text.as_bytes())?;
    files::replace(&path(SIGNATURE), signature.into_string().as_bytes())?;
    Ok(statement)
}

/// Every signature that stands in the folder, by role, each held against its own statement. What the statement is about,
/// `against` holds against what stands there.
pub(crate) fn found<S: Signed>(
    folder: &Path,
    against: impl Fn(&S) -> Result<Standing, FileError>,
) -> Result<Vec<Signature<S>>, FileError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let listing = files::list(folder)?;
    let mut roles: BTreeMap<String, Vec<SignatureFault>> = BTreeMap::new();
    for file in listing.files.iter().chain(&listing.unfit).filter(|file| !layout::is_partial(file)) {
        let role = file.strip_suffix(SIGNATURE).or_else(|| file.strip_suffix(STATEMENT));
        match role.filter(|role| is_role(role) && !listing.unfit.contains(file)) {
            Some(role) => drop(roles.entry(role.to_owned()).or_default()),
            None => roles.entry(file.clone()).or_default().push(SignatureFault::Foreign),
        }
    }
    roles.into_iter().map(|(role, faults)| of_role(folder, role, faults, &against)).collect()
}

fn of_role<S: Signed>(
    folder: &Path,
    role: String,
    faults: Vec<SignatureFault>,
    against: impl Fn(&S) -> Result<Standing, FileError>,
) -> Result<Signature<S>, FileError> {
    let mut signature =
        Signature { role, statement: None, key: None, faults, changed: Vec::new(), not_covered: Vec::new() };
    if !signature.faults.is_empty() {
        return Ok(signature);
    }
    let read = |ending| files::read_if_any(&folder.join(format!("{}{ending}", signature.role)));
    let (text, signed) = (read(STATEMENT)?, read(SIGNATURE)?);
    match examined::<S>(&signature.role, text.as_deref(), signed.as_deref()) {
        Err(fault) => signature.faults.push(fault),
        Ok((statement, key)) => {
            let standing = against(&statement)?;
            if !standing.same {
                signature.faults.push(SignatureFault::OtherEvidence);
            }
            (signature.changed, signature.not_covered) = (standing.changed, standing.not_covered);
            (signature.statement, signature.key) = (Some(statement), Some(key));
        }
    }
    Ok(signature)
}

/// How what was signed stands now.
pub(crate) struct Standing {
    /// What the signature binds is what stands there.
    same: bool,
    changed: Vec<String>,
    not_covered: Vec<String>,
}

impl Standing {
    /// By the digests that a statement names, and those of what stands there.
    pub(crate) fn of(same: bool, named: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Self {
        let changed = named.iter().filter(|(path, digest)| now.get(*path) != Some(digest));
        let not_covered = now.keys().filter(|path| !named.contains_key(*path));
        Self {
            same,
            changed: changed.map(|(path, _)| path.clone()).collect(),
            not_covered: not_covered.cloned().collect(),
        }
    }
}

/// A signature that stands in a package, or in a folder of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature<S = crate::Statement> {
    /// In which part somebody signed, by the name of the file.
    pub role: String,
    /// What was signed; `None` where the signature is none, or not over it.
    pub statement: Option<S>,
    /// The key that signed it.
    pub key: Option<PublicKey>,
    /// What is wrong with it. Empty: it holds, and is over this package's evidence, or this profile.
    pub faults: Vec<SignatureFault>,
    /// Verdicts and documents that it names and that are no longer those that were signed. No fault: they may be made
    /// again.
    pub changed: Vec<String>,
    /// Documents, and verdicts under other agreements, that stand in the package and that it does not name: they were
    /// made afterwards. No fault.
    pub not_covered: Vec<String>,
}

impl<S> Signature<S> {
    /// The signature is the key's, over the statement that stands there, and that names this package's evidence.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.faults.is_empty()
    }
}

/// What is wrong with a signature. A sentence about the file or role that it is said of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureFault {
    /// A file that is neither a statement nor its signature.
    #[error("the file does not belong in signatures/ (take it out)")]
    Foreign,
    /// There is a signature and no statement.
    #[error("the statement is missing")]
    NoStatement,
    /// There is a statement and no signature.
    #[error("the statement is not signed")]
    NoSignature,
    /// The statement cannot be read.
    #[error("the statement cannot be read: {0}")]
    Statement(String),
    /// The statement was written by a newer version of the tool.
    #[error("the statement is of a newer version, {0} (update the tool)")]
    NewerStatement(u32),
    /// The statement names another role than its file.
    #[error("the statement is of another role, {0:?}")]
    OtherRole(String),
    /// The signature cannot be read.
    #[error("the signature cannot be read: {0}")]
    Signature(String),
    /// The signature is not the key's over this statement.
    #[error("the signature is not that of the named key over this statement: one of them was changed")]
    Wrong,
    /// The statement is about other evidence, or another profile.
    #[error("what was signed is not what stands here: another one, or this one was changed")]
    OtherEvidence,
}

impl SignatureFault {
    /// The same sentence in Chinese. What a parser said in it stays in English.
    #[must_use]
    pub fn in_chinese(&self) -> String {
        match self {
            Self::Foreign => "该文件不属于 signatures/（请移出）".to_owned(),
            Self::NoStatement => "缺少签名声明".to_owned(),
            Self::NoSignature => "声明未签名".to_owned(),
            Self::Statement(reason) => format!("声明无法解析：{reason}"),
            Self::NewerStatement(version) => format!("声明版本 {version} 较新（请升级本工具）"),
            Self::OtherRole(role) => format!("声明中的角色为 {role:?}，与文件名不符"),
            Self::Signature(reason) => format!("签名无法解析：{reason}"),
            Self::Wrong => "签名与声明及其所载公钥不符，其中必有改动".to_owned(),
            Self::OtherEvidence => "所签内容并非此处的内容：签的是另一份，或此处的内容已被改动".to_owned(),
        }
    }
}

/// The statement and its key, where the signature is the key's over this very text.
fn examined<S: Signed>(
    role: &str,
    text: Option<&[u8]>,
    signed: Option<&[u8]>,
) -> Result<(S, PublicKey), SignatureFault> {
    let text = text.ok_or(SignatureFault::NoStatement)?;
    let signed = signed.ok_or(SignatureFault::NoSignature)?;
    let statement: S = parse(text)?;
    if statement.role() != role {
        return Err(SignatureFault::OtherRole(statement.role().to_owned()));
    }
    let key = PublicKey::parse(statement.public_key())
        .ok_or_else(|| SignatureFault::Statement("its public_key is no key".to_owned()))?;
    let signature = signature_of(signed)?;
    if key::id(signature.keynum()) != key.id() {
        return Err(SignatureFault::Wrong);
    }
    minisign::verify(key.inner(), &signature, Cursor::new(text), true, false, true)
        .map_err(|_| SignatureFault::Wrong)?;
    Ok((statement, key))
}

fn parse<S: Signed>(text: &[u8]) -> Result<S, SignatureFault> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    let unreadable = |error: serde_json::Error| SignatureFault::Statement(error.to_string());
    let Version { schema } = serde_json::from_slice(text).map_err(unreadable)?;
    if schema > SCHEMA {
        return Err(SignatureFault::NewerStatement(schema));
    }
    serde_json::from_slice(text).map_err(unreadable)
}

fn signature_of(signed: &[u8]) -> Result<SignatureBox, SignatureFault> {
    let unreadable = |reason: String| SignatureFault::Signature(reason);
    let text = str::from_utf8(signed).map_err(|error| unreadable(error.to_string()))?;
    // The library takes a shorter one over the comment for granted to be whole.
    let over_comment = text.lines().nth(3).and_then(|line| STANDARD.decode(line.trim()).ok());
    if over_comment.is_none_or(|bytes| bytes.len() != 64) {
        return Err(unreadable("its last line is no signature".to_owned()));
    }
    SignatureBox::from_string(text).map_err(|error| unreadable(error.to_string()))
}

fn is_role(role: &str) -> bool {
    (1..=32).contains(&role.len())
        && role.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}
