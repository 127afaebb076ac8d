//! The digits of figures: one rule for sentences, tables and charts.
//!
//! A figure is rounded to the digits of its kind, the same wherever it stands. What does not exist is [`ABSENT`], never
//! 0. Beside what it is held against, a figure gets more digits where it would otherwise read as the other result:
//!
//! ```
//! use verdict_rules::number;
//!
//! assert_eq!(number::tokens_per_second(119.96), "120.0");
//! assert_eq!(number::of_metric_against("output_tps", 119.96, 120.0), "119.96");
//! assert_eq!(number::of_metric_against("ttft_s.p95", 2.000_4, 2.0), "2.0004");
//! assert_eq!(number::of_metric_against("ttft_s.p95", 1.234_56, 2.0), "1.235");
//! ```

use metrics_core::Seconds;

/// Stands for a figure that does not exist.
pub const ABSENT: &str = "—";

/// No figure is written with more decimals than this.
const MOST_DECIMALS: usize = 9;

/// A latency in seconds: milliseconds are the last digit.
#[must_use]
pub fn seconds(value: impl Into<Option<Seconds>>) -> String {
    Kind::Seconds.write(value.into().map(Seconds::get))
}

/// Time per token or between events, in seconds: one digit more.
#[must_use]
pub fn seconds_per_token(value: impl Into<Option<Seconds>>) -> String {
    Kind::SecondsPerToken.write(value.into().map(Seconds::get))
}

/// A rate in tokens a second, to one decimal.
#[must_use]
pub fn tokens_per_second(value: impl Into<Option<f64>>) -> String {
    Kind::TokensPerSecond.write(value.into())
}

/// A rate in requests a second, to three decimals.
#[must_use]
pub fn requests_per_second(value: impl Into<Option<f64>>) -> String {
    Kind::RequestsPerSecond.write(value.into())
}

/// A ratio such as tokens per event or the growth of a latency, to two decimals.
#[must_use]
pub fn ratio(value: impl Into<Option<f64>>) -> String {
    Kind::Ratio.write(value.into())
}

/// A ratio beside what is allowed.
#[must_use]
pub fn ratio_against(value: impl Into<Option<f64>>, allowed: f64) -> String {
    Kind::Ratio.write_against(value.into(), allowed)
}

/// A share (0 to 1) as a percentage with its sign, to one decimal. Only a whole is `100%` and only nothing is `0%`:
/// 9,999 of 10,000 is `99.99%`.
#[must_use]
pub fn percent(share: impl Into<Option<f64>>) -> String {
    Kind::Percent.write(share.into())
}

/// The same beside the share that is asked for or allowed.
#[must_use]
pub fn percent_against(share: impl Into<Option<f64>>, limit: f64) -> String {
    Kind::Percent.write_against(share.into(), limit)
}

/// A share as somebody agreed on it, as a percentage with its sign: `99.95%`, `100%`.
#[must_use]
pub fn percent_as_agreed(share: f64) -> String {
    format!("{}%", trimmed(format!("{:.6}", share * 1e2)))
}

/// A delay of the client's own, in milliseconds with their sign: `4.91 ms`.
#[must_use]
pub fn milliseconds(value: impl Into<Option<Seconds>>) -> String {
    Kind::Milliseconds.write(value.into().map(Seconds::get))
}

/// The same beside what is allowed.
#[must_use]
pub fn milliseconds_against(value: impl Into<Option<Seconds>>, allowed: Seconds) -> String {
    Kind::Milliseconds.write_against(value.into().map(Seconds::get), allowed.get())
}

/// A number as somebody wrote it, or one whose unit is not known here: without trailing zeros.
#[must_use]
pub fn plain(value: impl Into<Option<f64>>) -> String {
    value
        .into()
        .filter(|value| value.is_finite())
        .map_or_else(|| ABSENT.to_owned(), |value| trimmed(format!("{value:.6}")))
}

/// A figure named by its metric in the summary (`ttft_s.p95`), in the digits of that metric.
#[must_use]
pub fn of_metric(metric: &str, value: impl Into<Option<f64>>) -> String {
    match Kind::of(metric) {
        Some(kind) => kind.write(value.into()),
        None => plain(value),
    }
}

/// The same beside the limit that it is held against: never does a figure that misses the limit read as the limit.
#[must_use]
pub fn of_metric_against(metric: &str, value: impl Into<Option<f64>>, limit: f64) -> String {
    match Kind::of(metric) {
        Some(kind) => kind.write_against(value.into(), limit),
        None => plain(value),
    }
}

/// The name of a tier: `C4`.
#[must_use]
pub fn tier(concurrency: u32) -> String {
    format!("C{concurrency}")
}

/// What kind a figure is of decides over its digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Seconds,
    SecondsPerToken,
    Milliseconds,
    TokensPerSecond,
    RequestsPerSecond,
    Ratio,
    Percent,
}

impl Kind {
    fn of(metric: &str) -> Option<Self> {
        let name = metric.strip_prefix("from_sent.").unwrap_or(metric);
        let name = name.split('.').next().unwrap_or(name);
        Some(match name {
            "tpot_s" | "tpot_usual_s" | "inter_event_s" | "e2e_per_token_s" => Self::SecondsPerToken,
            "output_tps" | "total_tps" | "sustained_output_tps" => Self::TokensPerSecond,
            "rps" | "goodput_rps" => Self::RequestsPerSecond,
            "success_rate" | "success_rate_low" | "attainment" | "cached_input_share" => Self::Percent,
            "tokens_per_event" => Self::Ratio,
            _ if name.ends_with("_s") => Self::Seconds,
            _ => return None,
        })
    }

