//! What this traffic is, which a reader may stop at, and what a signature under it confirms.

use workload_model::profile::{Origin, Profile, Range};

use crate::{
    document::{Block, Callout, Line, Tile, Tone, legible},
    language::Language,
    number,
};

use super::{assumed, clock::Clock, cover, figures, missing};

pub(super) fn heading(l: Language) -> &'static str {
    l.say("What this traffic is", "结论：这是怎样的流量")
}

pub(super) fn blocks(p: &Profile, l: Language) -> Vec<Block> {
    vec![
        Block::Callout(Callout {
            tone: Tone::Plain,
            title: what(p, l).into(),
            lines: period(p, l)
                .into_iter()
                .chain([peak(p, l)])
                .chain(assumed::sentence(p, l).filter(|_| p.source.kept > 0))
                .chain([not_covered(p, l)])
                .map(Line::from)
                .collect(),
        }),
        Block::Tiles(tiles(p, l)),
        Block::Heading(l.say("What whoever signs confirms", "签署确认的内容").to_owned()),
        Block::List { ordered: true, items: confirmed(p, l) },
        Block::Note(
            l.say(
                "A signature confirms what is asked of a service. It says nothing about the performance of any service.",
                "签署确认的是对服务的请求要求，不涉及任何服务的性能结果。",
            )
            .into(),
        ),
    ]
}

/// Requests, and groups with their shares.
fn what(p: &Profile, l: Language) -> String {
    if p.source.kept == 0 {
        let (groups, shares) = (p.groups.len(), figures::shares(p.groups.iter(), l));
        return l.say(
            format!("An assumed distribution without any log behind it, in {groups} groups: {shares}."),
            format!("没有日志依据的假定分布，分为 {groups} 组：{shares}。"),
        );
    }
    let measured = assumed::measured(p);
    let (groups, shares) = (measured.clone().count(), figures::shares(measured, l));
    let requests = figures::requests(p.source.kept, l);
    match groups {
        0 | 1 => l.say(format!("{requests} in one group."), format!("{requests}，不分组。")),
        _ => l.say(
            format!("{requests} in {groups} groups: {shares}."),
            format!("{requests}，分为 {groups} 组：{shares}。"),
        ),
    }
}

/// When they arrived. Segments may hold the same time, so that all together may be longer than from the first to the last.
fn period(p: &Profile, l: Language) -> Option<String> {
    let (period, span) = (cover::period(p, l), figures::span(figures::covered_s(p), l));
    let segments = p.source.segments.len();
    (p.source.kept > 0).then(|| match (p.source.relative_time, segments) {
        (true, _) => l.say(format!("Period: {period}."), format!("时段：{period}。")),
        (false, 0 | 1) => {
            l.say(format!("Period: {period}, {span} in all."), format!("时段：{period}，共 {span}。"))
        }
        (false, _) => l.say(
            format!("Period: {period}; its {segments} segments are {span} long together."),
            format!("时段：{period}；{segments} 段时长合计 {span}。"),
        ),
    })
}

/// The busiest window, how long it lasted, and how it stands to the mean.
fn peak(p: &Profile, l: Language) -> String {
    if p.source.kept == 0 {
        return missing::no_traffic(l).to_owned();
    }
    let Some(peak) = figures::headline(&p.arrivals) else {
        return missing::rates(l).to_owned();
    };
    let window = figures::window(peak.window_s.get(), l);
    let (requests, rate) = (figures::requests(peak.requests, l), figures::rate(Some(peak.rate)));
    let (from, lasted) = (Clock::of(p).instant(&peak.from, l), figures::span(peak.lasted_s.get(), l));
    let against = match p.arrivals.mean_rate.filter(|mean| *mean > 0.0) {
        Some(mean) => {
            let (times, mean) = (number::ratio(peak.rate / mean), figures::rate(Some(mean)));
            l.say(
                format!(", {times} times the mean of {mean} a second"),
                format!("，为平均到达速率（每秒 {mean} 个）的 {times} 倍"),
            )
        }
        None => String::new(),
    };
    let on = if p.source.relative_time { "at " } else { "on " };
    l.say(
        format!("The busiest {window} brought {requests} ({rate} a second){against}. It began {on}{from}; the rate stayed at 80% of it or more for {lasted}."),
        format!("最繁忙的 {window}共到达 {requests}（每秒 {rate} 个）{against}；起于 {from}，到达速率保持在该峰值 80% 以上的持续时间为 {lasted}。"),
    )
}

/// What it does not speak for.
fn not_covered(p: &Profile, l: Language) -> String {
    let share = match p.source.traffic_share {
        Some(share) if share >= 1.0 => l
            .say("By the operator's word the log holds all traffic. ", "据提供方说明，日志包含全部流量。")
            .to_owned(),
        Some(share) => {
            let share = number::percent_as_agreed(share);
            l.say(
                format!("By the operator's word the log holds {share} of all traffic. "),
                format!("据提供方说明，日志约占全部流量的 {share}。"),
            )
        }
        None if p.source.origin == Origin::Assumed => String::new(),
        None => l
            .say(
                "Nobody has said what share of all traffic the log holds. ",
                "提供方未说明日志占全部流量的比例。",
            )
            .to_owned(),
    };
    let parts: Vec<String> =
        p.not_covered.iter().map(|part| legible(part.trim_end_matches(['.', '。']))).collect();
    let not = if parts.is_empty() {
        l.say(
            "Nobody has said which traffic it does not cover.".to_owned(),
            "提供方未说明哪些流量不在覆盖范围之内。".to_owned(),
        )
    } else {
        let parts = parts.join(l.say("; ", "；"));
        l.say(format!("It does not cover: {parts}."), format!("不覆盖：{parts}。"))
    };
    format!("{share}{not}")
}

