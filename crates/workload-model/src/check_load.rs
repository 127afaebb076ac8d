//! What must hold of the load of a stage, and of what groups say of theirs.

use std::ops::RangeInclusive;

use crate::{
    check::{MAX_RATE, MAX_SECONDS},
    plan::Group,
    plan_error::PlanError,
    stage::{Arrival, Stage, StageKind},
};

/// Coefficients of variation of gaps: below, gaps are constant; above, nearly all arrivals fall on a few instants.
const GAP_CV: RangeInclusive<f64> = 0.001..=100.0;

/// Most switches between two requests on average.
pub(crate) const MAX_SWITCHES: f64 = 1000.0;

/// Most tries of a request after the first.
const MAX_RETRIES: u32 = 10;

/// A stage is a closed loop or an open one, and what it says of an open one makes a process.
pub(crate) fn check_load(stage: &Stage) -> Result<(), PlanError> {
    let name = || stage.name.clone();
    let of = || format!("stage {:?}", stage.name);
    let pause = stage.think.mean_s;
    in_range("think.mean_s", pause, of, (0.0..=MAX_SECONDS).contains(&pause), || {
        format!("a number of seconds from 0 to {MAX_SECONDS}")
    })?;
    if !stage.is_open() {
        return Ok(());
    }
    if !stage.concurrency.is_empty() {
        return Err(PlanError::TwoLoads { stage: name() });
    }
    if stage.kind != StageKind::Step {
        return Err(PlanError::OpenOfOtherKind { stage: name() });
    }
    if !stage.think.is_none() {
        return Err(PlanError::ThinkAtRate { stage: name() });
    }
    let requests = match stage.requests.as_slice() {
        [requests] => *requests,
        more => return Err(PlanError::CountsDoNotPair { stage: name(), tiers: 1, counts: more.len() }),
    };
    in_range("requests", requests as f64, of, requests > 0, || "1 or more".to_owned())?;
    let process = stage.process();
    let Some(rate) = stage.rate else {
        return match process {
            Some(Arrival::Trace { .. }) => Ok(()),
            _ => Err(PlanError::NoRate { stage: name() }),
        };
    };
    in_range("rate", rate, of, rate > 0.0 && rate <= MAX_RATE, || {
        format!("a number of requests a second above 0, and at most {MAX_RATE}")
    })?;
    if requests as f64 / rate > MAX_SECONDS {
        return Err(PlanError::TooSlow { stage: name(), requests, rate: rate.to_string() });
    }
    process.map_or(Ok(()), |process| check_process(&process, rate, stage))
}

fn check_process(process: &Arrival, rate: f64, stage: &Stage) -> Result<(), PlanError> {
    check_figures(process, || format!("stage {:?}", stage.name))?;
    match *process {
        // Switches a second, over requests a second.
        Arrival::Bursts { share, mean_s, .. } if 2.0 * share / mean_s / rate > MAX_SWITCHES => {
            Err(PlanError::BurstsTooShort { stage: stage.name.clone(), mean_s: mean_s.to_string() })
        }
        _ => Ok(()),
    }
}

/// The figures of a process describe one, whatever its rate.
pub(crate) fn check_figures(process: &Arrival, of: impl Fn() -> String + Copy) -> Result<(), PlanError> {
    match *process {
        Arrival::Constant | Arrival::Poisson | Arrival::Trace { .. } => Ok(()),
        Arrival::Gamma { gap_cv } => in_range("arrival.gap_cv", gap_cv, of, GAP_CV.contains(&gap_cv), || {
            format!(
                "from {} to {} (the process \"constant\" has gaps of no variation)",
                GAP_CV.start(),
                GAP_CV.end()
            )
        }),
        Arrival::Bursts { times, share, mean_s } => {
            in_range("arrival.times", times, of, times > 1.0 && times <= 1e6, || {
                "above 1, as it is the high rate over the low one, and at most 1000000".to_owned()
            })?;
            in_range("arrival.share", share, of, share > 0.0 && share < 1.0, || {
                "a share of time above 0 and below 1".to_owned()
            })?;
            in_range("arrival.mean_s", mean_s, of, mean_s > 0.0 && mean_s <= MAX_SECONDS, || {
                format!("a number of seconds above 0, and at most {MAX_SECONDS}")
            })
        }
    }
}

/// Weights make shares, and tries come to an end.
pub(crate) fn check_group_loads(groups: &[Group]) -> Result<(), PlanError> {
    for group in groups {
        let of = || format!("group {:?}", group.name);
        if let Some(weight) = group.weight {
            in_range("weight", weight, of, (0.0..=1e12).contains(&weight), || {
                "a number from 0 to 1000000000000".to_owned()
            })?;
        }
        in_range("retries", f64::from(group.retries), of, group.retries <= MAX_RETRIES, || {
            format!("at most {MAX_RETRIES}")
        })?;
        let wait = group.retry_wait_s;
        in_range("retry_wait_s", wait, of, (0.0..=MAX_SECONDS).contains(&wait), || {
            format!("a number of seconds from 0 to {MAX_SECONDS}")
        })?;
    }
    let mut weights = groups.iter().filter_map(|group| group.weight).peekable();
    if weights.peek().is_some() && weights.all(|weight| weight == 0.0) {
        return Err(PlanError::NoWeight);
    }
    Ok(())
}

pub(crate) fn in_range(
    key: &'static str,
    value: f64,
    of: impl Fn() -> String,
    holds: bool,
    allowed: impl Fn() -> String,
) -> Result<(), PlanError> {
    if holds {
        return Ok(());
    }
    Err(PlanError::OutOfRange { key, of: of(), value: value.to_string(), allowed: allowed() })
}
