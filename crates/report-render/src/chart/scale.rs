//! A linear scale from zero with round steps.

use metrics_core::Seconds;

use crate::number;

/// How far above the highest value a limit may lie and still be drawn to scale.
const LIMIT_REACH: f64 = 2.5;
/// Steps of a scale, about.
const STEPS: f64 = 4.0;
/// Steps along an axis of time, about.
const STEPS_ALONG: f64 = 8.0;

/// From zero to `top`, in steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub(super) step: f64,
    pub(super) steps: u32,
}

impl Scale {
    /// Holds all values, and those limits that do not flatten them.
    pub(super) fn holding(values: impl Iterator<Item = f64>, limits: impl Iterator<Item = f64>) -> Self {
        let usable = |value: &f64| value.is_finite() && *value > 0.0;
        let highest = values.filter(usable).fold(0.0, f64::max);
        let reach = if highest > 0.0 { highest * LIMIT_REACH } else { f64::MAX };
        let highest = limits.filter(usable).filter(|limit| *limit <= reach).fold(highest, f64::max);
        if !(highest > 0.0 && highest < 1e300) {
            return Self { step: 0.25, steps: 4 };
        }
        let step = round(highest * 1.12 / STEPS);
        Self { step, steps: (highest * 1.12 / step).ceil() as u32 }
    }

    /// Along an axis that ends at `until` and not at a step.
    pub(super) fn along(until: f64) -> Self {
        if !(until > 0.0 && until < 1e300) {
            return Self { step: 0.25, steps: 0 };
        }
        let step = round(until / STEPS_ALONG);
        Self { step, steps: (until / step).floor() as u32 }
    }

    /// Its upper end.
    pub(super) fn top(self) -> f64 {
        self.step * f64::from(self.steps)
    }

    /// The label of a step.
    pub(super) fn label(self, at: u32) -> String {
        if at == 0 {
            return "0".to_owned();
        }
        let value = self.step * f64::from(at);
        let (divisor, suffix) = magnitude(self.top());
        let step = self.step / divisor;
        if self.top() < 1e-3 || self.top() >= 1e15 {
            return format!("{value:.1e}");
        }
        let decimals = (0..=6).find(|&d| {
            let shifted = step * 10f64.powi(d);
            (shifted - shifted.round()).abs() < 1e-6 * shifted.max(1.0)
        });
        format!("{:.*}{suffix}", decimals.unwrap_or(6) as usize, value / divisor)
    }
}

/// A value beside its point, in the digits that it has in the tables; what is very large or small is shortened.
pub(super) fn beside_point(value: f64, unit: &str) -> String {
    if value != 0.0 && !(1e-3..1e15).contains(&value.abs()) {
        return format!("{value:.1e}");
    }
    match (magnitude(value), unit) {
        ((divisor, suffix), _) if !suffix.is_empty() => format!("{:.1}{suffix}", value / divisor),
        (_, "s") => number::seconds(Seconds::new(value)),
        (_, "tok/s") => number::tokens_per_second(value),
        _ => number::plain(value),
    }
}

/// A whole number in few characters: `950`, `12k`, `3M`.
pub(super) fn short_count(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => shortest(count as f64 / 1e3, "k"),
        1_000_000..1_000_000_000 => shortest(count as f64 / 1e6, "M"),
        _ => shortest(count as f64 / 1e9, "G"),
    }
}

fn shortest(value: f64, suffix: &str) -> String {
    format!("{}{suffix}", number::plain((value * 10.0).round() / 10.0))
}

/// The next round step from there.
fn round(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|m| m * power >= step).unwrap_or(10.0) * power
}

fn magnitude(value: f64) -> (f64, &'static str) {
    match value.abs() {
        v if v >= 1e12 => (1e12, "T"),
        v if v >= 1e9 => (1e9, "G"),
        v if v >= 1e6 => (1e6, "M"),
        v if v >= 1e5 => (1e3, "k"),
        _ => (1.0, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], limits: &[f64], labels: &[&str]) {
        let scale = Scale::holding(values.iter().copied(), limits.iter().copied());
        let drawn: Vec<String> = (0..=scale.steps).map(|at| scale.label(at)).collect();
        assert_eq!(drawn, labels, "{values:?}");
        let highest = values.iter().copied().fold(0.0, f64::max);
        assert!(scale.top() >= highest || !highest.is_finite());
    }

    #[test]
    fn steps_are_round_and_hold_every_value() {
        check(&[], &[], &["0", "0.25", "0.50", "0.75", "1.00"]);
        check(&[0.0], &[], &["0", "0.25", "0.50", "0.75", "1.00"]);
        check(&[412.7], &[], &["0", "200", "400", "600"]);
        check(&[0.23], &[], &["0", "0.1", "0.2", "0.3"]);
        check(&[3.0], &[5.0], &["0", "2", "4", "6"]);
        check(&[3.0], &[3600.0], &["0", "1", "2", "3", "4"]);
        check(&[250_000.0], &[], &["0", "100k", "200k", "300k"]);
        check(&[f64::NAN, f64::INFINITY], &[], &["0", "0.25", "0.50", "0.75", "1.00"]);
    }

    #[test]
    fn an_axis_of_time_ends_where_it_ends() {
        for (until, labels) in [
            (71.7, ["0", "10", "20", "30", "40", "50", "60", "70"].as_slice()),
            (3.0, &["0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]),
            (0.0, &["0"]),
        ] {
            let scale = Scale::along(until);
            assert_eq!((0..=scale.steps).map(|at| scale.label(at)).collect::<Vec<_>>(), labels);
        }
    }

    #[test]
    fn values_have_the_digits_of_the_tables() {
        let cases = [
            (412.74, "tok/s", "412.7"),
            (1320.6, "tok/s", "1320.6"),
            (99.0721, "s", "99.072"),
            (0.0412, "s", "0.041"),
            (0.0, "s", "0.000"),
            (1.5e7, "tok/s", "15.0M"),
            (4e-7, "s", "4.0e-7"),
        ];
        for (value, unit, text) in cases {
            assert_eq!(beside_point(value, unit), text);
        }
    }
}
