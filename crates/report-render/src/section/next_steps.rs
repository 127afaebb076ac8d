//! What to do next: internal edition only.

use metrics_core::Outcome;
use verdict_rules::{Criterion, CriterionId, Judgement, SlaResult};

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    material::Material,
    number, words,
};

/// As many request ids as a step names.
const IDS_NAMED: usize = 5;

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("What to do next", "下一步")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let verdict = &m.verdict;
    let mut blocks = vec![Block::Paragraph(
        l.say(
            "The customer edition is issued once all six criteria pass and no agreed limit fails. Until then:",
            "六项标准全部通过且无 SLA 不达标，方可出具客户提交版。在此之前：",
        )
        .into(),
    )];
    let criteria = verdict.criteria.iter().filter(|found| found.result != Judgement::Pass);
    let mut items: Vec<Line> = criteria.map(|found| criterion(m, found, l)).collect();
    items.extend(
        verdict.sla.iter().filter(|item| item.contract != Judgement::Pass).map(|item| limit(item, l)),
    );
    let missing: Vec<&str> = CriterionId::ALL
        .into_iter()
        .filter(|id| verdict.criteria.iter().all(|found| found.id != *id))
        .map(|id| words::criterion(l, id))
        .collect();
    if !missing.is_empty() {
        let names = l.list(&missing);
        items.push(l.say(format!("Not judged at all: {names}."), format!("尚未判定：{names}。")).into());
    }
    blocks.push(Block::List { ordered: true, items });
    if !verdict.supplementary.is_empty() {
        blocks.push(Block::Table(supplementary(m, l)));
    }
    blocks
}

fn criterion(m: &Material, found: &Criterion, l: Language) -> Line {
    let head = Line::new()
        .strong(words::criterion(l, found.id))
        .plain(" ")
        .mark(words::tone(found.result), words::judgement(l, found.result))
        .plain(" ")
        .plain(sentence_end(l.text(&found.explanation), l));
    match found.id {
        CriterionId::TestIntegrity => head.plain(test_again(m, l)),
        CriterionId::ServiceAvailability => head.plain(l.say(
            "Find in the service's log what happened at those times, put it right, and run the whole sweep again.",
            "对照服务日志查明相应时段的情况，处理后重新执行完整扫测。",
        )),
        CriterionId::Stability => failed_requests(m, head, l),
        CriterionId::PeakThroughput => head.plain(l.say(
            "Tune the service or add resources and test again, or agree on another demand.",
            "优化服务或增加资源后复测，或由双方重新约定吞吐需求。",
        )),
        CriterionId::DeliveryAdvice => head.plain(l.say(
            "Test further tiers, or set another tier in the agreement with its reason, and have it judged again; the report shows both.",
            "补测其他档位，或在验收约定中另行指定档位并写明理由后重新判定；报告会并列两者。",
        )),
        CriterionId::DataTraceability => head.plain(l.say(
            "Do not use this package as evidence. Find the damage with the verifier, restore the files or run again.",
            "本归档不得作为证据使用。先用校验命令定位问题，恢复原始文件或重新测试。",
        )),
    }
}

/// Which tiers are to be run again: those missing from the plan, and those with requests that never finished.
fn test_again(m: &Material, l: Language) -> String {
    let tiers: Vec<String> = m
        .scope
        .tiers
        .iter()
        .filter(|planned| {
            m.summary
                .tiers
                .iter()
                .find(|tier| tier.concurrency == planned.concurrency)
                .is_none_or(|tier| tier.figures.finished < planned.requests)
        })
        .map(|planned| number::tier(planned.concurrency))
        .collect();
    if tiers.is_empty() {
        return l.say("Remove the cause and run the sweep again.", "排除原因后重新执行扫测。").to_owned();
    }
    let tiers = l.list(&tiers);
    l.say(
        format!("Incomplete: {tiers}. Run the whole sweep again, so that all tiers stand under the same conditions."),
        format!("未完成档位：{tiers}。请重新执行完整扫测，使各档位条件一致。"),
    )
}

