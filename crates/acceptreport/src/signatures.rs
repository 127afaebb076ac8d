//! Signatures of a package, as a check tells of them.

use evidence_pack::{PublicKey, Signature};
use serde::{Serialize, Serializer};
use verdict_rules::Text;

/// A signature that stands in a package, and what it is worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignatureFound {
    /// In which part somebody signed.
    pub role: String,
    /// It is the key's over its statement, and that names this package's evidence.
    pub holds: bool,
    /// Who signed, in the signer's own words. Like all below, `None` where the statement is not the key's.
    pub name: Option<String>,
    /// When, by the signer's clock.
    pub signed_at: Option<String>,
    /// Id of the key, as minisign prints it.
    pub key_id: Option<String>,
    /// The key.
    pub public_key: Option<String>,
    /// The key is one of those that are trusted; `None` where none is named.
    pub trusted: Option<bool>,
    /// Documents that the statement names.
    pub documents: u64,
    /// Verdict and documents that are no longer those that were signed. They may have been made again; no fault.
    pub changed: Vec<String>,
    /// What is wrong. As JSON, in English.
    #[serde(serialize_with = "in_english")]
    pub faults: Vec<Text>,
}

impl SignatureFound {
    pub(crate) fn new(signature: &Signature) -> Self {
        let statement = signature.statement.as_ref();
        Self {
            role: signature.role.clone(),
            holds: signature.holds(),
            name: statement.and_then(|statement| statement.name.clone()),
            signed_at: statement.map(|statement| statement.signed_at.clone()),
            key_id: signature.key.as_ref().map(PublicKey::id),
            public_key: signature.key.as_ref().map(PublicKey::to_base64),
            trusted: None,
            documents: statement.map_or(0, |statement| statement.documents.len() as u64),
            changed: signature.changed.clone(),
            faults: signature
                .faults
                .iter()
                .map(|fault| Text::new(fault.to_string(), fault.in_chinese()))
                .collect(),
        }
    }

    /// Says whether its key is one of these; nothing where there are none, or no key.
    pub fn trust(&mut self, keys: &[PublicKey]) {
        let ours = self.public_key.as_ref().filter(|_| !keys.is_empty());
        self.trusted = ours.map(|ours| keys.iter().any(|key| key.to_base64() == *ours));
    }
}

pub(crate) fn in_english<S: Serializer>(texts: &[Text], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts.iter().map(|text| &text.en))
}
