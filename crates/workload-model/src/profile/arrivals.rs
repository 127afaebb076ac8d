//! How requests arrive.

use metrics_core::six_decimals;

use super::{
    Arrivals, Dispersion, Peak, Ties, bursts,
    instants::{Instants, SECOND_NS, Span},
    peaks::{self, Busiest},
    rates, timestamp,
};

/// Lengths of windows in seconds.
const WINDOWS_S: [u32; 4] = [1, 10, 60, 600];

/// What arrivals of all groups have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Width of the bins of counts over time.
    pub(crate) bin_s: u64,
    /// Hours are told in a zone this much before UTC; `None` where the time is relative.
    pub(crate) zone_s: Option<i32>,
    /// Arrivals were rounded down to multiples of this; 0 leaves them exact.
    pub(crate) rounded_to_s: u32,
    /// Resolution of the log's clock in nanoseconds, the coarsest where it changes.
    pub(crate) resolution_ns: u64,
}

/// Arrivals in every stretch of the log, some of which may have none.
pub(crate) fn of<I: Instants>(pieces: &[(I, Span)], clock: Clock) -> Arrivals {
    let rows: u64 = pieces.iter().map(|(times, _)| times.len() as u64).sum();
    let length_ns: u128 = pieces.iter().map(|(_, span)| u128::from(span.length_ns())).sum();
    let length_s = length_ns as f64 / SECOND_NS as f64;
    let ties = bursts::ties(pieces);
    let windows = || WINDOWS_S.into_iter().filter(|window| tells_of_traffic(*window, ties, clock));
    Arrivals {
        mean_rate: (length_ns > 0).then(|| six_decimals(rows as f64 / length_s)),
        rates: pieces.iter().map(|(times, span)| rates::rate(times, *span, clock.bin_s)).collect(),
        by_hour: clock
            .zone_s
            .filter(|zone| tells_of_hours(*zone, clock))
            .map_or_else(Vec::new, |zone| rates::by_hour(pieces, zone, clock.rounded_to_s > 0)),
        peaks: windows().filter_map(|window| peak(pieces, window)).collect(),
        gap_cv: if ties.too_coarse || clock.rounded_to_s > 0 { None } else { bursts::gap_cv(pieces) },
        dispersion: windows().filter_map(|window| dispersion(pieces, window)).collect(),
        ties,
    }
}

/// Bins to which arrivals were rounded lie within hours of the zone.
fn tells_of_hours(zone_s: i32, clock: Clock) -> bool {
    let bin = i64::from(clock.rounded_to_s);
    bin == 0 || 3600 % bin == 0 && i64::from(zone_s) % bin == 0
}

/// Counts in windows of this length tell of the traffic, and not of ticks or of bins to which arrivals were rounded.
fn tells_of_traffic(window_s: u32, ties: Ties, clock: Clock) -> bool {
    let tick_s = ties.tick_s.filter(|_| ties.too_coarse).map_or(0.0, |tick| tick.get());
    let long_enough = f64::from(window_s) >= tick_s && u64::from(window_s) * SECOND_NS >= clock.resolution_ns;
    long_enough && window_s.checked_rem(clock.rounded_to_s).is_none_or(|rest| rest == 0)
}

/// The busiest window of all stretches, the first of several; `None` where no stretch is longer than it.
fn peak<I: Instants>(pieces: &[(I, Span)], window_s: u32) -> Option<Peak> {
    let window_ns = u64::from(window_s) * SECOND_NS;
    if !pieces.iter().any(|(_, span)| span.length_ns() > window_ns) {
        return None;
    }
    let found = pieces.iter().filter_map(|(times, _)| peaks::busiest(times, window_ns));
    let better = |best: Busiest, next: Busiest| if next.requests > best.requests { next } else { best };
    found.reduce(better).map(|busiest| Peak {
        window_s: bursts::seconds(window_ns),
        requests: busiest.requests,
        rate: six_decimals(busiest.requests as f64 / f64::from(window_s)),
        from: timestamp(busiest.from_ns),
        lasted_s: bursts::seconds(busiest.lasted_ns),
    })
}

fn dispersion<I: Instants>(pieces: &[(I, Span)], window_s: u32) -> Option<Dispersion> {
    bursts::dispersion(pieces, u64::from(window_s) * SECOND_NS)
}