fn tiles(p: &Profile, l: Language) -> Vec<Tile> {
    let tile =
        |label: &str, value: String, note: String| Tile { label: label.to_owned(), value, note: Some(note) };
    let kept = p.source.kept;
    let headline = figures::headline(&p.arrivals);
    let of_log = figures::share_of(kept, p.source.rows_read);
    let largest = assumed::measured(p).max_by_key(|group| group.rows);
    let largest = largest.or_else(|| p.groups.iter().max_by(|one, other| one.share.total_cmp(&other.share)));
    let typical = |range: Option<Range>| Some(f64::from(range?.typical));
    let medians = largest.map(|group| match &group.assumed {
        Some(shape) => [typical(Some(shape.input_tokens)), typical(shape.output_tokens)],
        None => [group.lengths.input.map(|found| found.p50), group.lengths.output.map(|found| found.p50)],
    });
    let [input, output] = medians
        .unwrap_or_default()
        .map(|median| median.map_or_else(|| number::ABSENT.to_owned(), figures::tokens));
    let of_largest = match largest {
        _ if missing::all_lengths(p) => {
            l.say("unknown: no token counts", "未知：日志无 Token 计数").to_owned()
        }
        Some(group) if p.groups.len() > 1 => {
            let name = figures::short_name(&group.name);
            l.say(
                format!("tokens, median of the largest group, {name}"),
                format!("Token，最大分组 {name} 的中位数"),
            )
        }
        _ => l.say("tokens, median", "Token，中位数").to_owned(),
    };
    let (mut yes, mut no, mut unknown) = (0, 0, 0);
    for group in &p.groups {
        (yes, no, unknown) =
            (yes + group.streaming.yes, no + group.streaming.no, unknown + group.streaming.unknown);
    }
    vec![
        tile(
            l.say("Requests", "请求数"),
            number::grouped(kept),
            match p.source.rows_read {
                0 => l.say("nothing was measured", "没有实测数据").to_owned(),
                rows => {
                    let rows = number::grouped(rows);
                    l.say(format!("{of_log} of {rows} rows read"), format!("占所读 {rows} 行的 {of_log}"))
                }
            },
        ),
        tile(
            l.say("Period", "覆盖时长"),
            if kept == 0 { number::ABSENT.to_owned() } else { figures::span(figures::covered_s(p), l) },
            match p.source.segments.len() {
                0 => l.say("nothing was measured", "没有实测数据").to_owned(),
                1 => l.say("in one stretch", "连续一段").to_owned(),
                many => l.say(format!("in {many} segments"), format!("分 {many} 段")),
            },
        ),
        tile(
            l.say("Peak arrival rate", "峰值到达速率"),
            figures::rate(headline.map(|peak| peak.rate)),
            match headline {
                Some(peak) => {
                    let window = figures::window(peak.window_s.get(), l);
                    l.say(format!("requests a second, over {window}"), format!("个/秒，按 {window}窗口"))
                }
                None => l.say("no rate exists", "不存在到达速率").to_owned(),
            },
        ),
        tile(l.say("Input length", "输入长度"), input, of_largest.clone()),
        tile(l.say("Output length", "输出长度"), output, of_largest),
        tile(
            l.say("Streamed", "流式占比"),
            figures::share_of(yes, yes + no),
            match unknown {
                _ if yes + no == 0 => l.say("unknown: the log does not tell", "未知：日志未说明").to_owned(),
                0 => l.say("of all requests", "占全部请求").to_owned(),
                _ => {
                    let unknown = number::grouped(unknown);
                    l.say(
                        format!("of those known; unknown of {unknown}"),
                        format!("占已知者；另有 {unknown} 个未知"),
                    )
                }
            },
        ),
    ]
}

fn confirmed(p: &Profile, l: Language) -> Vec<Line> {
    let point = |strong: &str, rest: &str| Line::new().strong(strong).plain(rest);
    let first = match p.source.origin {
        Origin::Assumed => point(
            l.say("Assumptions. ", "假定。"),
            l.say(
                "The distribution is assumed as stated here, and may stand for the business until it is measured.",
                "本分布按所述内容假定，在取得实测数据之前可以代表业务。",
            ),
        ),
        Origin::Real | Origin::Synthetic => point(
            l.say("Source and period. ", "来源与时段。"),
            l.say(
                "The log named here is that of the business, and its period may stand for the traffic that the service is to bear.",
                "所列日志来自本业务，其时段可以代表服务将要承受的流量。",
            ),
        ),
    };
    vec![
        first,
        point(
            l.say("Groups. ", "分组。"),
            l.say(
                "The division into groups, their shares and their lengths are those of the business; each group is judged by its own rule and never merged into an average request.",
                "分组方式、各组占比与长度分布符合业务实际；各组按自身规则评判，不合并为“平均请求”。",
            ),
        ),
        point(
            l.say("What the business asks for. ", "业务要求。"),
            l.say(
                "Priority, time limits and the acceptable way of failing of each group. No log tells these: they hold by this signature.",
                "各组的优先级、时限与可接受的失败方式。日志中没有这些内容，以本次签署为准。",
            ),
        ),
        point(
            l.say("Limits. ", "局限。"),
            l.say(
                "What is not covered, was not kept or is assumed (section 5) is known and accepted.",
                "已知悉并接受第 5 节所列的未覆盖范围、未计入的记录与各项假定。",
            ),
        ),
        point(
            l.say("Use. ", "用途。"),
            l.say(
                "Tests and comparisons of candidates take this distribution, named by its digest. Another digest is another distribution.",
                "后续测试与候选方案比较均采用本分布，以画像摘要为准；摘要不同即为另一分布。",
            ),
        ),
    ]
}
