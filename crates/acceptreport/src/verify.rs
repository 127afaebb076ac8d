//! Is a package what it says it is? Every digest, the chain, and every figure computed again from raw rows.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use evidence_pack::{OpenError, Pack, VerifyError, verify_bytes};
use report_render::Language;
use serde::Serialize;
use verdict_rules::Text;

use crate::{
    assess::{Assessment, SUMMARY, Under, VERDICT},
    documents::{MADE_BY, OtherVerdict, other_verdicts},
    report::{DocumentFile, Format, Report, ReportError},
    settings::Settings,
    signatures::{SignatureFound, TrustedKey, in_english, trust},
};

/// Programs whose figures, verdicts and documents are to the letter what this one makes. Only then can they be
/// checked here, and what stands in the package is no witness of it: whoever changes a figure can change that too.
const WRITE_THE_SAME: [&str; 1] = [MADE_BY];

/// What a check of a package found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Nothing is wrong. An interrupted run that is whole as far as it goes is intact.
    pub intact: bool,
    /// The evidence is as it was measured, whatever may be wrong with what was made from it: that can be made again.
    pub evidence_intact: bool,
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
    /// Documents (`report.*`) that were made again and compared.
    pub documents: u64,
    /// The schedule was laid out again from plan and samples, and is the one that was frozen. Another version of the tool may draw
    /// otherwise, which damages nothing: what was frozen counts. `None` where the package has none, or it cannot be read.
    pub schedule_drawn_again: Option<bool>,
    /// Documents that stand there in a format that this build does not write, and were not compared.
    pub not_compared: Vec<String>,
    /// The program and version that made figures, verdict and documents, in its own words. One that is not known to
    /// write the same as this one is a problem.
    pub made_by: Option<String>,
    /// Every signature, by role. One that does not hold makes the package not intact.
    pub signatures: Vec<SignatureFound>,
    /// What is wrong with who signed, by the keys that are trusted. As JSON, in English.
    #[serde(serialize_with = "in_english")]
    pub trust_problems: Vec<Text>,
    /// Everything else that is wrong, a sentence each. As JSON, in English.
    #[serde(serialize_with = "in_english")]
    pub problems: Vec<Text>,
}

impl Check {
    /// Holds the signatures against these keys. With any given, a signature by another key, and a key without a valid
    /// signature, make the package not intact.
    pub fn trust(&mut self, keys: &[TrustedKey]) {
        self.trust_problems = trust(&mut self.signatures, keys);
        self.conclude();
    }

    fn conclude(&mut self) {
        self.intact = self.problems.is_empty()
            && self.trust_problems.is_empty()
            && self.signatures.iter().all(|signature| signature.holds);
    }
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
}

impl CheckError {
    /// The package is damaged, rather than none, of a newer format, or out of reach.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Open(error) => error.is_damage(),
            Self::Verify(error) => error.is_damage(),
        }
    }
}

/// Checks every byte of a package, computes figures and verdicts again, and makes its documents again.
///
/// # Errors
/// Where the folder is no package of a known format, or a file cannot be read for want of rights.
pub fn check(dir: &Path) -> Result<Check, CheckError> {
    let pack = Pack::open(dir)?;
    let verification = verify_bytes(dir)?;
    let mut check = Check {
        intact: false,
        evidence_intact: verification.evidence_intact(),
        evidence_digest: verification.evidence_digest.clone(),
        requests: verification.requests,
        interrupted: verification.interrupted,
        torn: verification.torn,
        recomputed: false,
        documents: 0,
        schedule_drawn_again: pack.lays_out_the_same().unwrap_or(None),
        not_compared: Vec::new(),
        made_by: None,
        signatures: pack.signatures().map_err(VerifyError::from)?.iter().map(SignatureFound::new).collect(),
        trust_problems: Vec::new(),
        problems: verification
            .problems
            .iter()
            .map(|problem| Text::new(problem.to_string(), problem.in_chinese()))
            .collect(),
    };
    match Assessment::anew(&pack, &Under::Run, verification) {
        Ok(assessment) => compare(&pack, &assessment, &mut check),
        // What is wrong with the evidence, the check of the bytes has said already.
        Err(_) if !check.evidence_intact => {}
        Err(error) => check.problems.push(Text::verbatim(error.to_string())),
    }
    check.conclude();
    Ok(check)
}

fn compare(pack: &Pack, assessment: &Assessment, check: &mut Check) {
    let reports: BTreeMap<String, Vec<u8>> = match pack.reports() {
        Ok(reports) => reports.into_iter().collect(),
        Err(error) => return check.problems.push(Text::verbatim(error.to_string())),
    };
    let nothing_yet = reports.is_empty() && !pack.dir().join("data/analysis").exists();
    if nothing_yet && check.interrupted {
        return;
    }
    compare_analysis(pack, assessment, check);
    let mut strange = Vec::new();
    let others = match other_verdicts(pack, assessment, &mut strange) {
        Ok(others) => others,
        Err(error) => return check.problems.push(Text::verbatim(error.to_string())),
    };
    for path in strange {
        check.problems.push(Text::new(
            format!("{path} is no agreement named by its digest, or a verdict without one (take it out)"),
            format!("{path} 不是以自身摘要命名的验收约定，或是缺少对应约定的判定结果（请移出）"),
        ));
    }
    for other in &others {
        if other.found.is_none() {
            check.problems.push(missing(&other.path));
        } else if other.differs() {
            check.problems.push(not_from_rows(&other.path));
        }
    }
    compare_documents(pack, assessment, &others, &reports, check);
}

fn missing(path: &str) -> Text {
    Text::new(
        format!("{path} is missing (make it with `acceptreport render`)"),
        format!("缺少 {path}（可用 `acceptreport render` 生成）"),
    )
}

