//! Gaps added up without loss.

/// Time since the start of a step.
///
/// Adding gaps to one float loses what is below its last bit, which grows with the sum. Here the sum that is added to stays
/// below a microsecond, and taking the whole microseconds off it is exact.
#[derive(Debug, Default)]
pub(super) struct Elapsed {
    micros: u64,
    rest: f64,
}

impl Elapsed {
    /// The instant after a gap, in whole microseconds, rounded down.
    pub(super) fn after(&mut self, gap_us: f64) -> u64 {
        let sum = self.rest + gap_us;
        let whole = sum.floor();
        self.rest = sum - whole;
        self.micros = self.micros.saturating_add(whole as u64);
        self.micros
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_million_gaps_lose_nothing() {
        // A third of a microsecond and a million: as a plain sum it would be off by milliseconds.
        let gap = 1e6 + 1.0 / 3.0;
        let mut elapsed = Elapsed::default();
        let last = (0..10_000_000_u64).fold(0, |_, _| elapsed.after(gap));
        let exact = 10_000_000_u64 * 1_000_000 + 10_000_000 / 3;
        assert!(last.abs_diff(exact) <= 1, "{last} instead of {exact}");
        let plain = (0..10_000_000_u64).fold(0.0, |sum, _| sum + gap);
        assert!(
            (plain - exact as f64).abs() > 100.0,
            "the plain sum is the mistake that this is for: {plain}"
        );
    }

    #[test]
    fn a_gap_beyond_all_time_stays_at_the_end() {
        let mut elapsed = Elapsed::default();
        assert_eq!(elapsed.after(f64::INFINITY), u64::MAX);
    }
}
