//! A limit against what was measured: the point rule as written, and what the sample says beyond itself.

use serde::{Deserialize, Serialize};

use crate::{
    aggregate::{Scope, aggregate},
    figures::Input,
    limit::{Comparison, Limit},
    metric::{Latency, Metric, Statistic, UnknownMetric},
    order_statistics::percentile,
    outcome::Outcome,
    population::{Selection, settle},
    summary::Figures,
    support::{Support, further, share_that_may_miss, weigh},
};

/// What there is to say about one limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitEvidence {
    /// The figure as the summary has it: for latencies over effective requests alone. It may satisfy a limit
    /// that `contract` fails, since there every planned request counts.
    pub observed: Option<f64>,
    /// How many were judged: planned requests for latencies and shares (for `inter_event_s`, gaps), effective
    /// requests for a rate.
    pub n: u64,
    /// How many of them violate the limit, those that are not effective among them; `None` for rates. For a
    /// mean only those that are not effective, each of which makes it exceed.
    pub exceeding: Option<u64>,
    /// The point rule as written; `None` where there is nothing to judge, which is inconclusive and never a
    /// pass.
    pub contract: Option<bool>,
    /// What the sample says beyond itself. For percentiles of requests, and for shares with a lower limit;
    /// `None` otherwise, as for gaps between events, which within one request are anything but independent.
    pub support: Option<Support>,
    /// Where support is inconclusive: further requests that would support the limit if none of them exceeds;
    /// `None` also where no number would.
    pub further: Option<u64>,
}

/// Over which measured requests a limit is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Over<'n> {
    /// Those of one tier; of every tier and stage where `None`.
    pub tier: Option<u32>,
    /// Those of one group; of every group where `None`.
    pub group: Option<&'n str>,
}

/// Judges a limit on `metric` (a name such as `ttft_s.p95`) over the requests of a tier and a group, or over all measured
/// requests where [`Over`] names neither. Of a tier or group that is not there nothing is judged.
///
/// - **Percentiles and extremes**: nearest rank over planned requests, where each one that is not effective
///   (or has no row) violates the limit, however small its latency. An effective request that the service did
///   not end itself violates limits on end-to-end times. Other effective requests without a value, such as a
///   single token for `tpot_s`, are not judged. Where gaps between events are judged, a request that is not
///   effective stands for as many as an effective one has on average, so that it weighs as much.
/// - **Means**: over the same values. One planned request that violates whatever the limit is makes the mean
///   exceed, however fast the others were: a mean over survivors alone says nothing about a service that
///   failed the rest.
/// - **Shares and rates**: the figure. Where nothing was effective although something was sent, a rate fails
///   every lower limit and says nothing about an upper one.
///
/// # Errors
///
/// [`UnknownMetric`], which lists the names that there are.
pub fn judge_limit(
    input: &Input<'_>,
    over: Over<'_>,
    metric: &str,
    comparison: Comparison,
    limit: f64,
) -> Result<LimitEvidence, UnknownMetric> {
    let metric: Metric = metric.parse()?;
    let cells = settle(input);
    let whole = Selection::of(&cells, |cell| over.tier.is_none() || cell.tier == over.tier);
    let selection = whole.only(|cell| over.group.is_none_or(|group| cell.group == group));
    let figures = aggregate(&selection, Scope::within(&whole, over.tier, &selection));
    let limit = Limit { comparison, value: limit };
    let observed = metric.observed(&figures);
    Ok(match metric {
        Metric::Latency(latency, Statistic::Mean) => {
            let judged = Judged::of(&selection, latency, limit);
            LimitEvidence {
                observed,
                n: judged.n(),
                exceeding: Some(judged.worst),
                contract: match judged.worst {
                    0 => observed.map(|mean| limit.holds(mean)),
                    _ => Some(false),
                },
                support: None,
                further: None,
            }
        }
        Metric::Latency(latency, statistic) => {
            let judged = Judged::of(&selection, latency, limit);
            let allowed = judged.share_that_may_exceed(latency, statistic, comparison);
            LimitEvidence {
                observed,
                n: judged.n(),
                exceeding: Some(judged.exceeding),
                contract: judged.statistic(statistic).map(|value| limit.holds(value)),
                support: allowed.map(|allowed| weigh(judged.n(), judged.exceeding, allowed)),
                further: allowed.and_then(|allowed| further(judged.n(), judged.exceeding, allowed)),
            }
        }
        Metric::Share(_) => share(&figures, observed, limit),
        Metric::Rate(_) => LimitEvidence {
            observed,
            n: figures.effective,
            exceeding: None,
            contract: match observed {
                Some(rate) => Some(limit.holds(rate)),
                None => (nothing_came(&figures) && comparison.wants_more()).then_some(false),
            },
            support: None,
            further: None,
        },
    })
}

