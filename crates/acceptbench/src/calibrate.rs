//! What this generator can do on its host, measured against a server whose true instants are known.
//!
//! Loads are made with the very engine of a sweep, and its rows are kept by the very writer, in a folder beside the
//! output. Ceilings are events a CPU second of the IO threads times their number: a server on the same cores takes time
//! from the client and leaves that unchanged. Where the writer is slower than that, its pace is the ceiling.

mod ceiling;
mod files;
mod load;
mod timing;
mod writing;

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use evidence_pack::{AppendError, CreateError};
use inference_sim::pressure::{Pace, Pressure};
use load_engine::{host_facts, room};
use metrics_core::{
    CALIBRATION_VERSION, CalibratedHost, CalibratedTool, Calibration, CalibrationDoubt, Ceiling, Micros,
    Seconds, Spread, Timing, WriteSpeed,
};
use sse_client::{Clock as _, EndpointError, RuntimeClock, TargetError, TlsError};
use workload_model::PlanError;

use crate::sweep::tool;
use load::{Load, Loaded, load};

/// Timers later than this at P99 say that the machine was busy with something else.
const LATE_TIMERS: Seconds = Seconds::millis(5);

/// Streams at once while the timing is measured.
const TIMED_STREAMS: u32 = 16;

/// Streams at once while events come one a read: the most of all parts.
const SINGLE_STREAMS: u32 = 100;

/// How a calibration is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calibrate {
    /// Threads that read sockets; the ceilings hold for this number of them.
    pub io_threads: u32,
    /// How long it may take.
    pub effort: Effort,
    /// An existing folder on the disk that packages are written to. A folder is made in it, and removed again.
    pub beside: PathBuf,
}

/// How long a calibration may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Half a minute, for a file that is kept.
    Full,
    /// About five seconds, for one run.
    Short,
}

/// What is being measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Events that come one a read.
    SingleEvents,
    /// Instants against those of the server.
    Timing,
    /// Events of which many come in one read.
    ManyEvents,
    /// Short requests.
    Requests,
    /// Rows of evidence.
    Writing,
}

