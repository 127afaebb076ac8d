//! Agreed limits, item by item: the contract's point rule, and what the sample supports beside it.

use metrics_core::{Latency, LimitEvidence, Metric};

use crate::{
    agreement::SlaItem,
    case::Case,
    decision, errors, generator,
    verdict::{Cause, Judgement, SlaResult},
};

/// One result for each `[[sla]]` item, in the agreement's order.
pub(crate) fn results(case: &Case) -> Vec<SlaResult> {
    case.agreement.sla.iter().enumerate().map(|(index, item)| result(case, index, item)).collect()
}

fn result(case: &Case, index: usize, item: &SlaItem) -> SlaResult {
    let whole_run = item.tier.is_none() && item.group.is_none();
    let counts = case.planned_and_finished(item.tier, item.group.as_deref());
    let ran = whole_run || counts.is_some_and(|(_, finished)| finished > 0);
    let evidence = case.limits.get(index).and_then(Option::as_ref);
    let (contract, cause) = contract(case, item, evidence, ran);
    let judged = evidence.filter(|_| ran);
    SlaResult {
        item: item.item.clone(),
        metric: item.metric.clone(),
        tier: item.tier,
        group: item.group.clone(),
        limit: item.limit.clone(),
        source: item.source.clone(),
        contract,
        cause,
        support: judged.and_then(|evidence| evidence.support),
        further: judged.and_then(|evidence| evidence.further),
        observed: evidence.and_then(|evidence| evidence.observed),
        n: evidence.map_or(0, |evidence| evidence.n),
        exceeding: evidence.and_then(|evidence| evidence.exceeding),
    }
}

/// What the point rule comes to here, and why it is no pass.
fn contract(
    case: &Case,
    item: &SlaItem,
    evidence: Option<&LimitEvidence>,
    ran: bool,
) -> (Judgement, Option<Cause>) {
    if let Some(group) = &item.group
        && case.planned_and_finished(item.tier, Some(group)).is_none()
        && item.tier.is_none_or(|tier| case.tier(tier).is_some())
    {
        return (Judgement::Inconclusive, Some(Cause::GroupNotRun));
    }
    let Some(holds) = evidence.and_then(|evidence| evidence.contract) else {
        return (Judgement::Inconclusive, Some(if ran { Cause::NotMeasured } else { Cause::TierNotRun }));
    };
    let gaps_unsupported = on_gaps(item) && generator::gaps_unsupported(&case.summary, item.tier);
    if holds {
        let cause = decision::cap(case).or(gaps_unsupported.then_some(Cause::GapsUnsupported));
        return (cause.map_or(Judgement::Pass, |_| Judgement::Inconclusive), cause);
    }
    let errors_suffice = evidence.is_some_and(|evidence| errors::alone_break(case, item, evidence));
    if errors_suffice && ran {
        (Judgement::Fail, Some(Cause::LimitMissed))
    } else if generator_invalid(case, item) {
        (Judgement::Inconclusive, Some(Cause::GeneratorLimited))
    } else if gaps_unsupported {
        (Judgement::Inconclusive, Some(Cause::GapsUnsupported))
    } else if !ran {
        (Judgement::Fail, Some(Cause::TierNotRun))
    } else if only_unfinished_exceed(case, item, evidence) {
        (Judgement::Fail, Some(Cause::Unfinished))
    } else {
        (Judgement::Fail, Some(Cause::LimitMissed))
    }
}

/// The generator hit a limit where this was measured: what is exceeded may be its own doing.
fn generator_invalid(case: &Case, item: &SlaItem) -> bool {
    match item.tier {
        Some(tier) => generator::invalid_in(&case.summary, tier),
        None => generator::invalid(&case.summary),
    }
}

fn on_gaps(item: &SlaItem) -> bool {
    matches!(item.metric.parse(), Ok(Metric::Latency(Latency::InterEvent, _)))
}

/// Every request that exceeds is one that the run did not come to.
fn only_unfinished_exceed(case: &Case, item: &SlaItem, evidence: Option<&LimitEvidence>) -> bool {
    let counts = case.planned_and_finished(item.tier, item.group.as_deref());
    let (planned, finished) = counts.unwrap_or_default();
    let unfinished = planned.saturating_sub(finished);
    let exceeding = evidence.and_then(|evidence| evidence.exceeding);
    !on_gaps(item) && exceeding.is_some_and(|exceeding| exceeding > 0 && exceeding <= unfinished)
}
