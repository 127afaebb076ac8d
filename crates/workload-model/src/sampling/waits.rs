//! What lies between the end of an answer and the next turn.

use crate::{
    profile::{ProfileGroup, Quantiles},
    random::Stream,
};

/// Microseconds of a second.
const MICROS: f64 = 1e6;

/// Think times of so many later turns, in microseconds, in random order.
///
/// They are those of the profile: 0 for as large a share as arrived before the answer to the turn before had ended, and for the
/// rest between the quantiles that the profile tells, along straight lines between them. Where the log has no durations they
/// follow from the time between requests, less the median duration where that is known.
pub(super) fn draw(group: &ProfileGroup, n: u64, stream: &mut Stream) -> Vec<u64> {
    let sessions = &group.sessions;
    let (quantiles, less, at_once) = match (sessions.think_time_s, sessions.between_s) {
        (Some(think), _) => {
            let waits = (sessions.overlapping + think.n).max(1);
            (Some(think), 0.0, sessions.overlapping as f64 / waits as f64)
        }
        (None, between) => (between, group.duration_s.map_or(0.0, |duration| duration.p50), 0.0),
    };
    let Some(quantiles) = quantiles else { return vec![0; usize::try_from(n).unwrap_or(0)] };
    let wait = |share: f64| match share < at_once {
        true => 0,
        false => micros(quantile(&quantiles, (share - at_once) / (1.0 - at_once)) - less),
    };
    let mut waits: Vec<u64> = (0..n).map(|nth| wait((nth as f64 + stream.unit()) / n as f64)).collect();
    stream.shuffle(&mut waits);
    waits
}

fn micros(seconds: f64) -> u64 {
    (seconds.max(0.0) * MICROS + 0.5) as u64
}

/// The value that a share of all lies below, along straight lines between the quantiles that are known.
fn quantile(of: &Quantiles, share: f64) -> f64 {
    let points = [(0.0, of.min), (0.5, of.p50), (0.9, of.p90), (0.95, of.p95), (0.99, of.p99), (1.0, of.max)];
    let line = points.windows(2).find(|line| share < line[1].0);
    line.map_or(of.max, |line| {
        let ((from, low), (until, high)) = (line[0], line[1]);
        low + (high - low) * ((share - from) / (until - from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUANTILES: Quantiles =
        Quantiles { n: 90, mean: 5.0, min: 1.0, p50: 3.0, p90: 11.0, p95: 20.0, p99: 40.0, max: 100.0 };

    #[test]
    fn quantiles_are_met_and_lines_lie_between_them() {
        let at = |share| quantile(&QUANTILES, share);
        assert_eq!([0.0, 0.25, 0.5, 0.9, 1.0].map(at), [1.0, 2.0, 3.0, 11.0, 100.0]);
    }
}
