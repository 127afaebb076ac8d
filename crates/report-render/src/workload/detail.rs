//! The groups one by one.

use workload_model::profile::{GroupRule, Profile, ProfileGroup, Quantiles, Sessions};
use workload_model::synthesis::Tongue;

use crate::{
    document::{Block, Pair, legible},
    language::Language,
    number,
};

use super::{assumed, burstiness, clock::Clock, figures, lengths, missing, vocabulary};

pub(super) fn heading(l: Language) -> &'static str {
    l.say("Groups one by one", "分组明细")
}

pub(super) fn blocks(p: &Profile, l: Language) -> Vec<Block> {
    let mut blocks = Vec::new();
    let most = lengths::STEMS.len();
    if p.groups.len() > most {
        let (groups, rest) = (p.groups.len(), p.groups.len() - most);
        blocks.push(Block::Paragraph(
            l.say(
                format!("Of {groups} groups, the {most} with most requests are told one by one. The other {rest} stand in the tables of section 2 and, whole, in profile.json."),
                format!("共 {groups} 组，以下逐一列出请求数最多的 {most} 组；其余 {rest} 组见第 2 节各表，完整数据见 profile.json。"),
            )
            .into(),
        ));
    }
    for (group, stem) in p.groups.iter().zip(lengths::STEMS) {
        blocks.push(Block::Heading(legible(&group.name)));
        blocks.extend(lengths::chart(group, stem, l).map(Block::Chart));
        blocks.push(Block::Pairs(match &group.assumed {
            Some(shape) => assumed::pairs(group, shape, l).into_iter().chain(languages(group, l)).collect(),
            None => pairs(p, group, l),
        }));
    }
    blocks
}

/// In which languages texts are made, where the operator said.
fn languages(group: &ProfileGroup, l: Language) -> Option<Pair> {
    let all: u64 = group.languages.values().map(|weight| u64::from(*weight)).sum();
    let share = |(tongue, weight): (&Tongue, &u32)| {
        let name = match tongue {
            Tongue::Zh => l.say("Chinese", "中文"),
            Tongue::En => l.say("English", "英文"),
        };
        format!("{name} {}", figures::share_of(u64::from(*weight), all))
    };
    let shares: Vec<String> = group.languages.iter().map(share).collect();
    (all > 0).then(|| Pair {
        name: l.say("Languages, in the operator's word", "语言（据提供方说明）").to_owned(),
        value: l.list(&shares).into(),
    })
}

fn rule(group: &ProfileGroup, l: Language) -> Pair {
    let rule = match group.rule.trim() {
        "" => l.say("not stated", "未说明"),
        rule if rule == GroupRule::other().rule => {
            l.say("all requests that no other rule takes", "不符合其他任何规则的请求")
        }
        rule => rule,
    };
    Pair { name: l.say("Rule", "分组规则").to_owned(), value: rule.into() }
}

fn pairs(p: &Profile, group: &ProfileGroup, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: String| Pair { name: name.to_owned(), value: value.into() };
    let share = number::percent(group.share);
    let mut pairs = vec![
        rule(group, l),
        pair(
            l.say("Requests", "请求数"),
            match group.rows {
                0 => l.say(
                    format!("none measured; the share of {share} is assumed"),
                    format!("没有实测数据；占比 {share} 为假定"),
                ),
                rows => {
                    let requests = figures::requests(rows, l);
                    l.say(format!("{requests}, {share} of all"), format!("{requests}，占全部的 {share}"))
                }
            },
        ),
    ];
    pairs.push(pair(l.say("Origin", "数据性质"), vocabulary::origin_meaning(l, group.origin).to_owned()));
    pairs.extend(counted(
        l.say("Calls", "调用类型"),
        group.calls.iter().map(|(call, rows)| (vocabulary::call(l, *call).to_owned(), *rows)),
        group.rows,
        l,
    ));
    pairs.push(pair(l.say("Streaming", "流式"), streaming(group, l)));
    pairs.extend(languages(group, l));
    pairs.extend(counted(
        l.say("Endings", "结束方式"),
        group.ends.iter().map(|(word, rows)| (vocabulary::ending(l, word), *rows)),
        group.rows,
        l,
    ));
    pairs.extend(of_lengths(group, l));
    if group.rows > 0 {
        pairs.extend(burstiness::pairs(&group.arrivals, p.deidentification.time_bin_s.get() > 0.0, l));
        pairs.extend(peak(p, group, l).map(|said| pair(l.say("Peak", "峰值"), said)));
    }
    pairs.extend(sessions(&group.sessions, group.rows, l));
    pairs.extend(in_the_log(group, l));
    pairs
}

/// Parts of a group with their shares, the most frequent first.
fn counted(name: &str, parts: impl Iterator<Item = (String, u64)>, rows: u64, l: Language) -> Option<Pair> {
    let mut parts: Vec<(String, u64)> = parts.filter(|(_, count)| *count > 0).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.1));
    let parts: Vec<String> =
        parts.into_iter().map(|(name, count)| format!("{name} {}", figures::share_of(count, rows))).collect();
    (!parts.is_empty()).then(|| Pair { name: name.to_owned(), value: l.list(&parts).into() })
}

