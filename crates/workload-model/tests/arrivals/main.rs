//! Arrival processes against their theory, with fixed seeds. Every check is shown to refuse a process that is another one.

mod golden;
mod processes;
mod reports;
mod statistics;
mod traces;

use workload_model::{Arrival, arrival::instants, random::Stream};

/// The first instants of a process at a rate, under a seed.
pub(crate) fn first(arrival: Arrival, rate: f64, seed: u64, count: usize) -> Vec<u64> {
    let all = instants(&arrival, rate, Stream::new(seed, "arrivals:test")).expect("no trace");
    all.take(count).collect()
}
