//! `acceptreport verdict`.

use std::path::PathBuf;

use evidence_pack::Pack;

use super::{CommandError, Lang, PackArgument, agreement_text, terminal};
use crate::{
    assess::{AssessError, Assessment, Under},
    exit::Exit,
};

#[derive(Debug, clap::Args)]
pub(super) struct VerdictCommand {
    #[command(flatten)]
    pack: PackArgument,
    /// Judge under this agreement instead of the run's own.
    #[arg(long, value_name = "FILE")]
    agreement: Option<PathBuf>,
    /// Language [default: that of the locale, Chinese or English].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print the verdict as JSON.
    #[arg(long)]
    json: bool,
    /// Print nothing; the exit code says it.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

impl VerdictCommand {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let agreement = agreement_text(self.agreement.as_deref())?;
        let under = agreement.as_deref().map_or(Under::Run, Under::Other);
        let pack = Pack::open(&self.pack.pack).map_err(AssessError::from)?;
        let assessment = Assessment::of(&pack, &under)?;
        if self.json {
            terminal::print(&assessment.verdict_json());
        } else if !self.quiet {
            let language = terminal::spoken(self.lang);
            terminal::print(&terminal::summary_text(&pack, &assessment, language));
        }
        let evidence = &assessment.evidence;
        if !evidence.problems.is_empty() || evidence.figures_match == Some(false) {
            return Ok(Exit::Evidence);
        }
        Ok(assessment.verdict.decision.into())
    }
}
