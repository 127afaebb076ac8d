//! `acceptbench calibrate`.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use acceptreport::{Exit, cli::CommandError};
use evidence_pack::{calibration_json, parse_calibration};
use metrics_core::{Calibration, CalibrationDoubt, Seconds, Spread};
use verdict_rules::terms;
use workload_model::MAX_IO_THREADS;

use super::block_on;
use crate::{
    calibrate::{Calibrate, CalibrateError, Effort, Part, calibrate},
    calibrating::CALIBRATION_FILE,
    signals::Signals,
    terminal::{print, warn},
};

#[derive(Debug, clap::Args)]
pub(super) struct CalibrateCommand {
    /// File to write. Only one that is a calibration is overwritten.
    #[arg(long, value_name = "FILE", default_value = CALIBRATION_FILE)]
    out: PathBuf,
    /// Threads that read sockets, as the sweeps will have them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_IO_THREADS)))]
    io_threads: u32,
    /// Print the calibration as JSON.
    #[arg(long)]
    json: bool,
    /// No progress on the way.
    #[arg(long)]
    quiet: bool,
}

impl CalibrateCommand {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        self.refuse_taken()?;
        let beside =
            self.out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let asked =
            Calibrate { io_threads: self.io_threads, effort: Effort::Full, beside: beside.to_owned() };
        let calibration = block_on(self.measure(&asked))??;
        let text = calibration_json(&calibration).map_err(|error| CommandError::new(Exit::Usage, error))?;
        write_whole(beside, &self.out, &text).map_err(|error| {
            let out = self.out.display();
            CommandError::new(Exit::Usage, format!("write {out}: {error} (name another --out)"))
        })?;
        for doubt in &calibration.doubts {
            warn(&format!("warning: {} ({})", terms::calibration_doubt(*doubt).en, hint(*doubt)));
        }
        if self.json {
            print(text.trim_end());
        } else {
            print(&as_text(&calibration));
            print(&self.out.display().to_string());
        }
        Ok(Exit::Passed)
    }

    async fn measure(&self, asked: &Calibrate) -> Result<Calibration, CommandError> {
        let mut signals = Signals::listen().map_err(CalibrateError::from)?;
        if !self.quiet {
            warn("measuring the limits of this generator; this takes about half a minute");
        }
        let progress = |part| {
            if !self.quiet {
                warn(&format!("measuring {}", named(part)));
            }
        };
        tokio::select! {
            measured = calibrate(asked, progress) => Ok(measured?),
            () = signals.first() => {
                Err(CommandError::new(Exit::Inconclusive, "calibrate: interrupted (nothing was written)"))
            }
        }
    }

    fn refuse_taken(&self) -> Result<(), CommandError> {
        let taken = |why: String| {
            let out = self.out.display();
            CommandError::new(Exit::Usage, format!("write {out}: {why} (name another --out)"))
        };
        match std::fs::read_to_string(&self.out) {
            Ok(text) => match parse_calibration(&text) {
                Ok(_) => Ok(()),
                Err(_) => Err(taken("it is there, and is no calibration".to_owned())),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(taken(error.to_string())),
        }
    }
}

impl From<CalibrateError> for CommandError {
    fn from(error: CalibrateError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

/// Whole or not at all: a reader never meets half of it.
fn write_whole(beside: &Path, out: &Path, text: &str) -> std::io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".calibration-").tempfile_in(beside)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(out).map(drop).map_err(|error| error.error)
}

fn named(part: Part) -> &'static str {
    match part {
        Part::SingleEvents => "token events, one a read",
        Part::Timing => "the timing error",
        Part::ManyEvents => "token events, many a read",
        Part::Requests => "short requests",
        Part::Writing => "the writing of rows",
    }
}

fn hint(doubt: CalibrationDoubt) -> &'static str {
    match doubt {
        CalibrationDoubt::LateTimers => "measure again when it is idle",
        CalibrationDoubt::Unoptimised => "measure with a release build",
    }
}

fn as_text(calibration: &Calibration) -> String {
    let Calibration { ceiling, timing, timer_delay_s, write, .. } = calibration;
    let rate = |rate: Option<f64>| rate.map_or_else(|| "not known".to_owned(), |rate| format!("{rate:.0}"));
    let streams = match (ceiling.streams, ceiling.streams_limited_by) {
        (Some(streams), Some(by)) => format!("{streams}, limited by {}", terms::streams_limit(by).en),
        _ => "not known".to_owned(),
    };
    let write = write.as_ref().map_or_else(
        || "not known".to_owned(),
        |write| format!("{:.0} ({:.1} MB/s)", write.rows_per_s, write.bytes_per_s / 1e6),
    );
    let spread_of =
        |found: Option<Spread>| found.map_or_else(|| "not known".to_owned(), |found| spread(&found));
    let lines = [
        ("streams at once", streams),
        (
            "token events a second",
            format!(
                "{} one a read, {} many a read",
                rate(ceiling.events_per_s),
                rate(ceiling.coalesced_events_per_s)
            ),
        ),
        ("short requests a second", rate(ceiling.requests_per_s)),
        ("error of TTFT", spread_of(timing.as_ref().and_then(|timing| timing.ttft_error_s))),
        ("error of gaps", spread_of(timing.as_ref().and_then(|timing| timing.gap_error_s))),
        ("timer delay", spread_of(*timer_delay_s)),
        ("rows written a second", write),
        ("IO threads", calibration.io_threads.to_string()),
        ("took", format!("{:.1} s", calibration.took_s.get())),
    ];
    lines.map(|(name, value)| format!("{name:<25} {value}")).join("\n")
}

fn spread(spread: &Spread) -> String {
    let ms = |value: Seconds| format!("{:.3}", value.get() * 1e3);
    let (p50, p95, p99, max) = (ms(spread.p50), ms(spread.p95), ms(spread.p99), ms(spread.max));
    format!("P50 {p50}  P95 {p95}  P99 {p99}  max {max} ms  (n = {})", spread.n)
}
