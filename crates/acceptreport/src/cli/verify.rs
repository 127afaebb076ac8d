//! `acceptreport verify`.

use super::{CommandError, PackArgument, terminal};
use crate::{
    exit::Exit,
    verify::{Check, check},
};

#[derive(Debug, clap::Args)]
pub(super) struct Verify {
    #[command(flatten)]
    pack: PackArgument,
    /// Print what was found as JSON.
    #[arg(long)]
    json: bool,
    /// Print nothing; the exit code says it.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

impl Verify {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let check = check(&self.pack.pack)?;
        if self.json {
            terminal::print_json(&check);
        } else if !self.quiet {
            terminal::print(&text(&check));
        }
        Ok(if check.intact { Exit::Passed } else { Exit::Evidence })
    }
}

fn text(check: &Check) -> String {
    let mut text = String::new();
    let mut say = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    for problem in &check.problems {
        say(format!("wrong: {problem}"));
    }
    if check.torn {
        say("the last row was being written when the run was cut off; it is dropped".to_owned());
    }
    if check.interrupted {
        say("the run was interrupted: it did not do all of its plan".to_owned());
    }
    if check.recomputed {
        say(format!(
            "{} rows read, every figure and the verdict computed again, {} documents made again",
            check.requests, check.documents
        ));
    } else {
        say(format!("{} rows read; there are no figures to compare with", check.requests));
    }
    if let Some(digest) = &check.evidence_digest {
        say(format!("evidence digest {digest}"));
    }
    if !check.intact && check.evidence_intact {
        say("the evidence is intact: what was made from it can be made again with `acceptreport render`"
            .to_owned());
    }
    say(if check.intact { "intact".to_owned() } else { "NOT intact".to_owned() });
    text
}
