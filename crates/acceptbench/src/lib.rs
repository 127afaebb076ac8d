//! Measures a large-language-model inference service and keeps the evidence.
#![doc = include_str!("../README.md")]

mod calibrate;
mod calibrating;
pub mod cli;
mod counting;
mod estimate;
mod headers;
mod key;
mod locate;
mod out;
mod profile;
mod progress;
mod recorder;
mod samples;
mod signals;
mod sweep;
mod terminal;

pub use calibrate::{Calibrate, CalibrateError, Effort, Part, calibrate};
pub use calibrating::{CALIBRATION_FILE, Calibrating, Unusable, UnusableCalibration};
pub use counting::{CountingError, ServiceCounter, UsageProbe};
pub use estimate::Estimate;
pub use headers::{Header, HeaderError, header_of};
pub use key::{DEFAULT_KEY_ENV, KeyError, api_key};
pub use profile::{MakeProfileError, ProfileJob, Profiled, format_named, format_names, make_profile};
pub use samples::{
    MakeSetError, OpenSetError, SetJob, SetMade, drawing, expired, groups_of, make_set, open_profile,
    open_set, samples_of,
};
pub use sweep::{Confidence, Sweep, SweepError, Swept, USER_AGENT, redactor, service, sweep};
