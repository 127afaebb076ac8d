//! `acceptreport render`.

use std::path::PathBuf;

use report_render::Language;
use serde_json::json;

use super::{CommandError, FormatName, Lang, PackArgument, agreement_text, terminal};
use crate::{
    assess::Under,
    documents::{Format, write_documents},
    exit::Exit,
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
            Format::ALL.to_vec()
        } else {
            self.format.iter().copied().map(Format::from).collect()
        };
        let written = write_documents(&self.pack.pack, &under, &languages, &formats)?;
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
}
