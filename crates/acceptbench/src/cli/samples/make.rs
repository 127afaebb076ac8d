//! `acceptbench samples make`.

use std::path::PathBuf;

use acceptreport::{
    Exit,
    cli::{CommandError, Lang, print_json, spoken},
};
use report_render::legible;

use super::{set_json, set_lines};
use crate::{
    cli::drawing::DrawingArguments,
    samples::{drawing, make_set, open_profile},
    terminal::print,
};

#[derive(Debug, clap::Args)]
pub(super) struct Make {
    /// Folder of the profile.
    #[arg(value_name = "PROFILE")]
    profile: PathBuf,
    /// How many samples to draw, over all groups by their shares.
    #[arg(long, value_name = "N", default_value_t = 400)]
    requests: u64,
    #[command(flatten)]
    drawing: DrawingArguments,
    /// What the set is called [default: as the profile].
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Folder for the set: new, or empty [default: PROFILE.samples].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Language of what is printed [default: that of the locale].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Make {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = spoken(self.lang);
        let profile = open_profile(&self.profile)?;
        let mut drawing = drawing(&profile, self.requests, self.drawing.seed);
        if let Some(name) = &self.name {
            drawing.name.clone_from(name);
        }
        let out = self.out.clone().unwrap_or_else(|| crate::out::beside(&self.profile, "samples"));
        let made = make_set(&profile, &drawing, &mut self.drawing.texts()?, &out)?;
        if self.json {
            print_json(&set_json(&made));
        } else {
            for (en, zh) in set_lines(&made) {
                print(&legible(&l.say(en, zh)));
            }
        }
        Ok(Exit::Passed)
    }
}
