//! When the requests of a tier were due, sent, answered and over, one by one.

use crate::{
    figures::Input,
    outcome::Outcome,
    population::{Selection, Settled, distinct, settle},
    quantity::Micros,
};

/// Requests of one tier, all of them or a selection.
#[derive(Debug, Clone, PartialEq)]
pub struct TierTimeline {
    /// Requests in flight.
    pub concurrency: u32,
    /// Requests that were begun: sent, or refused before they could be.
    pub begun: u64,
    /// Those among them that were not effective.
    pub unsuccessful: u64,
    /// Planned requests that were never sent.
    pub never_sent: u64,
    /// Every how many-th of the begun ones is in `requests`, in the order of `due`, from the first; 1: all are.
    pub every: u64,
    /// The requests, in the order of `due`, and of the schedule where that is the same.
    pub requests: Vec<RequestSpan>,
}

/// The instants of one request; of one that was tried several times, those of the last try with the `due` of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestSpan {
    /// Position in the frozen schedule.
    pub seq: u64,
    /// The schedule wanted it sent.
    pub due: Micros,
    /// The first byte of it was handed to the socket.
    pub sent: Option<Micros>,
    /// The first token came.
    pub first_token: Option<Micros>,
    /// It was over.
    pub end: Option<Micros>,
    /// What it amounts to.
    pub outcome: Outcome,
}

/// The requests of every tier, in the order of the schedule. Of a tier with more than `most` (at least 1) every n-th is
/// taken, with the smallest n that leaves no more than that.
#[must_use]
pub fn tier_timelines(input: &Input<'_>, most: usize) -> Vec<TierTimeline> {
    let cells = settle(input);
    let tiers = distinct(&cells, |cell| cell.tier).into_iter();
    tiers
        .map(|tier| timeline(tier, &Selection::of(&cells, |cell| cell.tier == Some(tier)), most.max(1)))
        .collect()
}

fn timeline(concurrency: u32, selection: &Selection<'_, '_>, most: usize) -> TierTimeline {
    let mut begun: Vec<&Settled<'_>> = selection.requests().filter(|request| request.was_sent()).collect();
    begun.sort_by_key(|request| (request.facts.due, request.seq));
    let every = begun.len().div_ceil(most).max(1);
    let unsuccessful = begun.iter().filter(|request| request.outcome != Outcome::Effective).count();
    TierTimeline {
        concurrency,
        begun: begun.len() as u64,
        unsuccessful: unsuccessful as u64,
        never_sent: selection.planned() - begun.len() as u64,
        every: every as u64,
        requests: begun.iter().step_by(every).map(|request| span(request)).collect(),
    }
}

fn span(request: &Settled<'_>) -> RequestSpan {
    let facts = &request.facts;
    RequestSpan {
        seq: request.seq,
        due: facts.due,
        sent: facts.sent,
        first_token: facts.first_token,
        end: facts.end,
        outcome: request.outcome,
    }
}
