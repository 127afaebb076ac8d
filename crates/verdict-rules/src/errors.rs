//! Whether a limit is broken by requests that failed for a reason no generator brings about.

use metrics_core::{Comparison, Latency, Limit, LimitEvidence, Metric, Statistic, Tier, percentile};

use crate::{agreement::SlaItem, case::Case, generator};

/// Failed requests of the item's tier and group, or of all, that are the service's whatever the generator: each that ended
/// without an effective answer, but for time-outs of a tier in which the generator hit a limit.
fn held_against_the_service(case: &Case, item: &SlaItem) -> u64 {
    let failed = |tier: &Tier| {
        let part = case.figures_in(tier, item.group.as_deref())?;
        let excused = part.effective + generator::excusable_of(&case.summary, tier, part);
        Some(part.finished.saturating_sub(excused))
    };
    let of_item = |tier: &&Tier| item.tier.is_none_or(|concurrency| tier.concurrency == concurrency);
    case.summary.tiers.iter().filter(of_item).filter_map(failed).sum()
}

/// They break the limit even if every other request had met it.
pub(crate) fn alone_break(case: &Case, item: &SlaItem, evidence: &LimitEvidence) -> bool {
    let (Ok(metric), Ok(limit)) = (item.metric.parse::<Metric>(), item.limit.parse::<Limit>()) else {
        return false;
    };
    let counts = case.planned_and_finished(item.tier, item.group.as_deref());
    let planned = counts.map_or(0, |(planned, _)| planned);
    let failed = held_against_the_service(case, item).min(planned);
    if failed == 0 {
        return false;
    }
    match metric {
        Metric::Latency(_, Statistic::Mean) => true,
        // A failed request stands for no fewer gaps than any other, so its share of requests is the least it has of gaps.
        Metric::Latency(Latency::InterEvent, statistic) => is_violated(statistic, limit, failed, planned),
        Metric::Latency(_, statistic) => is_violated(statistic, limit, failed, evidence.n),
        Metric::Share(_) => {
            limit.comparison.wants_more() && !limit.holds((planned - failed) as f64 / planned as f64)
        }
        // How much a limited generator took from a rate is not known, unless there was nothing to take from.
        Metric::Rate(_) => limit.comparison.wants_more() && failed == planned,
    }
}

/// The statistic falls on one of `failed` values of `n`, which lie on the far side of the limit.
fn is_violated(statistic: Statistic, limit: Limit, failed: u64, n: u64) -> bool {
    let failed = failed.min(n);
    let lies_first = matches!(limit.comparison, Comparison::AtLeast | Comparison::Above);
    let first = if lies_first { failed } else { n - failed };
    let values: Vec<bool> = (0..n).map(|rank| (rank < first) == lies_first).collect();
    let taken = match statistic {
        Statistic::Percentile(percent) => percentile(&values, percent),
        Statistic::Max => values.last().copied(),
        Statistic::Min => values.first().copied(),
        Statistic::Mean => None,
    };
    taken.unwrap_or(false)
}
