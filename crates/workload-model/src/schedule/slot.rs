//! A planned request, and all of them.

use std::sync::Arc;

use metrics_core::{Origin, PlannedCount};

/// One planned request. Its names are shared with all that have the same: schedules are long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Position in the schedule, from 0.
    pub seq: u64,
    /// Its stage.
    pub stage: Arc<str>,
    /// Concurrency of its step; `None` in an open loop.
    pub tier: Option<u32>,
    /// Its group.
    pub group: Arc<str>,
    /// Id of the sample to send.
    pub sample: Arc<str>,
    /// As what its request is counted.
    pub origin: Origin,
    /// Open loop: when it is due, in microseconds from the start of its step; never decreasing within one. `None` of a later
    /// turn of a conversation, which is due `pause_us` after the answer before, and in a closed loop, in which a request is due
    /// when its place is free.
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
