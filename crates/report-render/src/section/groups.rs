//! Results of each group: what figures over several groups are made of.

use metrics_core::{Figures, Group, Tier};

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    material::{GroupLimits, Material},
    number, words,
};

/// The figures of every group, over all tiers and tier by tier; nothing where the run has one group.
pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    if !has_several(m) {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table(over_all_tiers(m, l))];
    if m.summary.tiers.iter().any(|tier| !tier.groups.is_empty()) {
        blocks.push(Block::Table(by_tier(m, l)));
    }
    blocks.push(Block::Note(
        l.say(
            "Each group is judged by its own limits. Attainment is the share of its planned requests that are effective within them. The rates of a group are per second of the tier's window, so that they add up to those of the tier.",
            "各分组按自身限值判定；达标率为满足这些限值的有效请求占该分组计划请求的比例。分组的吞吐以所在档位的时间窗口计算，各分组相加即为该档总吞吐。",
        )
        .into(),
    ));
    blocks
}

/// The run has more groups than one.
pub(crate) fn has_several(m: &Material) -> bool {
    m.summary.groups.len() > 1
}

/// The success of each group, and what it gave of the highest output: what stands beside figures over all groups.
pub(crate) fn beside_the_whole(m: &Material, l: Language) -> Option<Block> {
    if !has_several(m) {
        return None;
    }
    let success = m.summary.groups.iter().map(|group| {
        let (effective, planned) = (group.figures.effective, group.figures.planned);
        let (name, share) = (&group.name, number::percent(group.figures.success_rate));
        l.say(
            format!("{name} {share} ({effective} of {planned})"),
            format!("{name} {share}（{effective} / {planned}）"),
        )
    });
    let success = success.collect::<Vec<_>>().join(l.say(", ", "，"));
    let line = Line::new()
        .strong(l.say("By group: ", "分组结果："))
        .plain(l.say(format!("success rate {success}."), format!("成功率 {success}。")));
    let peak = m.summary.peak.output_tps_tier.and_then(|at| {
        let tier = m.summary.tiers.iter().find(|tier| tier.concurrency == at)?;
        let rates = tier
            .groups
            .iter()
            .map(|group| format!("{} {}", group.name, number::tokens_per_second(group.figures.output_tps)));
        let (rates, at) = (rates.collect::<Vec<_>>().join(l.say(", ", "，")), number::tier(at));
        Some(l.say(
            format!(" Of the peak Output TPS at {at}: {rates}."),
            format!("{at} 的峰值 Output TPS 中：{rates}。"),
        ))
    });
    Some(Block::Paragraph(line.plain(peak.unwrap_or_default())))
}

fn over_all_tiers(m: &Material, l: Language) -> Table {
    let row = |group: &Group| {
        let limits = m.scope.groups.iter().find(|limits| limits.name == group.name);
        let origins = group.figures.origins.iter().map(|counts| words::origin(l, counts.origin));
        let origins = origins.collect::<Vec<_>>().join(l.say(" and ", "与"));
        let limits = limits.map(|limits| self::limits(limits, l));
        let below: Vec<String> =
            [Some(origins), limits].into_iter().flatten().filter(|words| !words.is_empty()).collect();
        let mut cells = vec![Cell::from(group.name.as_str()).below(below.join(l.say("; ", "；")))];
        cells.extend(figures(&group.figures));
        cells.push(number::requests_per_second(group.figures.rps).into());
        Row { cells, marked: false }
    };
    let mut columns = vec![Column::left(l.say("Group", "分组"))];
    columns.extend(figure_columns(l));
    columns.push(Column::right("RPS").in_unit("req/s"));
    Table {
        caption: l.say("Groups of requests, over all tiers", "请求分组结果（全部档位）").to_owned(),
        columns,
        rows: m.summary.groups.iter().map(row).collect(),
    }
}

/// A group's tiers stand below each other, since its course over the load is what is read.
fn by_tier(m: &Material, l: Language) -> Table {
    let of_group = |name: &str| {
        let row = |tier: &Tier| {
            let part = tier.groups.iter().find(|group| group.name == name)?;
            let mut cells = vec![Cell::from(name), number::tier(tier.concurrency).into()];
            cells.extend(figures(&part.figures));
            Some(Row { cells, marked: false })
        };
        m.summary.tiers.iter().filter_map(row).collect::<Vec<_>>()
    };
    let mut columns = vec![Column::left(l.say("Group", "分组")), Column::left(l.say("Tier", "档位"))];
    columns.extend(figure_columns(l));
    Table {
        caption: l.say("Groups of requests, by tier", "请求分组结果（按档位）").to_owned(),
        columns,
        rows: m.summary.groups.iter().flat_map(|group| of_group(&group.name)).collect(),
    }
}

fn figure_columns(l: Language) -> Vec<Column> {
    vec![
        Column::right(l.say("Requests", "请求数")),
        Column::right(l.say("Success rate", "成功率")),
        Column::right(l.say("Attainment", "达标率")),
        Column::right("E2E Avg").in_unit("s"),
        Column::right("E2E P95").in_unit("s"),
        Column::right("TTFT").in_unit("s"),
        Column::right("TPOT").in_unit("s"),
        Column::right("Output TPS").in_unit("tok/s"),
    ]
}

fn figures(f: &Figures) -> Vec<Cell> {
    vec![
        requests(f).into(),
        number::percent(f.success_rate).into(),
        number::percent(f.attainment).into(),
        number::seconds(f.e2e_s.mean).into(),
        number::seconds(f.e2e_s.p95).into(),
        number::seconds(f.ttft_s.mean).into(),
        number::seconds_per_token(f.tpot_s.mean).into(),
        number::tokens_per_second(f.output_tps).into(),
    ]
}

/// `20`, or `18 / 20` where fewer finished than were planned.
pub(crate) fn requests(f: &Figures) -> String {
    if f.finished == f.planned { f.planned.to_string() } else { format!("{} / {}", f.finished, f.planned) }
}

/// What is asked of a group's answers; empty where nothing is.
fn limits(limits: &GroupLimits, l: Language) -> String {
    let within = |name: &str, limit: Option<f64>| limit.map(|limit| format!("{name} ≤ {limit} s"));
    let limits = [within("TTFT", limits.ttft_limit_s), within("E2E", limits.deadline_s)];
    limits.into_iter().flatten().collect::<Vec<_>>().join(l.say(", ", "，"))
}
