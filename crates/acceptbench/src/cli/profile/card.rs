//! `acceptbench profile card`.

use std::path::PathBuf;

use acceptreport::{Exit, cli::CommandError};
use workload_model::profile::Card;

use crate::{out::write_owner_only, terminal::print};

#[derive(Debug, clap::Args)]
pub(super) struct NewCard {
    /// Where to write it [default: it is printed].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl NewCard {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let Some(path) = &self.out else {
            print(Card::template().trim_end());
            return Ok(Exit::Passed);
        };
        write_owner_only(path, Card::template().as_bytes()).map_err(|error| {
            CommandError::new(
                Exit::Usage,
                format!("write card {}: {error} (name a file that is not there yet)", path.display()),
            )
        })?;
        print(&path.display().to_string());
        Ok(Exit::Passed)
    }
}
