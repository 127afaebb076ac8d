//! Whether the service was there all through the measured stages, from the rows and events of a run.

use std::collections::BTreeMap;

use metrics_core::{ConnectFault, Ended, Event, Happening, Outcome, Record, SuccessRule, classify};
use verdict_rules::Availability;
use workload_model::Plan;

/// A start time that moved by less than this is the same start, rounded differently.
const SAME_START_S: f64 = 1.0;

/// Where a run stands against its measured stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// None of them has begun.
    Before,
    /// In one of them.
    Measured,
    /// After one; its closing start time is still to come.
    Ended,
    /// After one, and after its closing start time: what comes now tells of a control, which enters nothing.
    Closed,
}

/// Reads availability off the measured part of a run.
///
/// The first start time after a measured stage is the one that closes it.
///
/// Ready is a health check that was answered so, unready one that was refused or answered by a server error. Any other,
/// without an answer or with one that says neither (401, 404), says nothing, and neither begins nor ends a spell: under
/// load a service may be too busy to tell.
pub(crate) fn availability(plan: &Plan, events: &[Event], records: &[Record]) -> Availability {
    let measured = |name: &str| plan.stage.iter().any(|stage| stage.name == name && stage.kind.measured());
    let (of_stages, rules) = (records.iter().filter(|record| measured(&record.stage)), plan.rules());
    Availability {
        malformed_without_tokens: malformed_without_tokens(of_stages, &rules),
        ..seen(events, records, measured)
    }
}

/// Answers that could not be read and brought nothing of a model: a head that never ends is no answer of one.
fn malformed_without_tokens<'r>(
    records: impl Iterator<Item = &'r Record>,
    rules: &BTreeMap<String, SuccessRule>,
) -> u64 {
    let otherwise = SuccessRule::default();
    let is = |record: &&Record| {
        let rule = rules.get(&record.group).unwrap_or(&otherwise);
        record.facts.token_events == 0 && classify(&record.facts, rule) == Outcome::Malformed
    };
    // Of a request that was tried again, the last row counts.
    let last: BTreeMap<u64, &Record> = records.map(|record| (record.seq, record)).collect();
    last.into_values().filter(is).count() as u64
}

fn seen(events: &[Event], records: &[Record], measured: impl Fn(&str) -> bool) -> Availability {
    let mut found = Availability::default();
    let mut at = Stage::Before;
    let mut unready = false;
    let mut starts = Vec::new();
    for event in events {
        match &event.what {
            Happening::StageStarted { stage } if measured(stage) => at = Stage::Measured,
            Happening::StageEnded { .. } if at == Stage::Measured => at = Stage::Ended,
            Happening::ServiceStartTime { seconds } if at != Stage::Closed => {
                starts.push(*seconds);
                if at == Stage::Ended {
                    at = Stage::Closed;
                }
            }
            Happening::Health { ready, refused, status, .. } if at == Stage::Measured => {
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
    use metrics_core::{Facts, Micros};

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

    /// Twice measured, with a reading before, at each step and after; then a control with one of its own.
    #[test]
    fn a_restart_during_a_control_is_none_of_the_acceptance() {
        let with = |starts: [f64; 5]| {
            let [before, first, second, closing, after] =
                starts.map(|seconds| vec![Happening::ServiceStartTime { seconds }]);
            let begin = |stage: &str| vec![Happening::StageStarted { stage: stage.to_owned() }];
            let end = |stage: &str| vec![Happening::StageEnded { stage: stage.to_owned() }];
            let run = [
                before,
                begin("warm"),
                end("warm"),
                begin("steps"),
                first,
                second,
                end("steps"),
                begin("control"),
                closing,
                end("control"),
                after,
            ];
            let events: Vec<Event> =
                run.into_iter().flatten().map(|what| Event { at: Micros(0), what }).collect();
            let found = seen(&events, &[], |name| name == "steps");
            (found.start_time_known, found.restarts)
        };
        assert_eq!(with([1e3, 1e3, 1e3, 1e3, 1e3]), (true, 0));
        assert_eq!(with([1e3, 1e3, 1e3, 1e3, 2e3]), (true, 0), "during the control");
        assert_eq!(with([1e3, 1e3, 1e3, 2e3, 2e3]), (true, 1), "in the last step");
        assert_eq!(with([1e3, 1e3, 2e3, 2e3, 3e3]), (true, 1));
        assert_eq!(with([1e3, 1e3, 2e3, 2e3, 1e3]), (true, 1));
    }

    #[test]
    fn a_head_without_end_is_no_answer_of_a_model() {
        let row = |seq, token_events| Record {
            seq,
            stage: "steps".to_owned(),
            tier: Some(1),
            group: "all".to_owned(),
            sample: "s".to_owned(),
            attempt: 0,
            turn: None,
            origin: None,
            facts: Facts { ended: Ended::TooLarge, status: Some(200), token_events, ..Facts::default() },
        };
        let effective = |seq| {
            let mut whole = row(seq, 3);
            whole.facts.ended = Ended::Done;
            whole
        };
        let records = [row(0, 0), row(1, 0), row(2, 5), effective(3)];
        assert_eq!(malformed_without_tokens(records.iter(), &BTreeMap::new()), 2);
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
