//! What closed vocabularies are called, in both languages: one table for explanations and documents.

use std::collections::BTreeMap;

use metrics_core::{CalibrationDoubt, ClientLimit, LimitHit, Outcome, StreamsLimit};

use crate::{text::Text, words};

/// A name in both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// English.
    pub en: &'static str,
    /// Chinese.
    pub zh: &'static str,
}

const fn term(en: &'static str, zh: &'static str) -> Term {
    Term { en, zh }
}

/// What stands between Chinese and these words behind it: a space before Latin letters and digits.
#[must_use]
pub fn gap_before(words: &str) -> &'static str {
    if words.starts_with(|first: char| first.is_ascii_alphanumeric()) { " " } else { "" }
}

/// What the number of streams at once is limited by.
#[must_use]
pub fn streams_limit(limit: StreamsLimit) -> Term {
    match limit {
        StreamsLimit::Descriptors => term("open files (ulimit -n)", "可打开文件数（ulimit -n）"),
        StreamsLimit::Ports => term("ports", "可用端口数"),
        StreamsLimit::Memory => term("free memory", "空闲内存"),
        StreamsLimit::Cpu => term("CPU", "CPU 算力"),
    }
}

/// Why the figures of a calibration are worse than the machine could give, as a sentence.
#[must_use]
pub fn calibration_doubt(doubt: CalibrationDoubt) -> Term {
    match doubt {
        CalibrationDoubt::LateTimers => term(
            "During the calibration timers fired more than 5 ms late at P99: the machine was busy, and these figures are worse than it could give.",
            "标定期间定时器延迟 P99 超过 5 ms，主机繁忙，标定值低于其应有水平。",
        ),
        CalibrationDoubt::Unoptimised => term(
            "The program that was calibrated was built without optimisation, and its ceilings are low.",
            "被标定的程序为未优化构建，标定值偏低。",
        ),
    }
}

/// How a request ended.
#[must_use]
pub fn outcome(outcome: Outcome) -> Term {
    match outcome {
        Outcome::Effective => term("effective", "有效"),
        Outcome::ConnectFailed => term("connection failed", "连接失败"),
        Outcome::Rejected => term("rejected", "限流拒绝"),
        Outcome::HttpError => term("HTTP error", "HTTP 错误"),
        Outcome::StreamError => term("error in the stream", "流内报错"),
        Outcome::Truncated => term("cut off", "响应中断"),
        Outcome::Malformed => term("undecodable data", "数据无法解析"),
        Outcome::Empty => term("empty", "空响应"),
        Outcome::Short => term("too short", "输出过短"),
        Outcome::Capped => term("cut at a length limit", "长度截断"),
        Outcome::Filtered => term("content withheld", "内容被拦截"),
        Outcome::Aborted => term("aborted by the service", "服务端中止"),
        Outcome::LateFirstToken => term("first token late", "首 Token 超时"),
        Outcome::Stalled => term("stalled in mid-stream", "输出停滞"),
        Outcome::Deadline => term("past the deadline", "整体超时"),
        Outcome::Cancelled => term("cancelled by the client", "测试端取消"),
        Outcome::NotSent => term("not sent", "未发送"),
    }
}

/// Every outcome but the effective one that occurred, with its count: `2 × HTTP error and 1 × not sent`. `None` where
/// there is none.
#[must_use]
pub fn failures(outcomes: &BTreeMap<Outcome, u64>) -> Option<Text> {
    let items: Vec<Text> = outcomes
        .iter()
        .filter(|(outcome, count)| **outcome != Outcome::Effective && **count > 0)
        .map(|(ended, count)| {
            let Term { en, zh } = outcome(*ended);
            Text::new(format!("{count} × {en}"), format!("{zh} {count} 个"))
        })
        .collect();
    (!items.is_empty()).then(|| words::list(&items))
}

