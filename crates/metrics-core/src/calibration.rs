//! What this generator can do on its host, measured against known truth: the content of `calibration.json`.

use serde::{Deserialize, Serialize};

use crate::{
    order_statistics::{Percent, percentile},
    quantity::{Micros, Seconds},
};

/// The version of `calibration.json` that this crate writes, and the newest that it reads.
pub const CALIBRATION_VERSION: u32 = 1;

/// Older than this, a calibration says nothing of the machine as it is now: kernels and limits change.
pub const CALIBRATION_MAX_AGE: Seconds = Seconds::whole(30 * 24 * 3600);

/// The generator's own limits on one host. What could not be measured is `None`, never 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Version of the file, [`CALIBRATION_VERSION`].
    pub v: u32,
    /// The program that measured.
    pub tool: CalibratedTool,
    /// Where it ran.
    pub host: CalibratedHost,
    /// When it was measured, RFC 3339 in UTC.
    pub measured_at: String,
    /// How long that took, in seconds.
    pub took_s: Seconds,
    /// Threads that read sockets; ceilings hold for this number of them.
    pub io_threads: u32,
    /// The most that the generator can do.
    pub ceiling: Ceiling,
    /// How near its instants are to those of the other end's own socket.
    pub timing: Option<Timing>,
    /// How late a 10 ms timer on the IO threads fired during the timing.
    pub timer_delay_s: Option<Spread>,
    /// What the writer of evidence can take.
    pub write: Option<WriteSpeed>,
    /// Why these figures are worse than the machine could give.
    pub doubts: Vec<CalibrationDoubt>,
}

/// The program that measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibratedTool {
    /// Name of the program.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Build profile: `release` or `dev`.
    pub profile: String,
    /// Built with optimisation.
    pub optimised: bool,
}

/// Where it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibratedHost {
    /// SHA-256, in hexadecimal, over what identifies the machine and what it allows the process.
    pub fingerprint: String,
    /// Operating system.
    pub os: String,
    /// Processor architecture.
    pub arch: String,
    /// Release of the kernel.
    pub kernel: Option<String>,
    /// Model of the processor.
    pub cpu_model: Option<String>,
    /// Logical processors of the host.
    pub cpus: u32,
    /// Those that the process may use.
    pub cpus_allowed: u32,
    /// Memory of the host.
    pub memory_bytes: Option<u64>,
}

/// The most that the generator can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ceiling {
    /// Streams at once.
    pub streams: Option<u64>,
    /// What the number of streams is limited by.
    pub streams_limited_by: Option<StreamsLimit>,
    /// Token events a second, where each comes in a read of its own.
    pub events_per_s: Option<f64>,
    /// Token events a second, where many come in one read.
    pub coalesced_events_per_s: Option<f64>,
    /// Short requests a second.
    pub requests_per_s: Option<f64>,
}

/// What the number of streams at once is limited by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamsLimit {
    /// Files that the process may have open.
    Descriptors,
    /// Ports of this host towards one address.
    Ports,
    /// Memory that is free.
    Memory,
    /// CPU of the IO threads, at the pace of a usual stream.
    Cpu,
}

/// How near the client's instants are to those of the other end's own socket: measured minus true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Streams at once while this was measured.
    pub streams: u32,
    /// Absolute error of the time to first token, from the instant of sending.
    pub ttft_error_s: Option<Spread>,
    /// Absolute error of the gaps between token events.
    pub gap_error_s: Option<Spread>,
}

/// How values lie: nearest ranks, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// Half of the values are no larger.
    pub p50: Seconds,
    /// 95 % of them are no larger.
    pub p95: Seconds,
    /// 99 % of them are no larger.
    pub p99: Seconds,
    /// The largest.
    pub max: Seconds,
    /// How many values.
    pub n: u64,
}

impl Spread {
    /// How these values lie; `None` where there are none.
    #[must_use]
    pub fn of(mut values: Vec<Micros>) -> Option<Self> {
        values.sort_unstable();
        let at = |percent| percentile(&values, percent).map(Seconds::from);
        Some(Self {
            p50: at(Percent::P50)?,
            p95: at(Percent::P95)?,
            p99: at(Percent::P99)?,
            max: Seconds::from(*values.last()?),
            n: values.len() as u64,
        })
    }
}

