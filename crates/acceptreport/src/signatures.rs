//! Signatures of a package, as a check tells of them.

use std::path::{Path, PathBuf};

use evidence_pack::{KeyError, ProfileStatement, PublicKey, Signature};
use serde::{Serialize, Serializer};
use verdict_rules::Text;

/// A signature that stands in a package or in a profile's folder, and what it is worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignatureFound {
    /// In which part somebody signed.
    pub role: String,
    /// It is the key's over its statement, and that names this package's evidence, or this profile.
    pub holds: bool,
    /// Who signed, in the signer's own words. Like all below, `None` where the statement is not the key's.
    pub name: Option<String>,
    /// When, by the signer's clock.
    pub signed_at: Option<String>,
    /// Id of the key, as minisign prints it.
    pub key_id: Option<String>,
    /// The key.
    pub public_key: Option<String>,
    /// The key is one of those that are trusted for this role; `None` where none is named.
    pub trusted: Option<bool>,
    /// The file of the trusted key that it is.
    pub trusted_by: Option<PathBuf>,
    /// Documents that the statement names.
    pub documents: u64,
    /// Verdicts and documents that are no longer those that were signed. They may have been made again; no fault.
    pub changed: Vec<String>,
    /// Documents, and verdicts under other agreements, that the statement does not name: they were made afterwards. No
    /// fault.
    pub not_covered: Vec<String>,
    /// What is wrong. As JSON, in English.
    #[serde(serialize_with = "in_english")]
    pub faults: Vec<Text>,
}

impl SignatureFound {
    pub(crate) fn new(signature: &Signature) -> Self {
        let statement = signature.statement.as_ref();
        let who = statement.map(|statement| (statement.name.clone(), statement.signed_at.clone()));
        Self::by(signature, who, statement.map_or(0, |statement| statement.documents.len()))
    }

    pub(crate) fn of_profile(signature: &Signature<ProfileStatement>) -> Self {
        let statement = signature.statement.as_ref();
        let who = statement.map(|statement| (statement.name.clone(), statement.signed_at.clone()));
        Self::by(signature, who, statement.map_or(0, |statement| statement.documents.len()))
    }

    fn by<S>(signature: &Signature<S>, who: Option<(Option<String>, String)>, documents: usize) -> Self {
        let (name, signed_at) = who.map_or((None, None), |(name, at)| (name, Some(at)));
        Self {
            role: signature.role.clone(),
            holds: signature.holds(),
            name,
            signed_at,
            key_id: signature.key.as_ref().map(PublicKey::id),
            public_key: signature.key.as_ref().map(PublicKey::to_base64),
            trusted: None,
            trusted_by: None,
            documents: documents as u64,
            changed: signature.changed.clone(),
            not_covered: signature.not_covered.clone(),
            faults: signature
                .faults
                .iter()
                .map(|fault| Text::new(fault.to_string(), fault.in_chinese()))
                .collect(),
        }
    }

    fn is_by(&self, trusted: &TrustedKey) -> bool {
        trusted.role.as_ref().is_none_or(|role| *role == self.role)
            && self.public_key.as_ref() == Some(&trusted.key.to_base64())
    }
}

/// A key of which somebody outside the package says whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKey {
    /// The only role that it counts for; `None` for any.
    pub role: Option<String>,
    /// The file that it was read from.
    pub file: PathBuf,
    /// The key.
    pub key: PublicKey,
}

impl TrustedKey {
    /// Reads a public key of minisign, to count for this role or for any.
    ///
    /// # Errors
    /// Where the file cannot be read or is no public key.
    pub fn read(role: Option<&str>, file: &Path) -> Result<Self, KeyError> {
        Ok(Self { role: role.map(str::to_owned), file: file.to_owned(), key: PublicKey::read(file)? })
    }
}

/// Tells of each signature which of these keys it is by, and returns what is wrong: signers that nobody knows, and keys
/// that signed nothing. Nothing where no key is given.
pub(crate) fn trust(signatures: &mut [SignatureFound], keys: &[TrustedKey]) -> Vec<Text> {
    let mut wrong = Vec::new();
    if keys.is_empty() {
        return wrong;
    }
    for signature in signatures.iter_mut().filter(|signature| signature.public_key.is_some()) {
        let by = keys.iter().find(|key| signature.is_by(key));
        signature.trusted = Some(by.is_some());
        signature.trusted_by = by.map(|key| key.file.clone());
        if by.is_none() {
            let role = &signature.role;
            wrong.push(Text::new(
                format!(
                    "who signed as {role} is not known: the key is none of those that you trust for this role"
                ),
                format!("以 {role} 身份签名的是谁无从确认：其密钥不在该角色所信任的公钥之列"),
            ));
        }
    }
    let signed =
        |key: &&TrustedKey| signatures.iter().any(|signature| signature.holds && signature.is_by(key));
    for key in keys.iter().filter(|key| !signed(key)) {
        let (file, id) = (key.file.display(), key.key.id());
        let (as_en, as_zh) = key
            .role
            .as_ref()
            .map_or_else(Default::default, |role| (format!(" as {role}"), format!("以 {role} 身份作出的")));
        wrong.push(Text::new(
            format!("there is no valid signature{as_en} by the trusted key {id} ({file})"),
            format!("没有所信任的密钥 {id}（{file}）{as_zh}有效签名"),
        ));
    }
    wrong
}

pub(crate) fn in_english<S: Serializer>(texts: &[Text], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts.iter().map(|text| &text.en))
}
