//! What the closed vocabularies are called in documents. Every member has words in both languages, or this does
//! not compile.

use metrics_core::{LimitHit, Origin, Outcome, Support, SustainedAbsent, TokenSource};
use verdict_rules::{CriterionId, Edition, Judgement, LevelledOff, terms};

use crate::{document::Tone, language::Language, number};

/// A criterion or an item passed, failed, or cannot be told.
pub(crate) fn judgement(l: Language, judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Pass => l.say("passed", "通过"),
        Judgement::Fail => l.say("not passed", "不通过"),
        Judgement::Inconclusive => l.say("inconclusive", "无法判定"),
    }
}

/// The decision, as it stands at the top of the report.
pub(crate) fn decision(l: Language, judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Pass => l.say("PASSED", "【通过】"),
        Judgement::Fail => l.say("NOT PASSED", "【不通过】"),
        Judgement::Inconclusive => l.say("INCONCLUSIVE", "【无法判定】"),
    }
}

/// How a judgement is set.
pub(crate) fn tone(judgement: Judgement) -> Tone {
    match judgement {
        Judgement::Pass => Tone::Good,
        Judgement::Fail => Tone::Bad,
        Judgement::Inconclusive => Tone::Unsure,
    }
}

/// The edition.
pub(crate) fn edition(l: Language, edition: Edition) -> &'static str {
    match edition {
        Edition::Customer => l.say("Customer edition", "客户提交版"),
        Edition::Internal => l.say("Internal edition", "内部版"),
    }
}

/// A criterion.
pub(crate) fn criterion(l: Language, id: CriterionId) -> &'static str {
    match id {
        CriterionId::TestIntegrity => l.say("Test integrity", "测试完整性"),
        CriterionId::ServiceAvailability => l.say("Service availability", "服务可用性"),
        CriterionId::Stability => l.say("Stability", "稳定性"),
        CriterionId::PeakThroughput => l.say("Peak throughput", "峰值吞吐量"),
        CriterionId::DeliveryAdvice => l.say("Fitness of the delivery advice", "交付建议适配性"),
        CriterionId::DataTraceability => l.say("Data traceability", "数据可追溯性"),
    }
}

/// Statistical support.
pub(crate) fn support(l: Language, support: Support) -> &'static str {
    match support {
        Support::Supported => l.say("supported", "样本支持"),
        Support::Refuted => l.say("refuted", "样本否定"),
        Support::Inconclusive => l.say("undecided", "样本不足以判定"),
    }
}

/// How a request ended: its name.
pub(crate) fn outcome(l: Language, outcome: Outcome) -> &'static str {
    l.term(terms::outcome(outcome))
}

/// How a request ended: what that means.
pub(crate) fn outcome_meaning(l: Language, outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Effective => l.say(
            "Whole, decodable, long enough and in time. Only these count as output.",
            "完整、可解析、长度达标且未超时。只有这类请求计入产出。",
        ),
        Outcome::ConnectFailed => l.say(
            "No connection came about: name resolution, refusal, TLS or time-out.",
            "未能建立连接：域名解析、拒绝连接、TLS 或连接超时。",
        ),
        Outcome::Rejected => l.say(
            "The service turned the request away (429, or 503 with advice when to retry).",
            "服务拒绝受理（429，或带重试建议的 503）。",
        ),
        Outcome::HttpError => {
            l.say("The service answered with another status than 200.", "服务返回了 200 以外的状态码。")
        }
        Outcome::StreamError => l.say(
            "Status 200, but the stream carried an error or was no event stream.",
            "状态码为 200，但流中携带错误，或返回的不是事件流。",
        ),
        Outcome::Truncated => l.say(
            "The answer stopped without a finish reason: it is not known to be whole.",
            "响应在给出结束原因之前中断，无法认定完整。",
        ),
        Outcome::Malformed => l.say(
            "Part of the stream could not be decoded: the text has a hole.",
            "部分数据无法解析，文本有缺失。",
        ),
        Outcome::Empty => l.say("Ended well, but without any token.", "正常结束，但没有任何输出 Token。"),
        Outcome::Short => {
            l.say("Fewer output tokens than the agreed rule demands.", "输出 Token 数低于约定的最少数量。")
        }
        Outcome::Capped => {
            l.say("Cut at a maximum length that nobody asked for.", "在未要求限长的情况下被截断于最大长度。")
        }
        Outcome::Filtered => l.say("The service withheld content.", "服务拦截了输出内容。"),
        Outcome::Aborted => l.say("The service gave up by itself.", "服务端自行中止了生成。"),
        Outcome::LateFirstToken => {
            l.say("No first token, or one that came after the limit.", "首 Token 未到，或晚于时限。")
        }
        Outcome::Stalled => l.say("The stream fell silent in the middle.", "输出中途长时间没有数据。"),
        Outcome::Deadline => l.say("The whole answer came after the limit.", "完整响应晚于时限。"),
        Outcome::Cancelled => l.say("Cancelled by the client itself.", "由测试端自行取消。"),
        Outcome::NotSent => l.say(
            "Planned, but never sent. Such a request lowers the success rate.",
            "已计划但未发送；同样拉低成功率。",
        ),
    }
}

/// A limit of the generator, and what it was held against.
pub(crate) fn client_limit(l: Language, hit: &LimitHit) -> &'static str {
    l.term(terms::limit_hit(hit))
}

