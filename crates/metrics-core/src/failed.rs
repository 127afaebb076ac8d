//! The requests that failed, one by one.

use crate::{
    figures::Input,
    outcome::Outcome,
    population::{Settled, settle},
    record::Facts,
};

/// A measured request that finished and was not effective, as its last try left it.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedRequest {
    /// Position in the frozen schedule.
    pub seq: u64,
    /// The closed-loop step that it belongs to.
    pub tier: Option<u32>,
    /// What it amounts to.
    pub outcome: Outcome,
    /// The facts of its last try, with the `due` of the first.
    pub facts: Facts,
}

/// The first so many of them, in the order of the schedule. As many as finished and were not effective by the totals of
/// [`crate::summarize`]: what another try mended is none of them, nor is what the run itself broke off.
#[must_use]
pub fn failed_requests(input: &Input<'_>, most: usize) -> Vec<FailedRequest> {
    let cells = settle(input);
    let failed = |request: &&Settled<'_>| request.finished && request.outcome != Outcome::Effective;
    let mut found: Vec<(Option<u32>, &Settled<'_>)> = cells
        .iter()
        .flat_map(|cell| cell.requests.iter().filter(failed).map(|request| (cell.tier, request)))
        .collect();
    found.sort_by_key(|(_, request)| request.seq);
    let owned = |(tier, request): (Option<u32>, &Settled<'_>)| FailedRequest {
        seq: request.seq,
        tier,
        outcome: request.outcome,
        facts: request.facts.clone().into_owned(),
    };
    found.into_iter().take(most).map(owned).collect()
}
