//! The service's start time is read at every border of tiers, and the load does not wait for it.

mod common;

use std::time::Duration;

use common::{Told, at, plan, run_plan, service};
use inference_sim::{Sim, SimConfig};
use metrics_core::Happening;
use sse_client::{Connect, ConnectError};
use tokio::io::{AsyncReadExt, DuplexStream};
use workload_model::Bounds;

const TIERS: [u32; 3] = [1, 2, 4];

/// A simulated service in memory whose `/metrics` never answers.
struct SilentMetrics {
    sim: Sim,
}

impl Connect for SilentMetrics {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        let (client, mut server) = tokio::io::duplex(64 << 10);
        let sim = self.sim.clone();
        tokio::spawn(async move {
            let mut begun = vec![0; "GET /metrics".len()];
            if server.read_exact(&mut begun).await.is_err() {
                return;
            }
            if begun == b"GET /metrics" {
                // Reads on until the client gives up.
                let _ = server.read_to_end(&mut begun).await;
            } else {
                let (read, write) = tokio::io::split(server);
                sim.serve_connection(tokio::io::join(begun.chain(read), write)).await;
            }
        });
        Ok(client)
    }
}

fn config() -> SimConfig {
    SimConfig { process_start_s: Some(1_500_000_000.5), ..SimConfig::demo() }
}

/// For every step: its name, how long it took in microseconds, and how many start times were told in it. At the end the
/// same for what lies outside of steps, without a duration.
fn steps(told: &Told) -> Vec<(String, u64, usize)> {
    let (mut found, mut outside, mut open) = (Vec::new(), 0, None);
    for event in &told.events {
        match (&event.what, &mut open) {
            (Happening::TierStarted { stage, tier, .. }, open) => {
                *open = Some((format!("{stage} {tier}"), event.at, 0));
            }
            (Happening::TierEnded { .. }, open) => {
                let (name, started, times) = open.take().expect("started");
                found.push((name, event.at.since(started).0, times));
            }
            (Happening::ServiceStartTime { seconds }, open) => {
                assert_eq!(seconds.to_bits(), 1_500_000_000.5_f64.to_bits());
                *open.as_mut().map_or(&mut outside, |(_, _, times)| times) += 1;
            }
            _ => {}
        }
    }
    found.push(("outside".to_owned(), 0, outside));
    found
}

#[tokio::test(start_paused = true)]
async fn it_is_read_before_the_first_tier_in_every_other_and_after_the_last() {
    let (service, _sim) = service(config());
    let (ended, told) = run_plan(&service, plan(&TIERS, &[6, 6, 8], Bounds::default()), async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, None);
    let times: Vec<_> = steps(&told).into_iter().map(|(name, _, times)| (name, times)).collect();
    let expected = [("warm_up 4", 0), ("sweep 1", 1), ("sweep 2", 1), ("sweep 4", 1), ("outside", 2)];
    assert_eq!(times, expected.map(|(name, times)| (name.to_owned(), times)));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_does_not_tell_it_makes_no_tier_longer() {
    let sweep = || plan(&TIERS, &[6, 6, 8], Bounds::default());
    let (prompt, _sim) = service(config());
    let (_, prompt) = run_plan(&prompt, sweep(), async |_| {}).await;
    let silent = at(SilentMetrics { sim: Sim::new(config()) });
    let begun = tokio::time::Instant::now();
    let (ended, silent) = run_plan(&silent, sweep(), async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, None);

    let durations = |told| steps(told).into_iter().map(|(name, took, _)| (name, took)).collect::<Vec<_>>();
    assert_eq!(durations(&silent), durations(&prompt));
    assert!(steps(&silent).iter().all(|(_, _, times)| *times == 0));
    let load: u64 = durations(&silent).iter().map(|(_, took)| took).sum();
    let rest = begun.elapsed() - Duration::from_micros(load);
    assert_eq!(rest.as_secs(), 10, "5 s before the first tier and 5 s after the last");
}
