//! The demonstration service under the standard sweep, on a paused clock.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{connect, streamed};
use inference_sim::{Sim, SimConfig};
use serde_json::json;
use tokio::time::Instant;

/// The lengths of twenty prompts in tokens: most are short, four are long, as in a usual set. Every tier cycles
/// through them.
const LENGTHS: [usize; 20] =
    [18, 37, 510, 15, 57, 24, 63, 306, 30, 42, 70, 21, 28, 40, 476, 33, 52, 33, 41, 285];

/// A prompt behind an opening that no other request has.
fn prompt(sample: usize, send: usize) -> String {
    format!("[{send:012x}] {}{sample}", "word ".repeat(LENGTHS[sample] - 5))
}

#[derive(Debug)]
struct Tier {
    window: Duration,
    ttft_p50: Duration,
    e2e_per_token_p50: f64,
    output_tps: f64,
    sustained_tps: f64,
}

fn median<T: PartialOrd + Copy>(mut values: Vec<T>) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).unwrap());
    values[values.len().div_ceil(2) - 1]
}

/// A closed loop: so many connections, each sending its next request when the last one has ended.
async fn tier(sim: &Sim, concurrency: usize, requests: usize, sends: &mut usize) -> Tier {
    let begin = Instant::now();
    let queue = std::sync::Arc::new(std::sync::Mutex::new(
        (0..requests).map(|n| (n, *sends + n)).collect::<Vec<_>>(),
    ));
    *sends += requests;
    queue.lock().unwrap().reverse();
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..concurrency {
        let (mut client, queue) = (connect(sim), std::sync::Arc::clone(&queue));
        clients.spawn(async move {
            loop {
                let Some((sample, send)) = queue.lock().unwrap().pop() else { return };
                let reply = client.chat(&streamed(&prompt(sample % 20, send), json!({}))).await;
                assert!(reply.done());
            }
        });
    }
    clients.join_all().await;
    let window = begin.elapsed();
    let truths = sim.truth();
    assert_eq!(truths.len(), requests);
    let tokens: u64 = truths.iter().map(|truth| truth.output_tokens).sum();

    // Sustained: from the arrival that fills all places to the first end after the last arrival.
    let mut arrivals: Vec<Instant> = truths.iter().map(|truth| truth.received).collect();
    arrivals.sort();
    let (full, last) = (arrivals[concurrency - 1], arrivals[requests - 1]);
    let ebb = truths.iter().filter_map(|truth| truth.done_written).filter(|end| *end > last).min().unwrap();
    let steady =
        truths.iter().flat_map(|truth| &truth.events).filter(|event| (full..=ebb).contains(&event.at));
    Tier {
        window,
        ttft_p50: median(truths.iter().map(|truth| truth.ttft().unwrap()).collect()),
        e2e_per_token_p50: median(
            truths
                .iter()
                .map(|truth| truth.e2e().unwrap().as_secs_f64() / truth.output_tokens as f64)
                .collect(),
        ),
        output_tps: tokens as f64 / window.as_secs_f64(),
        sustained_tps: steady.map(|event| event.tokens).sum::<u64>() as f64 / (ebb - full).as_secs_f64(),
    }
}

#[tokio::test(start_paused = true)]
async fn the_demonstration_service_shows_what_load_does() {
    let sim = Sim::new(SimConfig::demo());
    let begin = Instant::now();
    let mut sends = 0;
    tier(&sim, 16, 16, &mut sends).await;
    let mut tiers = Vec::new();
    for (concurrency, requests) in [(1, 20), (2, 20), (4, 20), (8, 40), (16, 80)] {
        tiers.push(tier(&sim, concurrency, requests, &mut sends).await);
    }
    let total = begin.elapsed();

    assert!((45..60).contains(&total.as_secs()), "{total:?} {tiers:#?}");
    for pair in tiers.windows(2) {
        let [low, high] = pair else { unreachable!() };
        assert!(high.ttft_p50 > low.ttft_p50, "{low:?} {high:?}");
        assert!(high.e2e_per_token_p50 > low.e2e_per_token_p50, "{low:?} {high:?}");
        assert!(high.output_tps > low.output_tps * 1.05, "{low:?} {high:?}");
        assert!(high.sustained_tps > low.sustained_tps * 1.05, "{low:?} {high:?}");
    }
    let (c1, c4) = (&tiers[0], &tiers[2]);
    assert!((40..90).contains(&c1.ttft_p50.as_millis()), "{c1:?}");
    assert!(c4.ttft_p50 < c1.ttft_p50 * 2, "{c4:?}");
    assert!(c4.e2e_per_token_p50 < c1.e2e_per_token_p50 * 1.5, "{c4:?}");
}

#[tokio::test(start_paused = true)]
async fn the_same_sweep_twice_is_the_same_to_the_nanosecond() {
    let run = || async {
        let sim = Sim::new(SimConfig::demo());
        let mut sends = 0;
        let tier = tier(&sim, 4, 12, &mut sends).await;
        (tier.window, tier.ttft_p50)
    };
    assert_eq!(run().await, run().await);
}
