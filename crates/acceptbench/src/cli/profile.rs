//! `acceptbench profile`.

mod arguments;
mod audit;
mod card;
mod searched;
mod told;

use std::path::PathBuf;

use acceptreport::{
    Exit,
    cli::{CommandError, Lang, print_json, spoken},
};
use clap::Subcommand;
use log_import::BadLine;
use report_render::Language;

use self::arguments::{LogArguments, Made};
use crate::{
    profile::{MakeProfileError, ProfileJob, make_profile},
    terminal::{print, warn},
};

/// Bad rows that are named one by one; further ones are counted.
const NAMED: u64 = 20;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct ProfileCommand {
    #[command(subcommand)]
    command: Option<Part>,
    #[command(flatten)]
    make: Make,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// Search a profile for anything sensitive of its source.
    Audit(audit::Audit),
    /// Write a card to fill in: groups, what the business asks of each, assumptions.
    Card(card::NewCard),
}

#[derive(Debug, clap::Args)]
struct Make {
    #[command(flatten)]
    logs: LogArguments,
    #[command(flatten)]
    made: Made,
    /// Folder for the profile [default: acceptance/profile-TIME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the kept rows as JSON Lines, with exact lengths and times, for your own checking. They are no part of the
    /// profile.
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// Write the prompts word for word to OUT.prompts.jsonl, beside the profile. Every report of a run that sends them says
    /// so.
    #[arg(long)]
    keep_text: bool,
    /// Language of what is printed [default: that of the locale, Chinese or English].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print what was made as JSON.
    #[arg(long)]
    json: bool,
    /// No word on the way.
    #[arg(long)]
    quiet: bool,
}

impl ProfileCommand {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        match &self.command {
            Some(Part::Audit(audit)) => audit.run(),
            Some(Part::Card(card)) => card.run(),
            None => self.make.run(),
        }
    }
}

impl Make {
    fn run(&self) -> Result<Exit, CommandError> {
        let l = spoken(self.lang);
        let out = self.out.clone().unwrap_or_else(|| crate::out::default_out("profile"));
        let mut options = self.logs.options()?;
        options.read.keep_text = self.keep_text;
        options.max_bad = self.made.max_bad();
        let prompts = self.keep_text.then(|| beside(&out));
        let (secret, key_kept) = self.made.secret(&out, l, self.quiet)?;
        let job = ProfileJob {
            logs: self.logs.logs.clone(),
            format: self.logs.format(),
            zone_s: options.read.zone.unwrap_or(0),
            options,
            card: self.made.card()?,
            group_by: self.made.group_by,
            least_rows: self.made.least_rows,
            secret,
            key_kept,
            window: self.logs.window.clone(),
            binning: self.made.bin.unwrap_or_default(),
            step_ns: self.made.step_ns(),
            rows: self.rows.clone(),
            prompts: prompts.clone(),
            out,
        };
        let mut named = 0;
        let mut on_bad = |row: &BadLine<'_>| {
            named += 1;
            if !self.quiet && named <= NAMED {
                warn(&l.say(format!("bad row: {row}"), format!("坏行：{row}")));
            }
        };
        let made = make_profile(job, &mut on_bad)?;
        if !self.quiet && named > NAMED {
            let further = named - NAMED;
            warn(&l.say(format!("and {further} further bad rows"), format!("另有 {further} 个坏行")));
        }
        if let (Some((written, _)), Some(path)) = (made.prompts, &prompts) {
            warn_of_text(l, written, &path.display().to_string());
        }
        if self.json {
            print_json(&told::as_json(&made, self.rows.as_deref(), prompts.as_deref()));
        } else {
            print(&told::as_text(&made, l));
        }
        Ok(Exit::Passed)
    }
}

/// `OUT.prompts.jsonl`: outside the folder, so that whoever is handed the profile gets no text with it.
fn beside(out: &std::path::Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".prompts.jsonl");
    out.with_file_name(name)
}

fn warn_of_text(l: Language, prompts: u64, path: &str) {
    if prompts == 0 {
        return warn(
            l.say("this log holds no prompt that can be sent again", "该日志不含可重放的提示词原文"),
        );
    }
    warn(&l.say(
        format!(
            "WARNING: {prompts} prompts of real use stand word for word in {path}; handle the file as the log itself, and delete it when it has served"
        ),
        format!("警告：{path} 含 {prompts} 条真实用户提示词原文，须按业务日志同等要求管理，用毕删除"),
    ));
}

impl From<MakeProfileError> for CommandError {
    fn from(error: MakeProfileError) -> Self {
        Self::new(Exit::Usage, error)
    }
}
