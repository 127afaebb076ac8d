//! The documents of a package: made from it alone, and put back into it.

use std::path::{Path, PathBuf};

use evidence_pack::{Pack, PlaceError, SealError};
use report_render::{Document, Language, Material, charts, prometheus_rules, render_html, render_markdown};
use verdict_rules::Verdict;

use crate::assess::{AssessError, Assessment, Under};

/// A format that a document is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Markdown, with charts as files beside it.
    Markdown,
    /// One HTML file that needs no network.
    Html,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 2] = [Self::Markdown, Self::Html];
}

/// One file of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentFile {
    /// Its name, such as `report.zh.md`.
    pub name: String,
    /// Its text.
    pub text: String,
}

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
    /// A document cannot be written.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The manifests cannot be written.
    #[error(transparent)]
    Seal(#[from] SealError),
}

/// The program and version that makes analysis and documents.
pub(crate) const MADE_BY: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// The files of a report in one language.
#[must_use]
pub fn document_files(material: &Material, language: Language, formats: &[Format]) -> Vec<DocumentFile> {
    let document = Document::new(material, language);
    let code = language.code();
    let mut files = Vec::new();
    if formats.contains(&Format::Markdown) {
        let side_files = charts(&document);
        files.extend(side_files.into_iter().map(|(name, text)| DocumentFile { name, text }));
        let text = render_markdown(&document);
        files.push(DocumentFile { name: format!("report.{code}.md"), text });
    }
    if formats.contains(&Format::Html) {
        let text = render_html(&document);
        files.push(DocumentFile { name: format!("report.{code}.html"), text });
    }
    files
}

/// The file that a monitoring system loads, beside the documents and the same for every language.
#[must_use]
pub fn monitoring_file(material: &Material) -> DocumentFile {
    DocumentFile { name: MONITORING.to_owned(), text: prometheus_rules(material) }
}

/// Name of the monitoring rules among the documents.
pub const MONITORING: &str = "prometheus-rules.yml";

/// What was written, and under which verdict.
#[derive(Debug)]
pub struct Written {
    /// Everything that follows from the package.
    pub assessment: Assessment,
    /// The documents, in the order in which they were written.
    pub documents: Vec<PathBuf>,
}

/// Assesses a package, puts figures, verdict and documents into it, and seals it again. Its evidence is not touched.
///
/// # Errors
/// Where the evidence is damaged, and where anything cannot be read or written.
pub fn write_documents(
    dir: &Path,
    under: &Under<'_>,
    languages: &[Language],
    formats: &[Format],
) -> Result<Written, DocumentError> {
    let pack = Pack::open(dir).map_err(AssessError::from)?;
    let assessment = Assessment::of(&pack, under)?;
    if let Some(problem) = assessment.evidence.problems.first() {
        return Err(DocumentError::Damaged { dir: dir.display().to_string(), problem: problem.clone() });
    }
    // The run's own analysis belongs into every package, whoever judges it.
    let own = match under {
        Under::Run => None,
        Under::Other(agreement) => {
            pack.write_other_verdict(agreement, &assessment.verdict_json())?;
            Some(Assessment::of(&pack, &Under::Run)?)
        }
    };
    let own = own.as_ref().unwrap_or(&assessment);
    pack.write_analysis(&own.summary_json(), &own.verdict_json(), MADE_BY)?;
    let verdict: &Verdict = &assessment.verdict;
    let material = assessment.material(&pack, verdict);
    let mut files: Vec<DocumentFile> =
        languages.iter().flat_map(|language| document_files(&material, *language, formats)).collect();
    files.push(monitoring_file(&material));
    let mut documents = Vec::new();
    for file in files {
        pack.write_report(&file.name, file.text.as_bytes())?;
        documents.push(dir.join("data/reports").join(&file.name));
    }
    pack.seal()?;
    Ok(Written { assessment, documents })
}