/// Which limit of its own the generator hit, and against what: what is measured against single gaps between events has
/// the same code as what is measured against the first token.
#[must_use]
pub fn limit_hit(hit: &LimitHit) -> Term {
    match (hit.limit, hit.inter_event_only) {
        (ClientLimit::TimerDelay, true) => term(
            "timer delay P99 against a quarter of the median gap",
            "定时器延迟 P99（对照事件间隔中位数的 1/4）",
        ),
        (ClientLimit::RunDelay, true) => term(
            "thread CPU wait P99 against a quarter of the median gap",
            "线程等待 CPU P99（对照事件间隔中位数的 1/4）",
        ),
        (limit, _) => client_limit(limit),
    }
}

/// A limit of the generator.
#[must_use]
pub fn client_limit(limit: ClientLimit) -> Term {
    match limit {
        ClientLimit::Cpu => term(
            "share of seconds with over 80% of the usable CPU taken",
            "CPU 占用超过可用量 80% 的秒数占比",
        ),
        ClientLimit::TimerDelay => term("timer delay P99 against TTFT", "定时器延迟 P99（对照 TTFT）"),
        ClientLimit::RunDelay => term("thread CPU wait P99 against TTFT", "线程等待 CPU P99（对照 TTFT）"),
        ClientLimit::TimerDelayPerToken => {
            term("timer delay P99 per token against TPOT", "定时器延迟 P99（按 Token 均摊，对照 TPOT）")
        }
        ClientLimit::RunDelayPerToken => {
            term("thread CPU wait P99 per token against TPOT", "线程等待 CPU P99（按 Token 均摊，对照 TPOT）")
        }
        ClientLimit::Lateness => term("send lateness P99", "请求发出滞后 P99"),
        ClientLimit::Headroom => term("headroom (calibrated ceiling / load)", "余量（标定上限 ÷ 实际负载）"),
        ClientLimit::Control => {
            term("growth with more threads or less recording", "增加线程或精简记录后的增长倍数")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_member_has_its_own_name_in_both_languages() {
        use ClientLimit::{
            Control, Cpu, Headroom, Lateness, RunDelay, RunDelayPerToken, TimerDelay, TimerDelayPerToken,
        };
        let hit = |limit, inter_event_only| {
            limit_hit(&LimitHit { limit, tier: None, observed: 1.0, allowed: 0.5, inter_event_only })
        };
        let limits =
            [Cpu, TimerDelay, RunDelay, TimerDelayPerToken, RunDelayPerToken, Lateness, Headroom, Control];
        let terms = Outcome::ALL.map(outcome).into_iter().chain(limits.map(client_limit));
        let terms = terms.chain([hit(TimerDelay, true), hit(RunDelay, true)]);
        let streams =
            [StreamsLimit::Descriptors, StreamsLimit::Ports, StreamsLimit::Memory, StreamsLimit::Cpu];
        let doubts = [CalibrationDoubt::LateTimers, CalibrationDoubt::Unoptimised];
        let terms = terms.chain(streams.map(streams_limit)).chain(doubts.map(calibration_doubt));
        let terms: Vec<Term> = terms.collect();
        let chinese = |text: &str| text.contains(|c: char| ('\u{4E00}'..='\u{9FFF}').contains(&c));
        assert!(terms.iter().all(|term| chinese(term.zh) && !chinese(term.en)));
        assert_eq!(terms.iter().map(|term| term.en).collect::<BTreeSet<_>>().len(), terms.len());
        assert_eq!(terms.iter().map(|term| term.zh).collect::<BTreeSet<_>>().len(), terms.len());
        assert_eq!(hit(TimerDelay, false), client_limit(TimerDelay));
    }

    #[test]
    fn latin_letters_stand_a_space_apart_from_chinese() {
        assert_eq!(["CPU 算力", "5 ms", "余量", ""].map(gap_before), [" ", " ", "", ""]);
    }

    #[test]
    fn failures_are_counted_by_name() {
        let outcomes =
            BTreeMap::from([(Outcome::Effective, 7), (Outcome::HttpError, 2), (Outcome::NotSent, 1)]);
        let expected = Text::new("2 × HTTP error and 1 × not sent", "HTTP 错误 2 个、未发送 1 个");
        assert_eq!(failures(&outcomes), Some(expected));
        assert_eq!(failures(&BTreeMap::from([(Outcome::Effective, 7), (Outcome::Empty, 0)])), None);
    }
}
