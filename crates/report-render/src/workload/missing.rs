//! What a log does not tell is said, and never left blank.

use workload_model::profile::{Arrivals, Lengths, Profile, Sessions};

use crate::{language::Language, number};

use super::figures;

/// No row of the profile has a length.
pub(super) fn all_lengths(p: &Profile) -> bool {
    p.source.kept > 0 && p.groups.iter().all(|group| group.lengths.neither == group.rows)
}

pub(super) fn lengths(l: Language) -> &'static str {
    l.say(
        "The log has no token counts. Nothing can be said about how long inputs and outputs are, and no test may take lengths from this profile: they have to come from another log, or be assumed and signed for.",
        "日志不含 Token 计数，无法得知输入长度与输出长度。测试所用长度不得取自本画像，须另取日志，或以假定形式提出并签署确认。",
    )
}

/// Which rows have which length, as a sentence; nothing where all have both and none was cut.
pub(super) fn some_lengths(lengths: &Lengths, rows: u64, l: Language) -> Option<String> {
    if lengths.both == rows {
        return None;
    }
    if lengths.neither == rows {
        return Some(self::lengths(l).to_owned());
    }
    let part = |count: u64, en: &str, zh: &str| {
        (count > 0).then(|| {
            let count = number::grouped(count);
            l.say(format!("{en} of {count}"), format!("{zh} {count} 个"))
        })
    };
    let parts: Vec<String> = [
        part(lengths.both, "both lengths are known", "两种长度均已知且输出自然结束的"),
        part(lengths.cut, "the output was cut short", "输出被截断的"),
        part(lengths.input_only, "only the input is known", "仅输入长度已知的"),
        part(lengths.output_only, "only the output is known", "仅输出长度已知的"),
        part(lengths.neither, "neither is known", "两者均未知的"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let (all, parts) = (figures::requests(rows, l), parts.join(l.say("; ", "；")));
    Some(l.say(format!("Of {all}: {parts}."), format!("共 {all}：{parts}。")))
}

pub(super) fn hours(l: Language) -> &'static str {
    l.say(
        "The log's time is relative: it does not tell at what hour of which day it began. How requests spread over the hours of the day is therefore unknown.",
        "日志使用相对时间，不含起始日期与钟点，因此无法得知请求在一天各时段的分布。",
    )
}

pub(super) fn rates(l: Language) -> &'static str {
    l.say(
        "There is no time between the first request and the last, so that neither a rate nor a peak exists.",
        "首个与末个请求之间没有时间间隔，因此不存在到达速率与峰值。",
    )
}

pub(super) fn no_traffic(l: Language) -> &'static str {
    l.say(
        "Nothing was measured: arrivals over time, peaks and the hours of the day are unknown.",
        "没有实测数据：到达过程、峰值与各时段分布均未知。",
    )
}

/// Why there is no coefficient of variation; `rounded` where arrivals were.
pub(super) fn gap_cv(arrivals: &Arrivals, rounded: bool, l: Language) -> String {
    let ties = &arrivals.ties;
    if rounded {
        return l.say("not told: arrivals were rounded on import", "不给出：导入时到达时刻已取整").to_owned();
    }
    if !ties.too_coarse {
        return l.say("not told: fewer than 10 gaps", "不给出：到达间隔不足 10 个").to_owned();
    }
    match ties.tick_s {
        Some(tick) => {
            let (tick, most) = (number::plain(tick.get()), number::grouped(ties.most));
            l.say(
                format!("not told: the log's clock is too coarse (instants {tick} s apart, up to {most} requests at one of them), so that gaps say more of the clock than of the traffic"),
                format!("不给出：日志时钟过粗（相邻时刻相差 {tick} 秒，同一时刻最多 {most} 个请求），间隔反映的是时钟而不是流量"),
            )
        }
        None => l
            .say(
                "not told: all requests bear the same instant, since the log's clock is too coarse",
                "不给出：日志时钟过粗，所有请求的时刻相同",
            )
            .to_owned(),
    }
}

pub(super) fn sessions(l: Language) -> &'static str {
    l.say(
        "unknown: the log links no requests to conversations, so that turns and think time cannot be told",
        "未知：日志没有会话标识，无法得出轮次与思考时间",
    )
}

pub(super) fn think_time(sessions: &Sessions, l: Language) -> &'static str {
    if sessions.turns.keys().all(|turns| *turns == 1) {
        return l.say("none: no conversation has a second turn", "无：没有多于一轮的会话");
    }
    l.say(
        "unknown: the log does not tell how long answers took, or arrivals were rounded on import",
        "未知：日志没有响应时长，或导入时到达时刻已取整，无法得知回答何时结束",
    )
}

/// Why hours of the day are not told although the log's clock is absolute.
pub(super) fn hours_of_bins(l: Language) -> &'static str {
    l.say(
        "Not told: arrivals were rounded on import to bins that do not fit the hours of a day.",
        "未给出：导入时到达时刻取整的步长与钟点不对齐。",
    )
}
