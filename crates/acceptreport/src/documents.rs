//! The documents of a package: made from it alone, and put back into it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use evidence_pack::{FileError, Pack, PlaceError, Problem, SealError, verify_bytes};
use report_render::{Language, is_chart_file};
use verdict_rules::Verdict;

use crate::{
    assess::{AssessError, Assessment, Under, json_text, sha256_hex},
    report::{Format, Report, ReportError},
    settings::{Settings, SettingsError},
};

/// Documents cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The package cannot be assessed.
    #[error(transparent)]
    Assess(#[from] AssessError),
    /// The package was changed since it was measured; a document of it would pass for sound.
    #[error("write documents of {dir}: its evidence is damaged: {problem}")]
    Damaged {
        /// The package.
        dir: String,
        /// The first thing that is wrong.
        problem: String,
    },
    /// Something stands among figures and documents that is none of them. Sealed in, it would pass for one.
    #[error(
        "write documents of {dir}: {} not belong there (take out what is not the package's own)",
        say(names)
    )]
    Strange {
        /// The package.
        dir: String,
        /// The files, relative to the package.
        names: Vec<String>,
    },
    /// What the documents were made with so far is not known.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A document cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// What stands in the package cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A document cannot be written.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The manifests cannot be written.
    #[error(transparent)]
    Seal(#[from] SealError),
}

fn say(names: &[String]) -> String {
    format!("{} {}", names.join(", "), if names.len() == 1 { "does" } else { "do" })
}

impl DocumentError {
    /// The package is damaged or cut short, rather than none, of a newer format, or the disk full.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Assess(error) => error.is_damage(),
            Self::Damaged { .. }
            | Self::Strange { .. }
            | Self::Settings(_)
            | Self::Place(PlaceError::CutShort(_)) => true,
            Self::File(error) => error.is_damage(),
            Self::Seal(error) => error.is_damage(),
            Self::Report(_) | Self::Place(_) => false,
        }
    }
}

/// The program and version that makes analysis and documents.
pub(crate) const MADE_BY: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// What was written, and under which verdict.
#[derive(Debug)]
pub struct Written {
    /// Everything that follows from the package.
    pub assessment: Assessment,
    /// The documents, in the order in which they were written.
    pub documents: Vec<PathBuf>,
    /// Figures and verdicts that stood in the package and were not what its rows give, relative to it. They were
    /// replaced.
    pub replaced: Vec<String>,
}

/// Assesses a package, puts figures, verdict and documents into it, and seals it again. Its evidence is not touched.
///
/// Documents that stand there in another language or format are made again as well, so that all of them say the same.
/// A package whose documents were cut short in the making is mended by this. Without `settings` they are made with those
/// that stand in the package.
///
/// # Errors
/// Where the evidence is damaged, where something stands among figures and documents that is none of them, and where
/// anything cannot be read or written. Nothing was written in the first two cases.
pub fn write_documents(
    dir: &Path,
    under: &Under<'_>,
    languages: &[Language],
    formats: &[Format],
    settings: Option<&Settings>,
) -> Result<Written, DocumentError> {
    let pack = Pack::open(dir).map_err(AssessError::from)?;
    let verification = verify_bytes(dir).map_err(AssessError::from)?;
    let assessment = Assessment::anew(&pack, under, verification)?;
    if let Some(problem) = assessment.evidence.problems.first() {
        return Err(DocumentError::Damaged { dir: dir.display().to_string(), problem: problem.clone() });
    }
    let standing: BTreeMap<String, Vec<u8>> = pack.reports()?.into_iter().collect();
    let given = settings.is_some_and(|settings| !settings.template.files().is_empty());
    let settings = settings.map_or_else(|| Settings::of(&standing), |settings| Ok(settings.clone()))?;
    let report = Report::new(&assessment, &pack, &assessment.verdict, &settings);
    let names = report.names();
    // What an earlier rendering was made with, or drew, and this one does not, is no stranger; it goes.
    let (outdated, unknown): (Vec<&String>, Vec<&String>) = standing
        .keys()
        .filter(|name| !names.contains(*name))
        .partition(|name| Settings::has_file(name) || is_chart_file(name));
    let mut strange = strangers(&assessment);
    strange.extend(unknown.into_iter().map(|name| in_reports(name)));
    let others = other_verdicts(&pack, &assessment, &mut strange)?;
    if !strange.is_empty() {
        return Err(DocumentError::Strange { dir: dir.display().to_string(), names: strange });
    }

    // Everything is made, and written aside, before anything is changed. Settings go before documents: if this is cut
    // short, the next rendering goes by them.
    let mut files = report.beside();
    for language in Language::ALL {
        let wanted = |format: &Format| {
            languages.contains(&language) && formats.contains(format)
                || standing.contains_key(&format.document(language))
        };
        let formats: Vec<Format> = Format::ALL.into_iter().filter(wanted).collect();
        files.extend(report.files(language, &formats)?);
        // Every cover of a template that is given now is written once, so that no later rendering trips over it.
        if given && languages.first() == Some(&language) {
            let rest: Vec<Format> =
                Format::WRITTEN.iter().copied().filter(|format| !formats.contains(format)).collect();
            report.files(language, &rest)?;
        }
    }

    let staged = pack.stage_reports(files.iter().map(|file| (file.name.as_str(), file.bytes.as_slice())))?;

    let mut replaced: Vec<String> = assessment.stale(&pack)?.into_iter().map(str::to_owned).collect();
    // The run's own analysis belongs into every package, whoever judges it.
    let own = assessment.verdict_under(&Under::Run)?;
    pack.write_analysis(&assessment.summary_json(), &json_text(&own), MADE_BY)?;
    for other in &others {
        pack.write_other_verdict(&other.agreement, &json_text(&other.verdict))?;
        replaced.extend(other.differs().then(|| other.path.clone()));
    }
    if let Under::Other(agreement) = under {
        pack.write_other_verdict(agreement, &assessment.verdict_json())?;
    }
    for name in outdated {
        pack.remove_report(name)?;
    }
    staged.put()?;
    let documents = files.iter().map(|file| pack.dir().join(in_reports(&file.name))).collect();
    pack.seal()?;
    Ok(Written { assessment, documents, replaced })
}

