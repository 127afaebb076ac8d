//! `acceptbench samples`.

mod check;
mod diff;
mod make;
mod show;
mod told;

use acceptreport::{Exit, cli::CommandError};
use clap::Subcommand;

pub(super) use self::told::{set_json, set_lines};
use crate::samples::{MakeSetError, OpenSetError};

#[derive(Debug, clap::Args)]
pub(super) struct SamplesCommand {
    #[command(subcommand)]
    command: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// Draw a sample set from a profile.
    Make(Box<make::Make>),
    /// Show what a set holds, group by group.
    Show(show::Show),
    /// Compare two sets. Ends with 1 where they would not send the same.
    Diff(diff::Diff),
    /// See whether a set still matches a profile. Ends with 1 where it has to be drawn again, with 3 where it is too small to tell.
    Check(check::Check),
}

impl SamplesCommand {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        match &self.command {
            Part::Make(make) => make.run(),
            Part::Show(show) => show.run(),
            Part::Diff(diff) => diff.run(),
            Part::Check(check) => check.run(),
        }
    }
}

impl From<OpenSetError> for CommandError {
    fn from(error: OpenSetError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

impl From<MakeSetError> for CommandError {
    fn from(error: MakeSetError) -> Self {
        Self::new(Exit::Usage, error)
    }
}
