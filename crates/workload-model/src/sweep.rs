//! The acceptance sweep as a plan: warm-up, then closed-loop tiers.

use crate::{
    plan::{Bounds, Client, PLAN_FORMAT, Plan, RequestShape, SampleSource, Target, Timeouts, one_group},
    random::DEFAULT_SEED,
    stage::{Stage, StageKind},
};

/// The standard tiers.
pub const STANDARD_TIERS: [u32; 5] = [1, 2, 4, 8, 16];

/// Name of the warm-up stage of a sweep.
pub const WARM_UP_STAGE: &str = "warm_up";

/// Name of the measured stage of a sweep.
pub const SWEEP_STAGE: &str = "sweep";

/// Requests of a tier where none are given: five a unit of concurrency, rounded up to tens, at least 20.
#[must_use]
pub fn standard_requests(tier: u32) -> u64 {
    (u64::from(tier) * 5).next_multiple_of(10).max(20)
}

/// The requests that were given, or the standard ones of each tier where there are none.
#[must_use]
pub fn standard_or_given(tiers: &[u32], requests: &[u64]) -> Vec<u64> {
    if requests.is_empty() {
        tiers.iter().map(|tier| standard_requests(*tier)).collect()
    } else {
        requests.to_vec()
    }
}

/// Requests of the warm-up where none are given: as many as the highest tier, at least 4.
#[must_use]
pub fn standard_warm_up(tiers: &[u32]) -> u64 {
    tiers.iter().copied().max().map_or(4, u64::from).max(4)
}

/// A sweep over `tiers` with `requests` each (one number for all, one a tier, or none for the standard counts)
/// after `warm_up` requests with no more in flight than the highest tier. Unchecked: see [`Plan::parse`].
#[must_use]
pub fn sweep_plan(target: Target, tiers: &[u32], requests: &[u64], warm_up: u64) -> Plan {
    let highest = tiers.iter().copied().max().unwrap_or(1);
    let counts = standard_or_given(tiers, requests);
    let warm_up_stage =
        (warm_up > 0).then(|| Stage::closed(WARM_UP_STAGE, StageKind::WarmUp, vec![highest], vec![warm_up]));
    let sweep = Stage::closed(SWEEP_STAGE, StageKind::Step, tiers.to_vec(), counts);
    Plan {
        format: PLAN_FORMAT,
        seed: DEFAULT_SEED,
        project: None,
        target,
        request: RequestShape::default(),
        samples: SampleSource::default(),
        client: Client::default(),
        timeouts: Timeouts::default(),
        bounds: Bounds::default(),
        group: one_group(),
        stage: warm_up_stage.into_iter().chain([sweep]).collect(),
    }
}