    fn decimals(self) -> usize {
        match self {
            Self::SecondsPerToken => 4,
            Self::Seconds | Self::RequestsPerSecond => 3,
            Self::Milliseconds | Self::Ratio => 2,
            Self::TokensPerSecond | Self::Percent => 1,
        }
    }

    /// How many of the written unit make one of the figure's own.
    fn scale(self) -> f64 {
        match self {
            Self::Percent => 1e2,
            Self::Milliseconds => 1e3,
            _ => 1.0,
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Percent => "%",
            Self::Milliseconds => " ms",
            _ => "",
        }
    }

    fn write(self, value: Option<f64>) -> String {
        self.with_digits(value, |_| true)
    }

    /// With as many digits as show on which side of the limit the figure lies.
    fn write_against(self, value: Option<f64>, limit: f64) -> String {
        let Some(side) = value.and_then(|value| value.partial_cmp(&limit)) else { return self.write(value) };
        // Scaling must not move a limit: 0.9995 times 100 is not 99.95 in floating point.
        let limit = (limit * self.scale() * 1e9).round() / 1e9;
        self.with_digits(value, |shown| side.is_eq() || shown.partial_cmp(&limit) == Some(side))
    }

    fn with_digits(self, value: Option<f64>, telling: impl Fn(f64) -> bool) -> String {
        let Some(value) = value.filter(|value| value.is_finite()).map(|value| value * self.scale()) else {
            return ABSENT.to_owned();
        };
        let sign = self.sign();
        if self == Self::Percent && (value == 100.0 || value == 0.0) {
            return format!("{value:.0}{sign}");
        }
        let text = |decimals: usize| format!("{value:.decimals$}");
        let fits = |decimals: &usize| {
            let shown: f64 = text(*decimals).parse().unwrap_or(value);
            telling(shown) && !(self == Self::Percent && (shown == 100.0 || shown == 0.0))
        };
        let decimals = (self.decimals()..=MOST_DECIMALS).find(fits).unwrap_or(MOST_DECIMALS);
        format!("{}{sign}", text(decimals))
    }
}

fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_never_rounded_to_a_whole_or_to_nothing() {
        for (share, text) in [
            (1.0, "100%"),
            (0.0, "0%"),
            (0.5, "50.0%"),
            (0.9999, "99.99%"),
            (0.999_999, "99.9999%"),
            (0.860_89, "86.1%"),
            (0.983_495, "98.3%"),
            (0.222_22, "22.2%"),
            (0.000_01, "0.001%"),
            (f64::NAN, ABSENT),
        ] {
            assert_eq!(percent(share), text);
        }
        assert_eq!(percent(None), ABSENT);
    }

    #[test]
    fn what_was_agreed_stands_as_written() {
        assert_eq!(percent_as_agreed(1.0), "100%");
        assert_eq!(percent_as_agreed(0.999), "99.9%");
        assert_eq!(percent_as_agreed(0.999_95), "99.995%");
        assert_eq!(plain(120.0), "120");
        assert_eq!(plain(0.0), "0");
        assert_eq!(plain(2.5), "2.5");
    }

    #[test]
    fn every_kind_has_its_digits_and_what_does_not_exist_is_a_dash() {
        assert_eq!(seconds(Seconds::new(1.234_56)), "1.235");
        assert_eq!(seconds_per_token(Seconds::new(0.014)), "0.0140");
        assert_eq!(milliseconds(Seconds::new(0.004_91)), "4.91 ms");
        assert_eq!(tokens_per_second(51.46), "51.5");
        assert_eq!(requests_per_second(1.5), "1.500");
        assert_eq!(ratio(1.95), "1.95");
        assert_eq!(tier(8), "C8");
        assert_eq!(seconds(None), ABSENT);
        assert_eq!(tokens_per_second(f64::INFINITY), ABSENT);
        for (metric, text) in [
            ("ttft_s.p95", "1.235"),
            ("from_sent.e2e_s.p50", "1.235"),
            ("tpot_s.mean", "1.2346"),
            ("inter_event_s.max", "1.2346"),
            ("output_tps", "1.2"),
            ("goodput_rps", "1.235"),
            ("success_rate", "123.5%"),
            ("vendor.energy", "1.23456"),
        ] {
            assert_eq!(of_metric(metric, 1.234_56), text, "{metric}");
        }
        assert_eq!(of_metric("ttft_s.p95", None), ABSENT);
    }

    #[test]
    fn a_figure_never_reads_as_on_the_other_side_of_its_limit() {
        for (metric, value, limit, text) in [
            ("output_tps", 119.96, 120.0, "119.96"),
            ("output_tps", 120.04, 120.0, "120.04"),
            ("output_tps", 120.0, 120.0, "120.0"),
            ("output_tps", 119.9, 120.0, "119.9"),
            ("ttft_s.p95", 0.200_4, 0.2, "0.2004"),
            ("ttft_s.p95", 0.2, 0.2, "0.200"),
            ("ttft_s.p95", 1.999_96, 2.0, "1.99996"),
            ("success_rate", 0.989_9, 0.99, "98.99%"),
            ("success_rate", 0.994_44, 0.99, "99.4%"),
            ("success_rate", 0.998_96, 0.999, "99.896%"),
            ("success_rate", 0.9, 0.9, "90.0%"),
        ] {
            assert_eq!(of_metric_against(metric, value, limit), text, "{metric} {value} {limit}");
        }
        assert_eq!(percent_against(2.0 / 3.0, 0.666_667), "66.66667%");
        assert_eq!(ratio_against(2.001, 2.0), "2.001");
        assert_eq!(milliseconds_against(Seconds::new(0.005_001), Seconds::new(0.005)), "5.001 ms");
        assert_eq!(of_metric_against("output_tps", None, 120.0), ABSENT);
    }
}
