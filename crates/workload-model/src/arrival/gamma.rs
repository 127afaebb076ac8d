//! Gamma-distributed gaps.

use super::elapsed::Elapsed;
use crate::random::Stream;

/// A renewal process with gamma-distributed gaps, looked at from an instant that has nothing to do with it.
///
/// Gaps of mean 1 / rate and coefficient of variation c have shape 1 / c² and scale c² / rate. The gap in which an observer finds
/// himself is longer than most (its length is gamma-distributed with a shape greater by 1), and what is left of it is a
/// uniform share.
#[derive(Debug)]
pub(super) struct GammaGaps {
    numbers: GammaNumbers,
    /// The first gap is drawn otherwise.
    first: Option<GammaNumbers>,
    scale_us: f64,
    elapsed: Elapsed,
}

impl GammaGaps {
    pub(super) fn new(rate: f64, gap_cv: f64) -> Self {
        let shape = 1.0 / (gap_cv * gap_cv);
        Self {
            numbers: GammaNumbers::new(shape),
            first: Some(GammaNumbers::new(shape + 1.0)),
            scale_us: 1e6 / (rate * shape),
            elapsed: Elapsed::default(),
        }
    }

    pub(super) fn next(&mut self, stream: &mut Stream) -> u64 {
        let number = match self.first.take() {
            Some(mut whole) => whole.draw(stream) * stream.unit(),
            None => self.numbers.draw(stream),
        };
        self.elapsed.after(number * self.scale_us)
    }
}

/// Gamma-distributed numbers of scale 1: Marsaglia and Tsang, A Simple Method for Generating Gamma Variables (ACM
/// Transactions on Mathematical Software 26, 2000).
#[derive(Debug)]
struct GammaNumbers {
    d: f64,
    c: f64,
    /// Shapes below 1 are drawn one higher and brought down by U^(1 / shape).
    below_one: Option<f64>,
    /// Normal numbers come in pairs.
    spare: Option<f64>,
}

impl GammaNumbers {
    fn new(shape: f64) -> Self {
        let below_one = (shape < 1.0).then_some(shape);
        let d = if shape < 1.0 { shape + 1.0 } else { shape } - 1.0 / 3.0;
        Self { d, c: 1.0 / (9.0 * d).sqrt(), below_one, spare: None }
    }

    fn draw(&mut self, stream: &mut Stream) -> f64 {
        let number = loop {
            let x = self.normal(stream);
            let root = 1.0 + self.c * x;
            if root <= 0.0 {
                continue;
            }
            let v = root * root * root;
            // Of the same distribution as a uniform number's negated logarithm.
            let threshold = -stream.exponential();
            if threshold < 0.5 * x * x + self.d * (1.0 - v + libm::log(v)) {
                break self.d * v;
            }
        };
        match self.below_one {
            Some(shape) => number * libm::exp(-stream.exponential() / shape),
            None => number,
        }
    }

    /// A number of the standard normal distribution (Marsaglia's polar method).
    fn normal(&mut self, stream: &mut Stream) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (2.0 * stream.unit() - 1.0, 2.0 * stream.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * libm::log(square) / square).sqrt();
                self.spare = Some(y * factor);
                return x * factor;
            }
        }
    }
}
