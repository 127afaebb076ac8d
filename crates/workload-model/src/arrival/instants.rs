//! Processes that need nothing but a rate.

use super::{bursts::Bursts, elapsed::Elapsed, gamma::GammaGaps};
use crate::{random::Stream, stage::Arrival};

/// Instants at which requests are due, in microseconds from the start of their step; never decreasing, without an end.
///
/// `rate` is the mean number of requests a second, above 0. Nothing comes back for a trace, whose instants are recorded
/// ones: see [`Trace`](super::Trace).
///
/// *Bursts* are a Poisson process of two rates, of which each lasts for an exponential time (a Markov-modulated Poisson
/// process of two states). With mean rate λ, `times` = m, `share` = p and `mean_s` = b the rates are λ₀ = λ / (1 − p + m·p) and
/// λ₁ = m·λ₀, and the time between two bursts is b·(1 − p) / p on average. The index of dispersion of counts over a time t is
/// 1 + 2·p·(1 − p)·(λ₁ − λ₀)² / (λ·σ) · (1 − (1 − e^(−σt)) / (σt)) with σ = 1 / (b·(1 − p)) (Fischer and Meier-Hellstern, The
/// Markov-modulated Poisson process cookbook, Performance Evaluation 18, 1993).
///
/// ```
/// use workload_model::{Arrival, arrival::instants, random::Stream};
///
/// let mut constant = instants(&Arrival::Constant, 3.0, Stream::new(1, "arrivals")).expect("no trace");
/// assert_eq!([constant.next(), constant.next(), constant.next()], [Some(0), Some(333_333), Some(666_667)]);
/// ```
#[must_use]
pub fn instants(arrival: &Arrival, rate: f64, mut stream: Stream) -> Option<Instants> {
    let process = match *arrival {
        Arrival::Constant => Process::Constant { next: 0 },
        Arrival::Poisson => Process::Poisson(Elapsed::default()),
        Arrival::Gamma { gap_cv } => Process::Gamma(GammaGaps::new(rate, gap_cv)),
        Arrival::Bursts { times, share, mean_s } => {
            Process::Bursts(Bursts::new(rate, times, share, mean_s, &mut stream))
        }
        Arrival::Trace { .. } => return None,
    };
    Some(Instants { process, rate, stream })
}

/// What [`instants`] gives.
#[derive(Debug)]
pub struct Instants {
    process: Process,
    rate: f64,
    stream: Stream,
}

#[derive(Debug)]
enum Process {
    /// Number of the next arrival.
    Constant {
        next: u64,
    },
    Poisson(Elapsed),
    Gamma(GammaGaps),
    Bursts(Bursts),
}

impl Iterator for Instants {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let stream = &mut self.stream;
        Some(match &mut self.process {
            Process::Constant { next } => {
                let number = *next as f64;
                *next += 1;
                (number * 1e6 / self.rate).round() as u64
            }
            Process::Poisson(elapsed) => elapsed.after(stream.exponential() * (1e6 / self.rate)),
            Process::Gamma(gaps) => gaps.next(stream),
            Process::Bursts(bursts) => bursts.next(stream),
        })
    }
}
