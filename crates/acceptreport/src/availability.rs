//! Whether the service was there all through the measured stages, from the rows and events of a run.

use metrics_core::{ConnectFault, Ended, Event, Happening, Record};
use verdict_rules::Availability;
use workload_model::Plan;

/// A start time that moved by less than this is the same start, rounded differently.
const SAME_START_S: f64 = 1.0;

/// Reads availability off the measured part of a run.
///
/// Ready is a health check that was answered so, unready one that was refused or answered by a server error. Any other,
/// without an answer or with one that says neither (401, 404), says nothing, and neither begins nor ends a spell: under
/// load a service may be too busy to tell.
pub(crate) fn availability(plan: &Plan, events: &[Event], records: &[Record]) -> Availability {
    seen(events, records, |name| plan.stage.iter().any(|stage| stage.name == name && stage.kind.measured()))
}

fn seen(events: &[Event], records: &[Record], measured: impl Fn(&str) -> bool) -> Availability {
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
                if *ready {
                    found.ready += 1;
                    unready = false;
                } else if *refused || status.is_some_and(|status| status >= 500) {
                    found.unready += 1;
                    found.unready_spells += u64::from(!unready);
                    unready = true;
                } else {
                    found.unanswered += 1;
                }
            }
            _ => {}
        }
    }
    let restarts = if starts.len() > 1 { restarts(&starts) } else { None };
    (found.start_time_known, found.restarts) = (restarts.is_some(), restarts.unwrap_or_default());
    found.refusals_in_a_row = longest_refusal(records.iter().filter(|record| measured(&record.stage)));
    found
}

/// How often the start time moved. `None` where one came back: no process does that, so several answer in turn, and a
/// start time of one of them says nothing of the service's.
fn restarts(starts: &[f64]) -> Option<u64> {
    let same = |one: f64, other: f64| (one - other).abs() <= SAME_START_S;
    let mut distinct: Vec<f64> = Vec::new();
    for start in starts {
        match distinct.iter().position(|before| same(*before, *start)) {
            Some(at) if at + 1 < distinct.len() => return None,
            Some(_) => {}
            None => distinct.push(*start),
        }
    }
    Some(distinct.len().saturating_sub(1) as u64)
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

#[cfg(test)]
mod tests {
    use metrics_core::Micros;

    use super::*;

    #[test]
    fn a_start_time_that_moved_is_a_restart_and_one_that_comes_back_is_another_process() {
        for (starts, expected) in [
            (vec![], Some(0)),
            (vec![100.0, 100.4, 99.7], Some(0)),
            (vec![100.0, 200.0, 200.0], Some(1)),
            (vec![100.0, 200.0, 300.0, 300.0], Some(2)),
            (vec![100.0, 90.0], Some(1)),
            (vec![100.0, 200.0, 100.0], None),
            (vec![100.0, 100.0, 200.0, 300.0, 200.0], None),
        ] {
            assert_eq!(restarts(&starts), expected, "{starts:?}");
        }
    }

    fn of(checks: &[(bool, bool, Option<u16>)]) -> Availability {
        let begin = Happening::StageStarted { stage: "steps".to_owned() };
        let checks = checks.iter().map(|(ready, refused, status)| Happening::Health {
            ready: *ready,
            refused: *refused,
            status: *status,
            path: "/health".to_owned(),
        });
        let events: Vec<Event> =
            std::iter::once(begin).chain(checks).map(|what| Event { at: Micros(0), what }).collect();
        seen(&events, &[], |name| name == "steps")
    }

    #[test]
    fn a_check_without_a_telling_answer_is_neither_ready_nor_a_spell() {
        let (up, silent, down) = ((true, false, Some(200)), (false, false, None), (false, false, Some(503)));
        let unknown = (false, false, Some(404));
        let refused = (false, true, None);
        for (checks, expected) in [
            (vec![silent, unknown, silent], (3, 0, 0, 3, 0)),
            (vec![up, silent, up], (3, 2, 0, 1, 0)),
            (vec![up, down, silent, refused, up], (5, 2, 2, 1, 1)),
            (vec![down, up, refused], (3, 1, 2, 0, 2)),
        ] {
            let seen = of(&checks);
            let found = (seen.health_checks, seen.ready, seen.unready, seen.unanswered, seen.unready_spells);
            assert_eq!(found, expected, "{checks:?}");
        }
    }
}
