//! What a party signs, and whether a signature that stands in a package holds.
//!
//! A signature binds a statement, and the statement the package: by the evidence digest, and by the digests of every verdict
//! and of every document that its party saw. Documents may be made again afterwards; then the statement still binds the
//! evidence, and says which documents are no longer those that were signed, and which it does not cover.

use std::{collections::BTreeMap, io::Cursor, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use minisign::SignatureBox;
use serde::{Deserialize, Serialize};

use crate::{
    bag::{self, SealError},
    digest,
    files::{self, FileError},
    key::{self, KeyError, PublicKey, SigningKey},
    layout,
    pack::Pack,
};

/// Version of the statements that this crate writes, and the only one that it reads.
const SCHEMA: u32 = 1;

const STATEMENT: &str = ".statement.json";
const SIGNATURE: &str = ".statement.json.minisig";

/// What a party puts its name to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Version of the statement.
    pub schema: u32,
    /// In which part: `customer`, `supplier`, `witness` or the like.
    pub role: String,
    /// Who, in the signer's own words.
    pub name: Option<String>,
    /// When, by the signer's clock (RFC 3339, UTC).
    pub signed_at: String,
    /// The evidence digest.
    pub evidence_digest: String,
    /// SHA-256 of `data/analysis/verdict.json`.
    pub verdict_sha256: String,
    /// SHA-256 of every file that stood in `data/analysis/verdicts/`, by its path in the package: verdicts under other
    /// agreements, and those agreements. Older statements name none.
    #[serde(default)]
    pub verdicts: BTreeMap<String, String>,
    /// SHA-256 of every file that stood in `data/reports/`, by its path in the package.
    pub documents: BTreeMap<String, String>,
    /// The key whose secret half signed this, in base64. Whose it is, somebody else has to say.
    pub public_key: String,
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

impl Pack {
    /// Signs the package: puts a statement and its signature into `signatures/`, and seals. Nothing under `data/` is
    /// touched. Whether the package is sound, whoever calls this has found out before.
    ///
    /// # Errors
    /// Where the role is none or has signed already (unless `replace`), where there is no evidence digest or verdict
    /// yet, and where a file cannot be read or written.
    pub fn sign(&self, key: &SigningKey, signer: Signer, replace: bool) -> Result<Statement, SignError> {
        if !is_role(&signer.role) {
            return Err(SignError::Role(signer.role));
        }
        let folder = self.dir().join(layout::SIGNATURES);
        let path = |ending: &str| folder.join(format!("{}{ending}", signer.role));
        if !replace && [STATEMENT, SIGNATURE].iter().any(|ending| path(ending).exists()) {
            return Err(SignError::Signed(signer.role));
        }
        let evidence_digest = self.evidence_digest()?.ok_or(SignError::Nothing("evidence digest"))?;
        let verdict = files::read_if_any(&self.data(layout::VERDICT))?;
        let public = key.public()?;
        let statement = Statement {
            schema: SCHEMA,
            name: signer.name.clone(),
            signed_at: signer.signed_at.clone(),
            evidence_digest,
            verdict_sha256: digest::sha256_hex(&verdict.ok_or(SignError::Nothing("verdict"))?),
            verdicts: digests(layout::OTHER_VERDICTS, self.other_verdicts()?),
            documents: digests(layout::REPORTS, self.reports()?),
            public_key: public.to_base64(),
            role: signer.role.clone(),
        };
        let text = serde_json::to_string_pretty(&statement).expect("a statement is text") + "\n";
        let comment = format!("{} signs evidence {}", statement.role, statement.evidence_digest);
        let signature = minisign::sign(
            Some(public.inner()),
            key.inner(),
            Cursor::new(&text),
            Some(&comment),
            Some(&format!("signature by key {}", public.id())),
        )
        .map_err(|error| SignError::Sign(error.to_string()))?;
        files::create_dir(&folder)?;
        files::replace(&path(STATEMENT), text.as_bytes())?;
        files::replace(&path(SIGNATURE), signature.into_string().as_bytes())?;
        bag::seal(self.dir())?;
        Ok(statement)
    }

    /// Checks every signature that stands in the package, by role.
    ///
    /// # Errors
    /// Where a file cannot be read for want of rights.
    pub fn signatures(&self) -> Result<Vec<Signature>, FileError> {
        let folder = self.dir().join(layout::SIGNATURES);
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let listing = files::list(&folder)?;
        let mut roles: BTreeMap<String, Vec<SignatureFault>> = BTreeMap::new();
        for file in listing.files.iter().chain(&listing.unfit).filter(|file| !layout::is_partial(file)) {
            let role = file.strip_suffix(SIGNATURE).or_else(|| file.strip_suffix(STATEMENT));
            match role.filter(|role| is_role(role) && !listing.unfit.contains(file)) {
                Some(role) => drop(roles.entry(role.to_owned()).or_default()),
                None => roles.entry(file.clone()).or_default().push(SignatureFault::Foreign),
            }
        }
        roles.into_iter().map(|(role, faults)| self.signature(&folder, role, faults)).collect()
    }

    fn signature(
        &self,
        folder: &Path,
        role: String,
        faults: Vec<SignatureFault>,
    ) -> Result<Signature, FileError> {
        let mut signature = Signature {
            role,
            statement: None,
            key: None,
            faults,
            changed: Vec::new(),
            not_covered: Vec::new(),
        };
        if !signature.faults.is_empty() {
            return Ok(signature);
        }
        let read = |ending| files::read_if_any(&folder.join(format!("{}{ending}", signature.role)));
        let (text, signed) = (read(STATEMENT)?, read(SIGNATURE)?);
        match examined(&signature.role, text.as_deref(), signed.as_deref()) {
            Err(fault) => signature.faults.push(fault),
            Ok((statement, key)) => {
                if self.evidence_digest()?.as_ref() != Some(&statement.evidence_digest) {
                    signature.faults.push(SignatureFault::OtherEvidence);
                }
                (signature.changed, signature.not_covered) = self.since(&statement)?;
                (signature.statement, signature.key) = (Some(statement), Some(key));
            }
        }
        Ok(signature)
    }

    /// By path in the package: what a statement names and is no longer as it was, and what stands there and it does not
    /// name.
    fn since(&self, statement: &Statement) -> Result<(Vec<String>, Vec<String>), FileError> {
        let verdict = in_data(layout::VERDICT);
        let mut named = statement.documents.clone();
        named.extend(statement.verdicts.clone());
        named.insert(verdict.clone(), statement.verdict_sha256.clone());
        let mut standing = digests(layout::REPORTS, self.reports()?);
        standing.extend(digests(layout::OTHER_VERDICTS, self.other_verdicts()?));
        if let Some(bytes) = files::read_if_any(&self.data(layout::VERDICT))? {
            standing.insert(verdict, digest::sha256_hex(&bytes));
        }
        let changed = named.iter().filter(|(path, digest)| standing.get(*path) != Some(digest));
        let not_covered = standing.keys().filter(|path| !named.contains_key(*path));
        Ok((changed.map(|(path, _)| path.clone()).collect(), not_covered.cloned().collect()))
    }
}

/// A signature that stands in a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// In which part somebody signed, by the name of the file.
    pub role: String,
    /// What was signed; `None` where the signature is none, or not over it.
    pub statement: Option<Statement>,
    /// The key that signed it.
    pub key: Option<PublicKey>,
    /// What is wrong with it. Empty: it holds, and is over this package's evidence.
    pub faults: Vec<SignatureFault>,
    /// Verdicts and documents that it names and that are no longer those that were signed. No fault: they may be made
    /// again.
    pub changed: Vec<String>,
    /// Documents, and verdicts under other agreements, that stand in the package and that it does not name: they were
    /// made afterwards. No fault.
    pub not_covered: Vec<String>,
}

