//! The control stages of a run, on a paused clock.

mod common;

use common::{plan, run_plan, service};
use inference_sim::SimConfig;
use metrics_core::{Ended, Happening, Outcome, Record};
use workload_model::{Bounds, CONTROL_RECORDING_STAGE, CONTROL_THREADS_STAGE, SWEEP_STAGE};

/// The rows of a stage at C3, by their place in the schedule.
fn rows<'r>(records: &'r [Record], stage: &str) -> Vec<&'r Record> {
    let mut rows: Vec<&Record> =
        records.iter().filter(|record| record.stage == stage && record.tier == Some(3)).collect();
    rows.sort_by_key(|record| record.seq);
    rows
}

#[tokio::test(start_paused = true)]
async fn every_row_comes_and_a_row_of_reduced_recording_says_nothing_of_its_reads_and_text() {
    let (service, _sim) = service(SimConfig::demo());
    let mut plan = plan(&[1, 3], &[6, 9], Bounds::default());
    plan.add_control();
    let (ended, told) = run_plan(&service, plan, async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, None);
    assert_eq!(told.seqs(), (0..4 + 6 + 9 + 9 + 9).collect::<Vec<_>>());
    assert_eq!(told.count(Outcome::Effective), 37);

    let stages = [SWEEP_STAGE, CONTROL_THREADS_STAGE, CONTROL_RECORDING_STAGE];
    let [tier, threads, recording] = stages.map(|stage| rows(&told.records, stage));
    let samples = |rows: &[&Record]| rows.iter().map(|row| row.sample.clone()).collect::<Vec<_>>();
    assert_eq!((samples(&tier), tier.len()), (samples(&threads), 9), "the same prompts in the same order");
    assert_eq!(samples(&tier), samples(&recording));
    for row in tier.iter().chain(&threads) {
        assert_eq!(row.facts.gaps_us.len() as u64 + 1, row.facts.token_events, "{row:?}");
        assert!(row.facts.text_sha256.is_some());
    }
    for row in recording {
        let facts = &row.facts;
        assert!(facts.token_events > 1, "{facts:?}");
        assert_eq!((facts.gaps_us.len(), facts.gap_events.len(), &facts.text_sha256), (0, 0, &None));
        assert!(facts.first_token < facts.last_token && facts.last_token <= facts.end, "{facts:?}");
        assert_eq!((facts.tpot(), facts.token_reads().count()), (None, 0));
        assert!(facts.output_tokens.is_some() && facts.prompt_tokens.is_some() && facts.bytes > 0);
    }

    let begun: Vec<&str> = told
        .events
        .iter()
        .filter_map(|event| match &event.what {
            Happening::StageStarted { stage } => Some(stage.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(begun, ["warm_up", SWEEP_STAGE, CONTROL_THREADS_STAGE, CONTROL_RECORDING_STAGE]);
    for stage in stages {
        assert!(
            told.samples.iter().any(|sample| sample.stage.as_deref() == Some(stage)),
            "{stage} is sampled"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_control_that_is_cut_short_has_its_rows_as_well() {
    let (service, _sim) = service(SimConfig::demo());
    let bounds = Bounds { max_requests: Some(4 + 9 + 5), ..Bounds::default() };
    let mut plan = plan(&[3], &[9], bounds);
    plan.add_control();
    let (_, told) = run_plan(&service, plan, async |_| {}).await;
    assert_eq!(told.seqs(), (0..31).collect::<Vec<_>>());
    let sent = [SWEEP_STAGE, CONTROL_THREADS_STAGE, CONTROL_RECORDING_STAGE].map(|stage| {
        let rows = rows(&told.records, stage);
        rows.iter().filter(|row| row.facts.ended != Ended::NotSent).count()
    });
    assert_eq!(sent, [9, 5, 0]);
}
