//! Where a profile comes from, what is in it, and what is not.

use std::collections::BTreeMap;

use workload_model::profile::{Profile, ProfileGroup};

use crate::{
    chart::{Chart, Plot, Share, Shares, SharesPanel},
    document::{Block, Column, Line, Pair, Row, Table, legible},
    language::Language,
    number,
};

use super::{assumed, clock::Clock, cover, figures, vocabulary};

/// Most groups that have a bar of their own.
const MOST_GROUPS: usize = 12;
/// Most digests and segments that are listed.
const MOST_LISTED: usize = 20;

pub(super) fn heading(l: Language) -> &'static str {
    l.say("Coverage and assumptions", "覆盖范围与假定")
}

pub(super) fn blocks(p: &Profile, l: Language) -> Vec<Block> {
    let mut blocks = vec![Block::Pairs(source(p, l))];
    blocks.push(Block::Paragraph(sum(p, l)));
    blocks.extend(chart(p, l).map(Block::Chart));
    blocks.extend(dropped(p, l));
    blocks.extend(notes(p, l));
    blocks.extend(segments(p, l));
    blocks.push(Block::Heading(l.say("Not covered", "未覆盖的流量").to_owned()));
    blocks.push(not_covered(p, l));
    blocks.push(Block::Heading(l.say("Assumptions", "假定").to_owned()));
    blocks.extend(assumptions(p, l));
    blocks
}

fn source(p: &Profile, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: Line| Pair { name: name.to_owned(), value };
    let source = &p.source;
    let mut pairs = vec![
        pair(l.say("Source", "数据来源"), cover::source(p, l)),
        pair(l.say("Origin", "数据性质"), vocabulary::origin_meaning(l, source.origin).into()),
        pair(l.say("Period", "覆盖时段"), cover::period(p, l).into()),
        pair(
            l.say("Window asked for", "指定的时间窗"),
            match &source.period.window {
                Some(window) => window.as_str().into(),
                None => l.say("none: the whole log", "未指定，取全部日志").into(),
            },
        ),
        pair(
            l.say("Share of all traffic", "占全部流量"),
            match source.traffic_share {
                Some(share) => {
                    let share = number::percent_as_agreed(share);
                    l.say(format!("{share}, by the operator's word"), format!("{share}（据提供方说明）"))
                        .into()
                }
                None => l.say("not stated", "未说明").into(),
            },
        ),
    ];
    pairs.push(pair(l.say("Profile made by", "画像生成工具"), Line::new().code(&p.made_by)));
    if source.files_sha256.is_empty() {
        return pairs;
    }
    pairs.push(pair(l.say("Format of the log", "日志格式"), Line::new().code(&source.log_format)));
    let from: Vec<String> = source
        .arrivals_from
        .iter()
        .map(|(words, rows)| format!("{} ({})", legible(words), number::grouped(*rows)))
        .collect();
    if !from.is_empty() {
        pairs.push(pair(l.say("Arrivals taken from", "到达时刻取自"), l.list(&from).into()));
    }
    for (at, digest) in source.files_sha256.iter().take(MOST_LISTED).enumerate() {
        let name = match source.files_sha256.len() {
            1 => l.say("Digest of the log (SHA-256)".to_owned(), "日志文件摘要（SHA-256）".to_owned()),
            _ => l.say(format!("File {} (SHA-256)", at + 1), format!("文件 {}（SHA-256）", at + 1)),
        };
        pairs.push(pair(&name, Line::new().code(digest)));
    }
    pairs.extend(
        further(source.files_sha256.len(), l).map(|words| pair(l.say("Further files", "其余文件"), words)),
    );
    pairs
}

fn further(all: usize, l: Language) -> Option<Line> {
    let rest = all.checked_sub(MOST_LISTED).filter(|rest| *rest > 0)?;
    Some(
        l.say(format!("{rest} more, listed in profile.json"), format!("另有 {rest} 个，见 profile.json"))
            .into(),
    )
}

/// Rows read are those kept and those dropped.
fn sum(p: &Profile, l: Language) -> Line {
    let source = &p.source;
    if source.rows_read == 0 {
        return l.say("No log was read.", "没有读取任何日志。").into();
    }
    let dropped: u64 = source.dropped.values().sum();
    let (read, kept, dropped) =
        (number::grouped(source.rows_read), number::grouped(source.kept), number::grouped(dropped));
    Line::new()
        .strong(l.say(
            format!(
                "{read} {} read = {kept} kept + {dropped} dropped. ",
                if source.rows_read == 1 { "row" } else { "rows" }
            ),
            format!("读取 {read} 行 = 计入 {kept} 行 + 未计入 {dropped} 行。"),
        ))
        .plain(l.say(
            "Every row that was read is kept or counted under a reason.",
            "读取的每一行要么计入，要么按原因计数。",
        ))
}

