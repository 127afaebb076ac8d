//! What is to be tested again before the matter can be decided.

use std::collections::BTreeSet;

use crate::{
    advice::DEFAULT_TIER,
    case::Case,
    criteria::ENOUGH_REQUESTS,
    number,
    text::Text,
    verdict::{Cause, Criterion, CriterionId, Finding, Judgement, RuleId, SlaResult, Supplementary},
    words,
};

/// One item for each thing that stands between this case and a pass; none where it passes.
///
/// They follow from causes, so that a run that did not finish asks for a whole run, and not for repairs of a service
/// that nothing speaks against.
pub(crate) fn items(
    case: &Case,
    criteria: &[Criterion],
    sla: &[SlaResult],
    findings: &[Finding],
) -> Vec<Supplementary> {
    let mut items: Vec<Supplementary> = Vec::new();
    for criterion in criteria.iter().filter(|criterion| criterion.result != Judgement::Pass) {
        items.extend(of_criterion(case, criterion));
        if criterion.id == CriterionId::TestIntegrity {
            items.extend(generator(case));
            items.extend(case.evidence.chain_intact.is_none().then(evidence_check));
        }
    }
    items.extend(sla.iter().enumerate().filter_map(|(index, item)| limit(case, index, item)));
    items.extend(findings.iter().filter_map(vendor));
    let mut seen = BTreeSet::new();
    items.retain(|item| seen.insert(item.id.clone()));
    items
}

