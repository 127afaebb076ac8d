//! Recorded arrivals, over and over.

use std::collections::VecDeque;

use crate::{random::Stream, stage::TraceScale};

/// Recorded arrivals, round after round; after the last of a round the next one begins a mean gap later.
///
/// A round of n arrivals over a span s so takes s·n / (n − 1), and the recorded rate is (n − 1) / s. Where another is asked for:
///
/// - *scaled in time*, every instant is multiplied by recorded rate / rate. The order and the proportions of gaps stay,
///   and with them how uneven the arrivals are; a burst of a minute becomes a shorter or a longer one.
/// - *scaled in rate*, time stays as recorded: a burst of a minute lasts a minute. Below the recorded rate each arrival is
///   kept with the probability rate / recorded rate, independently of all others. Above it the recorded arrivals are
///   laid over themselves, as often as the rate goes into them, and what remains once more, thinned. A copy is not due with its
///   original, which would make pairs of what came alone, but at an instant drawn evenly from the gap that follows it; so
///   copies rise and fall with the recorded rate, and arrivals of the same instant have copies of the same instant.
///
/// What is scaled are whole conversations and single requests: turns of a conversation are never parted.
#[derive(Debug)]
pub struct Trace {
    /// From the first of them, in microseconds.
    recorded: Vec<u64>,
    span_us: u64,
    /// Requests a second that are asked for; `None` is as recorded.
    rate: Option<f64>,
    scale: TraceScale,
    stream: Stream,
    round: u64,
    place: usize,
    waiting: VecDeque<TraceArrival>,
}

/// An arrival of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceArrival {
    /// When it is due, in microseconds from the start of its step.
    pub due_us: u64,
    /// Which of the recorded arrivals it is, from 0.
    pub place: usize,
    /// In which round, from 0.
    pub round: u64,
    /// Which copy of it within the round, from 0.
    pub copy: u64,
}

/// Mean rate of recorded arrivals a second; `None` of fewer than two, and of those that take no time.
#[must_use]
pub fn recorded_rate(recorded_us: &[u64]) -> Option<f64> {
    let span = span_us(recorded_us);
    (span > 0).then(|| (recorded_us.len() - 1) as f64 * 1e6 / span as f64)
}

fn span_us(recorded_us: &[u64]) -> u64 {
    match (recorded_us.first(), recorded_us.last()) {
        (Some(first), Some(last)) => last.saturating_sub(*first),
        _ => 0,
    }
}

impl Trace {
    /// Recorded arrivals, in microseconds and never decreasing, brought to `rate` requests a second where one is given.
    ///
    /// `None` where [`recorded_rate`] is.
    #[must_use]
    pub fn new(recorded_us: &[u64], scale: TraceScale, rate: Option<f64>, stream: Stream) -> Option<Self> {
        recorded_rate(recorded_us)?;
        let first = recorded_us[0];
        Some(Self {
            recorded: recorded_us.iter().map(|at| at.saturating_sub(first)).collect(),
            span_us: span_us(recorded_us),
            rate,
            scale,
            stream,
            round: 0,
            place: 0,
            waiting: VecDeque::new(),
        })
    }

    /// The instant of an arrival of a round, times the number of gaps: a whole number.
    fn scaled_up(&self, round: u64, place: usize) -> u128 {
        let arrivals = self.recorded.len() as u128;
        u128::from(round) * u128::from(self.span_us) * arrivals
            + u128::from(self.recorded[place]) * (arrivals - 1)
    }

    /// When an arrival is due as recorded, in microseconds.
    fn as_recorded(&self, round: u64, place: usize) -> u64 {
        let gaps = self.recorded.len() as u128 - 1;
        u64::try_from(self.scaled_up(round, place) / gaps).unwrap_or(u64::MAX)
    }

    fn one_more(&mut self) {
        let (round, place) = (self.round, self.place);
        let (next_round, next_place) =
            if place + 1 < self.recorded.len() { (round, place + 1) } else { (round + 1, 0) };
        (self.round, self.place) = (next_round, next_place);
        let at = |due_us, copy| TraceArrival { due_us, place, round, copy };
        let due = self.as_recorded(round, place);
        match (self.rate, self.scale) {
            (None, _) => self.waiting.push_back(at(due, 0)),
            (Some(rate), TraceScale::Time) => {
                let due = self.scaled_up(round, place) as f64 * 1e6 / (self.span_us as f64 * rate);
                self.waiting.push_back(at(due.round() as u64, 0));
            }
            (Some(rate), TraceScale::Rate) => {
                let gap = self.as_recorded(next_round, next_place) - due;
                let times = rate * self.span_us as f64 / ((self.recorded.len() - 1) as f64 * 1e6);
                let whole = times.floor();
                let copies = whole as u64 + u64::from(self.stream.unit() < times - whole);
                let mut dues: Vec<u64> = (1..copies).map(|_| due + self.stream.below(gap)).collect();
                dues.sort_unstable();
                let first = (copies > 0).then_some(due);
                self.waiting
                    .extend((0..).zip(first.into_iter().chain(dues)).map(|(copy, due)| at(due, copy)));
            }
        }
    }
}

impl Iterator for Trace {
    type Item = TraceArrival;

    fn next(&mut self) -> Option<TraceArrival> {
        while self.waiting.is_empty() {
            self.one_more();
        }
        self.waiting.pop_front()
    }
}
