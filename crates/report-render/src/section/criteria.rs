//! The six criteria, and what further rules found.

use verdict_rules::{Criterion, CriterionId, Finding};

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    material::Material,
    number, words,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("The six criteria", "验收判定依据")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let rows = m.verdict.criteria.iter().map(|found| {
        Row::of([
            Cell::from(words::criterion(l, found.id)),
            Line::new().mark(words::tone(found.result), words::judgement(l, found.result)).into(),
            observed(l, found).into(),
            threshold(l, found).into(),
            number::count(found.n).into(),
            explained(found, l),
        ])
    });
    let mut blocks = vec![Block::Table(Table {
        caption: l.say("Judged together: all six must pass", "六项标准综合判定").to_owned(),
        columns: columns(l.say("Criterion", "验收项目"), l),
        rows: rows.collect(),
    })];
    blocks.extend(health(m, l));
    // The criteria leave findings of their own, which the table shows already.
    let own = |finding: &&Finding| CriterionId::ALL.iter().all(|id| id.as_str() != finding.rule.0);
    let further: Vec<Row> = m.verdict.findings.iter().filter(own).map(|finding| rule(finding, l)).collect();
    if !further.is_empty() {
        blocks.push(Block::Table(Table {
            caption: l.say("Further rules", "其他规则").to_owned(),
            columns: columns(l.say("Rule", "规则"), l),
            rows: further,
        }));
    }
    blocks
}

fn columns(first: &str, l: Language) -> Vec<Column> {
    vec![
        Column::left(first),
        Column::left(l.say("Result", "结果")),
        Column::right(l.say("Observed", "实测")),
        Column::right(l.say("Threshold", "阈值")),
        Column::right("n"),
        Column::left(l.say("Explanation", "说明")),
    ]
}

fn explained(found: &Criterion, l: Language) -> Cell {
    let cell = Cell::from(l.text(&found.explanation));
    match found.support {
        Some(support) => {
            let support = words::support(l, support);
            cell.below(l.say(format!("statistically {support}"), format!("统计支持：{support}")))
        }
        None => cell,
    }
}

/// The figure with what it counts, in digits that never show it on the other side of its threshold.
fn observed(l: Language, found: &Criterion) -> String {
    let Some(value) = found.observed.filter(|value| value.is_finite()) else {
        return number::ABSENT.to_owned();
    };
    let against = |metric: &str| match found.threshold {
        Some(threshold) => number::of_metric_against(metric, value, threshold),
        None => number::of_metric(metric, value),
    };
    match found.id {
        CriterionId::Stability => against("success_rate"),
        CriterionId::PeakThroughput => format!("{} tok/s", against("output_tps")),
        id => count(l, id, value),
    }
}

/// What it was held against, as it was agreed.
fn threshold(l: Language, found: &Criterion) -> String {
    let Some(value) = found.threshold.filter(|value| value.is_finite()) else {
        return number::ABSENT.to_owned();
    };
    match found.id {
        CriterionId::Stability => format!("≥ {}", number::percent_as_agreed(value)),
        CriterionId::PeakThroughput => format!("≥ {} tok/s", number::plain(value)),
        id => count(l, id, value),
    }
}

fn count(l: Language, id: CriterionId, value: f64) -> String {
    let plain = number::plain(value);
    match id {
        CriterionId::TestIntegrity => l.say(counted(value, "request"), format!("{plain} 个请求")),
        CriterionId::ServiceAvailability => l.say(counted(value, "incident"), format!("{plain} 次异常")),
        CriterionId::DataTraceability => l.say(counted(value, "mismatch"), format!("{plain} 处不符")),
        CriterionId::Stability | CriterionId::PeakThroughput | CriterionId::DeliveryAdvice => plain,
    }
}

/// `1 incident`, `2 mismatches`.
fn counted(value: f64, noun: &str) -> String {
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    format!("{} {noun}{}", number::plain(Some(value)), if value == 1.0 { "" } else { plural })
}

fn rule(finding: &Finding, l: Language) -> Row {
    Row::of([
        Cell::from(Line::new().code(&finding.rule.0)),
        Line::new().mark(words::tone(finding.result), words::judgement(l, finding.result)).into(),
        number::plain(finding.observed).into(),
        number::plain(finding.threshold).into(),
        number::count(finding.n).into(),
        l.text(&finding.explanation).into(),
    ])
}

/// What was seen of the service's health beside the requests.
fn health(m: &Material, l: Language) -> Option<Block> {
    let seen = m.availability.as_ref()?;
    let checks = if seen.health_checks == 0 {
        l.say("the service offers no health check", "服务未提供健康检查").to_owned()
    } else {
        l.say(
            format!(
                "{}: {} ready, {} not ready (in {}), {} without a telling answer",
                number::plural(seen.health_checks, "health check"),
                seen.ready,
                seen.unready,
                number::plural(seen.unready_spells, "spell"),
                seen.unanswered
            ),
            format!(
                "健康检查 {} 次，其中就绪 {} 次、未就绪 {} 次（{} 段）、无有效应答 {} 次",
                seen.health_checks, seen.ready, seen.unready, seen.unready_spells, seen.unanswered
            ),
        )
    };
    let restarts = if seen.start_time_known {
        l.say(number::plural(seen.restarts, "restart"), format!("重启 {} 次", seen.restarts))
    } else {
        l.say(
            "start time not told, so a restart might go unnoticed",
            "服务未提供启动时间，可能有未察觉的重启",
        )
        .to_owned()
    };
    let refusals = seen.refusals_in_a_row;
    Some(Block::Note(
        l.say(
            format!("Service health: {checks}; {restarts}; at most {refusals} refused connections in a row."),
            format!("服务健康：{checks}；{restarts}；连续拒绝连接最多 {refusals} 次。"),
        )
        .into(),
    ))
}
