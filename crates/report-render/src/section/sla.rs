//! Agreed limits, one by one, with a place to sign; or that there are none.

use metrics_core::{Latency, Limit, Metric, Statistic, Support};
use verdict_rules::{Cause, SlaResult, limits_hit_in};

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    material::Material,
    number, words,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("SLA comparison", "SLA 对照")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    if m.verdict.sla.is_empty() {
        return vec![Block::Paragraph(
            l.say(
                "No SLA threshold was agreed for this test, and none is assumed. Thresholds can be negotiated on the basis of these figures and added as a comparison page.",
                "本次测试未约定 SLA 阈值，也不默认设定。正式 SLA 可在实测基础上协商，并以对照页补充签核。",
            )
            .into(),
        )];
    }
    vec![
        Block::Table(Table {
            caption: l.say("Agreed limits, item by item", "逐项对照与签核").to_owned(),
            columns: vec![
                Column::left(l.say("Item", "约定项")),
                Column::left(match m.verdict.sla.iter().any(|item| item.group.is_some()) {
                    true => l.say("Tier and group", "档位与分组"),
                    false => l.say("Tier", "档位"),
                }),
                Column::right(l.say("Limit", "限值")),
                Column::right(l.say("Observed", "实测")),
                Column::right("n"),
                Column::left(l.say("Contract result", "合同判定")),
                Column::left(l.say("Statistical support", "统计支持")),
                Column::left(l.say("Customer signs", "客户签核")),
                Column::left(l.say("Supplier signs", "供应商签核")),
            ],
            rows: m.verdict.sla.iter().map(|item| row(m, item, l)).collect(),
        }),
        Block::Note(
            l.say(
                "Contract result: the rule as written, where every planned request that is not effective counts as exceeding. Statistical support: whether the number of requests shows it with 95% confidence, taking requests as independent. Support that is undecided changes nothing in the contract result.",
                "合同判定：按约定原文逐项比较，未成功的计划请求一律视为超限。统计支持：以请求相互独立为前提，样本量能否以 95% 置信度支持该结论；样本不足不改变合同判定。",
            )
            .into(),
        ),
    ]
}

fn row(m: &Material, item: &SlaResult, l: Language) -> Row {
    let metric = match &item.source {
        Some(source) => l.say(format!("{} ({source})", item.metric), format!("{}（{source}）", item.metric)),
        None => item.metric.clone(),
    };
    Row::of([
        Cell::from(item.item.as_str()).below(metric),
        place(item, l.say("all", "全部")).into(),
        number::limit(&item.limit).into(),
        match exceeding(m, item, l) {
            Some(words) => Cell::from(observed(item)).below(words),
            None => observed(item).into(),
        },
        item.n.to_string().into(),
        contract(m, item, l),
        support(m, item, l),
        Cell::open(),
        Cell::open(),
    ])
}

/// Over which requests a limit is judged: a tier or all of them, and one group where it names one.
pub(crate) fn place(item: &SlaResult, all: &str) -> String {
    let tier = item.tier.map_or_else(|| all.to_owned(), number::tier);
    match &item.group {
        Some(group) => format!("{tier} · {group}"),
        None => tier,
    }
}

/// The result by the agreement; where the generator's own limit leaves it open, which limit that was.
fn contract(m: &Material, item: &SlaResult, l: Language) -> Cell {
    let cell = Cell::from(Line::new().mark(words::tone(item.contract), words::judgement(l, item.contract)));
    match item.cause {
        Some(Cause::GeneratorLimited) => {
            let hit = limits_hit_in(&m.summary, item.tier);
            cell.below(
                l.say(format!("limit of the generator: {}", hit.en), format!("测试端上限：{}", hit.zh)),
            )
        }
        _ => cell,
    }
}

/// The figure, in digits that never show it on the other side of its limit.
pub(crate) fn observed(item: &SlaResult) -> String {
    match item.limit.parse::<Limit>() {
        Ok(limit) => number::of_metric_against(&item.metric, item.observed, limit.value),
        Err(_) => number::of_metric(&item.metric, item.observed),
    }
}

/// How many exceed the limit, or fail where that alone violates it. Where none does, nothing is said.
pub(crate) fn exceeding(m: &Material, item: &SlaResult, l: Language) -> Option<String> {
    let (many, n) = (item.exceeding.filter(|many| *many > 0)?, item.n);
    if item.tier.is_some_and(|tier| !m.finished(tier)) {
        return None;
    }
    Some(match item.metric.parse() {
        Ok(Metric::Latency(_, Statistic::Mean) | Metric::Share(_)) => {
            l.say(format!("{many} of {n} not effective"), format!("{n} 个中 {many} 个未成功"))
        }
        Ok(Metric::Latency(Latency::InterEvent, _)) => {
            l.say(format!("{many} of {n} gaps exceed"), format!("{n} 个间隔中 {many} 个超限"))
        }
        _ => l.say(format!("{many} of {n} exceed"), format!("{n} 个中 {many} 个超限")),
    })
}

/// Why a limit has no statistical support.
fn without_support(m: &Material, item: &SlaResult, l: Language) -> &'static str {
    if item.cause == Some(Cause::GroupNotRun) {
        return l.say("the run has no such group", "本次测试没有该分组");
    }
    if item.tier.is_some_and(|tier| !m.finished(tier)) {
        return l.say("the tier did not run", "该档未执行");
    }
    match item.metric.parse() {
        Ok(Metric::Latency(Latency::InterEvent, _)) => {
            l.say("not applicable: gaps are not independent of each other", "事件间隔不相互独立，不适用")
        }
        _ => l.say("not applicable: no percentile", "非分位指标，不适用"),
    }
}

fn support(m: &Material, item: &SlaResult, l: Language) -> Cell {
    let Some(found) = item.support else {
        return without_support(m, item, l).into();
    };
    let cell = Cell::from(words::support(l, found));
    match (found, item.further) {
        (Support::Inconclusive, Some(further)) => cell.below(l.say(
            format!("{further} further requests would decide, if none exceeds"),
            format!("再测 {further} 个且无一超限，方可支持"),
        )),
        _ => cell,
    }
}