/// By count, the largest first.
fn sorted(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut sorted: Vec<(&str, u64)> =
        counts.iter().filter(|(_, count)| **count > 0).map(|(word, count)| (word.as_str(), *count)).collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    sorted
}

fn chart(p: &Profile, l: Language) -> Option<Chart> {
    let source = &p.source;
    let bar = |label: String, rows: u64, filled: bool| {
        let (grouped, share) = (number::grouped(rows), figures::share_of(rows, source.rows_read));
        let words = format!("{grouped} · {share}");
        Share { label: legible(&label), share: rows as f64 / source.rows_read.max(1) as f64, words, filled }
    };
    let mut panels = Vec::new();
    if source.rows_read > 0 {
        let mut rows = vec![bar(l.say("kept", "计入").to_owned(), source.kept, true)];
        let dropped = sorted(&source.dropped).into_iter();
        rows.extend(dropped.map(|(word, count)| bar(vocabulary::dropped(l, word).0, count, false)));
        panels.push(SharesPanel { title: l.say("Rows read", "读取的行").to_owned(), rows });
    }
    // Shares of a log and shares of what is to be sent do not stand side by side.
    let mut groups: Vec<&ProfileGroup> = assumed::measured(p).collect();
    if groups.is_empty() {
        groups = p.groups.iter().collect();
    }
    if !groups.is_empty() {
        let of_groups = |groups: &[&ProfileGroup], label: String| {
            let share = groups.iter().map(|group| group.share).sum::<f64>();
            let rows: u64 = groups.iter().map(|group| group.rows).sum();
            let words = match rows {
                0 => number::percent(share),
                _ => format!("{} · {}", number::grouped(rows), number::percent(share)),
            };
            Share { label, share, words, filled: rows > 0 }
        };
        let shown = if groups.len() > MOST_GROUPS + 1 { MOST_GROUPS } else { groups.len() };
        let mut rows: Vec<Share> = groups[..shown]
            .iter()
            .map(|group| of_groups(std::slice::from_ref(group), legible(&group.name)))
            .collect();
        if shown < groups.len() {
            let rest = &groups[shown..];
            let label = l.say(format!("{} further groups", rest.len()), format!("其余 {} 组", rest.len()));
            rows.push(of_groups(rest, label));
        }
        panels.push(SharesPanel { title: l.say("Requests by group", "各组请求").to_owned(), rows });
    }
    if panels.is_empty() {
        return None;
    }
    let described: Vec<String> = panels
        .iter()
        .map(|panel| {
            let parts: Vec<String> =
                panel.rows.iter().map(|row| format!("{} {}", row.label, row.words)).collect();
            l.say(
                format!("{}: {}.", panel.title, parts.join("; ")),
                format!("{}：{}。", panel.title, parts.join("；")),
            )
        })
        .collect();
    Some(Chart {
        stem: "coverage",
        title: l.say("What was read, and how it divides", "读取范围与分组构成").to_owned(),
        description: described.join(l.say(" ", "")),
        caption: l
            .say(
                "Filled bars are in the profile; open ones are not, or are assumed. Each panel is a whole of 100%.",
                "实心条计入本画像；空心条未计入，或为假定。每张图合计为 100%。",
            )
            .into(),
        plot: Plot::Shares(Shares { panels }),
    })
}

fn dropped(p: &Profile, l: Language) -> Vec<Block> {
    let dropped = sorted(&p.source.dropped);
    if dropped.is_empty() {
        return match p.source.rows_read {
            0 => Vec::new(),
            _ => vec![Block::Paragraph(l.say("No row was dropped.", "没有未计入的行。").into())],
        };
    }
    let row = |(word, count): (&str, u64)| {
        let (name, meaning) = vocabulary::dropped(l, word);
        Row::of([name, number::grouped(count), figures::share_of(count, p.source.rows_read), meaning])
    };
    vec![Block::Table(Table {
        caption: l.say("Rows that were not kept, by reason", "未计入的行及原因").to_owned(),
        columns: vec![
            Column::left(l.say("Reason", "原因")),
            Column::right(l.say("Rows", "行数")),
            Column::right(l.say("Of rows read", "占读取")),
            Column::left(l.say("What it means", "含义")),
        ],
        rows: dropped.into_iter().map(row).collect(),
    })]
}

