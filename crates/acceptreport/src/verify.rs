//! Is a package what it says it is? Every digest, the chain, and every figure computed again from raw rows.

use std::{collections::BTreeSet, path::Path};

use evidence_pack::{OpenError, Pack, TextError, VerifyError, verify_bytes};
use report_render::Language;
use serde::Serialize;
use serde_json::Value;
use verdict_rules::Verdict;

use crate::{
    assess::{AssessError, Assessment, Under, sha256_hex},
    documents::{Format, MADE_BY, document_files, monitoring_file},
};

/// What a check of a package found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Nothing is wrong. An interrupted run that is whole as far as it goes is intact.
    pub intact: bool,
    /// Digest of the evidence, as found; `None` where the run was cut short.
    pub evidence_digest: Option<String>,
    /// Rows of requests that were read.
    pub requests: u64,
    /// The run did not do all of its plan.
    pub interrupted: bool,
    /// A row was being written when the writer was cut off; it is dropped.
    pub torn: bool,
    /// Figures and verdict were computed again and compared; false where there are none, or nothing to compute from.
    pub recomputed: bool,
    /// Documents that were made again and compared.
    pub documents: u64,
    /// The program and version that made figures, verdict and documents. Documents of another version than this are
    /// not made again, and of figures what both versions know is compared.
    pub made_by: Option<String>,
    /// Everything that is wrong, a sentence each.
    pub problems: Vec<String>,
}

/// A package cannot be checked at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its bytes cannot be read.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// A file of it is no text.
    #[error(transparent)]
    Text(#[from] TextError),
}

/// Checks every byte of a package, computes figures and verdict again, and makes its documents again.
///
/// # Errors
/// Where the folder is no package of a known format, or a file cannot be read for want of rights.
pub fn check(dir: &Path) -> Result<Check, CheckError> {
    let pack = Pack::open(dir)?;
    let verification = verify_bytes(dir)?;
    let mut check = Check {
        intact: false,
        evidence_digest: verification.evidence_digest.clone(),
        requests: verification.requests,
        interrupted: verification.interrupted,
        torn: verification.torn,
        recomputed: false,
        documents: 0,
        made_by: None,
        problems: verification.problems.iter().map(ToString::to_string).collect(),
    };
    match Assessment::of(&pack, &Under::Run) {
        Ok(assessment) => compare(&pack, &assessment, &mut check),
        // What these say, the check of the bytes has said already.
        Err(AssessError::CutShort(_) | AssessError::Rows(_)) => {}
        Err(error) => check.problems.push(error.to_string()),
    }
    check.intact = check.problems.is_empty();
    Ok(check)
}

fn compare(pack: &Pack, assessment: &Assessment, check: &mut Check) {
    check.made_by = pack.made_by().ok().flatten();
    let to_the_letter = check.made_by.as_deref().is_none_or(|made_by| made_by == MADE_BY);
    let texts = [
        ("data/analysis/summary.json", pack.summary_text(), assessment.summary_json()),
        ("data/analysis/verdict.json", pack.verdict_text(), assessment.verdict_json()),
    ];
    check.recomputed = true;
    for (path, found, computed) in texts {
        match found {
            Ok(Some(found)) if same(&found, &computed, to_the_letter) => {}
            Ok(Some(_)) => check.problems.push(format!("{path} is not what the raw rows give")),
            Ok(None) => {
                check.recomputed = false;
                if !check.interrupted {
                    check.problems.push(format!("{path} is missing (make it with `acceptreport render`)"));
                }
            }
            Err(error) => {
                check.recomputed = false;
                check.problems.push(error.to_string());
            }
        }
    }
    let others = other_verdicts(pack, to_the_letter, check);
    if to_the_letter {
        compare_documents(pack, assessment, &others, check);
    }
}

