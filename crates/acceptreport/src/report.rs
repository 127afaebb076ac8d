//! The files of a report, made from a package and nothing else.

use std::collections::BTreeSet;

use evidence_pack::Pack;
use report_render::{
    Document, Engine, Language, Material, TemplateError, charts, prometheus_rules, render_html_with,
    render_markdown_with,
};
use verdict_rules::Verdict;

use crate::{assess::Assessment, settings::Settings};

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

    /// Name of the document in this format, such as `report.zh.md`.
    #[must_use]
    pub fn document(self, language: Language) -> String {
        let code = language.code();
        match self {
            Self::Markdown => format!("report.{code}.md"),
            Self::Html => format!("report.{code}.html"),
        }
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
    fn new(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
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
}

impl Report {
    /// What a package gives, under a verdict that was made from it.
    #[must_use]
    pub fn new(assessment: &Assessment, pack: &Pack, verdict: &Verdict, settings: &Settings) -> Self {
        Self { material: assessment.material(pack, verdict, settings), settings: settings.clone() }
    }

    /// Everything that the documents say.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The documents in one language, with what stands beside them.
    ///
    /// # Errors
    /// Where the template cannot be used.
    pub fn files(&self, language: Language, formats: &[Format]) -> Result<Vec<DocumentFile>, TemplateError> {
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
        Ok(files)
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
