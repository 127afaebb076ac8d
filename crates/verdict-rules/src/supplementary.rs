//! What is to be tested again before the matter can be decided.

use crate::{
    advice::{ByRule, DEFAULT_TIER},
    case::Case,
    criteria::{ENOUGH_REQUESTS, PeakCount, has_signal, peak_count},
    text::Text,
    verdict::{Criterion, CriterionId, Finding, Judgement, RuleId, SlaResult, Supplementary},
    words,
};

/// One item for each thing that stands between this case and a pass; none where it passes.
pub(crate) fn items(
    case: &Case,
    criteria: &[Criterion],
    sla: &[SlaResult],
    findings: &[Finding],
) -> Vec<Supplementary> {
    let mut items = Vec::new();
    for criterion in criteria.iter().filter(|criterion| criterion.result != Judgement::Pass) {
        let failed = criterion.result == Judgement::Fail;
        match criterion.id {
            CriterionId::TestIntegrity => integrity(case, failed, &mut items),
            CriterionId::ServiceAvailability => availability(case, failed, &mut items),
            CriterionId::Stability => stability(case, failed, &mut items),
            CriterionId::PeakThroughput => throughput(case, failed, &mut items),
            CriterionId::DeliveryAdvice => delivery(case, failed, &mut items),
            CriterionId::DataTraceability => items.push(open(
                "evidence",
                "A package whose raw rows are complete, whose digests and hash chain hold, and whose figures follow from the rows.",
                "提供原始记录完整、摘要与哈希链核验无误、指标可重算的证据包。",
            )),
        }
    }
    items.extend(sla.iter().enumerate().filter_map(|(index, item)| limit(index, item)));
    items.extend(findings.iter().filter_map(vendor));
    items
}

fn open(id: &str, en: impl Into<String>, zh: impl Into<String>) -> Supplementary {
    Supplementary {
        id: id.to_owned(),
        condition: Text::new(en, zh),
        owner: None,
        environment: None,
        due: None,
        state: "open".to_owned(),
    }
}

fn integrity(case: &Case, failed: bool, items: &mut Vec<Supplementary>) {
    if failed {
        let tiers = words::tiers(case.agreed_tiers());
        items.push(open(
            "complete_run",
            format!("A run in which every agreed tier ({}) finishes as many requests as are planned, with a row for each.", tiers.en),
            format!("重新扫测，约定的并发档位（{}）全部执行，各档完成数等于计划数，且逐一留有原始记录。", tiers.zh),
        ));
    }
    match case.summary.client.valid {
        Some(true) => {}
        Some(false) => items.push(open(
            "generator_headroom",
            "A repeated run with more client resources (more cores, a host of its own, or several shards), in which the load generator hits no limit of its own.",
            "增加压测客户端资源（更多核、独立主机或分片施压）后重测，且客户端未触及自身上限。",
        )),
        None => items.push(open(
            "generator_samples",
            "A repeated run in which the load generator records samples of itself and hits no limit.",
            "重测并保留压测客户端自身的采样，且未触及上限。",
        )),
    }
    if case.evidence.chain_intact.is_none() {
        items.push(open(
            "evidence_check",
            "The raw rows are checked against the frozen schedule and their hash chain.",
            "对照冻结的计划与哈希链核验原始记录。",
        ));
    }
}

fn availability(case: &Case, failed: bool, items: &mut Vec<Supplementary>) {
    if failed {
        items.push(open(
            "availability",
            "The cause of the outage is named and removed, and a repeated run shows no restart, no unready spell and no three refusals in a row.",
            "查明并消除中断原因后重测，测试期间无重启、无未就绪、无连续三次拒绝连接。",
        ));
    } else if !has_signal(case) {
        items.push(open(
            "availability_signal",
            format!("A run with a health check of the service, or with at least {ENOUGH_REQUESTS} requests."),
            format!("提供健康检查接口，或以不少于 {ENOUGH_REQUESTS} 个请求重测。"),
        ));
    }
}

fn stability(case: &Case, failed: bool, items: &mut Vec<Supplementary>) {
    if failed || case.summary.totals.sent == 0 {
        let target = words::percent_as_agreed(case.agreement.acceptance.success_rate);
        items.push(open(
            "success_rate",
            format!("The causes of the failed requests are removed, and a repeated run reaches a success rate of {target} % over all planned requests."),
            format!("消除失败原因后重测，全部计划请求的成功率达到 {target}%。"),
        ));
    }
}

fn throughput(case: &Case, failed: bool, items: &mut Vec<Supplementary>) {
    let demand = case.agreement.acceptance.output_tps;
    if let (true, Some(demand)) = (failed, demand) {
        let demand = words::number(demand);
        items.push(open(
            "peak_output",
            format!("A repeated run reaches a peak Output TPS of {demand} tok/s, or the parties agree on another demand with a reason."),
            format!("重测峰值 Output TPS 达到 {demand} tok/s，或由双方另行约定需求并写明理由。"),
        ));
    } else if case.summary.peak.output_tps.is_none()
        || (demand.is_some() && peak_count(case) == PeakCount::Estimated)
    {
        items.push(open(
            "token_counts",
            "A repeated run in which the service reports usage for every request, or the plan names a tokenizer.",
            "重测时由服务逐请求返回 usage，或在测试计划中指定分词器。",
        ));
    }
}

fn delivery(case: &Case, failed: bool, items: &mut Vec<Supplementary>) {
    if failed {
        items.push(open(
            "capacity_advice",
            "The capacity advice is changed: after tuning, or by an agreed tier with its reason, an interactive tier is named that was tested and meets the success target.",
            "调整容量建议：调优后重测，或由双方约定档位并写明理由，且该档位经过测试、成功率达标。",
        ));
    } else if case.summary.tiers.len() < 2 || ByRule::of(case).interactive.is_none() {
        let default = words::tier(DEFAULT_TIER);
        items.push(open(
            "capacity_tiers",
            format!("A run of at least two tiers, one of them {default} or lower, with token counts."),
            format!("以不少于两个并发档位重测，其中至少一档不高于 {default}，并具备 Token 计数。"),
        ));
    }
}

fn limit(index: usize, item: &SlaResult) -> Option<Supplementary> {
    if item.contract == Judgement::Pass {
        return None;
    }
    let place = item.tier.map_or_else(
        || Text::new("over the run", "全程"),
        |tier| Text::new(format!("at {}", words::tier(tier)), format!("{} 档", words::tier(tier))),
    );
    let SlaResult { item: name, metric, limit, .. } = item;
    Some(open(
        &format!("sla_{}", index + 1),
        format!("{name}: a repeated run {} gives {metric} {limit}.", place.en),
        format!("{name}：重测时{}的 {metric} 满足 {limit}。", place.zh),
    ))
}

/// A rule beside the six speaks for itself.
fn vendor(finding: &Finding) -> Option<Supplementary> {
    let of_the_six = CriterionId::ALL.into_iter().any(|id| finding.rule == RuleId::from(id));
    if of_the_six || finding.result == Judgement::Pass {
        return None;
    }
    let RuleId(id) = &finding.rule;
    let why = &finding.explanation;
    Some(open(
        id,
        format!("The rule {id} passes. It found: {}", why.en),
        format!("规则 {id} 判定为通过。本次结论：{}", why.zh),
    ))
}
