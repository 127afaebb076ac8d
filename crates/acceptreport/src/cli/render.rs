//! `acceptreport render`.

use std::path::PathBuf;

use evidence_pack::{Pack, ProfileFolder};
use report_render::{Language, PdfStandard};
use serde_json::json;

use super::{CommandError, FormatName, Lang, PackArgument, agreement_text, terminal, text_of};
use crate::{
    assess::{AssessError, Under},
    documents::{DocumentError, write_documents},
    exit::Exit,
    report::Format,
    settings::Settings,
    workload::{WorkloadError, write_workload_documents},
};

#[derive(Debug, clap::Args)]
pub(super) struct Render {
    #[command(flatten)]
    pack: PackArgument,
    /// Language; both where left out.
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Formats, separated by commas; all where left out.
    #[arg(long, value_enum, value_delimiter = ',')]
    format: Vec<FormatName>,
    /// Judge under this agreement instead of the run's own.
    #[arg(long, value_name = "FILE")]
    agreement: Option<PathBuf>,
    /// Names for the cover: a TOML file with a table "project" (name, customer, supplier, contract, third_party, number, issued).
    #[arg(long, value_name = "FILE")]
    meta: Option<PathBuf>,
    /// A company's own cover, logo and order of sections: a folder, as docs/templates.md describes it.
    #[arg(long, value_name = "DIR")]
    template: Option<PathBuf>,
    /// The standard that PDFs keep to: a-3b where left out, or a-3a-ua, tagged for screen readers as well.
    #[arg(long, value_name = "STANDARD")]
    pdf_standard: Option<PdfStandard>,
    /// Forget names, template and standard that earlier renderings of the package were given.
    #[arg(long)]
    reset: bool,
    /// Print what was written as JSON.
    #[arg(long)]
    json: bool,
    /// Print nothing.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

impl Render {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        if ProfileFolder::is_one(&self.pack.pack) {
            return self.profile();
        }
        let agreement = agreement_text(self.agreement.as_deref())?;
        let under = agreement.as_deref().map_or(Under::Run, Under::Other);
        let (languages, formats) = (self.languages(), self.formats());
        let settings = self.settings()?;
        let written = write_documents(&self.pack.pack, &under, &languages, &formats, settings.as_ref())?;
        if !self.quiet {
            for path in &written.replaced {
                terminal::warn(&format!("replaced: {path} was not what the rows give"));
            }
        }
        if self.json {
            let decision = written.assessment.verdict.decision;
            terminal::print_json(&json!({ "documents": written.documents, "decision": decision }));
        } else if !self.quiet {
            for document in &written.documents {
                terminal::print(&format!("{}\n", document.display()));
            }
        }
        Ok(Exit::Passed)
    }

    fn languages(&self) -> Vec<Language> {
        self.lang.map_or_else(|| Language::ALL.to_vec(), |lang| vec![lang.into()])
    }

    fn formats(&self) -> Vec<Format> {
        if self.format.is_empty() {
            return Format::WRITTEN.to_vec();
        }
        self.format.iter().copied().map(Format::from).collect()
    }

    /// The documents of a profile.
    fn profile(&self) -> Result<Exit, CommandError> {
        if self.agreement.is_some() || self.template.is_some() {
            let message = "render a profile: it has neither agreement nor template (leave them out)";
            return Err(CommandError::new(Exit::Usage, message));
        }
        let folder = ProfileFolder::open(&self.pack.pack).map_err(WorkloadError::from)?;
        let settings =
            self.changed(|| Ok(Settings::of(&folder.documents().map_err(WorkloadError::from)?)?))?;
        let names = write_workload_documents(&self.pack.pack, &self.languages(), &self.formats(), settings)?;
        let documents: Vec<PathBuf> = names.iter().map(|name| self.pack.pack.join(name)).collect();
        if self.json {
            terminal::print_json(&json!({ "documents": documents }));
        } else if !self.quiet {
            for document in &documents {
                terminal::print(&format!("{}\n", document.display()));
            }
        }
        Ok(Exit::Passed)
    }

    /// What the package was rendered with before, changed by the arguments; `None` where they change nothing.
    fn settings(&self) -> Result<Option<Settings>, CommandError> {
        self.changed(|| {
            let pack = Pack::open(&self.pack.pack).map_err(AssessError::from)?;
            let reports = pack.reports().map_err(DocumentError::from)?;
            Ok(Settings::of(&reports.into_iter().collect())?)
        })
    }

    fn changed(
        &self,
        before: impl FnOnce() -> Result<Settings, CommandError>,
    ) -> Result<Option<Settings>, CommandError> {
        if !self.reset && self.meta.is_none() && self.template.is_none() && self.pdf_standard.is_none() {
            return Ok(None);
        }
        let mut settings = if self.reset { Settings::default() } else { before()? };
        if let Some(path) = &self.meta {
            settings.take_meta(&path.display().to_string(), &text_of("meta", path)?)?;
        }
        if let Some(folder) = &self.template {
            settings.take_template(folder)?;
        }
        settings.pdf_standard = self.pdf_standard.unwrap_or(settings.pdf_standard);
        Ok(Some(settings))
    }
}
