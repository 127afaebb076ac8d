//! The files of a report, made from a package and nothing else.

use std::collections::BTreeSet;

use evidence_pack::Pack;
#[cfg(feature = "pdf")]
use report_render::described;
use report_render::{
    Document, Engine, Language, Material, TemplateError, charts, prometheus_rules, render_html_with,
    render_markdown_with,
};
use verdict_rules::Verdict;

use crate::{
    assess::{Assessment, json_text},
    material::{EVIDENCE_LIST, verdict_path},
    settings::Settings,
};

/// A format that a document is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Markdown, with charts as files beside it.
    Markdown,
    /// One HTML file that needs no network.
    Html,
    /// PDF/A, with the figures attached.
    Pdf,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Html, Self::Pdf];

    /// Those that this build writes: without its feature `pdf` there is no PDF.
    pub const WRITTEN: &[Self] =
        if cfg!(feature = "pdf") { &Self::ALL } else { &[Self::Markdown, Self::Html] };

    /// Name of the document in this format, such as `report.zh.md`.
    #[must_use]
    pub fn document(self, language: Language) -> String {
        self.named("report", language)
    }

    /// `STEM.LANG.EXT`.
    pub(crate) fn named(self, stem: &str, language: Language) -> String {
        let extension = match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Pdf => "pdf",
        };
        format!("{stem}.{}.{extension}", language.code())
    }
}

/// One file of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentFile {
    /// Its name, such as `report.zh.md`.
    pub name: String,
    /// What stands in it.
    pub bytes: Vec<u8>,
}

impl DocumentFile {
    pub(crate) fn new(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: content.into() }
    }
}

/// Name of the monitoring rules among the documents.
pub const MONITORING: &str = "prometheus-rules.yml";

/// A report of one package under one verdict, with given settings: the same always gives the same files.
#[derive(Debug, Clone)]
pub struct Report {
    material: Material,
    settings: Settings,
    #[cfg_attr(not(feature = "pdf"), expect(dead_code, reason = "they travel in the PDF"))]
    attachments: Vec<Attached>,
}

/// A file that travels in the PDF.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "pdf"), expect(dead_code, reason = "they travel in the PDF"))]
struct Attached {
    /// Path below the package's `data/`.
    path: String,
    mime: &'static str,
    bytes: Vec<u8>,
}

/// A document cannot be made. The message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The template cannot be used.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The PDF cannot be typeset.
    #[cfg(feature = "pdf")]
    #[error(transparent)]
    Pdf(#[from] report_pdf::PdfError),
    /// This build writes no PDF.
    #[error("write {0}: this build writes no PDF (use one with its feature `pdf`, or take the file out)")]
    NoPdf(String),
}

impl Report {
    /// What a package gives, under a verdict that was made from it.
    #[must_use]
    pub fn new(assessment: &Assessment, pack: &Pack, verdict: &Verdict, settings: &Settings) -> Self {
        let attached = |path: &str, mime, text: String| Attached {
            path: path.to_owned(),
            mime,
            bytes: text.into_bytes(),
        };
        Self {
            material: assessment.material(pack, verdict, settings),
            settings: settings.clone(),
            attachments: vec![
                attached("analysis/summary.json", "application/json", assessment.summary_json()),
                attached(&verdict_path(pack, verdict), "application/json", json_text(verdict)),
                attached(EVIDENCE_LIST, "text/plain", pack.evidence_text()),
            ],
        }
    }

    /// Everything that the documents say.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The documents in one language, with what stands beside them.
    ///
    /// # Errors
    /// Where the template cannot be used, or a PDF is asked for and this build writes none.
    pub fn files(&self, language: Language, formats: &[Format]) -> Result<Vec<DocumentFile>, ReportError> {
        let template = &self.settings.template;
        let document = Document::arranged(&self.material, language, template);
        let mut files = Vec::new();
        if formats.contains(&Format::Markdown) {
            files.extend(charts(&document).into_iter().map(|(name, svg)| DocumentFile::new(name, svg)));
            files.push(DocumentFile::new(
                Format::Markdown.document(language),
                render_markdown_with(&document, template)?,
            ));
        }
        if formats.contains(&Format::Html) {
            files.push(DocumentFile::new(
                Format::Html.document(language),
                render_html_with(&document, template)?,
            ));
        }
        if formats.contains(&Format::Pdf) {
            let name = Format::Pdf.document(language);
            files.push(DocumentFile { bytes: self.pdf(&document, &name)?, name });
        }
        Ok(files)
    }

    #[cfg(feature = "pdf")]
    fn pdf(&self, document: &Document, _: &str) -> Result<Vec<u8>, ReportError> {
        let attachment = |file: &Attached| report_pdf::Attachment {
            name: file.path.rsplit('/').next().unwrap_or_default().to_owned(),
            mime: file.mime.to_owned(),
            description: described(&file.path, document.language).unwrap_or_default().to_owned(),
            bytes: file.bytes.clone(),
        };
        let options = report_pdf::PdfOptions {
            standard: self.settings.pdf_standard,
            attachments: self.attachments.iter().map(attachment).collect(),
            identifier: self.identifier(document.language),
            template: self.settings.template.clone(),
        };
        Ok(report_pdf::render_pdf(document, &options)?)
    }

    /// The same for a document that is made again, and for no other.
    #[cfg(feature = "pdf")]
    fn identifier(&self, language: Language) -> String {
        let Material { summary, verdict, .. } = &self.material;
        format!("{} {} {}", summary.evidence_digest, verdict.agreement_digest, language.code())
    }

    #[cfg(not(feature = "pdf"))]
    fn pdf(&self, _: &Document, name: &str) -> Result<Vec<u8>, ReportError> {
        Err(ReportError::NoPdf(name.to_owned()))
    }

    /// What stands beside the documents, the same for every language: the file that a monitoring system loads, and the
    /// settings and the template, where there are any.
    #[must_use]
    pub fn beside(&self) -> Vec<DocumentFile> {
        let monitoring = DocumentFile::new(MONITORING, self.rules(None));
        let settings = self.settings.files().into_iter().map(|(name, bytes)| DocumentFile { name, bytes });
        [monitoring].into_iter().chain(settings).collect()
    }

    /// What a monitoring system loads for one engine; where none is named, for the one that the package names, else
    /// vLLM.
    #[must_use]
    pub fn rules(&self, engine: Option<Engine>) -> String {
        let engine = engine.or_else(|| Engine::of(&self.material)).unwrap_or(Engine::Vllm);
        prometheus_rules(&self.material, engine)
    }

    /// Every name that the files of this report can have.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.beside().into_iter().map(|file| file.name).collect();
        for language in Language::ALL {
            names.extend(charts(&Document::new(&self.material, language)).into_iter().map(|(name, _)| name));
            names.extend(Format::ALL.map(|format| format.document(language)));
        }
        names
    }
}
