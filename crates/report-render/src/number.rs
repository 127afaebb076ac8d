//! Digits of figures. What does not exist is an em dash, never 0.

use metrics_core::Seconds;

/// Stands for a figure that does not exist.
pub(crate) const ABSENT: &str = "—";

fn fixed(value: Option<f64>, decimals: usize) -> String {
    match value {
        Some(value) if value.is_finite() => format!("{value:.decimals$}"),
        _ => ABSENT.to_owned(),
    }
}

/// A latency in seconds: milliseconds are the last digit.
pub(crate) fn seconds(value: Option<Seconds>) -> String {
    fixed(value.map(Seconds::get), 3)
}

/// Time per token in seconds: one digit more.
pub(crate) fn seconds_per_token(value: Option<Seconds>) -> String {
    fixed(value.map(Seconds::get), 4)
}

/// A rate in tokens a second.
pub(crate) fn tokens_per_second(value: Option<f64>) -> String {
    fixed(value, 1)
}

/// A rate in requests a second.
pub(crate) fn requests_per_second(value: Option<f64>) -> String {
    fixed(value, 3)
}

/// A ratio such as tokens per event.
pub(crate) fn ratio(value: Option<f64>) -> String {
    fixed(value, 2)
}

/// A whole number.
pub(crate) fn count(value: Option<u64>) -> String {
    value.map_or_else(|| ABSENT.to_owned(), |value| value.to_string())
}

/// A share as a percentage. Only a whole is `100%` and only nothing is `0%`: 9,999 of 10,000 is `99.99%`.
pub(crate) fn percent(share: Option<f64>) -> String {
    let Some(share) = share.filter(|share| share.is_finite()) else {
        return ABSENT.to_owned();
    };
    let value = share * 100.0;
    if value == 100.0 || value == 0.0 {
        return format!("{value:.0}%");
    }
    let text = |decimals: usize| format!("{value:.decimals$}");
    let decimals = (1..=6).find(|&decimals| {
        let shown: f64 = text(decimals).parse().unwrap_or(value);
        shown != 100.0 && shown != 0.0
    });
    format!("{}%", text(decimals.unwrap_or(6)))
}

/// A number whose unit is not known here: up to three decimals, without trailing zeros.
pub(crate) fn plain(value: Option<f64>) -> String {
    let text = fixed(value, 3);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A figure named by its metric in the summary, in the digits of that metric.
pub(crate) fn of_metric(metric: &str, value: Option<f64>) -> String {
    let name = metric.split('.').next().unwrap_or(metric);
    match name {
        "tpot_s" | "tpot_usual_s" | "inter_event_s" | "e2e_per_token_s" => fixed(value, 4),
        "output_tps" | "total_tps" | "sustained_output_tps" => tokens_per_second(value),
        "rps" | "goodput_rps" => requests_per_second(value),
        "success_rate" | "success_rate_low" | "attainment" | "cached_input_share" => percent(value),
        _ if name.ends_with("_s") => fixed(value, 3),
        _ => plain(value),
    }
}

/// A limit as written, with its comparison as people write it: `≤ 2.0`.
pub(crate) fn limit(written: &str) -> String {
    written.replace("<=", "≤").replace(">=", "≥")
}

/// Bytes in MiB.
pub(crate) fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| ABSENT.to_owned(), |bytes| format!("{:.1} MiB", bytes as f64 / 1_048_576.0))
}

/// A duration of the client's own accuracy, in milliseconds.
pub(crate) fn milliseconds(value: Option<Seconds>) -> String {
    value.map_or_else(|| ABSENT.to_owned(), |value| format!("{:.2} ms", value.get() * 1e3))
}

/// The name of a tier: `C4`.
pub(crate) fn tier(concurrency: u32) -> String {
    format!("C{concurrency}")
}

/// The name of a tier that may be missing.
pub(crate) fn tier_or_absent(concurrency: Option<u32>) -> String {
    concurrency.map_or_else(|| ABSENT.to_owned(), tier)
}

/// An RFC 3339 instant in UTC, for people: `2026-11-30 21:54:40 UTC`. Anything else stays as it is.
pub(crate) fn instant(rfc3339: &str) -> String {
    match rfc3339.strip_suffix('Z').and_then(|rest| rest.split_once('T')) {
        Some((date, time)) => format!("{date} {} UTC", time.split('.').next().unwrap_or(time)),
        None => rfc3339.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_never_rounded_to_a_whole_or_to_nothing() {
        let cases = [
            (1.0, "100%"),
            (0.0, "0%"),
            (0.9999, "99.99%"),
            (0.86089, "86.1%"),
            (0.983495, "98.3%"),
            (0.00001, "0.001%"),
            (f64::NAN, "—"),
        ];
        for (share, text) in cases {
            assert_eq!(percent(Some(share)), text);
        }
        assert_eq!(percent(None), "—");
    }

    #[test]
    fn what_does_not_exist_is_a_dash() {
        assert_eq!(seconds(None), "—");
        assert_eq!(tokens_per_second(Some(f64::INFINITY)), "—");
        assert_eq!(count(None), "—");
        assert_eq!(plain(Some(120.0)), "120");
        assert_eq!(plain(Some(0.0)), "0");
        assert_eq!(of_metric("ttft_s.p95", Some(1.23456)), "1.235");
        assert_eq!(of_metric("output_tps", Some(123.456)), "123.5");
    }

    #[test]
    fn instants_are_written_for_people() {
        assert_eq!(instant("2026-11-30T21:54:40.123Z"), "2026-11-30 21:54:40 UTC");
        assert_eq!(instant("yesterday"), "yesterday");
    }
}
