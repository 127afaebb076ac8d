//! Which calibration a sweep is held against.

use std::{
    io,
    path::{Path, PathBuf},
};

use evidence_pack::{CalibrationFileError, parse_calibration};
use load_engine::host_facts;
use metrics_core::{Calibration, CalibrationError, CalibrationUse};
use report_render::Language;

use crate::{
    calibrate::{Calibrate, Effort, calibrate},
    sweep::tool,
    terminal::warn,
};

/// Name of the file that `acceptbench calibrate` writes where none is given.
pub const CALIBRATION_FILE: &str = "calibration.json";

/// Which calibration a sweep is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Calibrating {
    /// None: the package says that its generator was not calibrated.
    None,
    /// This file's. Where it does not speak for the run, nothing is sent.
    Named(PathBuf),
    /// This file's, if it is there and speaks for the run; else a short one is made, of about five seconds.
    FoundOrShort(PathBuf),
}

/// [`CALIBRATION_FILE`] in the current folder, or a short one.
impl Default for Calibrating {
    fn default() -> Self {
        Self::FoundOrShort(CALIBRATION_FILE.into())
    }
}

/// A calibration that was named cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("take {}: {why}", path.display())]
pub struct UnusableCalibration {
    /// The file.
    path: PathBuf,
    /// Why.
    why: Unusable,
}

/// Why a file is no calibration for a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unusable {
    /// It cannot be read.
    #[error("read the file: {0} (make one with `acceptbench calibrate`)")]
    Read(#[from] io::Error),
    /// It is none.
    #[error(transparent)]
    File(#[from] CalibrationFileError),
    /// It does not speak for the run.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
}

impl UnusableCalibration {
    fn is_missing(&self) -> bool {
        matches!(&self.why, Unusable::Read(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// What was found before anything was sent.
#[derive(Debug)]
pub(crate) enum Found {
    /// The run goes without one.
    None,
    /// One that speaks for the run.
    Ready(Box<Calibration>),
    /// One is to be made.
    ToMeasure,
}

impl Calibrating {
    /// Reads and judges a file, where there is one.
    ///
    /// # Errors
    /// Where it was named, and cannot be used.
    pub(crate) fn find(&self, io_threads: u32, l: Language) -> Result<Found, UnusableCalibration> {
        let ready = |path| read(path, io_threads).map(|found| Found::Ready(Box::new(found)));
        match self {
            Self::None => Ok(Found::None),
            Self::Named(path) => ready(path),
            Self::FoundOrShort(path) => Ok(ready(path).unwrap_or_else(|error| {
                if !error.is_missing() {
                    warn(&l.say(
                        format!("warning: failed to {error}; a short calibration is made in its place"),
                        format!("警告：标定文件不可用（{error}），改作一次简短标定"),
                    ));
                }
                Found::ToMeasure
            })),
        }
    }
}

fn read(path: &Path, io_threads: u32) -> Result<Calibration, UnusableCalibration> {
    usable(path, io_threads).map_err(|why| UnusableCalibration { path: path.to_owned(), why })
}

fn usable(path: &Path, io_threads: u32) -> Result<Calibration, Unusable> {
    let calibration = parse_calibration(&std::fs::read_to_string(path)?)?;
    let (host, tool, now) = (host_facts(), tool(), jiff::Timestamp::now().to_string());
    calibration.speaks_for(&CalibrationUse {
        at: &now,
        fingerprint: &host.fingerprint,
        tool_version: &tool.version,
        optimised: tool.optimised,
        io_threads,
    })?;
    Ok(calibration)
}

/// Makes a short one, beside the package. Where that fails, the run goes on without one, and says so.
pub(crate) async fn measure(out: &Path, io_threads: u32, l: Language, quiet: bool) -> Option<Calibration> {
    if !quiet {
        warn(l.say(
            "measuring the limits of this generator for about 5 s (`acceptbench calibrate` keeps them)",
            "正在标定测试端自身上限，约 5 秒（可用 `acceptbench calibrate` 预先标定并留存）",
        ));
    }
    let beside = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let asked = Calibrate { io_threads, effort: Effort::Short, beside: beside.to_owned() };
    match calibrate(&asked, |_| {}).await {
        Ok(calibration) => Some(calibration),
        Err(error) => {
            warn(&l.say(
                format!("warning: failed to {error}; the run goes on uncalibrated"),
                format!("警告：标定失败（{error}），测试照常进行，但未经标定"),
            ));
            None
        }
    }
}