fn notes(p: &Profile, l: Language) -> Vec<Block> {
    let notes = sorted(&p.source.notes);
    if notes.is_empty() {
        return Vec::new();
    }
    let row = |(word, count): (&str, u64)| {
        let (name, meaning) = vocabulary::note(l, word);
        Row::of([name, number::grouped(count), figures::share_of(count, p.source.kept), meaning])
    };
    vec![Block::Table(Table {
        caption: l.say("What is to be known of rows that were kept", "计入的行须注意之处").to_owned(),
        columns: vec![
            Column::left(l.say("Note", "注意事项")),
            Column::right(l.say("Rows", "行数")),
            Column::right(l.say("Of rows kept", "占计入")),
            Column::left(l.say("What it means, and what follows", "含义与影响")),
        ],
        rows: notes.into_iter().map(row).collect(),
    })]
}

/// The stretches of the log, where there are several.
fn segments(p: &Profile, l: Language) -> Vec<Block> {
    let segments = &p.source.segments;
    if segments.len() < 2 {
        return Vec::new();
    }
    let clock = Clock::of(p);
    let rows = segments.iter().take(MOST_LISTED).enumerate().map(|(at, segment)| {
        Row::of([
            (at + 1).to_string(),
            clock.instant(&segment.from, l),
            figures::span(segment.duration_s.get(), l),
            number::grouped(segment.rows),
        ])
    });
    let mut blocks = vec![Block::Table(Table {
        caption: l
            .say("Segments between backward jumps of the log's clock", "日志时钟回跳所分的时段")
            .to_owned(),
        columns: vec![
            Column::left(l.say("Segment", "段")),
            Column::left(l.say("First arrival", "首个到达")),
            Column::right(l.say("Length", "时长")),
            Column::right(l.say("Rows", "行数")),
        ],
        rows: rows.collect(),
    })];
    blocks.extend(further(segments.len(), l).map(Block::Note));
    blocks
}

fn not_covered(p: &Profile, l: Language) -> Block {
    if p.not_covered.is_empty() {
        return Block::Paragraph(
            l.say(
                "Nobody has said what the log does not cover. Before signing, name channels, seasons and callers that it leaves out, or state that there are none.",
                "提供方未说明日志未覆盖哪些流量。签署之前，请列明未包含的渠道、时期与调用方，或声明没有。",
            )
            .into(),
        );
    }
    Block::List { ordered: false, items: p.not_covered.iter().map(Line::from).collect() }
}

fn assumptions(p: &Profile, l: Language) -> Vec<Block> {
    let mut rows: Vec<Row> = p
        .assumptions
        .iter()
        .map(|assumed| Row::of([assumed.what.as_str(), assumed.by.as_str(), dash(&assumed.basis)]))
        .collect();
    // Who stands for the terms of several groups with one reason is named once.
    let mut terms: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for group in assumed::measured(p) {
        let Some(by) = group.terms.by.as_deref() else { continue };
        let basis = group.terms.basis.as_deref().unwrap_or_default();
        match terms.iter_mut().find(|(known, why, _)| (*known, *why) == (by, basis)) {
            Some((_, _, names)) => names.push(legible(&group.name)),
            None => terms.push((by, basis, vec![legible(&group.name)])),
        }
    }
    for (by, basis, names) in terms {
        let names = l.list(&names);
        let what = l.say(format!("What the business asks of {names}"), format!("{names} 的业务要求"));
        rows.push(Row::of([what.as_str(), by, dash(basis)]));
    }
    rows.extend(
        p.assumed_groups().map(|(group, shape)| {
            Row::of([assumed::what(group, shape, l).as_str(), &shape.by, &shape.basis])
        }),
    );
    if rows.is_empty() {
        return vec![Block::Paragraph(
            l.say(
                "None was stated. Priorities, time limits and acceptable ways of failing stay open until somebody stands for them.",
                "未提出任何假定。优先级、时限与可接受的失败方式尚待有人提出并负责。",
            )
            .into(),
        )];
    }
    vec![Block::Table(Table {
        caption: l.say("What nobody measured, and who stands for it", "未经测量的内容及其提出者").to_owned(),
        columns: vec![
            Column::left(l.say("What is assumed", "假定内容")),
            Column::left(l.say("By", "提出者")),
            Column::left(l.say("Why", "理由")),
        ],
        rows,
    })]
}

fn dash(text: &str) -> &str {
    if text.trim().is_empty() { number::ABSENT } else { text }
}
