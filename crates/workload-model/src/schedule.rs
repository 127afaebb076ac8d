//! The frozen order of requests: which sample is sent as which request of which tier.

use std::{collections::BTreeMap, sync::Arc};

use metrics_core::PlannedCount;

use crate::{plan::Plan, sample::SampleSet};

/// One planned request. Its names are shared with all that have the same: schedules are long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Position in the schedule, from 0.
    pub seq: u64,
    /// Its stage.
    pub stage: Arc<str>,
    /// Concurrency of its step.
    pub tier: Option<u32>,
    /// Its group.
    pub group: Arc<str>,
    /// Id of the sample to send.
    pub sample: Arc<str>,
    /// Enters figures.
    pub measured: bool,
}

/// Every planned request, in order. The same plan and sample set always give the same schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Ordered by `seq`, without a gap.
    pub slots: Vec<Slot>,
}

impl Schedule {
    /// Lays out a plan. Every step cycles through the samples from the first on, so that steps differ in load
    /// alone, and so does a control; a warm-up uses the set's warm-up samples. A set without samples gives an empty schedule.
    #[must_use]
    pub fn new(plan: &Plan, set: &SampleSet) -> Self {
        let mut slots = Vec::new();
        for stage in &plan.stage {
            let samples = set.of_stage(stage.kind);
            let mut names = Names::default();
            for (tier, requests) in stage.steps() {
                let cycle = samples.iter().cycle().take(usize::try_from(requests).unwrap_or(usize::MAX));
                slots.extend(cycle.map(|sample| Slot {
                    seq: 0,
                    stage: names.of(&stage.name),
                    tier: Some(tier),
                    group: names.of(&sample.group),
                    sample: names.of(&sample.id),
                    measured: stage.kind.measured(),
                }));
            }
        }
        for (seq, slot) in (0..).zip(&mut slots) {
            slot.seq = seq;
        }
        Self { slots }
    }

    /// How many requests each stage, tier and group was given, in the order of their first request.
    #[must_use]
    pub fn counts(&self) -> Vec<PlannedCount> {
        let mut counts: Vec<PlannedCount> = Vec::new();
        for slot in &self.slots {
            let same = |count: &&mut PlannedCount| {
                *count.stage == *slot.stage && count.tier == slot.tier && *count.group == *slot.group
            };
            match counts.iter_mut().rev().find(same) {
                Some(count) => count.count += 1,
                None => counts.push(PlannedCount {
                    stage: slot.stage.to_string(),
                    tier: slot.tier,
                    group: slot.group.to_string(),
                    count: 1,
                    measured: slot.measured,
                }),
            }
        }
        counts
    }
}

/// Names, each once.
#[derive(Default)]
struct Names(BTreeMap<String, Arc<str>>);

impl Names {
    fn of(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        Arc::clone(self.0.entry(name.to_owned()).or_insert_with(|| name.into()))
    }
}