fn not_from_rows(path: &str) -> Text {
    Text::new(format!("{path} is not what the raw rows give"), format!("{path} 与原始记录重算的结果不符"))
}

fn compare_analysis(pack: &Pack, assessment: &Assessment, check: &mut Check) {
    check.recomputed = true;
    let texts = [
        (SUMMARY, pack.summary_text(), assessment.summary_json()),
        (VERDICT, pack.verdict_text(), assessment.verdict_json()),
    ];
    for (path, found, computed) in texts {
        match found {
            Ok(Some(found)) if found == computed => {}
            Ok(Some(_)) => check.problems.push(not_from_rows(path)),
            Ok(None) => {
                check.recomputed = false;
                check.problems.push(missing(path));
            }
            Err(error) => {
                check.recomputed = false;
                check.problems.push(Text::verbatim(error.to_string()));
            }
        }
    }
    match pack.made_by() {
        Ok(Some(name)) => {
            if !WRITE_THE_SAME.contains(&name.as_str()) {
                check.problems.push(Text::new(
                    format!(
                        "data/analysis/made-by.txt names {name:?}, and this is {MADE_BY}, which may write otherwise (check \
                         the package with the one that made it, or make figures and documents again with `acceptreport render`)"
                    ),
                    format!(
                        "data/analysis/made-by.txt 记载的生成程序为 {name:?}，当前程序为 {MADE_BY}，两者写法可能不同（请用原程序\
                         校验，或用 `acceptreport render` 重新生成数值与文档）"
                    ),
                ));
            }
            check.made_by = Some(name);
        }
        Ok(None) => check.problems.push(missing("data/analysis/made-by.txt")),
        Err(error) => check.problems.push(Text::verbatim(error.to_string())),
    }
}

/// Documents must be those that the package gives, all under one verdict: the run's, or another one kept beside it.
fn compare_documents(
    pack: &Pack,
    assessment: &Assessment,
    others: &[OtherVerdict],
    reports: &BTreeMap<String, Vec<u8>>,
    check: &mut Check,
) {
    let settings = match Settings::of(reports) {
        Ok(settings) => settings,
        Err(error) => return check.problems.push(Text::verbatim(error.to_string())),
    };
    let verdicts = [&assessment.verdict].into_iter().chain(others.iter().map(|other| &other.verdict));
    let sets = verdicts.map(|verdict| Set::of(&Report::new(assessment, pack, verdict, &settings), reports));
    let sets: Vec<Set> = match sets.collect() {
        Ok(sets) => sets,
        Err(error) => return check.problems.push(Text::verbatim(error.to_string())),
    };
    check.not_compared = reports.keys().filter(|name| is_unwritten(name)).cloned().collect();
    let before = check.problems.len();
    for (name, bytes) in reports {
        if !sets.iter().any(|set| set.names.contains(name)) {
            check.problems.push(Text::new(
                format!("data/reports/{name} is no document of the package (take it out)"),
                format!("data/reports/{name} 不是证据包内的文档（请移出）"),
            ));
        } else if !sets.iter().any(|set| set.fits(name, bytes)) {
            check.problems.push(Text::new(
                format!("data/reports/{name} is not what the package gives"),
                format!("data/reports/{name} 与由证据包重新生成的内容不符"),
            ));
        } else {
            check.documents += u64::from(is_document(name) && !is_unwritten(name));
        }
    }
    let one = sets.iter().find(|set| reports.iter().all(|(name, bytes)| set.fits(name, bytes)));
    if one.is_none() && check.problems.len() == before {
        check.problems.push(Text::new(
            "data/reports holds documents under more than one verdict (make them again with `acceptreport render`)",
            "data/reports 中的文档依据了不同的判定结果（请用 `acceptreport render` 重新生成）",
        ));
    }
    if let Some(set) = one.or(sets.first()) {
        let absent = set.made.keys().filter(|name| !reports.contains_key(*name));
        check.problems.extend(absent.map(|name| missing(&format!("data/reports/{name}"))));
    }
    if !reports.keys().any(|name| is_document(name)) {
        check.problems.push(Text::new(
            "data/reports holds no document (make them with `acceptreport render`)",
            "data/reports 中没有文档（可用 `acceptreport render` 生成）",
        ));
    }
}

/// The documents that stand in a package, with what they come with, made again under one verdict.
struct Set {
    /// Every name that a file of such a report can have.
    names: BTreeSet<String>,
    made: BTreeMap<String, Vec<u8>>,
}

impl Set {
    fn of(report: &Report, standing: &BTreeMap<String, Vec<u8>>) -> Result<Self, ReportError> {
        let mut made = report.beside();
        for language in Language::ALL {
            let stands = |format: &Format| standing.contains_key(&format.document(language));
            let formats: Vec<Format> = Format::WRITTEN.iter().copied().filter(stands).collect();
            made.extend(report.files(language, &formats)?);
        }
        let made = made.into_iter().map(|DocumentFile { name, bytes }| (name, bytes)).collect();
        Ok(Self { names: report.names(), made })
    }

    /// It is what was made again, or of a format that this build does not write.
    fn fits(&self, name: &str, bytes: &[u8]) -> bool {
        is_unwritten(name) || self.made.get(name).is_some_and(|made| made == bytes)
    }
}

/// The files beside a document, such as its charts and the monitoring rules, are none.
fn is_document(name: &str) -> bool {
    names(&Format::ALL).any(|document| document == name)
}

/// A document of a format that this build does not write.
fn is_unwritten(name: &str) -> bool {
    is_document(name) && !names(Format::WRITTEN).any(|document| document == name)
}

fn names(formats: &[Format]) -> impl Iterator<Item = String> {
    Language::ALL.into_iter().flat_map(|language| formats.iter().map(move |format| format.document(language)))
}
