//! The closed loop against a service with known truth: hours of its time in moments of ours.

mod common;

use std::{collections::BTreeMap, time::Duration};

use common::{plan, run_plan, service};
use inference_sim::{RequestTruth, SimConfig};
use metrics_core::{Happening, Outcome, Record};
use tokio::time::Instant;
use workload_model::Bounds;

#[tokio::test(start_paused = true)]
async fn the_standard_sweep_settles_every_slot_once_and_tells_its_course() {
    let (service, _sim) = service(SimConfig::demo());
    let sweep = plan(&[1, 2, 4, 8, 16], &[], Bounds::default());
    let begun = Instant::now();
    let (ended, told) = run_plan(&service, sweep, async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, None);
    assert_eq!(told.seqs(), (0..196).collect::<Vec<_>>());
    assert_eq!(told.count(Outcome::Effective), 196);
    assert!(begun.elapsed() > Duration::from_secs(30), "the service's own time did pass");

    let tiers: Vec<_> = told
        .events
        .iter()
        .filter_map(|event| match &event.what {
            Happening::TierStarted { tier, planned, .. } => Some((*tier, *planned)),
            _ => None,
        })
        .collect();
    assert_eq!(tiers, [(16, 16), (1, 20), (2, 20), (4, 20), (8, 40), (16, 80)]);
    assert!(matches!(told.events.last().map(|event| &event.what), Some(Happening::RunEnded)));
    let healthy = told.events.iter().filter(|event| matches!(event.what, Happening::Health { ready: true, .. }));
    assert!(healthy.count() > 30, "health is asked every second");
    assert!(told.samples.len() > 30, "and so is the generator itself");
}

#[tokio::test(start_paused = true)]
async fn exactly_c_requests_are_in_flight_and_instants_are_the_services_own() {
    let (service, sim) = service(SimConfig::demo());
    let origin = Instant::now();
    let (_, told) = run_plan(&service, plan(&[1, 3], &[9, 12], Bounds::default()), async |_| {}).await;
    let truths: BTreeMap<String, RequestTruth> =
        sim.truth().into_iter().filter_map(|truth| Some((truth.request_id.clone()?, truth))).collect();
    for record in &told.records {
        let truth = &truths[record.facts.request_id.as_deref().expect("sent")];
        let at = |instant: Instant| u64::try_from((instant - origin).as_micros()).expect("small");
        assert_eq!(record.facts.sent.map(|at| at.0), Some(at(truth.received)), "no time passes in memory");
        assert_eq!(record.facts.first_token.map(|at| at.0), truth.events.first().map(|event| at(event.at)));
        assert_eq!(record.facts.last_token.map(|at| at.0), truth.events.last().map(|event| at(event.at)));
        assert_eq!(record.facts.end.map(|at| at.0), truth.done_written.map(at));
        assert_eq!(record.facts.output_tokens.map(|tokens| tokens.0), Some(truth.output_tokens));
        assert_eq!(record.facts.prompt_tokens.map(|tokens| tokens.0), Some(truth.prompt_tokens));
        let sum: u64 = record.facts.gaps_us.iter().sum();
        assert_eq!(record.facts.first_token.map(|at| at.0 + sum), record.facts.last_token.map(|at| at.0));
    }
    for (tier, count) in [(1, 9), (3, 12)] {
        let of_tier: Vec<&Record> =
            told.records.iter().filter(|record| record.stage == "sweep" && record.tier == Some(tier)).collect();
        assert_eq!(of_tier.len(), count);
        assert_eq!(most_at_once(&of_tier), tier as usize);
    }
}

/// Most requests between due and end at one instant.
fn most_at_once(records: &[&Record]) -> usize {
    let span = |record: &&&Record| (record.facts.due, record.facts.end.expect("ended"));
    let spans: Vec<_> = records.iter().map(|record| span(&record)).collect();
    spans.iter().map(|(due, _)| spans.iter().filter(|(d, e)| d <= due && due < e).count()).max().unwrap_or(0)
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_due_when_the_one_before_has_ended() {
    let (service, _sim) = service(SimConfig::demo());
    let (_, told) = run_plan(&service, plan(&[1], &[5], Bounds::default()), async |_| {}).await;
    let of_tier: Vec<&Record> = told.records.iter().filter(|record| record.stage == "sweep").collect();
    for pair in of_tier.windows(2) {
        // Reading the rest of the body after [DONE] takes no time in memory.
        assert_eq!(pair[0].facts.end, Some(pair[1].facts.due));
    }
    assert_eq!(of_tier.iter().filter(|record| record.facts.connect.is_some()).count(), 1, "one connection serves");
}
