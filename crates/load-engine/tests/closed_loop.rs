//! The closed loop against a service with known truth: hours of its time in moments of ours.

mod common;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use common::{DONE, FINISH, HEAD, TOKEN, chunk, job, plan, run_job, run_plan, scripted, service};
use inference_sim::scripted::Step;
use inference_sim::{RequestTruth, SimConfig};
use metrics_core::{ClientSample, Ended, Happening, Outcome, Record};
use tokio::time::Instant;
use workload_model::{Bounds, Client, SampleSet, Schedule, builtin};

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
    let healthy =
        told.events.iter().filter(|event| matches!(event.what, Happening::Health { ready: true, .. }));
    assert!(healthy.count() > 30, "health is asked every second");
    assert!(told.samples.len() > 30, "and so is the generator itself");
    for event in &told.events {
        if let Happening::TierEnded { stage, tier } = &event.what {
            let its_last = |sample: &&ClientSample| {
                sample.at == event.at && sample.tier == Some(*tier) && sample.stage.as_ref() == Some(stage)
            };
            assert_eq!(
                told.samples.iter().filter(its_last).count(),
                1,
                "{stage} {tier} is sampled to its end"
            );
        }
    }
    assert_eq!(told.samples.last().map(|sample| (&sample.stage, sample.tier)), Some((&None, None)));
    for tier in [1, 2, 4, 8, 16] {
        let of_tier = told.samples.iter().filter(|sample| sample.tier == Some(tier));
        let most = of_tier.map(|sample| sample.connections).max();
        assert_eq!(most, Some(u64::from(tier)), "as many connections as requests in flight");
    }
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
        let of_tier: Vec<&Record> = told
            .records
            .iter()
            .filter(|record| record.stage == "sweep" && record.tier == Some(tier))
            .collect();
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
    assert_eq!(
        of_tier.iter().filter(|record| record.facts.connect.is_some()).count(),
        1,
        "one connection serves"
    );
}

#[tokio::test(start_paused = true)]
async fn the_rest_of_a_late_body_lies_between_due_and_sent() {
    const LATE: Duration = Duration::from_millis(30);
    let answer = format!("{HEAD}{}", chunk(&format!("{TOKEN}{FINISH}{DONE}")));
    let one = [Step::WaitRequest, Step::write(answer), Step::Pause(LATE), Step::write("0\r\n\r\n")];
    let service = scripted(vec![one; 20].concat());
    let (_, told) = run_plan(&service, plan(&[1], &[5], Bounds::default()), async |_| {}).await;
    assert_eq!(told.count(Outcome::Effective), 4 + 5);
    let of_tier: Vec<&Record> = told.records.iter().filter(|record| record.stage == "sweep").collect();
    for pair in of_tier.windows(2) {
        let (due, sent) = (pair[1].facts.due, pair[1].facts.sent.expect("sent"));
        assert_eq!(pair[0].facts.end, Some(due), "the place was free");
        assert_eq!(sent.since(due).0 / 1000, 30, "and the client waited");
    }
}

#[tokio::test(start_paused = true)]
async fn a_schedule_without_a_warm_up_runs_every_slot_in_its_own_tier() {
    let mut job = job(plan(&[1, 3], &[6, 9], Bounds::default()));
    let samples = SampleSet { warm_up: Vec::new(), ..builtin() };
    job.schedule = Arc::new(Schedule::new(&job.plan, &samples));
    job.samples = Arc::new(samples);
    let (service, _sim) = service(SimConfig::demo());
    let (_, told) = run_job(&service, job, async |_| {}).await;
    for (tier, count) in [(1, 6), (3, 9)] {
        let of_tier: Vec<&Record> = told.records.iter().filter(|record| record.tier == Some(tier)).collect();
        assert_eq!((of_tier.len(), most_at_once(&of_tier)), (count, tier as usize));
        let planned = told.events.iter().find_map(|event| match &event.what {
            Happening::TierStarted { tier: found, planned, .. } if *found == tier => Some(*planned),
            _ => None,
        });
        assert_eq!(planned, Some(count as u64));
    }
}

#[tokio::test(start_paused = true)]
async fn limits_and_the_pace_of_health_checks_are_those_of_the_plan() {
    let (service, _sim) = service(SimConfig::demo());
    let mut every_ten = plan(&[1], &[3], Bounds::default());
    every_ten.client.health_every_s = 10.0;
    let (_, told) = run_plan(&service, every_ten, async |_| {}).await;
    let health: Vec<_> =
        told.events.iter().filter(|event| matches!(event.what, Happening::Health { .. })).collect();
    assert!(health.windows(2).all(|pair| pair[1].at.since(pair[0].at).0 >= 9_999_000), "{health:?}");

    for limit in [(|client: &mut Client| client.max_event_bytes = 1024) as fn(&mut Client), |client| {
        client.max_body_bytes = 1024
    }] {
        let body = format!("data: {}\n\n", "x".repeat(2000));
        let one = [Step::WaitRequest, Step::write(format!("{HEAD}{}", chunk(&body))), Step::Hang];
        let mut plan = plan(&[1], &[1], Bounds::default());
        limit(&mut plan.client);
        let (_, told) = run_plan(&scripted(one.to_vec()), plan, async |_| {}).await;
        assert!(told.records.iter().all(|record| record.facts.ended == Ended::TooLarge));
        assert!(!told.bodies.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn bodies_of_answers_that_came_whole_and_are_not_effective_are_kept() {
    let answer = |body: &str| format!("{HEAD}{}0\r\n\r\n", chunk(&format!("{body}{FINISH}{DONE}")));
    for (body, outcome) in [("", Outcome::Empty), (TOKEN, Outcome::Effective)] {
        let one = [Step::WaitRequest, Step::write(answer(body))];
        let (_, told) =
            run_plan(&scripted(vec![one; 20].concat()), plan(&[1], &[2], Bounds::default()), async |_| {})
                .await;
        assert_eq!(told.count(outcome), 6);
        let kept = if outcome == Outcome::Effective { 0 } else { 6 };
        assert_eq!(told.bodies.len(), kept);
        assert!(told.bodies.iter().all(|body| body.ends_with(DONE.as_bytes())));
    }
}