/// What the writer of evidence can take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteSpeed {
    /// Rows of requests a second.
    pub rows_per_s: f64,
    /// The same in bytes.
    pub bytes_per_s: f64,
}

/// Why the figures of a calibration are worse than the machine could give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationDoubt {
    /// Timers fired more than 5 ms late at P99: the machine was busy with something else.
    LateTimers,
    /// The program was built without optimisation.
    Unoptimised,
}

/// The run that a calibration is to be held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalibrationUse<'a> {
    /// When, RFC 3339.
    pub at: &'a str,
    /// The host's fingerprint there.
    pub fingerprint: &'a str,
    /// Version of the program there.
    pub tool_version: &'a str,
    /// It is built with optimisation there.
    pub optimised: bool,
    /// Threads that read sockets there.
    pub io_threads: u32,
}

/// A calibration does not speak for a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// It is too old.
    #[error(
        "use a calibration of {measured_at}: it is {days} days old, and holds for 30 (measure again with `acceptbench calibrate`)"
    )]
    Stale {
        /// When it was measured.
        measured_at: String,
        /// Its age in whole days.
        days: u64,
    },
    /// It is dated after the run, or has no date.
    #[error(
        "use a calibration of {measured_at:?}: that is no instant before this run (set the host's clock, and measure again with `acceptbench calibrate`)"
    )]
    Undated {
        /// Its date, as it stands there.
        measured_at: String,
    },
    /// It was measured on another machine, or the machine or its limits have changed.
    #[error(
        "use a calibration of another machine, or of this one before its kernel, CPUs, memory or limit on open files (`ulimit -n`) changed (measure this one with `acceptbench calibrate`)"
    )]
    Foreign,
    /// Another version or build of the program measured it.
    #[error(
        "use a calibration by {found}, where this is {here} (measure again with this program: `acceptbench calibrate`)"
    )]
    OtherTool {
        /// Which one measured.
        found: String,
        /// Which one is to use it.
        here: String,
    },
    /// It holds for another number of threads.
    #[error(
        "use a calibration for {found} IO threads in a run with {here} (measure again with `acceptbench calibrate --io-threads {here}`)"
    )]
    OtherIoThreads {
        /// Threads there.
        found: u32,
        /// Threads here.
        here: u32,
    },
}

impl Calibration {
    /// Whether it speaks for a run.
    ///
    /// # Errors
    /// Where it is older than [`CALIBRATION_MAX_AGE`] or dated after the run, of another machine, of another version or
    /// build of the program, or for another number of threads.
    pub fn speaks_for(&self, run: &CalibrationUse<'_>) -> Result<(), CalibrationError> {
        let build = |version: &str, optimised: bool| {
            format!("version {version}{}", if optimised { "" } else { " without optimisation" })
        };
        if self.host.fingerprint != run.fingerprint {
            return Err(CalibrationError::Foreign);
        }
        if self.tool.version != run.tool_version || self.tool.optimised != run.optimised {
            return Err(CalibrationError::OtherTool {
                found: build(&self.tool.version, self.tool.optimised),
                here: build(run.tool_version, run.optimised),
            });
        }
        if self.io_threads != run.io_threads {
            return Err(CalibrationError::OtherIoThreads { found: self.io_threads, here: run.io_threads });
        }
        let measured_at = || self.measured_at.clone();
        match between(&self.measured_at, run.at) {
            Some(age) if age.get() > CALIBRATION_MAX_AGE.get() => {
                let days = (age.get() / 86_400.0) as u64;
                Err(CalibrationError::Stale { measured_at: measured_at(), days })
            }
            Some(age) if age.get() >= 0.0 => Ok(()),
            _ => Err(CalibrationError::Undated { measured_at: measured_at() }),
        }
    }

    /// Its age when a run started; zero where it was measured after that, within the run. `None` where one of the dates
    /// is none.
    #[must_use]
    pub fn age_at(&self, started_at: &str) -> Option<Seconds> {
        between(&self.measured_at, started_at).map(|age| Seconds::new(age.get().max(0.0)))
    }
}

/// From one RFC 3339 instant to another, negative where the other lies before it.
fn between(from: &str, to: &str) -> Option<Seconds> {
    let (from, to): (jiff::Timestamp, jiff::Timestamp) = (from.parse().ok()?, to.parse().ok()?);
    Some(Seconds::new(to.duration_since(from).as_secs_f64()))
}
