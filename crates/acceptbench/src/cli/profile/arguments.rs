//! What `profile` and `profile audit` are told of logs.

use std::path::{Path, PathBuf};

use acceptreport::{Exit, cli::CommandError};
use jiff::fmt::temporal::DateTimeParser;
use log_import::{
    ImportOptions, MaxBad, Secret, Window,
    value::{Clock, time},
};
use report_render::Language;
use workload_model::profile::{Binning, Card, Facet, LEAST_ROWS, STEP_NS};

use crate::{profile::format_names, terminal::warn};

/// What `--format` takes for finding out.
const AUTO: &str = "auto";

/// No place on earth is farther from UTC, in seconds.
const WIDEST: i32 = 14 * 3600;

/// Bytes of a secret.
const SECRET: usize = 32;

/// The logs and how they are read.
#[derive(Debug, clap::Args)]
pub(super) struct LogArguments {
    /// Logs of one format, plain or compressed with gzip or zstd. Together they are one traffic. Without any, the profile holds
    /// what the card assumes.
    #[arg(value_name = "LOG", required_unless_present = "card")]
    pub(super) logs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    /// Keep what arrived from A to before B: RFC 3339, 2026-11-19T09:00:00 in the zone, or a day; either may be left out. A
    /// clock that counts from an unknown instant counts from 1970-01-01T00:00:00Z.
    #[arg(long, value_name = "A..B")]
    pub(super) window: Option<String>,
}

/// How logs are read.
#[derive(Debug, clap::Args)]
pub(super) struct Reading {
    /// Format of the logs, or `auto` to find it out.
    #[arg(long, value_name = "FORMAT", default_value = AUTO, long_help = format_help())]
    format: String,
    /// For csv and jsonl: which column holds what, as KEY=COLUMN (timestamp, input_tokens, output_tokens, caller, model,
    /// stream, duration, ttft, status, session, priority); a column may be named by its place, as #2.
    #[arg(long, value_name = "KEY=COLUMN", value_delimiter = ',')]
    map: Vec<String>,
    /// Zone of times that have none, and of the profile's days: +08:00 [default: UTC].
    #[arg(long, value_name = "OFFSET", allow_hyphen_values = true)]
    zone: Option<String>,
    /// Year of times that have none (vllm-log).
    #[arg(long, value_name = "YEAR")]
    year: Option<i16>,
    /// Longest line, JSON value or record, in bytes; longer ones are dropped and counted [default: 16 MiB].
    #[arg(long, value_name = "BYTES")]
    max_line: Option<usize>,
    /// Encoding of the logs: utf-8, gb18030, utf-16le and so on [default: found out].
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
}

fn format_help() -> String {
    format!("Format of the logs: `{AUTO}` to find it out, or one of {}", format_names().join(", "))
}

/// What is made of the rows.
#[derive(Debug, clap::Args)]
pub(super) struct Made {
    /// The card: groups, what the business asks of each, assumptions (`acceptbench profile card` writes one to fill in).
    #[arg(long, value_name = "FILE")]
    card: Option<PathBuf>,
    /// Without rules on a card: what requests are grouped by.
    #[arg(long, value_name = "FACET", default_value = "call", value_parser = facet)]
    pub(super) group_by: Facet,
    /// Round lengths up to so many tokens and arrivals down to so many seconds: tokens=64,seconds=60.
    #[arg(long, value_name = "BINS", value_parser = binning)]
    pub(super) bin: Option<Binning>,
    /// Fewest rows of a label, caller or model that stands for itself; those of fewer become `other`.
    #[arg(long, value_name = "ROWS", default_value_t = LEAST_ROWS, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) least_rows: u64,
    /// A file with the secret behind the pseudonyms, so that they stay the same over several imports; it is made where there
    /// is none. Keep it away from whoever gets the profile [default: a secret of this import alone, kept nowhere].
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Most bad rows that are accepted [default: one in a hundred, and ten in any case].
    #[arg(long, value_name = "ROWS")]
    max_bad: Option<u64>,
    /// A clock that goes back by more than this begins a new segment, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = STEP_NS / 1_000_000_000)]
    segment_step: u64,
}

