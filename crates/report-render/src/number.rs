//! How figures are written: by the one formatter of the rules, so that a table never has other digits than the
//! sentence beside it. Here stands only what sentences do not need.

pub(crate) use verdict_rules::number::{
    ABSENT, milliseconds, of_metric, of_metric_against, percent, percent_as_agreed, plain, ratio,
    ratio_against, requests_per_second, seconds, seconds_per_token, tier, tokens_per_second,
};

/// A whole number.
pub(crate) fn count(value: Option<u64>) -> String {
    value.map_or_else(|| ABSENT.to_owned(), |value| value.to_string())
}

/// A whole number in groups of three: `1,234,567`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A rate of which only the whole part matters, such as events a second.
pub(crate) fn whole(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(|| ABSENT.to_owned(), |value| format!("{value:.0}"))
}

/// A count with its English noun: `1 request`, `20 requests`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A limit as written, with its comparison as people write it: `≤ 2.0`.
pub(crate) fn limit(written: &str) -> String {
    written.replace("<=", "≤").replace(">=", "≥")
}

/// Bytes in MiB.
pub(crate) fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| ABSENT.to_owned(), |bytes| format!("{:.1} MiB", bytes as f64 / 1_048_576.0))
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
    fn instants_are_written_for_people() {
        assert_eq!(instant("2026-11-30T21:54:40.123Z"), "2026-11-30 21:54:40 UTC");
        assert_eq!(instant("yesterday"), "yesterday");
    }

    #[test]
    fn large_counts_are_written_in_groups() {
        assert_eq!(
            [0, 999, 1_000, 58_203, 1_000_000_000].map(grouped),
            ["0", "999", "1,000", "58,203", "1,000,000,000"]
        );
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|n| plural(n, "request")), ["0 requests", "1 request", "2 requests"]);
    }
}
