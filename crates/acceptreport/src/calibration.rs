//! Whether the calibration in a package speaks for its run.
//!
//! The file is text that anyone may write until the package is frozen, so it is held against what the run says of itself.

use evidence_pack::Environment;
use metrics_core::{Calibration, CalibrationUse, Event};
use workload_model::Plan;

/// The calibration, where it was measured on the run's host, by the same program and for as many threads, and not after
/// the run. One that was not is none.
pub(crate) fn speaking(
    calibration: Option<Calibration>,
    plan: &Plan,
    environment: &Environment,
    events: &[Event],
) -> Option<Calibration> {
    calibration.filter(|calibration| {
        // Older packages do not tell their host's fingerprint, and are taken at their word.
        let fingerprint = environment.host.fingerprint.as_ref().unwrap_or(&calibration.host.fingerprint);
        let speaks = |at: &str| {
            let run = CalibrationUse {
                at,
                fingerprint,
                tool_version: &environment.tool.version,
                optimised: environment.tool.optimised,
                io_threads: plan.client.io_threads,
            };
            calibration.speaks_for(&run).is_ok()
        };
        // A short one is measured within the run, after its clock was set.
        speaks(&environment.started_at) || ended_at(environment, events).is_some_and(|end| speaks(&end))
    })
}

fn ended_at(environment: &Environment, events: &[Event]) -> Option<String> {
    let started: jiff::Timestamp = environment.started_at.parse().ok()?;
    let last = i64::try_from(events.iter().map(|event| event.at.0).max()?).ok()?;
    Some(started.checked_add(jiff::SignedDuration::from_micros(last)).ok()?.to_string())
}
