//! Is a package what it says it is? Every digest, the chain, and every figure computed again from raw rows.

use std::{collections::BTreeSet, path::Path};

use evidence_pack::{OpenError, Pack, TextError, VerifyError, verify_bytes};
use report_render::Language;
use serde::Serialize;
use verdict_rules::Verdict;

use crate::{
    assess::{AssessError, Assessment, Under},
    documents::{Format, document_files, monitoring_file},
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
    let texts = [
        ("data/analysis/summary.json", pack.summary_text(), assessment.summary_json()),
        ("data/analysis/verdict.json", pack.verdict_text(), assessment.verdict_json()),
    ];
    check.recomputed = true;
    for (path, found, computed) in texts {
        match found {
            Ok(Some(found)) if found == computed => {}
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
    compare_documents(pack, assessment, check);
}

/// A document must be the one that its package gives, under the run's verdict or another one kept beside it.
fn compare_documents(pack: &Pack, assessment: &Assessment, check: &mut Check) {
    let verdicts = match other_verdicts(pack) {
        Ok(others) => [vec![assessment.verdict.clone()], others].concat(),
        Err(reason) => {
            check.problems.push(reason);
            return;
        }
    };
    let mut expected: BTreeSet<(String, Vec<u8>)> = BTreeSet::new();
    for verdict in &verdicts {
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

fn other_verdicts(pack: &Pack) -> Result<Vec<Verdict>, String> {
    let files = pack.other_verdicts().map_err(|error| error.to_string())?;
    let read = |(name, bytes): (String, Vec<u8>)| {
        serde_json::from_slice(&bytes)
            .map_err(|error| format!("data/analysis/verdicts/{name} cannot be read: {error}"))
    };
    files.into_iter().map(read).collect()
}