fn facet(text: &str) -> Result<Facet, String> {
    text.parse::<Facet>().map_err(|error| error.to_string())
}

fn binning(text: &str) -> Result<Binning, String> {
    text.parse::<Binning>().map_err(|error| error.to_string())
}

impl LogArguments {
    /// The format that was named.
    pub(super) fn format(&self) -> Option<String> {
        self.reading.format()
    }

    pub(super) fn options(&self) -> Result<ImportOptions, CommandError> {
        let mut options = self.reading.options()?;
        if let Some(text) = &self.window {
            let clock = Clock { zone: options.read.zone.unwrap_or(0), year: options.read.year };
            options.window = window(text, clock).map_err(|reason| {
                wrong(format!(
                    "keep the window {text:?}: {reason} (write A..B, such as 2026-11-19T09:00..2026-11-19T18:00)"
                ))
            })?;
        }
        Ok(options)
    }
}

impl Reading {
    pub(super) fn format(&self) -> Option<String> {
        (self.format != AUTO).then(|| self.format.clone())
    }

    pub(super) fn options(&self) -> Result<ImportOptions, CommandError> {
        let mut options = ImportOptions { encoding: self.encoding.clone(), ..ImportOptions::default() };
        options.read.zone = self.zone.as_deref().map(offset).transpose()?;
        options.read.year = self.year;
        options.max_line = self.max_line.unwrap_or(options.max_line);
        let takes_map = matches!(self.format.as_str(), "csv" | "jsonl");
        if !self.map.is_empty() && !takes_map {
            return Err(wrong(format!(
                "map columns of {}: its fields are known (--map goes with --format csv or jsonl)",
                if self.format == AUTO { "a log of a format to be found out" } else { &self.format }
            )));
        }
        options.read.map = self.map.iter().map(|pair| mapped(pair)).collect::<Result<_, _>>()?;
        Ok(options)
    }
}

fn wrong(message: String) -> CommandError {
    CommandError::new(Exit::Usage, message)
}

fn mapped(pair: &str) -> Result<(String, String), CommandError> {
    match pair.split_once('=') {
        Some((key, column)) if !key.trim().is_empty() && !column.is_empty() => {
            Ok((key.trim().to_owned(), column.to_owned()))
        }
        _ => {
            Err(wrong(format!("map {pair:?}: it names no column (write KEY=COLUMN, such as timestamp=time)")))
        }
    }
}

/// Seconds before UTC of `Z`, `+08` or `+08:00`.
fn offset(text: &str) -> Result<i32, CommandError> {
    let text =
        if text.eq_ignore_ascii_case("z") || text.eq_ignore_ascii_case("utc") { "+00:00" } else { text };
    let zone = DateTimeParser::new().parse_time_zone(text).and_then(|zone| zone.to_fixed_offset());
    let seconds = zone.ok().map(|offset| offset.seconds()).filter(|seconds| seconds.abs() <= WIDEST);
    seconds.ok_or_else(|| wrong(format!("take {text:?} for a zone: it is no offset from UTC (write +08:00)")))
}

fn window(text: &str, clock: Clock) -> Result<Window, String> {
    let (from, until) = text.split_once("..").ok_or("it has no ..")?;
    let instant = |text: &str| -> Result<Option<i64>, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        // A day alone is its midnight.
        let day = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let whole = if day { format!("{text} 00:00:00") } else { text.to_owned() };
        match time(&whole, clock) {
            Ok(Some(time)) => Ok(Some(time.at_ns)),
            Ok(None) | Err(_) => Err(format!("{text:?} is no time")),
        }
    };
    let window = Window { from_ns: instant(from)?, until_ns: instant(until)? };
    match (window.from_ns, window.until_ns) {
        (Some(from), Some(until)) if from >= until => Err("it ends before it begins".to_owned()),
        _ => Ok(window),
    }
}

