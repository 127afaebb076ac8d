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
use workload_model::sampling::Take;

use self::arguments::{LogArguments, Made};
use super::drawing::{DrawingArguments, retention};
use crate::{
    profile::{MakeProfileError, ProfileJob, make_profile},
    samples::{SetJob, SetMade},
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
    /// Draw a sample set from the rows as well, into OUT.samples: all of them, or the first so many. Texts are made; lengths,
    /// arrivals, conversations and shared prefixes are the log's.
    #[arg(long, value_name = "N|all", value_parser = take)]
    samples: Option<Take>,
    #[command(flatten)]
    drawing: DrawingArguments,
    /// Keep the prompts word for word, as the sample set OUT.samples; they are held in memory until it is written. Every report of a run that sends them says so.
    #[arg(long, requires = "retain_until")]
    keep_text: bool,
    /// The day by which the words are to be deleted (2027-03-31). It stands in the set, and in every package that sends it.
    #[arg(long, value_name = "DAY", requires = "keep_text", value_parser = retention)]
    retain_until: Option<jiff::civil::Date>,
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
    /// The sample set that was asked for.
    fn set(&self, out: &std::path::Path) -> Result<Option<SetJob>, CommandError> {
        let take = self.samples.or(self.keep_text.then_some(Take::All));
        let Some(take) = take else { return Ok(None) };
        if self.logs.logs.is_empty() {
            let hint = "`acceptbench samples make` draws them from the profile";
            return Err(CommandError::new(Exit::Usage, format!("draw rows of no log (name one; {hint})")));
        }
        Ok(Some(SetJob {
            // Outside the folder, so that whoever is handed the profile gets no sample with it.
            out: crate::out::beside(out, "samples"),
            take,
            seed: self.drawing.seed,
            texts: self.drawing.texts()?,
            keep_text_until: self.retain_until,
        }))
    }

    fn run(&self) -> Result<Exit, CommandError> {
        let l = spoken(self.lang);
        let out = self.out.clone().unwrap_or_else(|| crate::out::default_out("profile"));
        let mut options = self.logs.options()?;
        options.read.keep_text = self.keep_text;
        options.read.skip_blocks = self.samples.is_none();
        options.max_bad = self.made.max_bad();
        let samples = self.set(&out)?;
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
            samples,
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
        if self.keep_text {
            warn_of_text(l, made.samples.as_ref());
        }
        if self.json {
            print_json(&told::as_json(&made, self.rows.as_deref()));
        } else {
            print(&told::as_text(&made, l));
        }
        Ok(Exit::Passed)
    }
}

/// `all`, or a number of rows.
fn take(text: &str) -> Result<Take, String> {
    match text {
        "all" => Ok(Take::All),
        text => match text.parse() {
            Ok(rows) if rows > 0 => Ok(Take::First(rows)),
            _ => Err(format!("{text:?} is neither `all` nor a number of rows")),
        },
    }
}

fn warn_of_text(l: Language, set: Option<&SetMade>) {
    let Some(set) = set else {
        return warn(
            l.say("this log holds no prompt that can be sent again", "该日志不含可重放的提示词原文"),
        );
    };
    let (path, prompts) =
        (set.out.display(), set.facts.groups.iter().map(|group| group.samples).sum::<u64>());
    let until = set.facts.retain_until.as_deref().unwrap_or_default();
    warn(&l.say(
        format!(
            "WARNING: {prompts} prompts of real use stand word for word in {path}; handle the folder as the log itself, and delete it by {until}"
        ),
        format!(
            "警告：{path} 含 {prompts} 条真实用户提示词原文，须按业务日志同等要求管理，并于 {until} 前删除"
        ),
    ));
}

impl From<MakeProfileError> for CommandError {
    fn from(error: MakeProfileError) -> Self {
        Self::new(Exit::Usage, error)
    }
}
