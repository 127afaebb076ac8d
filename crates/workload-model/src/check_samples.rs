//! What must hold of a plan and its samples together.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    arrival::recorded_rate,
    check::{MAX_SECONDS, unique},
    plan::Plan,
    plan_error::PlanError,
    sample::{Sample, SampleSet},
    stage::{Arrival, Stage, TraceScale},
};

/// Recorded arrivals are scaled in rate by no more than this, and by no less than one over it.
pub(crate) const MAX_SCALE: f64 = 1000.0;

pub(crate) fn check_samples(plan: &Plan, set: &SampleSet) -> Result<(), PlanError> {
    for stage in &plan.stage {
        let asks = stage.loads().any(|(_, requests)| requests > 0);
        if asks && set.of_stage(stage.kind).is_empty() {
            return Err(PlanError::NoSamples { stage: stage.name.clone() });
        }
    }
    let samples = || set.measured.iter().chain(&set.warm_up);
    unique("sample", samples().map(|sample| sample.id.as_str()))?;
    let groups: BTreeSet<&str> = plan.group.iter().map(|group| group.name.as_str()).collect();
    if let Some(Sample { id, group, .. }) = samples().find(|sample| !groups.contains(sample.group.as_str())) {
        return Err(PlanError::UnknownGroup { sample: id.clone(), group: group.clone() });
    }
    check_order(&set.measured)?;
    check_conversations(&set.warm_up)?;
    check_weights(plan, &set.measured)?;
    plan.stage.iter().try_for_each(|stage| check_trace(plan, stage, &set.measured))?;
    check_digest(plan, set)
}

/// Turns and arrivals stand in order.
pub(crate) fn check_order(samples: &[Sample]) -> Result<(), PlanError> {
    check_conversations(samples)?;
    check_arrivals(samples)
}

/// Turns count from 1 without a gap, and their conversation is nobody else's.
fn check_conversations(samples: &[Sample]) -> Result<(), PlanError> {
    let mut turns: BTreeMap<&str, u32> = BTreeMap::new();
    for sample in samples {
        let Some(turn) = &sample.turn else { continue };
        let broken = |reason| Err(PlanError::BrokenConversation { sample: sample.id.clone(), reason });
        let before = turns.entry(&turn.session).or_insert(0);
        if turn.number.checked_sub(1) != Some(*before) {
            let (number, session) = (turn.number, &turn.session);
            return broken(format!("turn {number} of conversation {session:?} comes after turn {before}"));
        }
        if turn.number == 1 && turn.think_us != 0 {
            return broken("it begins a conversation, and nobody thinks before that".to_owned());
        }
        if turn.think_us as f64 > MAX_SECONDS * 1e6 {
            return broken(format!("it is due {} µs after the answer before, over a year", turn.think_us));
        }
        *before = turn.number;
    }
    Ok(())
}

fn check_arrivals(samples: &[Sample]) -> Result<(), PlanError> {
    let mut last = 0;
    for sample in samples {
        if let Some(arrival) = sample.arrival_us {
            if arrival < last {
                return Err(PlanError::ArrivedBefore { sample: sample.id.clone() });
            }
            last = arrival;
        }
    }
    Ok(())
}

/// What is due by itself: requests that stand alone, and first turns.
fn begins(sample: &&Sample) -> bool {
    sample.turn.as_ref().is_none_or(|turn| turn.number == 1)
}

fn check_weights(plan: &Plan, samples: &[Sample]) -> Result<(), PlanError> {
    let begun: BTreeSet<&str> = samples.iter().filter(begins).map(|sample| sample.group.as_str()).collect();
    let weighs = |weight: Option<f64>| weight.is_some_and(|weight| weight > 0.0);
    match plan.group.iter().find(|group| weighs(group.weight) && !begun.contains(group.name.as_str())) {
        Some(group) => Err(PlanError::NothingToWeigh { group: group.name.clone() }),
        None => Ok(()),
    }
}

fn check_trace(plan: &Plan, stage: &Stage, samples: &[Sample]) -> Result<(), PlanError> {
    let Some(Arrival::Trace { scale }) = stage.process() else { return Ok(()) };
    let name = || stage.name.clone();
    let no_trace = |reason: &str| PlanError::NoTrace { stage: name(), reason: reason.to_owned() };
    if plan.group.iter().any(|group| group.weight.is_some()) {
        return Err(PlanError::WeighedTrace { stage: name() });
    }
    let arrivals: Option<Vec<u64>> = samples.iter().filter(begins).map(|sample| sample.arrival_us).collect();
    let arrivals =
        arrivals.ok_or_else(|| no_trace("the set has samples that do not say when they arrived"))?;
    let recorded = recorded_rate(&arrivals)
        .ok_or_else(|| no_trace("its samples arrived all at one instant, which makes no rate"))?;
    let rate = stage.rate.unwrap_or(recorded);
    let requests: u64 = stage.loads().map(|(_, requests)| requests).sum();
    if requests as f64 / rate > MAX_SECONDS {
        return Err(PlanError::TooSlow { stage: name(), requests, rate: rate.to_string() });
    }
    let times = rate / recorded;
    if scale == TraceScale::Rate && !(1.0 / MAX_SCALE..=MAX_SCALE).contains(&times) {
        let (rate, recorded) = (rate.to_string(), recorded.to_string());
        return Err(PlanError::ScaledTooFar { stage: name(), rate, recorded });
    }
    Ok(())
}

fn check_digest(plan: &Plan, set: &SampleSet) -> Result<(), PlanError> {
    let by_plan = plan.samples.sha256.as_ref().map(|digest| ("the plan", digest));
    let by_set = set.facts.as_ref().map(|facts| ("sample-set.json", &facts.samples_sha256));
    let mut named = by_plan.into_iter().chain(by_set).peekable();
    if named.peek().is_none() {
        return Ok(());
    }
    let found = set.digest();
    match named.find(|(_, digest)| **digest != found) {
        Some((named_by, named)) => Err(PlanError::OtherSamples { named_by, named: named.clone(), found }),
        None => Ok(()),
    }
}