fn failed_requests(m: &Material, head: Line, l: Language) -> Line {
    let mut line = head;
    for tier in &m.summary.tiers {
        let failed: Vec<String> = tier
            .figures
            .outcomes
            .iter()
            .filter(|(outcome, n)| **outcome != Outcome::Effective && **n > 0)
            .map(|(outcome, n)| {
                let name = words::outcome(l, *outcome);
                l.say(format!("{n} × {name}"), format!("{name} {n} 个"))
            })
            .collect();
        if !failed.is_empty() {
            let (tier, failed) = (number::tier(tier.concurrency), l.list(&failed));
            line = line.plain(l.say(format!("{tier}: {failed}. "), format!("{tier}：{failed}。")));
        }
    }
    let ids: Vec<&str> =
        m.failures.iter().filter_map(|failure| failure.request_id.as_deref()).take(IDS_NAMED).collect();
    if ids.is_empty() {
        return line.plain(
            l.say("Find the cause in the service's log, and test again.", "在服务日志中查明原因后复测。"),
        );
    }
    line = line.plain(l.say(
        "Search the service's log for these request ids, then test again: ",
        "按下列请求 ID 检索服务日志，查明原因后复测：",
    ));
    for (at, id) in ids.iter().enumerate() {
        line = if at == 0 { line } else { line.plain(l.say(", ", "、")) };
        line = line.code(id);
    }
    line.plain(l.say(".", "。"))
}

fn limit(item: &SlaResult, l: Language) -> Line {
    let observed = number::of_metric(&item.metric, item.observed);
    let place = item.tier.map_or_else(|| l.say("all tiers", "全部档位").to_owned(), number::tier);
    let limit = number::limit(&item.limit);
    Line::new()
        .strong(&item.item)
        .plain(" ")
        .mark(words::tone(item.contract), words::judgement(l, item.contract))
        .plain(l.say(
            format!(" {place}: observed {observed}, agreed {limit}. Tune and test this tier again, or agree on another limit."),
            format!(" {place}：实测 {observed}，约定 {limit}。优化后复测该档，或由双方重新约定。"),
        ))
}

fn supplementary(m: &Material, l: Language) -> Table {
    let or_open = |value: &Option<String>| -> Cell {
        match value.as_deref().filter(|value| !value.is_empty()) {
            Some(value) => value.into(),
            None => Cell::open(),
        }
    };
    Table {
        caption: l.say("Supplementary items", "补测项").to_owned(),
        columns: vec![
            Column::left(l.say("Item", "编号")),
            Column::left(l.say("Success condition", "通过条件")),
            Column::left(l.say("Owner", "责任人")),
            Column::left(l.say("Environment", "环境")),
            Column::left(l.say("Due", "期限")),
            Column::left(l.say("State", "状态")),
        ],
        rows: m
            .verdict
            .supplementary
            .iter()
            .map(|item| {
                Row::of([
                    Line::new().code(&item.id).into(),
                    l.text(&item.condition).into(),
                    or_open(&item.owner),
                    or_open(&item.environment),
                    or_open(&item.due),
                    state(l, &item.state).into(),
                ])
            })
            .collect(),
    }
}

fn state(l: Language, state: &str) -> &str {
    match state {
        "open" => l.say("open", "待完成"),
        "closed" => l.say("closed", "已关闭"),
        "contract_limit" => l.say("made a contract limit", "转为合同限制"),
        "solution_stopped" => l.say("solution stopped", "方案终止"),
        other => other,
    }
}

/// Ends a sentence and leaves room for the next.
fn sentence_end(sentence: &str, l: Language) -> String {
    let sentence = sentence.trim();
    if sentence.is_empty() {
        String::new()
    } else if sentence.ends_with(['.', '。', '!', '！', '?', '？']) {
        format!("{sentence}{}", l.say(" ", ""))
    } else {
        format!("{sentence}{}", l.say(". ", "。"))
    }
}
