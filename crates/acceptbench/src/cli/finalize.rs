//! `acceptbench finalize`.

use std::path::PathBuf;

use acceptreport::{Exit, Format, Under, cli::CommandError, write_documents};
use report_render::Language;

use crate::terminal::{print, warn};

/// In whose name a package is completed.
const TOOL: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

#[derive(Debug, clap::Args)]
pub(super) struct Finalize {
    /// The package that was cut short.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// No word on the way.
    #[arg(long)]
    quiet: bool,
}

impl Finalize {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let pack = evidence_pack::finalize(&self.dir, TOOL).map_err(|error| {
            let exit = if error.is_damage() { Exit::Evidence } else { Exit::Usage };
            CommandError::new(exit, error)
        })?;
        let interrupted = pack.interrupted().unwrap_or(true);
        if interrupted && !self.quiet {
            warn("the run was cut short; its package is complete now, and marked as interrupted for good");
        }
        let languages = [Language::Zh, Language::En];
        let written = write_documents(&self.dir, &Under::Run, &languages, &Format::ALL)?;
        for document in &written.documents {
            print(&document.display().to_string());
        }
        Ok(Exit::Passed)
    }
}
