//! What the closed vocabularies of a profile are called. A word that is not known stays as it is.

use workload_model::{
    profile::{Origin, Way},
    traffic::{Call, Dropped, Ending, Note},
};

use crate::{language::Language, words};

/// Whether something was measured.
pub(super) fn origin(l: Language, origin: Origin) -> &'static str {
    words::origin(l, words::of_profile(origin))
}

/// The same as a sentence.
pub(super) fn origin_meaning(l: Language, origin: Origin) -> &'static str {
    match origin {
        Origin::Real => l.say("real: from a log of real use", "真实：来自真实业务的日志"),
        Origin::Synthetic => {
            l.say("synthetic: from a log of traffic that a program made", "合成：来自程序生成的流量日志")
        }
        Origin::Assumed => l.say("assumed: nobody measured it", "假定：未经测量，仅凭提出者的判断"),
    }
}

/// What was asked for.
pub(super) fn call(l: Language, call: Call) -> &'static str {
    match call {
        Call::Chat => l.say("chat", "对话"),
        Call::Completion => l.say("text completion", "文本补全"),
        Call::Embeddings => l.say("embeddings", "向量化"),
        Call::Rerank => l.say("reranking", "重排序"),
        Call::Media => l.say("pictures, sound or video", "图像、语音或视频"),
        Call::Other => l.say("other calls", "其他调用"),
    }
}

/// How requests ended, by the word of files.
pub(super) fn ending(l: Language, word: &str) -> String {
    let known = Ending::ALL.into_iter().find(|known| known.as_str() == word);
    let name = match known {
        Some(Ending::Ok) => l.say("answered", "正常完成"),
        Some(Ending::ClientGone) => l.say("left by the caller before the end", "调用方提前断开"),
        Some(Ending::Timeout) => l.say("timed out", "超时"),
        Some(Ending::Rejected) => l.say("turned away", "被拒绝"),
        Some(Ending::Error) => l.say("failed", "出错"),
        Some(Ending::CacheHit) => l.say("answered from a cache", "命中缓存"),
        Some(Ending::Unknown) => l.say("unknown", "日志未说明"),
        None => word,
    };
    name.to_owned()
}

/// An acceptable way of failing.
pub(super) fn way(l: Language, way: Way) -> &'static str {
    match way {
        Way::Reject => l.say("refused at once", "立即拒绝"),
        Way::Queue => l.say("waits in a queue", "排队等待"),
        Way::Retry => l.say("is tried again", "自动重试"),
        Way::Degrade => l.say("a smaller model or a shorter answer serves", "降级（较小模型或较短回答）"),
        Way::Never => l.say("must not fail", "不允许失败"),
    }
}

/// Why rows were not kept, by the word of files: a name, and what that means.
pub(super) fn dropped(l: Language, word: &str) -> (String, String) {
    let known = Dropped::ALL.into_iter().find(|known| known.as_str() == word);
    let (name, meaning) = match known.and_then(|known| dropped_words(l, known)) {
        Some(words) => words,
        None => (word, l.say("Counted by the importer under its own word.", "由导入程序以自有名目计数。")),
    };
    (name.to_owned(), meaning.to_owned())
}

fn dropped_words(l: Language, reason: Dropped) -> Option<(&'static str, &'static str)> {
    Some(match reason {
        Dropped::BadJson => l.say(
            ("no JSON", "The line is not one JSON value; the request on it, if any, is missing here."),
            ("不是合法 JSON", "该行不是单个合法的 JSON 值；其中若有请求，未计入本画像。"),
        ),
        Dropped::BadRow => l.say(
            ("JSON of another shape", "The line is JSON, but no record of this log's format."),
            ("JSON 结构不符", "该行是 JSON，但不是该日志格式的记录。"),
        ),
        Dropped::FieldCount => l.say(
            (
                "another number of columns",
                "The record has more or fewer columns than the heading, so that none of them can be trusted.",
            ),
            ("列数与表头不符", "该记录的列数多于或少于表头，各列均不可信。"),
        ),
        Dropped::BadEncoding => l.say(
            ("unreadable text", "The line is not text in the file's encoding."),
            ("编码无法解读", "该行不是文件所用编码的文本。"),
        ),
        Dropped::TooLong => l.say(
            ("line too long", "The line is longer than a line of this log may be."),
            ("单行过长", "该行超过日志单行的长度上限。"),
        ),
        Dropped::NoTime => l.say(
            ("without a time", "Without a time it cannot be placed among the arrivals."),
            ("缺少时间", "没有时间，无法计入到达过程。"),
        ),
        Dropped::BadTime => l.say(
            ("unreadable time", "Its time cannot be read, so that it cannot be placed among the arrivals."),
            ("时间无法解析", "时间无法解析，无法计入到达过程。"),
        ),
        Dropped::BadNumber => l.say(
            ("unreadable number", "A count or a duration cannot be read, is negative or out of range."),
            ("数值无法解析", "某个数量或时长无法解析、为负或超出范围。"),
        ),
        Dropped::NoRequest => l.say(
            ("no request to a model", "A top-up, a health check, a tool call and the like: no load on a model."),
            ("不是模型请求", "充值、健康检查、工具调用等，不构成模型负载。"),
        ),
        Dropped::OtherPath => l.say(
            (
                "another path",
                "A path other than that of a chat or text completion, where the log tells calls apart by nothing else.",
            ),
            ("其他路径", "路径不是对话或文本补全接口；该日志没有其他字段可区分调用类型。"),
        ),
        Dropped::PartOfAnother => l.say(
            ("part of another request", "Another line tells of the same request, which is counted once."),
            ("属于另一请求", "同一请求另有记录，只计一次。"),
        ),
        Dropped::OutsideWindow => l.say(
            ("outside the window", "It lies outside the window that was asked for."),
            ("时间窗之外", "不在所选的时间窗之内。"),
        ),
        _ => return None,
    })
}

