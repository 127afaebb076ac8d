//! The crate from outside: every definition against a naive one, every outcome, every warning, and the
//! reports of what went wrong elsewhere.
#![expect(clippy::unwrap_used, reason = "a test that finds nothing to unwrap has failed")]

mod calibration;
mod classification;
mod control;
mod courses;
mod finish_reasons;
mod generator;
mod json;
mod limits;
mod oracle;
mod oracle_parts;
mod parts;
mod random_runs;
mod reports;
mod scene;
mod warnings;
