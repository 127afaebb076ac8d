//! Whose turn it is.

use super::units::Units;
use crate::{plan::Plan, sample::SampleSet};

/// A unit that is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pick {
    /// Number of the unit.
    pub(super) unit: usize,
    /// How often it was sent before in this step.
    pub(super) round: u64,
}

/// Weights of the groups of measured units: the plan's, else the set's shares, else their numbers of requests.
pub(super) fn weights(plan: &Plan, set: &SampleSet, units: &Units) -> Vec<f64> {
    let by_plan = |name: &str| plan.group.iter().find(|group| group.name == name)?.weight;
    if plan.group.iter().any(|group| group.weight.is_some()) {
        return units.groups.iter().map(|group| by_plan(&group.name).unwrap_or(0.0)).collect();
    }
    let facts = set.facts.as_ref();
    let by_set = |name: &str| facts?.groups.iter().find(|group| group.name == name).map(|group| group.share);
    let shares: Option<Vec<f64>> = units.groups.iter().map(|group| by_set(&group.name)).collect();
    shares.filter(|shares| shares.iter().any(|share| *share > 0.0)).unwrap_or_else(|| by_number(units))
}

fn by_number(units: &Units) -> Vec<f64> {
    units.groups.iter().map(|group| group.requests as f64).collect()
}

/// Smooth weighted round robin, over and over.
///
/// Next is the group that lacks most of its share of as many requests as there will then be; the first one where several do. What each
/// lacks is computed from counts, not added up, so that nothing drifts.
#[derive(Debug)]
pub(super) struct Interleaved<'u> {
    units: &'u Units,
    weights: Vec<f64>,
    of_all: f64,
    /// Requests of each group so far, and its picks.
    sent: Vec<(u64, u64)>,
    all: u64,
}

impl<'u> Interleaved<'u> {
    pub(super) fn new(units: &'u Units, weights: Vec<f64>) -> Self {
        let of_all = weights.iter().sum();
        Self { units, sent: vec![(0, 0); weights.len()], weights, of_all, all: 0 }
    }
}

impl Iterator for Interleaved<'_> {
    type Item = Pick;

    fn next(&mut self) -> Option<Pick> {
        let then = (self.all + 1) as f64;
        let mut most: Option<(usize, f64)> = None;
        for (group, (weight, (requests, _))) in self.weights.iter().zip(&self.sent).enumerate() {
            let lacks = weight * then - *requests as f64 * self.of_all;
            if *weight > 0.0 && most.is_none_or(|(_, most)| lacks > most) {
                most = Some((group, lacks));
            }
        }
        let (group, _) = most?;
        let of_group = &self.units.groups[group].units;
        let (requests, picks) = &mut self.sent[group];
        let unit = of_group[(*picks % of_group.len() as u64) as usize];
        let round = *picks / of_group.len() as u64;
        *picks += 1;
        let length = self.units.places(unit).len() as u64;
        *requests += length;
        self.all += length;
        Some(Pick { unit, round })
    }
}

/// Units in the order of the set, over and over.
pub(super) fn in_order(units: &Units) -> impl Iterator<Item = Pick> + '_ {
    (0..).flat_map(|round| (0..units.len()).map(move |unit| Pick { unit, round }))
}
