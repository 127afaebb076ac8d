//! The standard sweep against two simulated services.

use std::{collections::BTreeMap, time::Duration};

use inference_sim::{RequestTruth, SimConfig, spawn_thread};
use metrics_core::{Micros, Percent, Record, Seconds};
use workload_model::{STANDARD_TIERS, standard_warm_up, sweep_plan};

use super::at;
use crate::common::{Outcome, run_plan, target};

/// Floors in milliseconds for the P99 error.
const TTFT_FLOOR_MS: f64 = 1.0;
const TPOT_FLOOR_MS: f64 = 0.2;

/// Prints every tier; false where a floor is missed.
pub(crate) fn compare() -> Outcome<bool> {
    println!("error = client - service, in ms; floors at P99: TTFT {TTFT_FLOOR_MS}, TPOT {TPOT_FLOOR_MS}");
    let steady = SimConfig {
        decode_base: Duration::from_millis(10),
        decode_per_sequence: Duration::ZERO,
        step_jitter: 0.0,
        max_batch: 64,
        ..SimConfig::demo()
    };
    let mut met = true;
    for (name, config) in [("demo", SimConfig::demo()), ("steady 10 ms", steady)] {
        let (records, truths) = sweep(config)?;
        for tier in STANDARD_TIERS {
            met &= tier_meets(name, tier, &records, &truths);
        }
    }
    Ok(met)
}

/// What the service wrote down, by request id.
type Truths = BTreeMap<String, RequestTruth>;

/// Sweeps a service of this kind; what the client saw, and what the service wrote down.
fn sweep(config: SimConfig) -> Outcome<(Vec<Record>, Truths)> {
    let model = config.model.clone();
    let sim = spawn_thread(config, "127.0.0.1:0")?;
    let target = target(&sim.base_url(), &model);
    let plan = sweep_plan(target, &STANDARD_TIERS, &[], standard_warm_up(&STANDARD_TIERS));
    let folder = tempfile::tempdir()?;
    let records = run_plan(plan, &folder.path().join("package"))?.records;
    let truths =
        sim.truth().into_iter().filter_map(|truth| Some((truth.request_id.clone()?, truth))).collect();
    Ok((records, truths))
}

/// Prints one tier's errors; false where a floor is missed.
fn tier_meets(name: &str, tier: u32, records: &[Record], truths: &Truths) -> bool {
    let pairs: Vec<(&Record, &RequestTruth)> = records
        .iter()
        .filter(|record| record.stage == workload_model::SWEEP_STAGE && record.tier == Some(tier))
        .filter_map(|record| Some((record, truths.get(record.facts.request_id.as_deref()?)?)))
        .collect();
    let ttft = errors(&pairs, |record| record.facts.ttft(), RequestTruth::ttft);
    let from_sent = errors(&pairs, |record| record.facts.ttft_from_sent(), RequestTruth::ttft);
    let e2e = errors(&pairs, |record| record.facts.e2e(), RequestTruth::e2e);
    let tpot: Vec<f64> = pairs
        .iter()
        .filter_map(|(record, truth)| Some(ms(record.facts.tpot()?.get()) - ms(true_tpot(truth)?)))
        .collect();
    println!(
        "{name:>13} C{tier:<3} n {:>3}  TTFT {}  from sent {}  E2E {}  TPOT {}",
        pairs.len(),
        spread(&ttft),
        spread(&from_sent),
        spread(&e2e),
        spread(&tpot)
    );
    p99(&ttft) <= TTFT_FLOOR_MS && p99(&tpot) <= TPOT_FLOOR_MS
}

fn errors(
    pairs: &[(&Record, &RequestTruth)],
    measured: impl Fn(&Record) -> Option<Micros>,
    truth: impl Fn(&RequestTruth) -> Option<Duration>,
) -> Vec<f64> {
    let error = |(record, of): &(&Record, &RequestTruth)| {
        Some(ms(Seconds::from(measured(record)?).get()) - ms(truth(of)?.as_secs_f64()))
    };
    pairs.iter().filter_map(error).collect()
}

/// Time between the first and the last token, a token after the first.
fn true_tpot(truth: &RequestTruth) -> Option<f64> {
    let (first, last) = (truth.events.first()?, truth.events.last()?);
    let gaps = truth.events.len().checked_sub(1).filter(|gaps| *gaps > 0)?;
    Some((last.at - first.at).as_secs_f64() / gaps as f64)
}

fn ms(seconds: f64) -> f64 {
    seconds * 1e3
}

/// The absolute error's P50 and P99.
fn spread(errors: &[f64]) -> String {
    format!("P50 {:.3} P99 {:.3}", at(errors, Percent::P50), p99(errors))
}

fn p99(errors: &[f64]) -> f64 {
    at(errors, Percent::P99)
}
