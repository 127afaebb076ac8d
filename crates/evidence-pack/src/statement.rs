//! What a party signs of a package.
//!
//! A signature binds a statement, and the statement the package: by the evidence digest, and by the digests of every verdict
//! and of every document that its party saw. Documents may be made again afterwards; then the statement still binds the
//! evidence, and says which documents are no longer those that were signed, and which it does not cover.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    bag, digest,
    files::{self, FileError},
    key::SigningKey,
    layout,
    pack::Pack,
    signature::{self, SCHEMA, SignError, Signature, Signed, Signer, Standing},
};

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

impl Signed for Statement {
    fn role(&self) -> &str {
        &self.role
    }

    fn public_key(&self) -> &str {
        &self.public_key
    }

    fn over(&self) -> String {
        format!("evidence {}", self.evidence_digest)
    }
}

impl Pack {
    /// Signs the package: puts a statement and its signature into `signatures/`, and seals. Nothing under `data/` is
    /// touched. Whether the package is sound, whoever calls this has found out before.
    ///
    /// # Errors
    /// Where the role is none or has signed already (unless `replace`), where there is no evidence digest or verdict
    /// yet, and where a file cannot be read or written.
    pub fn sign(&self, key: &SigningKey, signer: Signer, replace: bool) -> Result<Statement, SignError> {
        let folder = self.dir().join(layout::SIGNATURES);
        let statement = signature::put(&folder, key, &signer, replace, |public| {
            let evidence_digest = self.evidence_digest()?.ok_or(SignError::Nothing("evidence digest"))?;
            let verdict = files::read_if_any(&self.data(layout::VERDICT))?;
            Ok(Statement {
                schema: SCHEMA,
                name: signer.name.clone(),
                signed_at: signer.signed_at.clone(),
                evidence_digest,
                verdict_sha256: digest::sha256_hex(&verdict.ok_or(SignError::Nothing("verdict"))?),
                verdicts: digests(layout::OTHER_VERDICTS, self.other_verdicts()?),
                documents: digests(layout::REPORTS, self.reports()?),
                public_key: public.to_base64(),
                role: signer.role.clone(),
            })
        })?;
        bag::seal(self.dir())?;
        Ok(statement)
    }

    /// Checks every signature that stands in the package, by role.
    ///
    /// # Errors
    /// Where a file cannot be read for want of rights.
    pub fn signatures(&self) -> Result<Vec<Signature>, FileError> {
        signature::found(&self.dir().join(layout::SIGNATURES), |statement| self.standing(statement))
    }

    /// How what the statement names stands now, by path in the package.
    fn standing(&self, statement: &Statement) -> Result<Standing, FileError> {
        let same = self.evidence_digest()?.as_ref() == Some(&statement.evidence_digest);
        let verdict = in_data(layout::VERDICT);
        let mut named = statement.documents.clone();
        named.extend(statement.verdicts.clone());
        named.insert(verdict.clone(), statement.verdict_sha256.clone());
        let mut now = digests(layout::REPORTS, self.reports()?);
        now.extend(digests(layout::OTHER_VERDICTS, self.other_verdicts()?));
        if let Some(bytes) = files::read_if_any(&self.data(layout::VERDICT))? {
            now.insert(verdict, digest::sha256_hex(&bytes));
        }
        Ok(Standing::of(same, &named, &now))
    }
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
