//! Arguments that say which calibration a sweep is held against.

use std::path::PathBuf;

use crate::calibrating::Calibrating;

#[derive(Debug, clap::Args)]
pub(super) struct CalibrationArguments {
    /// Calibration of this generator, as `acceptbench calibrate` writes it. One that is older than 30 days, of another
    /// machine or limit on open files, of another version or build of this program, or for another number of IO threads is
    /// refused [default: calibration.json in this folder, else a short one is made].
    #[arg(long, value_name = "FILE", conflicts_with = "no_calibration")]
    calibration: Option<PathBuf>,
    /// Do without: the report says that the generator's headroom is not known.
    #[arg(long)]
    no_calibration: bool,
}

impl CalibrationArguments {
    pub(super) fn calibrating(&self) -> Calibrating {
        match &self.calibration {
            Some(path) => Calibrating::Named(path.clone()),
            None if self.no_calibration => Calibrating::None,
            None => Calibrating::default(),
        }
    }
}