impl Signature {
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
    /// The statement is about other evidence.
    #[error("what was signed is the evidence of another package, or this one's was changed")]
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
            Self::OtherEvidence => "所签证据并非本证据包的证据，或本证据包的证据已被改动".to_owned(),
        }
    }
}

/// The statement and its key, where the signature is the key's over this very text.
fn examined(
    role: &str,
    text: Option<&[u8]>,
    signed: Option<&[u8]>,
) -> Result<(Statement, PublicKey), SignatureFault> {
    let text = text.ok_or(SignatureFault::NoStatement)?;
    let signed = signed.ok_or(SignatureFault::NoSignature)?;
    let statement = parse(text)?;
    if statement.role != role {
        return Err(SignatureFault::OtherRole(statement.role));
    }
    let key = PublicKey::parse(&statement.public_key)
        .ok_or_else(|| SignatureFault::Statement("its public_key is no key".to_owned()))?;
    let signature = signature_of(signed)?;
    if key::id(signature.keynum()) != key.id() {
        return Err(SignatureFault::Wrong);
    }
    minisign::verify(key.inner(), &signature, Cursor::new(text), true, false, true)
        .map_err(|_| SignatureFault::Wrong)?;
    Ok((statement, key))
}

fn parse(text: &[u8]) -> Result<Statement, SignatureFault> {
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

fn in_data(path: &str) -> String {
    format!("{}/{path}", layout::DATA)
}

/// Digests of files of this folder under `data/`, by their path in the package.
fn digests(folder: &str, files: Vec<(String, Vec<u8>)>) -> BTreeMap<String, String> {
    let entry =
        |(name, bytes): (String, Vec<u8>)| (in_data(&format!("{folder}/{name}")), digest::sha256_hex(&bytes));
    files.into_iter().map(entry).collect()
}
