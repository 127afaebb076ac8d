//! What to do next: internal edition only.

use metrics_core::Outcome;
use verdict_rules::{Cause, Criterion, CriterionId, Judgement, SlaResult};

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    material::Material,
    number,
    section::sla,
    words,
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
    let mut items: Vec<Line> = complete_run(m, l).into_iter().collect();
    let criteria = verdict.criteria.iter().filter(|found| found.result != Judgement::Pass);
    items.extend(criteria.filter(|found| !by_the_cut(m, found.cause)).map(|found| criterion(m, found, l)));
    let limits = verdict.sla.iter().filter(|item| item.contract != Judgement::Pass);
    items.extend(limits.filter(|item| !by_the_cut(m, item.cause)).map(|item| limit(m, item, l)));
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

/// The run was cut short, and nothing else stands behind this result.
fn by_the_cut(m: &Material, cause: Option<Cause>) -> bool {
    match cause {
        Some(Cause::Unfinished) => true,
        Some(Cause::TierNotRun | Cause::NothingSent) => m.summary.run.interrupted,
        _ => false,
    }
}

/// One step for everything that waits for a complete run.
fn complete_run(m: &Material, l: Language) -> Option<Line> {
    let verdict = &m.verdict;
    let criteria = verdict
        .criteria
        .iter()
        .filter(|found| found.result != Judgement::Pass && by_the_cut(m, found.cause))
        .map(|found| words::criterion(l, found.id));
    let limits = verdict
        .sla
        .iter()
        .filter(|item| item.contract != Judgement::Pass && by_the_cut(m, item.cause))
        .map(|item| item.item.as_str());
    let waiting: Vec<&str> = criteria.chain(limits).collect();
    if waiting.is_empty() {
        return None;
    }
    let waiting = l.list(&waiting);
    Some(
        Line::new()
            .strong(l.say("Run the whole sweep again.", "重新执行完整扫测。"))
            .plain(l.say(" ", ""))
            .plain(unfinished(m, l))
            .plain(l.say(
                format!("For that reason these are open or not passed: {waiting}."),
                format!("因此未通过或无法判定的有：{waiting}。"),
            )),
    )
}

/// How far each tier came that did not finish.
fn unfinished(m: &Material, l: Language) -> String {
    let (mut begun, mut idle) = (Vec::new(), Vec::new());
    for planned in &m.scope.tiers {
        let found = m.summary.tiers.iter().find(|tier| tier.concurrency == planned.concurrency);
        let finished = found.map_or(0, |tier| tier.figures.finished);
        let sent = found.map_or(0, |tier| {
            let outcomes = tier.figures.outcomes.iter();
            outcomes.filter(|(outcome, _)| **outcome != Outcome::NotSent).map(|(_, n)| n).sum::<u64>()
        });
        let (tier, requests) = (number::tier(planned.concurrency), planned.requests);
        if sent == 0 {
            idle.push(tier);
        } else if finished < requests {
            begun.push(l.say(
                format!("{tier} sent {sent} and finished {finished} of {requests}"),
                format!("{tier} 计划 {requests}、发出 {sent}、完成 {finished}"),
            ));
        }
    }
    if !idle.is_empty() {
        let idle = l.list(&idle);
        begun.push(l.say(format!("{idle} sent nothing"), format!("{idle} 未发出任何请求")));
    }
    if begun.is_empty() {
        return String::new();
    }
    let begun = begun.join(l.say("; ", "；"));
    l.say(format!("The run did not finish: {begun}. "), format!("测试未执行完毕：{begun}。"))
}

fn criterion(m: &Material, found: &Criterion, l: Language) -> Line {
    let head = Line::new()
        .strong(words::criterion(l, found.id))
        .plain(" ")
        .mark(words::tone(found.result), words::judgement(l, found.result))
        .plain(" ")
        .plain(sentence_end(l.text(&found.explanation), l));
    match found.cause {
        Some(Cause::FailedRequests) => failed_requests(m, head, l),
        Some(cause) => head.plain(remedy(cause, l)),
        None => head
            .plain(l.say("Remove the cause and run the whole sweep again.", "排除原因后重新执行完整扫测。")),
    }
}

