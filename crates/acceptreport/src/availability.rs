//! Whether the service was there all through the measured stages, from the rows and events of a run.

use metrics_core::{ConnectFault, Ended, Event, Happening, Record};
use verdict_rules::Availability;
use workload_model::Plan;

/// A start time that moved by less than this is the same start, rounded differently.
const SAME_START_S: f64 = 1.0;

/// Reads availability off the measured part of a run.
///
/// A health check without any answer says nothing: under load a service may be too busy to tell. Unready is one that
/// refuses the connection or answers with a server error.
pub(crate) fn availability(plan: &Plan, events: &[Event], records: &[Record]) -> Availability {
    let measured = |name: &str| plan.stage.iter().any(|stage| stage.name == name && stage.kind.measured());
    let mut found = Availability::default();
    let mut within = false;
    let mut unready = false;
    let mut starts = Vec::new();
    for event in events {
        match &event.what {
            Happening::StageStarted { stage } => within = measured(stage),
            Happening::StageEnded { .. } => within = false,
            Happening::ServiceStartTime { seconds } => starts.push(*seconds),
            Happening::Health { ready, refused, status, .. } if within => {
                found.health_checks += 1;
                let down = !ready && (*refused || status.is_some_and(|status| status >= 500));
                if down && !unready {
                    found.unready_spells += 1;
                }
                unready = down;
            }
            _ => {}
        }
    }
    found.start_time_known = starts.len() > 1;
    let moved = |pair: &&[f64]| matches!(pair, [then, now] if (now - then).abs() > SAME_START_S);
    found.restarts = starts.windows(2).filter(moved).count() as u64;
    found.refusals_in_a_row = longest_refusal(records.iter().filter(|record| measured(&record.stage)));
    found
}

fn longest_refusal<'r>(records: impl Iterator<Item = &'r Record>) -> u64 {
    let mut ended: Vec<_> =
        records.filter_map(|record| Some((record.facts.end?, record.facts.ended))).collect();
    ended.sort_by_key(|(end, _)| *end);
    let mut longest = 0;
    let mut row = 0;
    for (_, how) in ended {
        row = if how == Ended::Connect(ConnectFault::Refused) { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    longest
}
