//! `acceptreport render`.

use std::path::PathBuf;

use evidence_pack::Pack;
use report_render::{Language, PdfStandard};
use serde_json::json;

use super::{CommandError, FormatName, Lang, PackArgument, agreement_text, terminal, text_of};
use crate::{
    assess::{AssessError, Under},
    documents::{DocumentError, write_documents},
    exit::Exit,
    report::Format,
    settings::Settings,
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
        let agreement = agreement_text(self.agreement.as_deref())?;
        let under = agreement.as_deref().map_or(Under::Run, Under::Other);
        let languages: Vec<Language> =
            self.lang.map_or_else(|| Language::ALL.to_vec(), |lang| vec![lang.into()]);
        let formats: Vec<Format> = if self.format.is_empty() {
            Format::WRITTEN.to_vec()
        } else {
            self.format.iter().copied().map(Format::from).collect()
        };
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

    /// What the package was rendered with before, changed by the arguments; `None` where they change nothing.
    fn settings(&self) -> Result<Option<Settings>, CommandError> {
        if !self.reset && self.meta.is_none() && self.template.is_none() && self.pdf_standard.is_none() {
            return Ok(None);
        }
        let mut settings = if self.reset {
            Settings::default()
        } else {
            let pack = Pack::open(&self.pack.pack).map_err(AssessError::from)?;
            let reports = pack.reports().map_err(DocumentError::from)?;
            Settings::of(&reports.into_iter().collect())?
        };
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