fn share(figures: &Figures, observed: Option<f64>, limit: Limit) -> LimitEvidence {
    let missing = figures.planned - figures.effective;
    let allowed =
        (figures.planned > 0 && limit.comparison.wants_more()).then(|| share_that_may_miss(limit.value));
    LimitEvidence {
        observed,
        n: figures.planned,
        exceeding: Some(missing),
        contract: observed.map(|share| limit.holds(share)),
        support: allowed.map(|allowed| weigh(figures.planned, missing, allowed)),
        further: allowed.and_then(|allowed| further(figures.planned, missing, allowed)),
    }
}

/// Something was sent and has ended, and none of it is output.
fn nothing_came(figures: &Figures) -> bool {
    figures.effective == 0 && figures.window_s.is_some()
}

/// The values of planned requests in ascending order, with infinity for those that violate whatever the limit
/// is.
struct Judged {
    values: Vec<f64>,
    exceeding: u64,
    /// How many values stand for requests that violate whatever the limit is.
    worst: u64,
}

impl Judged {
    fn of(selection: &Selection<'_, '_>, latency: Latency, limit: Limit) -> Self {
        let mut values = Vec::new();
        let (mut effective, mut worst) = (0, 0);
        for request in selection.requests().filter(|request| request.outcome == Outcome::Effective) {
            effective += 1;
            if latency.is_end_to_end() && !request.facts.ended.by_service() {
                worst += 1;
            } else {
                values.extend(latency.of(&request.facts).into_iter().map(|value| value.get()));
            }
        }
        // A failed request weighs as much as an effective one, which has many gaps and one of anything else.
        let weight = match latency {
            Latency::InterEvent if effective > 0 => (values.len() as u64).div_ceil(effective).max(1),
            _ => 1,
        };
        worst += selection.planned().saturating_sub(effective).saturating_mul(weight);
        let beyond = if limit.comparison.wants_more() { f64::NEG_INFINITY } else { f64::INFINITY };
        values.extend((0..worst).map(|_| beyond));
        values.sort_by(f64::total_cmp);
        let exceeding = values.iter().filter(|value| !limit.holds(**value)).count() as u64;
        Self { values, exceeding, worst }
    }

    fn statistic(&self, statistic: Statistic) -> Option<f64> {
        match statistic {
            Statistic::Percentile(percent) => percentile(&self.values, percent),
            Statistic::Max => self.values.last().copied(),
            Statistic::Min => self.values.first().copied(),
            Statistic::Mean => None,
        }
    }

    fn n(&self) -> u64 {
        self.values.len() as u64
    }

    /// An upper limit on a percentile lets 1 − p exceed it, a lower one lets p stay below. `None` where the
    /// sample says nothing beyond itself.
    fn share_that_may_exceed(
        &self,
        latency: Latency,
        statistic: Statistic,
        comparison: Comparison,
    ) -> Option<f64> {
        let Statistic::Percentile(percent) = statistic else { return None };
        if self.values.is_empty() || latency == Latency::InterEvent {
            return None;
        }
        Some(if comparison.wants_more() { percent.share() } else { percent.complement().share() })
    }
}
