//! The generator's own timeline: a sample every second and at every border of tiers, in the same stream as the
//! requests.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use metrics_core::{ClientSample, Micros};
use tokio::time::Instant;

use crate::{
    host::{self, Reading},
    io_threads::IoThreads,
    run::Shared,
    sink::EvidenceLost,
};

const EVERY: Duration = Duration::from_secs(1);

/// The shortest span over which CPU is told: the system counts it in ticks of 10 ms, and one tick of a few
/// milliseconds would read as over 100 %.
const LEAST_FOR_CPU: Duration = Duration::from_millis(200);

/// Where the run stands, and what the last sample was.
#[derive(Debug)]
pub(crate) struct Sampler {
    step: Mutex<Step>,
    before: Mutex<(Instant, Reading)>,
    /// Connections for requests that are open now.
    pub(crate) connections: Arc<AtomicU64>,
}

/// A stage and a tier.
type Step = (Option<String>, Option<u32>);

impl Sampler {
    /// The first sample will tell of what happens from now on.
    pub(crate) fn start() -> Self {
        let before = Mutex::new((Instant::now(), host::read()));
        Self { step: Mutex::default(), before, connections: Arc::default() }
    }

    /// From now on the run is here. What was before should have been sampled.
    pub(crate) fn enter(&self, stage: Option<&str>, tier: Option<u32>) {
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = (stage.map(str::to_owned), tier);
    }

    /// What happened since the last sample. The caller adds what only it knows.
    pub(crate) fn take(&self, threads: &IoThreads) -> ClientSample {
        let now = (Instant::now(), host::read());
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sample = between(&before.1, &now.1, now.0 - before.0);
        *before = now;
        (sample.stage, sample.tier) = self.step.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sample.timer_delay_us = threads.take_delays();
        sample.connections = self.connections.load(Ordering::Relaxed);
        sample
    }

    fn next_due(&self) -> Instant {
        self.before.lock().unwrap_or_else(PoisonError::into_inner).0 + EVERY
    }
}

impl<C> Shared<C> {
    /// Samples what happened up to here.
    pub(crate) async fn sample(&self, threads: &IoThreads) -> Result<(), EvidenceLost> {
        let mut sample = self.sampler.take(threads);
        sample.at = Micros(self.clock.now_us());
        sample.queue_depth = self.sink.depth();
        self.tell(crate::sink::RunEvent::Sampled(Box::new(sample))).await
    }
}

/// Samples a second after every sample until `done`, and once more then.
pub(crate) async fn every_second<C>(
    shared: &Shared<C>,
    threads: &IoThreads,
    done: impl Future<Output = ()>,
) -> Result<(), EvidenceLost> {
    let mut done = std::pin::pin!(done);
    loop {
        let due = shared.sampler.next_due();
        tokio::select! {
            () = tokio::time::sleep_until(due) => {
                // A border between tiers may have been sampled meanwhile.
                if shared.sampler.next_due() == due {
                    shared.sample(threads).await?;
                }
            }
            () = &mut done => return shared.sample(threads).await,
        }
    }
}

fn between(before: &Reading, now: &Reading, span: Duration) -> ClientSample {
    let long_enough = span >= LEAST_FOR_CPU;
    let share = |used: f64, of: f64| (long_enough && of > 0.0).then(|| (used / of * 1e4).round() / 1e4);
    let cpu = match (before.process_cpu_s, now.process_cpu_s) {
        (Some(then), Some(now)) => share(now - then, span.as_secs_f64() * host::usable_cores()),
        _ => None,
    };
    let host_cpu = match (before.host_cpu_s, now.host_cpu_s) {
        (Some((busy_then, all_then)), Some((busy_now, all_now))) => {
            share(busy_now - busy_then, all_now - all_then)
        }
        _ => None,
    };
    let run_delay_us = now
        .threads
        .iter()
        .filter_map(|(tid, delay, slices)| {
            let (_, delay_then, slices_then) = before.threads.iter().find(|(then, _, _)| then == tid)?;
            let slices = slices.checked_sub(*slices_then).filter(|slices| *slices > 0)?;
            Some(delay.saturating_sub(*delay_then) / slices / 1000)
        })
        .collect();
    let network = match (before.network, now.network) {
        (Some((rx_then, tx_then)), Some((rx, tx))) => {
            (Some(rx.saturating_sub(rx_then)), Some(tx.saturating_sub(tx_then)))
        }
        _ => (None, None),
    };
    ClientSample {
        cpu,
        host_cpu,
        run_delay_us,
        rss_bytes: now.rss_bytes,
        sockets: now.sockets,
        rx_bytes: network.0,
        tx_bytes: network.1,
        ..ClientSample::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_is_told_of_spans_that_are_long_enough_for_it() {
        let reading = |cpu: f64| Reading {
            process_cpu_s: Some(cpu),
            host_cpu_s: Some((cpu, 2.0 * cpu)),
            ..Reading::default()
        };
        let after = |span| between(&reading(0.0), &reading(0.01), span);
        let short = after(Duration::from_millis(3));
        assert_eq!((short.cpu, short.host_cpu), (None, None));
        let long = after(Duration::from_secs(1));
        assert!(long.cpu.is_some_and(|cpu| cpu <= 0.01), "{:?}", long.cpu);
        assert_eq!(long.host_cpu, Some(0.5));
    }
}
