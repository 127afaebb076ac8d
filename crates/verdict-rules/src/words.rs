//! How figures, tiers and outcomes are written inside sentences.

use std::collections::BTreeMap;

use metrics_core::{Outcome, Seconds};

use crate::text::Text;

/// A share in percent without its sign, cut (not rounded) to two decimals: 0.99999 never reads as 100.
pub(crate) fn percent(share: f64) -> String {
    trimmed(((share * 1e6).round() / 1e2).floor() / 1e2, 2)
}

/// A share in percent as somebody wrote it, to four decimals.
pub(crate) fn percent_as_agreed(share: f64) -> String {
    trimmed(share * 1e2, 4)
}

/// Seconds, with milliseconds where these matter.
pub(crate) fn seconds(seconds: Seconds) -> String {
    let value = seconds.get();
    if value < 0.1 {
        format!("{value:.4}")
    } else if value < 10.0 {
        format!("{value:.3}")
    } else {
        format!("{value:.1}")
    }
}

/// A rate in tokens a second, cut to one decimal so that it never reads as more than it is.
pub(crate) fn rate(per_second: f64) -> String {
    format!("{:.1}", ((per_second * 1e6).round() / 1e5).floor() / 1e1)
}

/// A factor such as the growth of a latency, rounded up: it never reads as less than it is.
pub(crate) fn factor(factor: f64) -> String {
    format!("{:.2}", ((factor * 1e6).round() / 1e4).ceil() / 1e2)
}

/// A number as somebody wrote it, without trailing zeros.
pub(crate) fn number(value: f64) -> String {
    trimmed(value, 6)
}

fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `C8`.
pub(crate) fn tier(concurrency: u32) -> String {
    format!("C{concurrency}")
}

/// `C1, C2 and C4`, `C1、C2、C4`.
pub(crate) fn tiers(concurrencies: &[u32]) -> Text {
    list(&concurrencies.iter().map(|concurrency| Text::verbatim(tier(*concurrency))).collect::<Vec<_>>())
}

/// Items as a list inside a sentence.
pub(crate) fn list(items: &[Text]) -> Text {
    let zh: Vec<&str> = items.iter().map(|item| item.zh.as_str()).collect();
    let en = match items {
        [] => String::new(),
        [only] => only.en.clone(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(|item| item.en.as_str()).collect();
            format!("{} and {}", first.join(", "), last.en)
        }
    };
    Text::new(en, zh.join("、"))
}

/// `1 request`, `20 requests`.
pub(crate) fn requests(count: u64) -> String {
    plural(count, "request")
}

/// A count with its English noun.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Every outcome but the effective one, with its count, or nothing where all are effective.
pub(crate) fn failures(outcomes: &BTreeMap<Outcome, u64>) -> Option<Text> {
    let items: Vec<Text> = outcomes
        .iter()
        .filter(|(outcome, count)| **outcome != Outcome::Effective && **count > 0)
        .map(|(outcome, count)| {
            let name = outcome_name(*outcome);
            Text::new(format!("{count} {}", name.en), format!("{} {count} 个", name.zh))
        })
        .collect();
    (!items.is_empty()).then(|| list(&items))
}

fn outcome_name(outcome: Outcome) -> Text {
    match outcome {
        Outcome::Effective => Text::new("effective", "有效"),
        Outcome::ConnectFailed => Text::new("without a connection", "连接失败"),
        Outcome::Rejected => Text::new("rejected as over capacity", "被限流拒绝"),
        Outcome::HttpError => Text::new("answered by an HTTP error", "返回 HTTP 错误"),
        Outcome::StreamError => Text::new("with an error inside the stream", "流内报错"),
        Outcome::Truncated => Text::new("cut off before the end", "输出中断"),
        Outcome::Malformed => Text::new("with data that cannot be decoded", "数据无法解析"),
        Outcome::Empty => Text::new("without any output", "无任何输出"),
        Outcome::Short => Text::new("shorter than the rule demands", "输出过短"),
        Outcome::Capped => Text::new("cut at a length limit that was not asked for", "被长度上限截断"),
        Outcome::Filtered => Text::new("withheld by a content filter", "内容被过滤"),
        Outcome::Aborted => Text::new("given up by the service", "被服务端中止"),
        Outcome::LateFirstToken => Text::new("late with the first token", "首 Token 超时"),
        Outcome::Stalled => Text::new("stalled in mid-stream", "输出停滞"),
        Outcome::Deadline => Text::new("past the deadline", "整体超时"),
        Outcome::Cancelled => Text::new("cancelled by the client", "被客户端取消"),
        Outcome::NotSent => Text::new("never sent", "未发出"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_read_as_better_than_they_are() {
        assert_eq!(percent(1.0), "100");
        assert_eq!(percent(0.99999), "99.99");
        assert_eq!(percent(0.994_444), "99.44");
        assert_eq!(percent(0.5), "50");
        assert_eq!(percent(0.0), "0");
        assert_eq!(percent_as_agreed(0.999), "99.9");
        assert_eq!(percent_as_agreed(0.99995), "99.995");
        assert_eq!(rate(119.99), "119.9");
        assert_eq!(factor(2.0), "2.00");
        assert_eq!(factor(2.001), "2.01");
    }

    #[test]
    fn lists_read_like_lists() {
        assert_eq!(tiers(&[1]), Text::verbatim("C1"));
        assert_eq!(tiers(&[1, 2, 4]), Text::new("C1, C2 and C4", "C1、C2、C4"));
        assert_eq!(requests(1), "1 request");
        assert_eq!(requests(0), "0 requests");
    }

    #[test]
    fn every_outcome_has_a_name_in_both_languages() {
        for outcome in Outcome::ALL {
            let name = outcome_name(outcome);
            assert!(!name.en.is_empty() && !name.zh.is_empty());
        }
    }
}
