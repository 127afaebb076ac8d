//! Conversations: which request follows from which, and what is sent of what was said.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use bytes::Bytes;
use metrics_core::{Fault, FaultKind};
use sse_client::Connect;
use workload_model::{History, Schedule, Slot, opening};

use crate::{lane::Lane, sink::EvidenceLost};

/// The slots of a step, as far as they begin something: single requests and first turns, in the schedule's order. Later
/// turns follow from them.
#[derive(Debug)]
pub(crate) struct Turns {
    schedule: Arc<Schedule>,
    begin: Vec<usize>,
    /// The slot of the turn after.
    after: BTreeMap<usize, usize>,
}

impl Turns {
    /// Of the slots of a step. A turn whose predecessor is none of them, or has another successor, begins something of
    /// its own: it can only be settled.
    pub(crate) fn of(schedule: &Arc<Schedule>, slots: Range<usize>) -> Self {
        let (mut begin, mut after) = (Vec::new(), BTreeMap::new());
        for at in slots.clone() {
            let previous = schedule.slots[at].turn.and_then(|turn| turn.previous);
            let previous = previous.and_then(|seq| usize::try_from(seq).ok());
            match previous.filter(|previous| (slots.start..at).contains(previous)) {
                Some(previous) if !after.contains_key(&previous) => {
                    after.insert(previous, at);
                }
                _ => begin.push(at),
            }
        }
        Self { schedule: Arc::clone(schedule), begin, after }
    }

    /// The slots that begin something.
    pub(crate) fn begin(&self) -> &[usize] {
        &self.begin
    }

    pub(crate) fn slot(&self, at: usize) -> &Slot {
        &self.schedule.slots[at]
    }

    fn after(&self, at: usize) -> Option<usize> {
        self.after.get(&at).copied()
    }
}

impl<C: Connect> Lane<C> {
    /// Sends a single request, or a conversation to its end, and settles every slot of it. Gives back when the last answer
    /// ended.
    pub(crate) async fn converse(&self, begin: usize, due: u64) -> Result<u64, EvidenceLost> {
        let shared = &*self.shared;
        let mut said = History::default();
        let (mut at, mut due) = (begin, due);
        let mut slot = self.turns.slot(at);
        if slot.turn.is_some_and(|turn| turn.previous.is_some()) {
            return self.unanswered(at, due).await;
        }
        let mut opening = opening(&shared.plan.samples.nonce, slot.opening);
        loop {
            let body = Bytes::from(shared.ready(slot).template.next_turn(&mut said, &opening));
            let next = self.turns.after(at);
            let over = self.request(slot, &body, due, next.is_some()).await?;
            let Some(next) = next else { return Ok(over.end) };
            let Some(answer) = over.answer else { return self.unanswered(next, over.end).await };
            said.answered(&answer);
            (at, slot) = (next, self.turns.slot(next));
            due = over.end.saturating_add(slot.pause_us);
            opening.clear();
        }
    }

    /// Settles a turn that cannot be sent, and all that would have followed it.
    async fn unanswered(&self, at: usize, since: u64) -> Result<u64, EvidenceLost> {
        let fault = || Fault {
            kind: FaultKind::NoAnswerBefore,
            message: "the turn before gave no answer to go on from".to_owned(),
        };
        let mut left = Some(at);
        while let Some(at) = left {
            let error = self.shared.stop.cause().is_none().then(fault);
            self.never_sent(self.turns.slot(at), since, error).await?;
            left = self.turns.after(at);
        }
        Ok(since)
    }
}
