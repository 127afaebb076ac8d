//! What must hold of a plan before it may be run.

use std::collections::BTreeSet;

use crate::{
    plan::{Bounds, Client, PLAN_FORMAT, Plan},
    sample::{Sample, SampleSet},
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

/// Shortest and longest limit on what is taken of an answer, in bytes.
const BYTES: std::ops::RangeInclusive<u64> = 1024..=1 << 40;

/// A plan cannot be read, or cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// No TOML, or not the keys of a plan.
    #[error("read the plan: {0}")]
    Syntax(String),
    /// Cannot be written as TOML.
    #[error("write the plan: {0}")]
    Unwritable(String),
    /// Written by a newer version.
    #[error(
        "read the plan: its format is {found}, and this version knows up to {PLAN_FORMAT} (update the tool)"
    )]
    NewerFormat {
        /// The format it states.
        found: u32,
    },
    /// A tier of no requests in flight.
    #[error("use tier 0 of stage {stage:?}: a tier is a number of requests in flight (1 or more)")]
    TierZero {
        /// The stage.
        stage: String,
    },
    /// A tier beyond what the client can hold.
    #[error("use tier {tier} of stage {stage:?}: more than {MAX_CONCURRENCY} requests in flight")]
    TierTooHigh {
        /// The stage.
        stage: String,
        /// The tier.
        tier: u32,
    },
    /// Tiers fall or repeat.
    #[error(
        "use tier {later} after tier {earlier} of stage {stage:?}: load rises over the tiers (give them in ascending order, each once)"
    )]
    TiersOutOfOrder {
        /// The stage.
        stage: String,
        /// The tier before.
        earlier: u32,
        /// The one that is not above it.
        later: u32,
    },
    /// No tier at all.
    #[error("run stage {stage:?}: it names no tier (give at least one, such as 1)")]
    NoTier {
        /// The stage.
        stage: String,
    },
    /// Counts do not pair with tiers.
    #[error(
        "run stage {stage:?}: {tiers} tiers but {counts} request counts (give one number for all, or one for each tier)"
    )]
    CountsDoNotPair {
        /// The stage.
        stage: String,
        /// Number of tiers.
        tiers: usize,
        /// Number of counts.
        counts: usize,
    },
    /// A tier that could never be full.
    #[error(
        "run tier {tier} of stage {stage:?} with {requests} requests: fewer than its concurrency never fill it (give {tier} or more)"
    )]
    TierNeverFull {
        /// The stage.
        stage: String,
        /// The tier.
        tier: u32,
        /// Its requests.
        requests: u64,
    },
    /// Two stages, or two groups, of one name.
    #[error("run the plan: the {what} {name:?} is there twice (names are unique)")]
    NameTwice {
        /// `stage`, `group` or `sample`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Nothing is measured.
    #[error("run the plan: it has no measured stage (add one of kind \"step\")")]
    NothingMeasured,
    /// A wait or limit that is no positive time.
    #[error("use {key} = {value}: it must be a number of seconds above 0")]
    NoTime {
        /// The key.
        key: &'static str,
        /// What it says.
        value: String,
    },
    /// A bound that allows nothing at all.
    #[error("use {key} = 0: nothing could be sent (give 1 or more, or leave it out for no bound)")]
    BoundOfNothing {
        /// The key.
        key: &'static str,
    },
    /// A wait or limit beyond what a clock need hold.
    #[error("use {key} = {value}: more than {MAX_SECONDS} seconds, which is a year")]
    TimeTooLong {
        /// The key.
        key: &'static str,
        /// What it says.
        value: String,
    },
    /// More requests than a schedule holds.
    #[error("run {requests} requests: more than {MAX_REQUESTS} (split the run)")]
    TooManyRequests {
        /// Requests of all stages.
        requests: u64,
    },
    /// A maximum of no output.
    #[error("use request.max_tokens = 0: an answer of no token measures nothing (1 or more)")]
    NoTokens,
    /// A temperature that is none.
    #[error("use request.temperature = {value}: it must be a number from 0 up")]
    NoTemperature {
        /// What it says.
        value: String,
    },
    /// More threads than make sense.
    #[error("use client.io_threads = {threads}: more than {MAX_IO_THREADS} (one for each core is plenty)")]
    TooManyThreads {
        /// What it says.
        threads: u32,
    },
    /// A limit on bytes that is out of range.
    #[error("use {key} = {value}: it must be from {least} to {most} bytes", least = BYTES.start(), most = BYTES.end())]
    NoLimit {
        /// The key.
        key: &'static str,
        /// What it says.
        value: u64,
    },
    /// Connections that carry nothing.
    #[error("use client.streams_per_connection = 0: a connection must carry at least one request")]
    NoStream,
    /// A path, or nothing, where a file's name is kept as a fact.
    #[error("use client.client_cert = {name:?}: it is the name of a file, without the folders above it")]
    NoFileName {
        /// What it says.
        name: String,
    },
    /// A sample is of a group that the plan does not have.
    #[error("send sample {sample:?}: its group {group:?} is none of the plan (add a [[group]] of that name)")]
    UnknownGroup {
        /// Id of the sample.
        sample: String,
        /// Its group.
        group: String,
    },
    /// A stage without anything to send.
    #[error("run stage {stage:?}: the set has no samples for it (a warm-up sends samples of its own)")]
    NoSamples {
        /// The stage.
        stage: String,
    },
    /// What only a control may do otherwise.
    #[error("use {key} in stage {stage:?}: only a stage of kind \"control\" has it (leave it out)")]
    NoControl {
        /// The stage.
        stage: String,
        /// The key.
        key: &'static str,
    },
    /// A control in which nothing is different.
    #[error(
        "run control {stage:?}: nothing is different in it (give io_threads, or recording = \"reduced\")"
    )]
    ControlOfNothing {
        /// The stage.
        stage: String,
    },
    /// A control with no more threads than the run, or with too many.
    #[error(
        "use {threads} IO threads in control {stage:?} of a run with {client}: they must be more than those of the run, and at most {MAX_IO_THREADS} (lower --io-threads)"
    )]
    ControlThreads {
        /// The stage.
        stage: String,
        /// What it says.
        threads: u32,
        /// Threads of the rest of the run.
        client: u32,
    },
    /// A control that repeats something else than the highest tier.
    #[error(
        "run control {stage:?}: it repeats the highest tier after it has run (give concurrency [{tier}] and {requests} requests, behind every measured stage)"
    )]
    ControlOfAnother {
        /// The stage.
        stage: String,
        /// The highest measured tier.
        tier: u32,
        /// Its requests.
        requests: u64,
    },
    /// The client has no thread to read with.
    #[error("use client.io_threads = 0: at least one thread must read")]
    NoThread,
}