fn in_reports(name: &str) -> String {
    format!("data/reports/{name}")
}

/// What the check of the bytes found under `data/` that nobody may seal in.
fn strangers(assessment: &Assessment) -> Vec<String> {
    let is_stranger = |problem: &&Problem| matches!(problem, Problem::Foreign { .. } | Problem::Unfit { .. });
    let found = assessment.verification.problems.iter().filter(is_stranger).map(Problem::path);
    found.filter(|path| path.starts_with("data/")).map(str::to_owned).collect()
}

/// A verdict under another agreement than the run's, made again.
pub(crate) struct OtherVerdict {
    /// Where it stands, relative to the package.
    pub(crate) path: String,
    /// Text of the agreement.
    pub(crate) agreement: String,
    /// The verdict under it.
    pub(crate) verdict: Verdict,
    /// What stands there; `None` where the agreement stands alone.
    pub(crate) found: Option<Vec<u8>>,
}

impl OtherVerdict {
    /// What stands there is not the verdict.
    pub(crate) fn differs(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found != json_text(&self.verdict).as_bytes())
    }
}

/// Makes every such verdict again from the agreement beside it. `strange` are those without one, and agreements that
/// are none or have another name than their digest.
pub(crate) fn other_verdicts(
    pack: &Pack,
    assessment: &Assessment,
    strange: &mut Vec<String>,
) -> Result<Vec<OtherVerdict>, FileError> {
    let files: BTreeMap<String, Vec<u8>> = pack.other_verdicts()?.into_iter().collect();
    let in_verdicts = |name: &str| format!("data/analysis/verdicts/{name}");
    let mut others = Vec::new();
    for (name, bytes) in &files {
        if let Some(digest) = name.strip_suffix(".json") {
            if !files.contains_key(&format!("{digest}.toml")) {
                strange.push(in_verdicts(name));
            }
            continue;
        }
        let Some(digest) = name.strip_suffix(".toml") else { continue };
        let agreement = String::from_utf8(bytes.clone()).ok().filter(|text| sha256_hex(text) == digest);
        let judged = agreement.and_then(|agreement| {
            let verdict = assessment.verdict_under(&Under::Other(&agreement)).ok()?;
            Some((agreement, verdict))
        });
        let Some((agreement, verdict)) = judged else {
            strange.push(in_verdicts(name));
            continue;
        };
        let path = format!("{digest}.json");
        let found = files.get(&path).cloned();
        others.push(OtherVerdict { path: in_verdicts(&path), agreement, verdict, found });
    }
    Ok(others)
}
