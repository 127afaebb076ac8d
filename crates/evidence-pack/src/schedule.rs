//! What was planned against what has a row.

use std::collections::HashSet;

use metrics_core::Record;
use workload_model::Slot;

/// How rows and the frozen schedule differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScheduleCheck {
    /// Planned requests without a row.
    pub missing: u64,
    /// Rows that the schedule does not know: a position outside it, or another stage, tier, group or sample than
    /// was planned there.
    pub unplanned: u64,
    /// Rows that repeat the position and try of a row before.
    pub duplicated: u64,
    /// Position of the first planned request without a row.
    pub first_missing: Option<u64>,
}

impl ScheduleCheck {
    /// Every planned request has a row, and every row was planned.
    #[must_use]
    pub fn complete(&self) -> bool {
        *self == Self::default()
    }

    /// No row is beyond the plan; rows may be missing, as in a run that was interrupted.
    #[must_use]
    pub fn within_plan(&self) -> bool {
        self.unplanned == 0 && self.duplicated == 0
    }
}

/// Compares rows with the slots of the frozen schedule, in any order of either.
///
/// A row taken out shows as missing, one put in as unplanned or duplicated, and one moved to another tier or group
/// as both missing and unplanned. The tries of one planned request stand for one slot.
pub fn schedule_gaps<'r>(slots: &[Slot], rows: impl IntoIterator<Item = &'r Record>) -> ScheduleCheck {
    let mut gaps = Gaps::new(slots);
    rows.into_iter().for_each(|row| gaps.row(row));
    gaps.check()
}

/// The same, row by row.
#[derive(Debug)]
pub(crate) struct Gaps<'s> {
    // By position.
    slots: Vec<&'s Slot>,
    met: Vec<bool>,
    tries: HashSet<(u64, u32)>,
    check: ScheduleCheck,
}

impl<'s> Gaps<'s> {
    pub(crate) fn new(slots: &'s [Slot]) -> Self {
        let mut slots: Vec<&Slot> = slots.iter().collect();
        slots.sort_by_key(|slot| slot.seq);
        let met = vec![false; slots.len()];
        Self { slots, met, tries: HashSet::new(), check: ScheduleCheck::default() }
    }

    pub(crate) fn row(&mut self, row: &Record) {
        if !self.tries.insert((row.seq, row.attempt)) {
            self.check.duplicated += 1;
            return;
        }
        let planned = self.slots.binary_search_by_key(&row.seq, |slot| slot.seq).ok().filter(|index| {
            let slot = self.slots[*index];
            (&*slot.stage, slot.tier, &*slot.group, &*slot.sample)
                == (row.stage.as_str(), row.tier, row.group.as_str(), row.sample.as_str())
        });
        match planned {
            Some(index) => self.met[index] = true,
            None => self.check.unplanned += 1,
        }
    }

    pub(crate) fn check(self) -> ScheduleCheck {
        let mut missing =
            self.slots.iter().zip(&self.met).filter(|(_, met)| !**met).map(|(slot, _)| slot.seq);
        let first_missing = missing.next();
        let missing = u64::from(first_missing.is_some()) + missing.count() as u64;
        ScheduleCheck { missing, first_missing, ..self.check }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(seq: u64, tier: u32) -> Slot {
        let (stage, group, sample) = ("steps".into(), "all".into(), format!("s{seq}").into());
        Slot {
            seq,
            stage,
            tier: Some(tier),
            group,
            sample,
            origin: metrics_core::Origin::Synthetic,
            due_us: None,
            pause_us: 0,
            opening: seq,
            turn: None,
            measured: true,
        }
    }

    fn row(seq: u64, tier: u32, attempt: u32) -> Record {
        let slot = slot(seq, tier);
        Record {
            seq,
            stage: slot.stage.to_string(),
            tier: slot.tier,
            group: slot.group.to_string(),
            sample: slot.sample.to_string(),
            attempt,
            turn: None,
            origin: None,
            facts: metrics_core::Facts::default(),
        }
    }

    #[test]
    fn every_way_to_differ_is_counted() {
        let plan: Vec<Slot> = [(0, 1), (1, 1), (2, 2), (3, 2)].map(|(seq, tier)| slot(seq, tier)).into();
        let check = |rows: &[Record], missing, unplanned, duplicated, first_missing| {
            let expected = ScheduleCheck { missing, unplanned, duplicated, first_missing };
            assert_eq!(schedule_gaps(&plan, rows), expected, "{rows:?}");
        };
        let all = [row(3, 2, 0), row(0, 1, 0), row(2, 2, 0), row(1, 1, 0)];
        check(&all, 0, 0, 0, None);
        check(&[], 4, 0, 0, Some(0));
        check(&all[1..], 1, 0, 0, Some(3));
        check(&[&all[..], &[row(4, 2, 0)]].concat(), 0, 1, 0, None);
        check(&[&all[..], &[row(1, 1, 0)]].concat(), 0, 0, 1, None);
        check(&[&all[..], &[row(1, 1, 1)]].concat(), 0, 0, 0, None);
        check(&[&all[1..], &[row(3, 1, 0)]].concat(), 1, 1, 0, Some(3));
    }
}
