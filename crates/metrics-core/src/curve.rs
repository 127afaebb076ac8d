//! How the latencies of a tier are distributed, as curves over the percentages.

use crate::{
    figures::Input,
    order_statistics::{Percent, percentile},
    population::{Selection, distinct, settle},
    quantity::{Micros, Seconds},
    record::Facts,
};

/// The curves of one tier.
#[derive(Debug, Clone, PartialEq)]
pub struct TierCurves {
    /// Requests in flight.
    pub concurrency: u32,
    /// Time to first token, from `due`.
    pub ttft_s: Curve,
    /// End-to-end time, from `due`.
    pub e2e_s: Curve,
}

/// A distribution by nearest rank: a staircase, of which no step lies between two raw values.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// How many values it is made of: effective requests that have one.
    pub n: u64,
    /// Planned requests without a value.
    pub left_out: u64,
    /// Its steps, ascending in both; none of no values. However many values there are, there are at most 120 steps.
    pub steps: Vec<CurveStep>,
}

/// A step of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveStep {
    /// The step reaches from the end of the one before to this percentage, in thousandths; that of the last is 1000.
    pub until_per_mille: u16,
    /// The percentile there; of the last step it is the maximum.
    pub value: Seconds,
}

/// The distributions of the latencies of every tier, in the order of the schedule, over effective requests.
///
/// A curve is taken at every whole percentage up to 90, at every half up to 99, and at every tenth above.
#[must_use]
pub fn latency_curves(input: &Input<'_>) -> Vec<TierCurves> {
    let cells = settle(input);
    let curves = distinct(&cells, |cell| cell.tier).into_iter().map(|tier| {
        let selection = Selection::of(&cells, |cell| cell.tier == Some(tier));
        TierCurves {
            concurrency: tier,
            ttft_s: curve(&selection, Facts::ttft),
            e2e_s: curve(&selection, Facts::e2e),
        }
    });
    curves.collect()
}

fn curve(selection: &Selection<'_, '_>, value: fn(&Facts) -> Option<Micros>) -> Curve {
    let mut values: Vec<Micros> = selection.effective().filter_map(value).collect();
    values.sort_unstable();
    let n = values.len() as u64;
    let inner =
        percentages().filter_map(|percent| Some((percent.per_mille(), percentile(&values, percent)?)));
    let mut steps: Vec<CurveStep> = Vec::new();
    for (until_per_mille, value) in inner.chain(values.last().map(|highest| (1000, *highest))) {
        let value = Seconds::from(value);
        match steps.last_mut().filter(|last| last.value == value) {
            Some(last) => last.until_per_mille = until_per_mille,
            None => steps.push(CurveStep { until_per_mille, value }),
        }
    }
    Curve { n, left_out: selection.planned() - n, steps }
}

fn percentages() -> impl Iterator<Item = Percent> {
    let wanted = (10..900).step_by(10).chain((900..990).step_by(5)).chain(990..1000);
    wanted.filter_map(Percent::from_per_mille)
}
