//! From findings to the six criteria, and from these to one decision. Every step can only make it worse.

use crate::{
    case::Case,
    text::Text,
    verdict::{Cause, Criterion, CriterionId, Decision, Finding, Judgement, RuleId, SlaResult},
};

/// Where planned requests are without a row or did not finish, nothing but that is certain: no finding passes. Whether
/// the rows can be trusted is another matter: those of a run that was cut short are whole as far as it went.
pub(crate) fn capped(mut finding: Finding, case: &Case) -> Finding {
    let traceability = finding.rule == RuleId::from(CriterionId::DataTraceability);
    let Some(cause) = cap(case).filter(|cause| *cause == Cause::RowsDiffer || !traceability) else {
        return finding;
    };
    finding.contract = finding.contract.map(|contract| contract.max(Judgement::Inconclusive));
    if finding.result == Judgement::Pass {
        finding.result = Judgement::Inconclusive;
        finding.cause = Some(cause);
        finding.explanation = finding.explanation.then(&why_no_pass(case, cause));
    }
    finding
}

/// Why nothing passes here, whatever a rule finds.
pub(crate) fn cap(case: &Case) -> Option<Cause> {
    if case.rows_differ() { Some(Cause::RowsDiffer) } else { case.unfinished().then_some(Cause::Unfinished) }
}

fn why_no_pass(case: &Case, cause: Cause) -> Text {
    if cause == Cause::RowsDiffer {
        return Text::new(
            "The rows are not those of the frozen schedule, so this cannot count as a pass.",
            "原始记录与冻结的计划不一致，故不能判为通过。",
        );
    }
    let totals = &case.summary.totals;
    let (finished, planned) = (totals.finished, totals.planned);
    Text::new(
        format!("The run was not finished ({finished} of {planned}), so this cannot count as a pass."),
        format!("测试未执行完毕（完成 {finished} / {planned}），故不能判为通过。"),
    )
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
        cause: finding.cause,
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