pub(crate) fn check(plan: &Plan) -> Result<(), PlanError> {
    if plan.format > PLAN_FORMAT {
        return Err(PlanError::NewerFormat { found: plan.format });
    }
    unique("stage", plan.stage.iter().map(|stage| stage.name.as_str()))?;
    unique("group", plan.group.iter().map(|group| group.name.as_str()))?;
    plan.stage.iter().try_for_each(check_stage)?;
    if !plan.stage.iter().any(|stage| stage.kind.measured()) {
        return Err(PlanError::NothingMeasured);
    }
    let requests = plan.stage.iter().flat_map(Stage::steps).map(|(_, requests)| requests);
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

pub(crate) fn check_samples(plan: &Plan, set: &SampleSet) -> Result<(), PlanError> {
    for stage in &plan.stage {
        let asks = stage.steps().any(|(_, requests)| requests > 0);
        if asks && set.of_stage(stage.kind).is_empty() {
            return Err(PlanError::NoSamples { stage: stage.name.clone() });
        }
    }
    let samples = || set.measured.iter().chain(&set.warm_up);
    unique("sample", samples().map(|sample| sample.id.as_str()))?;
    let groups: BTreeSet<&str> = plan.group.iter().map(|group| group.name.as_str()).collect();
    match samples().find(|sample| !groups.contains(sample.group.as_str())) {
        Some(Sample { id, group, .. }) => {
            Err(PlanError::UnknownGroup { sample: id.clone(), group: group.clone() })
        }
        None => Ok(()),
    }
}

fn check_stage(stage: &Stage) -> Result<(), PlanError> {
    let name = || stage.name.clone();
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

fn unique<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), PlanError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(PlanError::NameTwice { what, name: name.to_owned() });
        }
    }
    Ok(())
}
