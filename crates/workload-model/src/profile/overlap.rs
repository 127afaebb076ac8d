//! Segments that claim the same time.

use super::Source;

impl Source {
    /// How many segments hold a time that one before them holds too, although the log's clock is not relative. A clock that was
    /// put back gives one or two; more of them tell of a log in no order of time, such as an export sorted by caller, whose
    /// segments are parts of one traffic. All rates are then too low, and the log is to be exported in the order of time.
    #[must_use]
    pub fn overlapping_segments(&self) -> usize {
        if self.relative_time {
            return 0;
        }
        let mut before: Vec<(f64, f64)> = Vec::with_capacity(self.segments.len());
        let mut overlapping = 0;
        for segment in &self.segments {
            let Some(from) = seconds(&segment.from) else { continue };
            let until = from + segment.duration_s.get();
            overlapping += usize::from(before.iter().any(|(begin, end)| from < *end && *begin < until));
            before.push((from, until));
        }
        overlapping
    }

    /// Segments hold so much of the same time that rates are too low: together they are longer than the whole by a fifth. A clock
    /// that is put back by an hour in autumn is not it.
    #[must_use]
    pub fn rates_are_too_low(&self) -> bool {
        let (Some(from), Some(until)) = (seconds(&self.period.from), seconds(&self.period.until)) else {
            return false;
        };
        let together: f64 = self.segments.iter().map(|segment| segment.duration_s.get()).sum();
        self.overlapping_segments() > 0 && together > 1.2 * (until - from)
    }
}

/// Seconds from 1970.
fn seconds(instant: &str) -> Option<f64> {
    let instant: jiff::Timestamp = instant.parse().ok()?;
    Some(instant.as_nanosecond() as f64 / 1e9)
}