fn streaming(group: &ProfileGroup, l: Language) -> String {
    let unknown = group.streaming.unknown;
    let Some(share) = figures::streamed(&group.streaming) else {
        return l.say("unknown: the log does not tell", "未知：日志未说明").to_owned();
    };
    let share = number::percent(share);
    match unknown {
        0 => l.say(format!("{share} streamed"), format!("{share} 为流式")),
        _ => {
            let unknown = figures::requests(unknown, l);
            l.say(
                format!("{share} streamed, of those of which it is known; unknown of {unknown}"),
                format!("已知者中 {share} 为流式；另有 {unknown}未知"),
            )
        }
    }
}

fn of_lengths(group: &ProfileGroup, l: Language) -> Vec<Pair> {
    let lengths = &group.lengths;
    let mut pairs = Vec::new();
    let mut add = |name: &str, value: String| pairs.push(Pair { name: name.to_owned(), value: value.into() });
    let told = |of: &Quantiles| {
        let (all, mean, max) =
            (figures::percentiles(of, figures::tokens, l), figures::tokens(of.mean), figures::tokens(of.max));
        l.say(
            format!("{all}, mean {mean}, longest {max} tokens"),
            format!("{all}，平均 {mean}，最长 {max} Token"),
        )
    };
    if let Some(input) = &lengths.input {
        add(l.say("Input length", "输入长度"), told(input));
    }
    if let Some(output) = &lengths.output {
        add(l.say("Output length", "输出长度"), told(output));
    }
    if lengths.both > 0 {
        add(l.say("Rank correlation", "秩相关系数"), lengths::correlation(lengths, l));
    }
    if group.rows > 0
        && let Some(words) = missing::some_lengths(lengths, group.rows, l)
    {
        add(l.say("Known lengths", "长度已知情况"), words);
    }
    pairs
}

fn peak(p: &Profile, group: &ProfileGroup, l: Language) -> Option<String> {
    let peak = figures::headline(&group.arrivals)?;
    let (window, requests) = (figures::window(peak.window_s.get(), l), figures::requests(peak.requests, l));
    let (rate, lasted) = (figures::rate(Some(peak.rate)), figures::span(peak.lasted_s.get(), l));
    let from = Clock::of(p).instant(&peak.from, l);
    Some(l.say(
        format!("{requests} in {window} ({rate} a second), from {from}; at 80% of it or more for {lasted}"),
        format!("{window}内 {requests}（每秒 {rate} 个），起于 {from}；保持在 80% 以上的持续时间 {lasted}"),
    ))
}

fn sessions(sessions: &Sessions, rows: u64, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: String| Pair { name: name.to_owned(), value: value.into() };
    let name = l.say("Conversations", "会话");
    if sessions.sessions == 0 {
        return if rows == 0 { Vec::new() } else { vec![pair(name, missing::sessions(l).to_owned())] };
    }
    let (count, share) = (number::grouped(sessions.sessions), figures::share_of(sessions.rows, rows));
    let turns = number::ratio(sessions.rows as f64 / sessions.sessions as f64);
    let single = sessions.turns.get(&1).copied().unwrap_or(0);
    let single = figures::share_of(single, sessions.sessions);
    let mut pairs = vec![pair(
        name,
        l.say(
            format!("{count}, of {turns} turns in the mean; {single} of them of one turn; {share} of the group's requests belong to one"),
            format!("{count} 个，平均 {turns} 轮，其中单轮占 {single}；该组 {share} 的请求属于某一会话"),
        ),
    )];
    let seconds = |value: f64| number::plain((value * 10.0).round() / 10.0);
    let told = |of: &Quantiles| {
        let all = figures::percentiles(of, seconds, l);
        l.say(format!("{all} s"), format!("{all} 秒"))
    };
    pairs.push(pair(
        l.say("Think time", "思考时间"),
        sessions.think_time_s.as_ref().map_or_else(|| missing::think_time(sessions, l).to_owned(), told),
    ));
    if let Some(between) = &sessions.between_s {
        pairs.push(pair(l.say("From request to request", "相邻两轮间隔"), told(between)));
    }
    if sessions.overlapping > 0 {
        let requests = figures::requests(sessions.overlapping, l);
        pairs.push(pair(
            l.say("Before the answer", "答复未完即来"),
            l.say(
                format!("{requests} came before the answer to the one before had ended"),
                format!("{requests}在上一轮响应结束之前到达"),
            ),
        ));
    }
    pairs
}

/// Latencies of the service in the log.
fn in_the_log(group: &ProfileGroup, l: Language) -> Vec<Pair> {
    let seconds = |value: f64| number::plain((value * 1e3).round() / 1e3);
    let named = [
        (l.say("First token, in the log", "日志中的首 Token 时延"), &group.ttft_s),
        (l.say("Duration, in the log", "日志中的响应时长"), &group.duration_s),
    ];
    let told = named.into_iter().filter_map(|(name, found)| Some((name, found.as_ref()?)));
    told.map(|(name, found)| {
        let all = figures::percentiles(found, seconds, l);
        Pair {
            name: name.to_owned(),
            value: l
                .say(
                    format!("{all} s: of the service in the log, and no limit of another one"),
                    format!("{all} 秒：为日志所记服务的表现，不作为其他服务的限值"),
                )
                .into(),
        }
    })
    .collect()
}