/// What a criterion that does not pass asks for. A rule that was added may give no cause: then the criterion's own.
fn of_criterion(case: &Case, criterion: &Criterion) -> Option<Supplementary> {
    use CriterionId::{
        DataTraceability, DeliveryAdvice, PeakThroughput, ServiceAvailability, Stability, TestIntegrity,
    };
    let cause = criterion.cause.unwrap_or(Cause::OtherRule);
    let item = match (criterion.id, cause) {
        (DataTraceability, _) => evidence(),
        (DeliveryAdvice, Cause::NotPlanned) => capacity_advice(),
        (_, Cause::Unfinished | Cause::RowsDiffer | Cause::NothingSent | Cause::NotPlanned) => {
            complete_run(case)
        }
        // These have items of their own, beside test integrity.
        (_, Cause::GeneratorLimited | Cause::GeneratorUnsampled | Cause::EvidenceUnchecked) => return None,
        (TestIntegrity, _) => complete_run(case),
        (ServiceAvailability, Cause::TooLittleSeen) => availability_signal(),
        (ServiceAvailability, _) => availability(),
        (Stability, _) | (PeakThroughput, Cause::FailedRequests) => success_rate(case),
        (PeakThroughput, Cause::NoTokenCounts | Cause::TokensEstimated) => token_counts(),
        (PeakThroughput, _) => peak_output(case),
        (DeliveryAdvice, Cause::TooFewTiers | Cause::NoTokenCounts) => capacity_tiers(),
        (DeliveryAdvice, _) => capacity_advice(),
    };
    Some(item)
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

fn complete_run(case: &Case) -> Supplementary {
    let agreed = case.agreed_tiers();
    let (en, zh) = if agreed.is_empty() {
        (String::new(), String::new())
    } else {
        let tiers = words::tiers(agreed);
        (format!(" ({})", tiers.en), format!("（{}）", tiers.zh))
    };
    open(
        "complete_run",
        format!(
            "A run in which every agreed tier{en} finishes as many requests as are planned, with a row for each."
        ),
        format!("重新扫测，约定的并发档位{zh}全部执行，各档完成数等于计划数，且逐一留有原始记录。"),
    )
}

fn generator(case: &Case) -> Option<Supplementary> {
    match case.summary.client.valid {
        Some(true) => None,
        Some(false) => Some(open(
            "generator_headroom",
            "A repeated run with more client resources (more cores, a host of its own, or several shards), in which the load generator hits no limit of its own.",
            "增加测试端资源（更多核、独立主机或分片施压）后重测，且测试端未触及自身上限。",
        )),
        None => Some(open(
            "generator_samples",
            "A repeated run in which the load generator records samples of itself in every tier and hits no limit.",
            "重测并在每一档保留测试端自身的采样，且未触及上限。",
        )),
    }
}

fn evidence_check() -> Supplementary {
    open(
        "evidence_check",
        "The raw rows are checked against the frozen schedule and their hash chain.",
        "对照冻结的计划与哈希链核验原始记录。",
    )
}

fn evidence() -> Supplementary {
    open(
        "evidence",
        "A package whose raw rows are complete, whose digests and hash chain hold, and whose figures follow from the rows.",
        "提供原始记录完整、摘要与哈希链核验无误、指标可重算的证据包。",
    )
}

fn availability() -> Supplementary {
    open(
        "availability",
        "The cause is named and removed, and a repeated run is answered and shows no restart, no unready spell and no three refusals in a row.",
        "查明并消除原因后重测，服务正常应答，且测试期间无重启、无未就绪、无连续三次拒绝连接。",
    )
}

fn availability_signal() -> Supplementary {
    open(
        "availability_signal",
        format!(
            "A run with a health check that finds the service ready, or with at least {ENOUGH_REQUESTS} requests."
        ),
        format!("提供可用的健康检查接口，或以不少于 {ENOUGH_REQUESTS} 个请求重测。"),
    )
}

fn success_rate(case: &Case) -> Supplementary {
    let target = number::percent_as_agreed(case.success_target());
    let (en, zh) = if case.has_groups() {
        (", and every group its own target", "，且各分组均达到各自的目标")
    } else {
        ("", "")
    };
    open(
        "success_rate",
        format!(
            "The causes of the failed requests are removed, and a repeated run reaches a success rate of {target} over all planned requests{en}."
        ),
        format!("消除失败原因后重测，全部计划请求的成功率达到 {target}{zh}。"),
    )
}

fn peak_output(case: &Case) -> Supplementary {
    let (en, zh) = match case.agreement.acceptance.output_tps.map(number::plain) {
        Some(demand) => (
            format!(
                "A repeated run reaches a peak Output TPS of {demand} tok/s, or the parties agree on another demand with a reason."
            ),
            format!("重测峰值 Output TPS 达到 {demand} tok/s，或由双方另行约定需求并写明理由。"),
        ),
        None => {
            ("A repeated run gives a peak Output TPS.".to_owned(), "重测并给出峰值 Output TPS。".to_owned())
        }
    };
    open("peak_output", en, zh)
}

fn token_counts() -> Supplementary {
    open(
        "token_counts",
        "A repeated run in which the service reports usage for every request.",
        "重测时由服务逐请求返回 usage。",
    )
}

fn capacity_advice() -> Supplementary {
    open(
        "capacity_advice",
        "The capacity advice is changed: after tuning, or by an agreed tier with its reason, an interactive tier is named that was tested and meets the success target.",
        "调整容量建议：调优后重测，或由双方约定档位并写明理由，且该档位经过测试、成功率达标。",
    )
}

fn capacity_tiers() -> Supplementary {
    let default = number::tier(DEFAULT_TIER);
    open(
        "capacity_tiers",
        format!("A run of at least two tiers, one of them {default} or lower, with token counts."),
        format!("以不少于两个并发档位重测，其中至少一档不高于 {default}，并具备 Token 计数。"),
    )
}

fn limit(case: &Case, index: usize, item: &SlaResult) -> Option<Supplementary> {
    // Of a run that is to be made again as a whole the limits are judged again with it.
    let again = match item.cause {
        Some(Cause::Unfinished | Cause::RowsDiffer) => true,
        Some(Cause::TierNotRun) => {
            case.unfinished() && item.tier.is_some_and(|tier| case.tier(tier).is_some())
        }
        _ => false,
    };
    if item.contract == Judgement::Pass || again {
        return None;
    }
    let place = item.tier.map_or_else(
        || Text::new("over the run", "全程"),
        |tier| Text::new(format!("at {}", number::tier(tier)), format!("{} 档", number::tier(tier))),
    );
    let SlaResult { item: name, metric, limit, .. } = item;
    Some(open(
        &format!("sla_{}", index + 1),
        format!("{name}: a repeated run {} gives {metric} {limit}.", place.en),
        format!("{name}：重测时，{}的 {metric} 须满足 {limit}。", place.zh),
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
