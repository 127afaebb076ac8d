//! The groups side by side: what was measured, and what the business asks for.

use workload_model::profile::{Profile, ProfileGroup, Quantiles};

use crate::{
    document::{Block, Cell, Column, Row, Table},
    language::Language,
    number,
};

use super::{assumed, figures, missing, terms};

pub(super) fn heading(l: Language) -> &'static str {
    l.say("Groups of requests", "请求分组")
}

pub(super) fn blocks(p: &Profile, l: Language) -> Vec<Block> {
    if p.groups.is_empty() {
        return vec![Block::Paragraph(l.say("There is no group.", "没有分组。").into())];
    }
    let mut blocks = Vec::new();
    if assumed::measured(p).next().is_some() {
        blocks.extend([Block::Table(measured(p, l)), Block::Note(remark(p, l).into())]);
    }
    blocks.extend(assumed::blocks(p, l));
    if missing::all_lengths(p) {
        blocks.push(Block::Paragraph(missing::lengths(l).into()));
    }
    blocks.extend(terms::blocks(p, l));
    blocks
}

fn measured(p: &Profile, l: Language) -> Table {
    let tokens = |title: &str| Column::right(title).in_unit("tok");
    let (input, output) = (l.say("Input", "输入"), l.say("Output", "输出"));
    Table {
        caption: l.say("Shares and lengths, by group", "各组占比与长度分布").to_owned(),
        columns: vec![
            Column::left(l.say("Group", "分组")),
            Column::right(l.say("Requests", "请求数")),
            Column::right(l.say("Share", "占比")),
            Column::right(l.say("Streamed", "流式")),
            tokens(&format!("{input} P50")),
            tokens("P90"),
            tokens("P99"),
            tokens(&format!("{output} P50")),
            tokens("P90"),
            tokens("P99"),
            Column::right(l.say("Peak rate", "峰值速率")).in_unit("req/s"),
        ],
        rows: assumed::measured(p).map(row).collect(),
    }
}

fn row(group: &ProfileGroup) -> Row {
    let lengths = &group.lengths;
    let percentile = |of: &Option<Quantiles>, which: fn(&Quantiles) -> f64| {
        Cell::from(
            of.as_ref().map_or_else(|| number::ABSENT.to_owned(), |found| figures::tokens(which(found))),
        )
    };
    Row::of([
        Cell::from(group.name.as_str()),
        number::grouped(group.rows).into(),
        number::percent(group.share).into(),
        number::percent(figures::streamed(&group.streaming)).into(),
        percentile(&lengths.input, |found| found.p50),
        percentile(&lengths.input, |found| found.p90),
        percentile(&lengths.input, |found| found.p99),
        percentile(&lengths.output, |found| found.p50),
        percentile(&lengths.output, |found| found.p90),
        percentile(&lengths.output, |found| found.p99),
        figures::rate(figures::headline(&group.arrivals).map(|peak| peak.rate)).into(),
    ])
}

fn remark(p: &Profile, l: Language) -> String {
    let window = p
        .groups
        .iter()
        .find_map(|group| figures::headline(&group.arrivals))
        .map_or(60.0, |peak| peak.window_s.get());
    let window = figures::window(window, l);
    l.say(
        format!("Share: of all requests that were kept. Streamed: of those of which it is known. Outputs: those that came to their own end. Peak rate: that of the group's own busiest {window}, which need not be that of the whole. A dash stands for what the log does not tell."),
        format!("占比：占全部计入的请求。流式：占已知是否流式的请求。输出：仅自然结束的输出。峰值速率：该组自身最繁忙的 {window}，不一定与总体峰值同时出现。“—”表示日志未提供。"),
    )
}
