//! The frozen order of requests: which sample is sent as which request of which tier.

use std::{collections::BTreeMap, sync::Arc};

use metrics_core::{Origin, PlannedCount};

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
    /// As what its request is counted.
    pub origin: Origin,
    /// Open loop: when it is due, in microseconds from the start of its step; never decreasing within one. `None` in a closed
    /// loop, in which it is due when its place is free.
    pub due_us: Option<u64>,
    /// From the end of the answer before to when it is due, in microseconds: of the answer before in its conversation, else in
    /// its place of a closed loop.
    pub pause_us: u64,
    /// Which opening its request has ([`crate::opening`]); requests with the same one may share a prefix.
    pub opening: u64,
    /// Its place in a conversation; `None` where it stands alone.
    pub turn: Option<SlotTurn>,
    /// Enters figures.
    pub measured: bool,
}

/// A planned turn of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotTurn {
    /// Its place in the conversation, from 1.
    pub number: u32,
    /// `seq` of the turn before; `None` for the first.
    pub previous: Option<u64>,
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
                    origin: sample.counted_as(),
                    due_us: None,
                    pause_us: 0,
                    opening: 0,
                    turn: None,
                    measured: stage.kind.measured(),
                }));
            }
        }
        for (seq, slot) in (0..).zip(&mut slots) {
            slot.seq = seq;
            slot.opening = seq;
        }
        Self { slots }
    }

    /// How many requests each stage, tier and group was given, in the order of their first request.
    #[must_use]
    pub fn counts(&self) -> Vec<PlannedCount> {
        let mut counts: Vec<PlannedCount> = Vec::new();
        for slot in &self.slots {
            let same = |count: &&mut PlannedCount| {
                *count.stage == *slot.stage
                    && (count.tier, count.origin) == (slot.tier, Some(slot.origin))
                    && *count.group == *slot.group
            };
            match counts.iter_mut().rev().find(same) {
                Some(count) => count.count += 1,
                None => counts.push(PlannedCount {
                    stage: slot.stage.to_string(),
                    tier: slot.tier,
                    group: slot.group.to_string(),
                    origin: Some(slot.origin),
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