/// A tier at which throughput had levelled off or fallen.
pub(crate) fn levelled_off(l: Language, found: &LevelledOff) -> String {
    let (tier, before) = (number::tier(found.tier), number::tier(found.before));
    let gain = number::percent(found.gain.abs());
    if found.gain < 0.0 {
        l.say(
            format!("Sustained Output TPS at {tier} is {gain} below that at {before}: more concurrency brought no more output."),
            format!("{tier} 的持续 Output TPS 较 {before} 下降 {gain}；提高并发未带来更多产出。"),
        )
    } else {
        l.say(
            format!("Sustained Output TPS had levelled off at {tier}: {gain} above {before}. From there on, load adds latency and hardly any output."),
            format!("{tier} 的持续 Output TPS 较 {before} 仅增 {gain}，已趋于平缓；增加的主要是时延而非产出。"),
        )
    }
}

/// Where the shape of a request comes from, as documents call it.
#[must_use]
pub fn origin(l: Language, origin: Origin) -> &'static str {
    match origin {
        Origin::Real => l.say("real", "真实"),
        Origin::Synthetic => l.say("synthetic", "合成"),
        Origin::Assumed => l.say("assumed", "假定"),
        Origin::Unknown => l.say("not known", "来源不明"),
    }
}

/// How that is marked: what nobody measured needs attention.
pub(crate) fn origin_tone(origin: Origin) -> Tone {
    match origin {
        Origin::Real => Tone::Plain,
        Origin::Synthetic | Origin::Assumed | Origin::Unknown => Tone::Unsure,
    }
}

/// The origin of a profile's group as that of its requests.
pub(crate) fn of_profile(origin: workload_model::profile::Origin) -> Origin {
    match origin {
        workload_model::profile::Origin::Real => Origin::Real,
        workload_model::profile::Origin::Synthetic => Origin::Synthetic,
        workload_model::profile::Origin::Assumed => Origin::Assumed,
    }
}

/// Who counted tokens.
pub(crate) fn token_source(l: Language, source: TokenSource) -> &'static str {
    match source {
        TokenSource::Usage => l.say("the service's usage", "服务返回的 usage"),
        TokenSource::Tokenizer => l.say("a tokenizer, over the whole text", "分词器统计全文"),
        TokenSource::Events => l.say("stream events (an estimate)", "流事件数（估算）"),
    }
}

/// The same from the word in a summary: `usage`, `tokenizer`, `events` or `mixed`.
pub(crate) fn token_source_named(l: Language, name: Option<&str>) -> String {
    match name {
        Some("usage") => "usage".to_owned(),
        Some("tokenizer") => l.say("tokenizer", "分词器").to_owned(),
        Some("events") => l.say("events", "流事件").to_owned(),
        Some("mixed") => l.say("mixed", "混合").to_owned(),
        Some(other) => other.to_owned(),
        None => number::ABSENT.to_owned(),
    }
}

/// Why there is no sustained rate, from the words in a summary; words that are not known stay as they are.
pub(crate) fn sustained_absent(l: Language, reason: &str) -> &str {
    let Some(known) = SustainedAbsent::ALL.into_iter().find(|known| known.as_str() == reason) else {
        return reason;
    };
    match known {
        SustainedAbsent::NotOneClosedLoopTier => l.say("not one closed-loop tier", "并非单一闭环档位"),
        SustainedAbsent::PartOfATier => l.say("part of a tier", "只是该档的一部分"),
        SustainedAbsent::SeveralStages => l.say("the tier ran in several stages", "该档分多个阶段执行"),
        SustainedAbsent::Conversations => {
            l.say("slots were idle between turns of conversations", "多轮会话的轮次之间并发位空闲")
        }
        SustainedAbsent::Pauses => l.say("slots paused between requests", "请求之间有停顿，并发位空闲"),
        SustainedAbsent::TriedAgain => l.say("requests were tried again", "有请求重试，等待期间并发位空闲"),
        SustainedAbsent::NeverFull => l.say("the tier was never full", "并发位从未全部占满"),
        SustainedAbsent::NothingEffective => l.say("no request was effective", "没有有效请求"),
        SustainedAbsent::NoTokenInstants => {
            l.say("token counts or instants are missing", "缺少 Token 计数或到达时刻")
        }
    }
}

/// Heading of the table of contents.
pub(crate) fn contents(l: Language) -> &'static str {
    l.say("Contents", "目录")
}

/// The link past everything that stands on a page before the text.
pub(crate) fn skip_to_text(l: Language) -> &'static str {
    l.say("Skip to the text", "跳至正文")
}

/// What the head of a column does when it is pressed.
pub(crate) fn sort_hint(l: Language) -> &'static str {
    l.say("Sort: up, then down, then as written", "排序：升序、降序、恢复原序")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_chinese(words: &str) -> bool {
        words.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c))
    }

    #[test]
    fn every_outcome_has_its_own_meaning_in_both_languages() {
        let mut seen = std::collections::BTreeSet::new();
        for member in Outcome::ALL {
            let (zh, en) = (outcome_meaning(Language::Zh, member), outcome_meaning(Language::En, member));
            assert!(is_chinese(zh) && !is_chinese(en), "{member:?}");
            assert!(seen.insert(zh) && seen.insert(en));
        }
    }
}