/// A calibration could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// There is no room for rows.
    #[error("calibrate: make a folder in {}: {error} (name another --out)", beside.display())]
    Scratch {
        /// Where it was to be.
        beside: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The limit on open files.
    #[error(
        "calibrate: the process may open {free} more files and needs {needed} for {SINGLE_STREAMS} connections and their other ends (run `ulimit -n {limit}` in this shell before)"
    )]
    OpenFiles {
        /// How many more may be opened.
        free: u64,
        /// How many are needed.
        needed: u64,
        /// The limit that would be enough.
        limit: u64,
    },
    /// The server, a thread or an event queue cannot be had.
    #[error(
        "calibrate: start a server on the loopback interface, or a thread: {0} (raise the limit on processes and open files)"
    )]
    Start(#[from] io::Error),
    /// A package for rows cannot be begun.
    #[error("calibrate: {0}")]
    Create(#[from] CreateError),
    /// A row could not be written.
    #[error("calibrate: {0} (make room)")]
    Write(#[from] AppendError),
    /// The plan for it is none.
    #[error("calibrate: {0}")]
    Plan(#[from] PlanError),
    /// The server's address is none.
    #[error("calibrate: {0}")]
    Endpoint(#[from] EndpointError),
    /// A header cannot be sent.
    #[error("calibrate: {0}")]
    Target(#[from] TargetError),
    /// TLS cannot be set up.
    #[error("calibrate: {0}")]
    Tls(#[from] TlsError),
    /// Requests to the server of its own failed.
    #[error(
        "calibrate: {failed} of {requests} requests to a server of its own failed: {why} (is the loopback interface free to use?)"
    )]
    Failed {
        /// How many failed.
        failed: u64,
        /// How many were sent.
        requests: u64,
        /// The first of them.
        why: String,
    },
}

/// Measures the generator's own limits. Dropping the future ends it and removes its folder.
///
/// `progress` is told of each part when it begins.
///
/// # Errors
/// [`CalibrateError`]. What the system does not tell, such as CPU time outside Linux, is `None` in the result instead.
pub async fn calibrate(
    asked: &Calibrate,
    mut progress: impl FnMut(Part),
) -> Result<Calibration, CalibrateError> {
    files::enough(&room())?;
    let clock = RuntimeClock::start();
    let measured_at = jiff::Timestamp::now();
    let scratch = tempfile::Builder::new()
        .prefix(".calibration-")
        .tempdir_in(&asked.beside)
        .map_err(|error| CalibrateError::Scratch { beside: asked.beside.clone(), error })?;
    let windows = Windows::of(asked.effort);
    let within = Within { scratch: scratch.path(), io_threads: asked.io_threads };

    progress(Part::SingleEvents);
    let before = room();
    let single = load(&within, &windows.single()).await?;
    progress(Part::Timing);
    let timed = load(&within, &windows.timed()).await?;
    progress(Part::ManyEvents);
    let many = until_long(&within, windows.least, |requests| Load {
        pressure: flood(5_000),
        streams: 4,
        requests: 4 * requests,
    })
    .await?;
    progress(Part::Requests);
    let short = until_long(&within, windows.least, |requests| Load {
        pressure: flood(5),
        streams: 16,
        requests: 256 * requests,
    })
    .await?;
    progress(Part::Writing);
    let write = writing::speed(scratch.path(), &single.records, windows.write).await?;
    let short_rows = writing::speed(scratch.path(), &short.records, windows.write).await?;

    let host = host_facts();
    let threads = asked.io_threads.min(host.cpus_allowed);
    let events_per_row = single.token_events() as f64 / single.records.len().max(1) as f64;
    let written = |rows: &Option<WriteSpeed>| rows.as_ref().map(|speed| speed.rows_per_s);
    let events_per_s = ceiling::of_cpu(
        single.per_cpu_second(single.token_reads(), threads),
        written(&write).map(|rows| rows * events_per_row),
    );
    let (streams, streams_limited_by) =
        ceiling::streams(&before, &single, windows.single().streams, events_per_s);
    let timer_delay_s = Spread::of(timed.timer_delays());
    let tool = tool();
    Ok(Calibration {
        v: CALIBRATION_VERSION,
        doubts: doubts(timer_delay_s.as_ref(), tool.optimised),
        tool: CalibratedTool {
            name: tool.name,
            version: tool.version,
            profile: tool.profile,
            optimised: tool.optimised,
        },
        host: CalibratedHost {
            fingerprint: host.fingerprint,
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            kernel: host.kernel,
            cpu_model: host.cpu_model,
            cpus: host.cpus,
            cpus_allowed: host.cpus_allowed,
            memory_bytes: host.memory_bytes,
        },
        measured_at: measured_at.to_string(),
        took_s: Micros(clock.now_us()).into(),
        io_threads: asked.io_threads,
        ceiling: Ceiling {
            streams,
            streams_limited_by,
            events_per_s: events_per_s.map(ceiling::whole),
            coalesced_events_per_s: many.per_cpu_second(many.token_events(), threads).map(ceiling::whole),
            requests_per_s: ceiling::of_cpu(
                short.per_cpu_second(short.records.len() as u64, threads),
                written(&short_rows),
            )
            .map(ceiling::whole),
        },
        timing: Some(Timing {
            streams: TIMED_STREAMS,
            ttft_error_s: Spread::of(timing::first_token_errors(&timed)),
            gap_error_s: Spread::of(timing::gap_errors(&timed)),
        }),
        timer_delay_s,
        write,
    })
}

/// Where a load runs, and on how many threads.
struct Within<'p> {
    scratch: &'p Path,
    io_threads: u32,
}

/// How long each part lasts.
struct Windows {
    single_events: u32,
    timed_rounds: u64,
    least: Duration,
    write: Duration,
}

impl Windows {
    fn of(effort: Effort) -> Self {
        match effort {
            Effort::Full => Self {
                single_events: 600,
                timed_rounds: 10,
                least: Duration::from_secs(4),
                write: Duration::from_secs(2),
            },
            Effort::Short => Self {
                single_events: 80,
                timed_rounds: 1,
                least: Duration::from_millis(400),
                write: Duration::from_millis(200),
            },
        }
    }

    /// Many streams of a token every 10 ms.
    fn single(&self) -> Load {
        Load {
            pressure: paced(self.single_events, false),
            streams: SINGLE_STREAMS,
            requests: SINGLE_STREAMS.into(),
        }
    }

    /// Answers of a second each.
    fn timed(&self) -> Load {
        let requests = u64::from(TIMED_STREAMS) * self.timed_rounds;
        Load { pressure: paced(100, true), streams: TIMED_STREAMS, requests }
    }
}

fn paced(events: u32, keep_truth: bool) -> Pressure {
    Pressure { events, pace: Pace::Every(Duration::from_millis(10)), keep_truth }
}

fn flood(events: u32) -> Pressure {
    Pressure { events, pace: Pace::Flood, keep_truth: false }
}

/// More and more requests, until a load lasts for `least`.
async fn until_long(
    within: &Within<'_>,
    least: Duration,
    of: impl Fn(u64) -> Load,
) -> Result<Loaded, CalibrateError> {
    let mut requests = 1;
    loop {
        let loaded = load(within, &of(requests)).await?;
        if loaded.took >= least {
            return Ok(loaded);
        }
        // A little more than would be enough at this pace, since the next one may be faster.
        let wanted = least.as_secs_f64() * 1.2 / loaded.took.as_secs_f64().max(1e-3);
        requests = (requests as f64 * wanted.clamp(2.0, 32.0)).ceil() as u64;
    }
}

fn doubts(timer_delay: Option<&Spread>, optimised: bool) -> Vec<CalibrationDoubt> {
    let late = timer_delay.is_some_and(|delay| delay.p99.get() > LATE_TIMERS.get());
    [(late, CalibrationDoubt::LateTimers), (!optimised, CalibrationDoubt::Unoptimised)]
        .into_iter()
        .filter_map(|(holds, doubt)| holds.then_some(doubt))
        .collect()
}