impl Made {
    pub(super) fn card(&self) -> Result<Card, CommandError> {
        let Some(path) = &self.card else { return Ok(Card::default()) };
        let read = |reason: String| wrong(format!("read card {}: {reason}", path.display()));
        let text = std::fs::read_to_string(path)
            .map_err(|error| read(format!("{error} (`acceptbench profile card` writes one)")))?;
        Card::parse(&text).map_err(|error| read(error.to_string()))
    }

    pub(super) fn max_bad(&self) -> MaxBad {
        self.max_bad.map_or_else(MaxBad::default, MaxBad::Rows)
    }

    pub(super) fn step_ns(&self) -> u64 {
        self.segment_step.saturating_mul(1_000_000_000)
    }

    /// The secret behind the pseudonyms, and whether it is kept.
    pub(super) fn secret(
        &self,
        out: &Path,
        l: Language,
        quiet: bool,
    ) -> Result<(Secret, bool), CommandError> {
        let Some(path) = &self.key_file else { return Ok((Secret::new(&random()?), false)) };
        let bad = |reason: String| wrong(format!("take the key from {}: {reason}", path.display()));
        if std::path::absolute(path)
            .is_ok_and(|path| std::path::absolute(out).is_ok_and(|out| path.starts_with(out)))
        {
            return Err(bad(
                "it would stand in the profile's folder (keep it elsewhere: it undoes the pseudonyms)"
                    .to_owned(),
            ));
        }
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let bytes = decoded(text.trim()).ok_or_else(|| {
                    bad("it is no key (name a file of 64 hexadecimal digits, or one that is not there yet)".to_owned())
                })?;
                Ok((Secret::new(&bytes), true))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let bytes = random()?;
                crate::out::write_owner_only(path, encoded(&bytes).as_bytes())
                    .map_err(|error| bad(error.to_string()))?;
                if !quiet {
                    let path = path.display();
                    warn(&l.say(
                        format!("made the key {path}: whoever has it can tell who is behind a pseudonym"),
                        format!("已生成密钥 {path}：持有该文件者可还原假名对应的真实身份，请妥善保管"),
                    ));
                }
                Ok((Secret::new(&bytes), true))
            }
            Err(error) => Err(bad(error.to_string())),
        }
    }
}

fn random() -> Result<[u8; SECRET], CommandError> {
    let mut bytes = [0; SECRET];
    getrandom::fill(&mut bytes)
        .map_err(|error| wrong(format!("make a secret: the system gives no random numbers: {error}")))?;
    Ok(bytes)
}

fn encoded(bytes: &[u8]) -> String {
    hex::encode(bytes) + "\n"
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    hex::decode(text).ok().filter(|bytes| bytes.len() == SECRET)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_an_offset() {
        let seconds = |text| offset(text).ok();
        assert_eq!(seconds("+08:00"), Some(28_800));
        assert_eq!(seconds("+08"), Some(28_800));
        assert_eq!(seconds("-0330"), Some(-12_600));
        assert_eq!((seconds("Z"), seconds("UTC")), (Some(0), Some(0)));
        for text in ["", "8", "+15", "+08:60", "Asia/Shanghai", "+", "+００"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_window_may_be_open_at_either_end() {
        let clock = Clock { zone: 28_800, year: None };
        let read = |text| window(text, clock);
        let day = read("2026-11-19..2026-11-20").expect("a day");
        let (from, until) = (day.from_ns.expect("it begins"), day.until_ns.expect("it ends"));
        assert_eq!(from, 1_795_017_600_000_000_000);
        assert_eq!(until - from, 86_400_000_000_000);
        assert_eq!(read("..2026-11-19T01:00:00Z").map(|window| window.from_ns), Ok(None));
        for text in ["2026-11-19", "2026-11-20..2026-11-19", "noon..", "2026-11-19..2026-11-19"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
