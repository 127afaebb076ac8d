//! Results of each group: what figures over several groups are made of.

use metrics_core::{Figures, Group, Tier};

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    material::Material,
    number::{self, plural},
    words,
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
        let retried =
            retried(&group.figures, l).map(|retried| l.say(format!("; {retried}"), format!("；{retried}")));
        let retried = retried.unwrap_or_default();
        l.say(
            format!("{name} {share} ({effective} of {planned}{retried})"),
            format!("{name} {share}（{effective} / {planned}{retried}）"),
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
        let group_rules = m.scope.groups.iter().find(|planned| planned.name == group.name);
        let origins = group.figures.origins.iter().map(|counts| words::origin(l, counts.origin));
        let origins = origins.collect::<Vec<_>>().join(l.say(" and ", "与"));
        let rules = group_rules.map(|group| rules(group, l));
        let below: Vec<String> =
            [Some(origins), rules].into_iter().flatten().filter(|words| !words.is_empty()).collect();
        let mut cells = vec![Cell::from(group.name.as_str()).below(below.join(l.say("; ", "；")))];
        cells.extend(figures(&group.figures, l));
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
            cells.extend(figures(&part.figures, l));
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

fn figures(f: &Figures, l: Language) -> Vec<Cell> {
    vec![
        requests(f).into(),
        success(f, l),
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

/// The success rate, with the requests that were tried again below it where there are any.
pub(crate) fn success(f: &Figures, l: Language) -> Cell {
    let rate = Cell::from(number::percent(f.success_rate));
    match retried(f, l) {
        Some(retried) => rate.below(retried),
        None => rate,
    }
}

/// `3 retried, 24 tries` of all its requests together; nothing where no request was tried again.
fn retried(f: &Figures, l: Language) -> Option<String> {
    let (retried, tries) = (f.retried?, f.tries?);
    Some(l.say(format!("{retried} retried, {tries} tries"), format!("重试 {retried} 个，共 {tries} 次")))
}

/// What is asked of a group's answers and how it is sent, as far as that differs from the usual; empty where nothing does.
pub(crate) fn rules(group: &workload_model::Group, l: Language) -> String {
    let within = |name: &str, limit: Option<f64>| limit.map(|limit| format!("{name} ≤ {limit} s"));
    let fewest = (group.min_output_tokens != 1).then(|| {
        let fewest = group.min_output_tokens;
        l.say(format!("output ≥ {fewest} tok"), format!("输出 ≥ {fewest} tok"))
    });
    let cut = group.accept_length.then(|| {
        l.say("answers cut at a maximum length count as whole", "被截断于最大长度的响应视为完整").to_owned()
    });
    let retries = (group.retries > 0).then(|| {
        let (most, wait) = (plural(u64::from(group.retries), "time"), group.retry_wait_s);
        l.say(
            format!("tried again up to {most}, {wait} s apart"),
            format!("失败后最多重试 {} 次，间隔 {wait} s", group.retries),
        )
    });
    let weight = group.weight.map(|weight| l.say(format!("weight {weight}"), format!("权重 {weight}")));
    let rules =
        [within("TTFT", group.ttft_limit_s), within("E2E", group.deadline_s), fewest, cut, retries, weight];
    rules.into_iter().flatten().collect::<Vec<_>>().join(l.say(", ", "，"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload_model::Group;

    #[test]
    fn the_rules_of_a_group_are_said_as_far_as_they_are_not_the_usual_ones() {
        let usual = Group::new("all");
        assert_eq!(rules(&usual, Language::En), "");
        let all = Group {
            weight: Some(3.0),
            retries: 2,
            retry_wait_s: 0.5,
            ttft_limit_s: Some(2.0),
            deadline_s: Some(30.0),
            min_output_tokens: 16,
            accept_length: true,
            ..usual
        };
        assert_eq!(
            rules(&all, Language::En),
            "TTFT ≤ 2 s, E2E ≤ 30 s, output ≥ 16 tok, answers cut at a maximum length count as whole, \
             tried again up to 2 times, 0.5 s apart, weight 3"
        );
        assert_eq!(
            rules(&all, Language::Zh),
            "TTFT ≤ 2 s，E2E ≤ 30 s，输出 ≥ 16 tok，被截断于最大长度的响应视为完整，失败后最多重试 2 次，间隔 0.5 s，权重 3"
        );
    }
}
