//! The sections of the report, one file each, in the order of the document.

pub(crate) mod advice;
pub(crate) mod archive;
pub(crate) mod calibration;
pub(crate) mod conclusion;
pub(crate) mod control;
pub(crate) mod course;
pub(crate) mod cover;
pub(crate) mod criteria;
pub(crate) mod definitions;
pub(crate) mod detail;
pub(crate) mod distributions;
pub(crate) mod generator;
pub(crate) mod generator_timeline;
pub(crate) mod groups;
pub(crate) mod next_steps;
pub(crate) mod outcomes;
pub(crate) mod over_time;
pub(crate) mod request_timeline;
pub(crate) mod results;
pub(crate) mod samples;
pub(crate) mod scope;
pub(crate) mod signatures;
pub(crate) mod sla;
pub(crate) mod trend;
pub(crate) mod turns;
pub(crate) mod warnings;
