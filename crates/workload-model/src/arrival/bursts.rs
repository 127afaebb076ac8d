//! Bursts: a Poisson process whose rate switches.

use super::elapsed::Elapsed;
use crate::random::Stream;

/// A Markov-modulated Poisson process of two states, begun in one of them by its share of time.
///
/// With mean rate λ, `times` = m and `share` = p the low rate is λ / (1 − p + m·p) and the high one m times that. A burst lasts
/// `mean_s` = b on average, and the time between two lasts b·(1 − p) / p.
///
/// In each state the next thing to happen, an arrival or a switch, comes after an exponential time of both rates together,
/// and is either with the probability of its rate.
#[derive(Debug)]
pub(super) struct Bursts {
    /// Arrivals a microsecond, low and high.
    arrivals: [f64; 2],
    /// Switches a microsecond, out of the low rate and out of the high one.
    switches: [f64; 2],
    /// 1 in a burst.
    state: usize,
    elapsed: Elapsed,
}

impl Bursts {
    pub(super) fn new(rate: f64, times: f64, share: f64, mean_s: f64, stream: &mut Stream) -> Self {
        let low = rate / (1.0 - share + times * share) / 1e6;
        let end_of_burst = 1.0 / (mean_s * 1e6);
        Self {
            arrivals: [low, low * times],
            switches: [end_of_burst * share / (1.0 - share), end_of_burst],
            state: usize::from(stream.unit() < share),
            elapsed: Elapsed::default(),
        }
    }

    pub(super) fn next(&mut self, stream: &mut Stream) -> u64 {
        loop {
            let (arrivals, switches) = (self.arrivals[self.state], self.switches[self.state]);
            let both = arrivals + switches;
            let at = self.elapsed.after(stream.exponential() / both);
            if stream.unit() * both < arrivals {
                return at;
            }
            self.state = 1 - self.state;
        }
    }
}