/// What is to be known of rows that were kept, by the word of files: a name, what that means, and what follows.
pub(super) fn note(l: Language, word: &str) -> (String, String) {
    let known = Note::ALL.into_iter().find(|known| known.as_str() == word);
    let (name, meaning) = match known.and_then(|known| note_words(l, known)) {
        Some(words) => words,
        None => (word, l.say("Noted by the importer under its own word.", "由导入程序以自有名目注明。")),
    };
    (name.to_owned(), meaning.to_owned())
}

fn note_words(l: Language, note: Note) -> Option<(&'static str, &'static str)> {
    Some(match note {
        Note::ZoneAssumed => l.say(
            (
                "zone assumed",
                "Times in the log have no zone; that of the profile was taken. If it is another one, all hours of the day are shifted.",
            ),
            ("时区为设定值", "日志时间不带时区，按本画像的时区解读。若实际时区不同，各时段整体偏移。"),
        ),
        Note::YearAssumed => l.say(
            (
                "year assumed",
                "Times in the log have no year; the one given for the import was taken. Days of the week may be others.",
            ),
            ("年份为设定值", "日志时间不带年份，按导入时给定的年份解读；对应的星期可能不同。"),
        ),
        Note::ArrivalIsEnd => l.say(
            (
                "time of arrival unknown",
                "The log writes down the end of a request and no duration; the end stands for the arrival. Arrivals are late by as long as answers took.",
            ),
            (
                "到达时刻未知",
                "日志只记录结束时刻且没有时长，以结束时刻代替到达时刻；到达过程因此整体推迟，推迟量为各次响应的时长。",
            ),
        ),
        Note::ZeroIsUnknown => l.say(
            (
                "0 tokens taken as unknown",
                "No request has 0 tokens, or it ended in an error. These lengths are unknown and enter no distribution.",
            ),
            ("0 Token 视为未知", "请求不可能为 0 Token，或该请求以出错结束；其长度视为未知，不计入任何分布。"),
        ),
        Note::OutputCut => l.say(
            (
                "output cut short",
                "The caller, a time limit or a limit on length cut the output: its length is the least that was wanted. Such outputs are held apart from those that came to their own end.",
            ),
            (
                "输出被截断",
                "输出因调用方断开、超时或长度上限而截断，其长度只是需求的下限；此类输出与自然结束的输出分开统计。",
            ),
        ),
        Note::NoFirstToken => l.say(
            (
                "first token left out",
                "The log's value stands for none, or is the whole duration of an answer that was not streamed.",
            ),
            ("未采用首 Token 时间", "日志中的值表示“无”，或是非流式响应的总时长，未予采用。"),
        ),
        Note::CacheHit => l.say(
            (
                "answered from a cache",
                "It put no load on a model, though it arrived like any other. A service without that cache bears it as well.",
            ),
            ("命中缓存", "请求照常到达，但未对模型形成负载。若被测服务没有该缓存，这部分负载也须承担。"),
        ),
        Note::StreamInferred => l.say(
            ("streaming inferred", "The log does not say whether it was streamed; other fields show it."),
            ("流式与否为推断", "日志未直接说明是否流式，由其他字段推断。"),
        ),
        Note::PartialExport => l.say(
            (
                "part of a larger log",
                "The file says that it holds a part of more rows. The rest is not covered; rates are those of the part and too low for the whole.",
            ),
            ("仅为部分导出", "文件自述只含更多记录中的一部分；其余未被覆盖，所列到达速率只反映这一部分，低于全部流量。"),
        ),
        Note::ApplicationCounts => l.say(
            (
                "counts of an application",
                "Tokens are an application's counts and may come from several calls of a model: one request here may be several there.",
            ),
            ("应用侧计数", "Token 数由应用统计，可能来自多次模型调用；此处一条请求可能对应多次实际调用。"),
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn is_chinese(words: &str) -> bool {
        words.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c))
    }

    /// A name of its own in both languages.
    fn check<'w>(words: impl Iterator<Item = &'w str>, name: impl Fn(Language, &str) -> String) {
        let mut seen = BTreeSet::new();
        for word in words {
            let (zh, en) = (name(Language::Zh, word), name(Language::En, word));
            assert!(
                is_chinese(&zh) && !is_chinese(&en) && en != word || en == "unknown",
                "{word}: {zh}, {en}"
            );
            assert!(seen.insert(zh) && seen.insert(en), "{word}");
        }
    }

    #[test]
    fn every_word_of_a_profile_has_its_own_name_in_both_languages() {
        let reasons = || Dropped::ALL.into_iter().map(Dropped::as_str);
        check(reasons(), |l, word| dropped(l, word).0);
        check(reasons(), |l, word| dropped(l, word).1);
        let notes = || Note::ALL.into_iter().map(Note::as_str);
        check(notes(), |l, word| note(l, word).0);
        check(notes(), |l, word| note(l, word).1);
        check(Ending::ALL.into_iter().map(Ending::as_str), ending);
    }

    #[test]
    fn a_word_of_somebody_elses_importer_stays_as_it_is() {
        assert_eq!(dropped(Language::Zh, "vendor_probe").0, "vendor_probe");
        assert_eq!(note(Language::En, "vendor_note").0, "vendor_note");
    }
}
