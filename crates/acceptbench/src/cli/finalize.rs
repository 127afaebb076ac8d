//! `acceptbench finalize`.

use std::path::PathBuf;

use acceptreport::{
    Exit, Format, Under, check,
    cli::{CommandError, print_json},
    write_documents,
};
use evidence_pack::FinalizeError;
use report_render::Language;
use serde_json::json;

use crate::terminal::{print, warn};

/// In whose name a package is completed.
const TOOL: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

#[derive(Debug, clap::Args)]
pub(super) struct Finalize {
    /// The package that was cut short.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Print what was completed as JSON.
    #[arg(long)]
    json: bool,
    /// No word on the way.
    #[arg(long)]
    quiet: bool,
}

impl Finalize {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let word = match evidence_pack::finalize(&self.dir, TOOL) {
            Ok(pack) if pack.interrupted().unwrap_or(true) => {
                "the run was cut short; its package is complete now, and marked as interrupted for good"
            }
            Ok(_) => "all evidence was there; the package is complete now",
            // Its writing was cut off after that of the evidence.
            Err(FinalizeError::Complete(_)) if !check(&self.dir)?.intact => {
                "all evidence was there; figures and documents are made again"
            }
            Err(error) => {
                let exit = if error.is_damage() { Exit::Evidence } else { Exit::Usage };
                return Err(CommandError::new(exit, error));
            }
        };
        let written = write_documents(&self.dir, &Under::Run, &Language::ALL, Format::WRITTEN, None)?;
        if !self.quiet {
            warn(word);
        }
        let assessment = &written.assessment;
        if self.json {
            print_json(&json!({
                "pack": self.dir,
                "interrupted": assessment.verification.interrupted,
                "documents": written.documents,
                "decision": assessment.verdict.decision,
                "evidence_digest": assessment.verdict.evidence_digest,
            }));
        } else {
            for document in &written.documents {
                print(&document.display().to_string());
            }
        }
        Ok(Exit::Passed)
    }
}
