//! Agreed limits, item by item: the contract's point rule, and what the sample supports beside it.

use metrics_core::{Latency, Metric};

use crate::{
    agreement::SlaItem,
    case::Case,
    generator,
    verdict::{Judgement, SlaResult},
};

/// One result for each `[[sla]]` item, in the agreement's order.
pub(crate) fn results(case: &Case) -> Vec<SlaResult> {
    case.agreement.sla.iter().enumerate().map(|(index, item)| result(case, index, item)).collect()
}

fn result(case: &Case, index: usize, item: &SlaItem) -> SlaResult {
    let evidence = case.limits.get(index).and_then(Option::as_ref);
    let contract = match evidence.and_then(|evidence| evidence.contract) {
        Some(true) if case.rows_differ() => Judgement::Inconclusive,
        Some(true) => Judgement::Pass,
        Some(false) if not_blamed(case, item) => Judgement::Inconclusive,
        Some(false) => Judgement::Fail,
        None => Judgement::Inconclusive,
    };
    SlaResult {
        item: item.item.clone(),
        metric: item.metric.clone(),
        tier: item.tier,
        limit: item.limit.clone(),
        source: item.source.clone(),
        contract,
        support: evidence.and_then(|evidence| evidence.support),
        further: evidence.and_then(|evidence| evidence.further),
        observed: evidence.and_then(|evidence| evidence.observed),
        n: evidence.map_or(0, |evidence| evidence.n),
    }
}

/// The generator hit a limit where this was measured, so that what is exceeded may be its own.
fn not_blamed(case: &Case, item: &SlaItem) -> bool {
    let summary = &case.summary;
    let invalid = match item.tier {
        Some(tier) => generator::invalid_in(summary, tier),
        None => generator::invalid(summary),
    };
    let on_gaps = matches!(item.metric.parse(), Ok(Metric::Latency(Latency::InterEvent, _)));
    invalid || (on_gaps && generator::gaps_unsupported(summary, item.tier))
}
