//! Groups that somebody added by hand, beside a log or instead of one.

use workload_model::{
    Arrival,
    profile::{AssumedShape, Covers, Origin, Profile, ProfileGroup, Range},
};

use crate::{
    document::{Block, Callout, Column, Pair, Row, Table, Tone, legible},
    language::Language,
    number,
};

use super::figures;

/// Groups that were measured, or at least named by the card for rows of the log.
pub(super) fn measured(p: &Profile) -> impl Iterator<Item = &ProfileGroup> + Clone {
    p.groups.iter().filter(|group| group.assumed.is_none())
}

/// The share of what is to be sent that follows groups added by hand.
pub(super) fn share(p: &Profile) -> f64 {
    p.assumed_groups().map(|(group, _)| group.share).sum()
}

/// What must be seen before anything else, where a log stands behind part of the distribution only.
pub(super) fn notice(p: &Profile, l: Language) -> Option<Callout> {
    if p.source.origin == Origin::Assumed {
        return None;
    }
    Some(Callout {
        tone: Tone::Unsure,
        title: l.say("Part of this distribution is assumed", "本分布部分为假定").into(),
        lines: vec![sentence(p, l)?.into()],
    })
}

/// How much was added by hand, in a sentence; nothing where nothing was.
pub(super) fn sentence(p: &Profile, l: Language) -> Option<String> {
    let names: Vec<String> = p.assumed_groups().map(|(group, _)| figures::short_name(&group.name)).collect();
    let (count, share, names) = (names.len(), number::percent(share(p)), l.list(&names));
    let groups = if count == 1 { "group" } else { "groups" };
    (count > 0).then(|| {
        l.say(
            format!("{share} of what is to be sent follows {count} {groups} added by hand, which no log has: {names}. Section 2 says who assumed them and why."),
            format!("待发送请求的 {share} 来自 {count} 个人工添加的分组，日志中没有依据：{names}。提出者与理由见第 2 节。"),
        )
    })
}

/// The table of them; nothing where there is none.
pub(super) fn blocks(p: &Profile, l: Language) -> Vec<Block> {
    let rows: Vec<Row> = p.assumed_groups().map(|(group, shape)| row(group, shape, l)).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let tokens = |title: &str| Column::right(title).in_unit("tok");
    let table = Table {
        caption: l
            .say("Groups added by hand: assumed, not measured", "人工添加的分组：假定，未经实测")
            .to_owned(),
        columns: vec![
            Column::left(l.say("Group", "分组")),
            Column::left(l.say("Covers", "覆盖内容")),
            Column::right(l.say("Share of what is sent", "占待发送请求")),
            tokens(l.say("Input: shortest – typical – longest", "输入：最短 – 典型 – 最长")),
            tokens(l.say("Output", "输出")),
            Column::left(l.say("Arrivals", "到达过程")),
            Column::left(l.say("Assumed by", "提出者")),
            Column::left(l.say("Why", "理由")),
        ],
        rows,
    };
    let rest = number::percent((1.0 - share(p)).max(0.0));
    let note = if p.source.kept == 0 {
        l.say(
            "Half of the requests of a group lie on either side of the typical length.".to_owned(),
            "各组一半请求短于典型长度，一半长于典型长度。".to_owned(),
        )
    } else {
        l.say(
            format!("Half of the requests of a group lie on either side of the typical length. The measured groups make up the other {rest} of what is sent, in the proportions of the log."),
            format!("各组一半请求短于典型长度，一半长于典型长度。实测分组按日志中的比例构成其余 {rest} 的待发送请求。"),
        )
    };
    vec![Block::Table(table), Block::Note(note.into())]
}

fn row(group: &ProfileGroup, shape: &AssumedShape, l: Language) -> Row {
    Row::of([
        legible(&group.name),
        covers(shape.covers, l).to_owned(),
        number::percent(group.share),
        range(shape.input_tokens),
        output(shape, l),
        arrival(shape, l),
        legible(&shape.by),
        legible(&shape.basis),
    ])
}

/// What a group added by hand has instead of measurements.
pub(super) fn pairs(group: &ProfileGroup, shape: &AssumedShape, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: String| Pair { name: name.to_owned(), value: value.into() };
    let share = number::percent(group.share);
    vec![
        pair(
            l.say("Requests", "请求数"),
            l.say(
                format!("none measured; the share of {share} is assumed"),
                format!("没有实测数据；占比 {share} 为假定"),
            ),
        ),
        pair(l.say("Covers", "覆盖内容"), covers(shape.covers, l).to_owned()),
        pair(l.say("Input tokens", "输入 Token"), range(shape.input_tokens)),
        pair(l.say("Output tokens", "输出 Token"), output(shape, l)),
        pair(l.say("Arrivals", "到达过程"), arrival(shape, l)),
        pair(l.say("Assumed by", "提出者"), legible(&shape.by)),
        pair(l.say("Why", "理由"), legible(&shape.basis)),
    ]
}

/// The assumption in words, for the list of all assumptions.
pub(super) fn what(group: &ProfileGroup, shape: &AssumedShape, l: Language) -> String {
    let (name, share) = (legible(&group.name), number::percent(group.share));
    let (input, output) = (range(shape.input_tokens), output(shape, l));
    l.say(
        format!("{name}: {share} of what is sent; input {input} tokens, output {output}"),
        format!("{name}：占待发送请求的 {share}；输入 {input} Token，输出 {output}"),
    )
}

fn covers(covers: Covers, l: Language) -> &'static str {
    match covers {
        Covers::ThinData => l.say("traffic of which the log has little", "日志中样本过少的流量"),
        Covers::LongInputs => l.say("long inputs", "长输入"),
        Covers::Bursts => l.say("bursts", "突发"),
        Covers::FailureBounds => l.say("the edge of failure", "失败边界"),
        Covers::PlannedTraffic => l.say("traffic still to come", "计划中的流量"),
    }
}

fn range(range: Range) -> String {
    let [min, typical, max] =
        [range.min, range.typical, range.max].map(|value| number::grouped(value.into()));
    format!("{min} – {typical} – {max}")
}

fn output(shape: &AssumedShape, l: Language) -> String {
    shape.output_tokens.map_or_else(|| l.say("to its natural stop", "自然结束").to_owned(), range)
}

fn arrival(shape: &AssumedShape, l: Language) -> String {
    match shape.arrival {
        None => l.say("as the rest", "同其余请求").to_owned(),
        Some(Arrival::Constant) => l.say("evenly", "等间隔").to_owned(),
        Some(Arrival::Poisson) => l.say("at random (Poisson)", "随机（泊松）").to_owned(),
        Some(Arrival::Gamma { gap_cv }) => {
            let cv = number::plain(gap_cv);
            l.say(format!("gaps vary by {cv} (gamma)"), format!("间隔变异系数 {cv}（伽马）"))
        }
        Some(Arrival::Bursts { times, share, mean_s }) => {
            let (times, share) = (number::plain(times), number::percent(share));
            let lasting = figures::span(mean_s, l);
            l.say(
                format!("bursts of {times} times the rate, {share} of the time, {lasting} each on average"),
                format!("突发速率为平时的 {times} 倍，占时间 {share}，平均每次 {lasting}"),
            )
        }
        Some(Arrival::Trace { .. }) => l.say("as recorded", "按日志记录").to_owned(),
    }
}