/// Another version may say more or less of a thing, and never anything else: what both texts hold must be equal.
/// Sentences are not compared then, since they are what a new version words anew.
fn same(found: &str, computed: &str, to_the_letter: bool) -> bool {
    if to_the_letter {
        return found == computed;
    }
    let parse = |text| serde_json::from_str::<Value>(text).ok();
    matches!((parse(found), parse(computed)), (Some(found), Some(computed)) if agree(&found, &computed))
}

fn agree(one: &Value, other: &Value) -> bool {
    const SENTENCES: [&str; 5] = ["message", "explanation", "reason", "condition", "sustained_absent"];
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => one
            .iter()
            .filter(|(key, _)| !SENTENCES.contains(&key.as_str()))
            .all(|(key, value)| other.get(key).is_none_or(|same| agree(value, same))),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| agree(one, other))
        }
        _ => one == other,
    }
}

/// Verdicts under other agreements than the run's, each computed again from the agreement beside it.
fn other_verdicts(pack: &Pack, to_the_letter: bool, check: &mut Check) -> Vec<Verdict> {
    let files = match pack.other_verdicts() {
        Ok(files) => files,
        Err(error) => {
            check.problems.push(error.to_string());
            return Vec::new();
        }
    };
    let mut verdicts = Vec::new();
    for (name, bytes) in &files {
        let path = format!("data/analysis/verdicts/{name}");
        let Some(digest) = name.strip_suffix(".json") else { continue };
        let agreement = files.iter().find(|(other, _)| *other == format!("{digest}.toml"));
        let agreement = agreement.and_then(|(_, bytes)| std::str::from_utf8(bytes).ok());
        let Some(agreement) = agreement.filter(|text| sha256_hex(text) == digest) else {
            check.problems.push(format!("{path} stands without the agreement that it is named after"));
            continue;
        };
        match Assessment::of(pack, &Under::Other(agreement)) {
            Ok(made) if same(&String::from_utf8_lossy(bytes), &made.verdict_json(), to_the_letter) => {
                verdicts.push(made.verdict);
            }
            Ok(_) => check.problems.push(format!("{path} is not what the raw rows give")),
            Err(error) => check.problems.push(error.to_string()),
        }
    }
    verdicts
}

/// A document must be the one that its package gives, under the run's verdict or another one kept beside it.
fn compare_documents(pack: &Pack, assessment: &Assessment, others: &[Verdict], check: &mut Check) {
    let mut expected: BTreeSet<(String, Vec<u8>)> = BTreeSet::new();
    for verdict in [&assessment.verdict].into_iter().chain(others) {
        let material = assessment.material(pack, verdict);
        let documents = Language::ALL.map(|language| document_files(&material, language, &Format::ALL));
        let files = documents.into_iter().flatten().chain([monitoring_file(&material)]);
        expected.extend(files.map(|file| (file.name, file.text.into_bytes())));
    }
    let reports = match pack.reports() {
        Ok(reports) => reports,
        Err(error) => {
            check.problems.push(error.to_string());
            return;
        }
    };
    for (name, bytes) in reports {
        let known = expected.iter().any(|(made, _)| *made == name);
        if known && !expected.contains(&(name.clone(), bytes)) {
            check.problems.push(format!("data/reports/{name} is not what the package gives"));
        }
        check.documents += u64::from(known);
    }
    if check.documents == 0 && check.recomputed {
        let hint = "make them with `acceptreport render`";
        check.problems.push(format!("data/reports holds no document ({hint})"));
    }
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn another_version_may_say_more_and_never_anything_else() {
        let old = r#"{"tiers":[{"rps":1.5,"note":null}],"message":"old words"}"#;
        let new = r#"{"tiers":[{"rps":1.5,"note":null,"more":7}],"message":"new words"}"#;
        assert!(same(old, new, false) && same(new, old, false));
        assert!(!same(old, new, true), "one version says one thing");
        for other in [r#"{"tiers":[{"rps":1.6}]}"#, r#"{"tiers":[]}"#, r#"{"tiers":[{"rps":null}]}"#, "{"] {
            assert!(!same(old, other, false), "{other}");
        }
    }
}
