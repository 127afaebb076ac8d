//! From findings to the six criteria, and from these to one decision. Every step can only make it worse.

use crate::{
    case::Case,
    text::Text,
    verdict::{Criterion, CriterionId, Decision, Finding, Judgement, RuleId, SlaResult},
};

/// Where rows are missing or surplus, nothing but their absence is certain: no finding passes.
pub(crate) fn capped(mut finding: Finding, case: &Case) -> Finding {
    if !case.rows_differ() {
        return finding;
    }
    finding.contract = finding.contract.map(|contract| contract.max(Judgement::Inconclusive));
    if finding.result == Judgement::Pass {
        finding.result = Judgement::Inconclusive;
        finding.explanation = finding.explanation.then(&Text::new(
            "The rows are not those of the frozen schedule, so that this is no pass.",
            "原始记录与冻结的计划不一致，故不能判为通过。",
        ));
    }
    finding
}

/// The six, each by the worst finding under its id; without any it is inconclusive.
pub(crate) fn criteria(findings: &[Finding]) -> Vec<Criterion> {
    CriterionId::ALL.into_iter().map(|id| criterion(id, findings)).collect()
}

fn criterion(id: CriterionId, findings: &[Finding]) -> Criterion {
    let worst = findings
        .iter()
        .filter(|finding| finding.rule == RuleId::from(id))
        .reduce(|worst, next| if next.result > worst.result { next } else { worst });
    let Some(finding) = worst.cloned() else {
        let explanation = Text::new("No rule found anything about it.", "没有任何规则给出结论，无法判定。");
        return criterion(id, &[Finding::inconclusive(id, explanation)]);
    };
    Criterion {
        id,
        result: finding.result,
        contract: finding.contract,
        support: finding.support,
        observed: finding.observed,
        threshold: finding.threshold,
        n: finding.n,
        explanation: finding.explanation,
    }
}

/// Any fail fails; else any that cannot be told leaves it open; only then it passes.
///
/// What the number of requests supports is printed beside a limit and decides nothing here.
pub(crate) fn decide(criteria: &[Criterion], sla: &[SlaResult], findings: &[Finding]) -> Decision {
    let criteria = criteria.iter().map(|criterion| criterion.result);
    let sla = sla.iter().map(|item| item.contract);
    let findings = findings.iter().map(|finding| finding.result);
    criteria.chain(sla).chain(findings).max().unwrap_or(Decision::Inconclusive)
}
