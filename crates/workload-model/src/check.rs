//! What must hold of a plan before it may be run.

use std::collections::BTreeSet;

use crate::{
    check_load::{check_group_loads, check_load, in_range},
    plan::{Bounds, Client, PLAN_FORMAT, Plan},
    plan_error::PlanError,
    stage::Stage,
};

/// Most requests in flight that a plan may ask for.
pub const MAX_CONCURRENCY: u32 = 100_000;

/// Most requests that a plan may ask for, over all its stages: the schedule is held in memory.
pub const MAX_REQUESTS: u64 = 1_000_000;

/// Most threads that may read sockets.
pub const MAX_IO_THREADS: u32 = 256;

/// The longest wait or limit in seconds: a year.
pub const MAX_SECONDS: f64 = 31_536_000.0;

/// Most requests a second that a plan may ask for.
pub const MAX_RATE: f64 = 1e6;

/// Shortest and longest limit on what is taken of an answer, in bytes.
pub(crate) const BYTES: std::ops::RangeInclusive<u64> = 1024..=1 << 40;

pub(crate) fn check(plan: &Plan) -> Result<(), PlanError> {
    if plan.format > PLAN_FORMAT {
        return Err(PlanError::NewerFormat { found: plan.format });
    }
    unique("stage", plan.stage.iter().map(|stage| stage.name.as_str()))?;
    unique("group", plan.group.iter().map(|group| group.name.as_str()))?;
    plan.stage.iter().try_for_each(check_stage)?;
    check_group_loads(&plan.group)?;
    if !plan.stage.iter().any(|stage| stage.kind.measured()) {
        return Err(PlanError::NothingMeasured);
    }
    let requests = plan.stage.iter().flat_map(Stage::loads).map(|(_, requests)| requests);
    let requests = requests.fold(0, u64::saturating_add);
    if requests > MAX_REQUESTS {
        return Err(PlanError::TooManyRequests { requests });
    }
    if plan.request.max_tokens == Some(0) {
        return Err(PlanError::NoTokens);
    }
    if let Some(value) = plan.request.temperature
        && !(value.is_finite() && value >= 0.0)
    {
        return Err(PlanError::NoTemperature { value: value.to_string() });
    }
    let scale = plan.samples.think_scale;
    in_range(
        "samples.think_scale",
        scale,
        || "the plan".to_owned(),
        (0.0..=1e6).contains(&scale),
        || "a factor from 0 to 1000000".to_owned(),
    )?;
    check_client(&plan.client)?;
    crate::control::check(plan)?;
    check_bounds(&plan.bounds)?;
    let waits = plan.timeouts;
    let times = [
        ("timeouts.connect_s", Some(waits.connect_s)),
        ("timeouts.first_token_s", Some(waits.first_token_s)),
        ("timeouts.stall_s", Some(waits.stall_s)),
        ("timeouts.total_s", Some(waits.total_s)),
        ("bounds.max_duration_s", plan.bounds.max_duration_s),
        ("client.health_every_s", Some(plan.client.health_every_s)),
    ];
    let limits = plan.group.iter().flat_map(|group| {
        [("group.ttft_limit_s", group.ttft_limit_s), ("group.deadline_s", group.deadline_s)]
    });
    for (key, value) in times.into_iter().chain(limits) {
        match value {
            Some(value) if value > MAX_SECONDS => {
                return Err(PlanError::TimeTooLong { key, value: value.to_string() });
            }
            Some(value) if value.is_nan() || value <= 0.0 => {
                return Err(PlanError::NoTime { key, value: value.to_string() });
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_bounds(bounds: &Bounds) -> Result<(), PlanError> {
    let least_one = [
        ("bounds.max_requests", bounds.max_requests),
        ("bounds.max_output_tokens", bounds.max_output_tokens),
    ];
    match least_one.into_iter().find(|(_, bound)| *bound == Some(0)) {
        Some((key, _)) => Err(PlanError::BoundOfNothing { key }),
        None => Ok(()),
    }
}

fn check_client(client: &Client) -> Result<(), PlanError> {
    if client.io_threads == 0 {
        return Err(PlanError::NoThread);
    }
    if client.io_threads > MAX_IO_THREADS {
        return Err(PlanError::TooManyThreads { threads: client.io_threads });
    }
    if client.streams_per_connection == 0 {
        return Err(PlanError::NoStream);
    }
    if let Some(name) =
        client.client_cert.as_ref().filter(|name| name.is_empty() || name.contains(['/', '\\']))
    {
        return Err(PlanError::NoFileName { name: name.clone() });
    }
    for (key, value) in [
        ("client.max_head_bytes", client.max_head_bytes),
        ("client.max_event_bytes", client.max_event_bytes),
        ("client.max_body_bytes", client.max_body_bytes),
    ] {
        if !BYTES.contains(&value) {
            return Err(PlanError::NoLimit { key, value });
        }
    }
    Ok(())
}

fn check_stage(stage: &Stage) -> Result<(), PlanError> {
    let name = || stage.name.clone();
    check_load(stage)?;
    if stage.is_open() {
        return Ok(());
    }
    if stage.concurrency.is_empty() {
        return Err(PlanError::NoTier { stage: name() });
    }
    if stage.requests.len() != 1 && stage.requests.len() != stage.concurrency.len() {
        let (tiers, counts) = (stage.concurrency.len(), stage.requests.len());
        return Err(PlanError::CountsDoNotPair { stage: name(), tiers, counts });
    }
    for (tier, requests) in stage.steps() {
        if tier == 0 {
            return Err(PlanError::TierZero { stage: name() });
        }
        if tier > MAX_CONCURRENCY {
            return Err(PlanError::TierTooHigh { stage: name(), tier });
        }
        if stage.kind.measured() && requests < u64::from(tier) {
            return Err(PlanError::TierNeverFull { stage: name(), tier, requests });
        }
    }
    for pair in stage.concurrency.windows(2) {
        if let [earlier, later] = *pair
            && later <= earlier
        {
            return Err(PlanError::TiersOutOfOrder { stage: name(), earlier, later });
        }
    }
    Ok(())
}

pub(crate) fn unique<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), PlanError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(PlanError::NameTwice { what, name: name.to_owned() });
        }
    }
    Ok(())
}