/// What removes a cause.
fn remedy(cause: Cause, l: Language) -> &'static str {
    match cause {
        Cause::NotPlanned => l.say(
            "Put every agreed tier into the plan and run the whole sweep again.",
            "将约定的档位全部列入计划，重新执行完整扫测。",
        ),
        Cause::RowsDiffer | Cause::EvidenceDamaged => l.say(
            "Do not use this package as evidence. Find the damage with the verifier, restore the files or run again.",
            "本证据包不得作为证据使用。先用校验命令定位问题，恢复原始文件或重新测试。",
        ),
        Cause::EvidenceUnchecked => l.say(
            "Check the package with the verifier and write the report again.",
            "用校验命令核验证据包后重新出具报告。",
        ),
        Cause::GeneratorLimited => l.say(
            "Give the generator more room (more cores, a host of its own) and run the whole sweep again.",
            "增加测试端资源（更多核或独立主机）后重新执行完整扫测。",
        ),
        Cause::GeneratorUnsampled => l.say(
            "Run the whole sweep again, with the generator's own samples recorded throughout.",
            "重新执行完整扫测，并全程保留测试端自身的采样。",
        ),
        Cause::NothingSent => l.say(
            "Find out why no request left the generator, and run the whole sweep again.",
            "查明测试端未发出请求的原因，重新执行完整扫测。",
        ),
        Cause::TooLittleSeen => l.say(
            "Have the service offer a health check, or plan more requests, and run again.",
            "由服务提供健康检查接口，或增加请求数后复测。",
        ),
        Cause::Outage => l.say(
            "Find in the service's log what happened at those times, put it right, and run the whole sweep again.",
            "对照服务日志查明相应时段的情况，处理后重新执行完整扫测。",
        ),
        Cause::NothingAnswered => l.say(
            "Look at how the requests ended: address, model name, credential or the service itself is wrong. Put it right and run the whole sweep again.",
            "查看请求结果构成，检查地址、模型名、凭据与服务状态，处理后重新执行完整扫测。",
        ),
        Cause::LimitMissed => l.say(
            "Tune the service or add resources and test again, or agree on another figure.",
            "优化服务或增加资源后复测，或由双方重新约定。",
        ),
        Cause::NoTokenCounts | Cause::TokensEstimated => l.say(
            "Have the service return usage in the stream, and run again.",
            "由服务在流式响应中返回 usage 后复测。",
        ),
        Cause::TooFewTiers => l.say(
            "Run the sweep with at least two tiers, one of them C4 or lower.",
            "以不少于两个档位重新扫测，其中至少一档不高于 C4。",
        ),
        Cause::NoTierSuits => l.say(
            "Tune and test again, or set another tier in the agreement with its reason, and have it judged again; the report shows both.",
            "优化后复测，或在验收约定中另行指定档位并写明理由后重新判定；报告会并列两者。",
        ),
        Cause::TierNotRun => l.say("Run this tier as part of a whole sweep.", "在完整扫测中执行该档。"),
        Cause::GroupNotRun => l.say(
            "The run has no request of a group that the agreement names. Check how the group is spelt, or take a sample set that holds it, and run again.",
            "约定中提到的分组在本次测试中没有请求。请核对分组名称，或改用包含该分组的样本集后复测。",
        ),
        Cause::NotMeasured => l.say(
            "The service or the plan does not yield this figure: make it measurable and test again, or agree on another one.",
            "服务或测试计划未能给出该指标：使其可测后复测，或由双方另行约定指标。",
        ),
        Cause::GapsUnsupported => l.say(
            "Run again from a calmer host, or agree on TPOT instead of gaps between events.",
            "换用负载更低的主机复测，或改以 TPOT 约定。",
        ),
        _ => l.say("Remove the cause and run the whole sweep again.", "排除原因后重新执行完整扫测。"),
    }
}

fn failed_requests(m: &Material, head: Line, l: Language) -> Line {
    let mut line = head;
    let own_doing = |outcome: Outcome| {
        outcome == Outcome::NotSent || (outcome == Outcome::Cancelled && m.summary.run.interrupted)
    };
    for tier in &m.summary.tiers {
        let failed: Vec<String> = tier
            .figures
            .outcomes
            .iter()
            .filter(|(outcome, n)| **outcome != Outcome::Effective && !own_doing(**outcome) && **n > 0)
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

fn limit(m: &Material, item: &SlaResult, l: Language) -> Line {
    let observed = sla::observed(item);
    let place = sla::place(item, l.say("all tiers", "全部档位"));
    let limit = number::limit(&item.limit);
    let exceeding = sla::exceeding(m, item, l)
        .map_or_else(String::new, |words| l.say(format!(" ({words})"), format!("（{words}）")));
    let remedy = remedy(item.cause.unwrap_or(Cause::LimitMissed), l);
    Line::new()
        .strong(&item.item)
        .plain(" ")
        .mark(words::tone(item.contract), words::judgement(l, item.contract))
        .plain(l.say(
            format!(" {place}: observed {observed}{exceeding}, agreed {limit}. {remedy}"),
            format!(" {place}：实测 {observed}{exceeding}，约定 {limit}。{remedy}"),
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
