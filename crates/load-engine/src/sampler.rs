//! The generator's own timeline: one sample a second, in the same stream as the requests.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use metrics_core::{ClientSample, Micros};
use sse_client::Clock;
use tokio::time::{Instant, MissedTickBehavior};

use crate::{
    host::{self, Reading},
    io_threads::IoThreads,
    sink::{EvidenceLost, RunEvent, Sink},
};

const EVERY: Duration = Duration::from_secs(1);

/// Where the run stands, for samples to say.
#[derive(Debug, Default)]
pub(crate) struct Position {
    step: Mutex<(Option<String>, Option<u32>)>,
    pub(crate) connections: AtomicU64,
}

impl Position {
    pub(crate) fn enter(&self, stage: Option<&str>, tier: Option<u32>) {
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = (stage.map(str::to_owned), tier);
    }

    fn step(&self) -> (Option<String>, Option<u32>) {
        self.step.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Samples every second until `done`, and once more then, so that a run shorter than a second has a sample too.
pub(crate) async fn sample(
    clock: &dyn Clock,
    threads: &IoThreads,
    position: &Position,
    sink: &Sink,
    done: impl Future<Output = ()>,
) -> Result<(), EvidenceLost> {
    let mut ticks = tokio::time::interval_at(Instant::now() + EVERY, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut done = std::pin::pin!(done);
    let mut before = (Instant::now(), host::read());
    let mut going_on = true;
    while going_on {
        tokio::select! {
            _ = ticks.tick() => {}
            () = &mut done => going_on = false,
        }
        let now = (Instant::now(), host::read());
        let mut sample = between(&before.1, &now.1, (now.0 - before.0).as_secs_f64());
        (sample.stage, sample.tier) = position.step();
        sample.at = Micros(clock.now_us());
        sample.timer_delay_us = threads.take_delays();
        sample.connections = position.connections.load(Ordering::Relaxed);
        sample.queue_depth = sink.depth();
        sink.send(RunEvent::Sampled(Box::new(sample))).await?;
        before = now;
    }
    Ok(())
}

fn between(before: &Reading, now: &Reading, seconds: f64) -> ClientSample {
    let share = |used: f64, of: f64| (of > 0.0).then(|| (used / of * 1e4).round() / 1e4);
    let cpu = match (before.process_cpu_s, now.process_cpu_s) {
        (Some(then), Some(now)) => share(now - then, seconds * host::usable_cores()),
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
