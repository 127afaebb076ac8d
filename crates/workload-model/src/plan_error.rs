//! What can be wrong with a plan, and with a plan and its samples.

use crate::{
    check::{BYTES, MAX_CONCURRENCY, MAX_IO_THREADS, MAX_REQUESTS, MAX_SECONDS},
    check_load::MAX_SWITCHES,
    check_samples::MAX_SCALE,
    plan::PLAN_FORMAT,
};

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
    /// A number that is out of range.
    #[error("use {key} = {value} of {of}: it must be {allowed}")]
    OutOfRange {
        /// The key.
        key: &'static str,
        /// The stage or the group.
        of: String,
        /// What it says.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// A stage that is a closed loop and an open one.
    #[error(
        "run stage {stage:?}: it has concurrency, and rate or arrival as well (a stage has one load; make two of it)"
    )]
    TwoLoads {
        /// The stage.
        stage: String,
    },
    /// An open loop that does not say how fast.
    #[error("run stage {stage:?}: it says how requests arrive and not how many a second (give a rate)")]
    NoRate {
        /// The stage.
        stage: String,
    },
    /// An open loop of a kind that has none.
    #[error("run stage {stage:?} at a rate: only a stage of kind \"step\" can be (give concurrency)")]
    OpenOfOtherKind {
        /// The stage.
        stage: String,
    },
    /// Pauses where nobody waits for an answer.
    #[error(
        "use think in stage {stage:?}: requests that arrive at a rate wait for no answer (leave it out; turns of a conversation have pauses of their own)"
    )]
    ThinkAtRate {
        /// The stage.
        stage: String,
    },
    /// An open loop that lasts too long.
    #[error(
        "run {requests} requests of stage {stage:?} at {rate} a second: longer than {MAX_SECONDS} seconds, which is a year"
    )]
    TooSlow {
        /// The stage.
        stage: String,
        /// Its requests.
        requests: u64,
        /// Its rate.
        rate: String,
    },
    /// Bursts that nobody would notice.
    #[error(
        "use arrival.mean_s = {mean_s} of stage {stage:?}: more than {MAX_SWITCHES} bursts would pass from one request to the next (make them longer, or the rate higher)"
    )]
    BurstsTooShort {
        /// The stage.
        stage: String,
        /// What it says.
        mean_s: String,
    },
    /// Weights that leave nothing to send.
    #[error("use the weights of the groups: no group has one above 0 (give at least one)")]
    NoWeight,
    /// A weight for a group of which nothing can be sent.
    #[error(
        "give group {group:?} a weight: the set has no sample of it that stands alone or begins a conversation (leave the weight out, or set it to 0)"
    )]
    NothingToWeigh {
        /// The group.
        group: String,
    },
    /// Recorded arrivals with weights.
    #[error(
        "run stage {stage:?} as recorded with weights of groups: recorded arrivals have the shares that were recorded (leave the weights out, or choose another arrival)"
    )]
    WeighedTrace {
        /// The stage.
        stage: String,
    },
    /// A trace without arrivals.
    #[error(
        "run stage {stage:?} as recorded: {reason} (draw samples from the rows of a log, or choose another arrival)"
    )]
    NoTrace {
        /// The stage.
        stage: String,
        /// What is missing.
        reason: String,
    },
    /// Recorded arrivals brought too far.
    #[error(
        "run stage {stage:?} at {rate} a second: the set was recorded at {recorded} a second, and is scaled in rate by no more than {MAX_SCALE} times and no less than a {MAX_SCALE}th"
    )]
    ScaledTooFar {
        /// The stage.
        stage: String,
        /// The rate asked for.
        rate: String,
        /// That of the set.
        recorded: String,
    },
    /// Arrivals of a set that step back.
    #[error("send sample {sample:?}: it arrived before the sample that stands before it in the set")]
    ArrivedBefore {
        /// Id of the sample.
        sample: String,
    },
    /// A conversation that is not whole.
    #[error(
        "send sample {sample:?}: {reason} (the turns of a conversation stand in the set in order, from 1 and without a gap)"
    )]
    BrokenConversation {
        /// Id of the sample.
        sample: String,
        /// What is wrong.
        reason: String,
    },
    /// Another set than the plan's.
    #[error(
        "use the sample set: the digest of its samples is {found}, and {named_by} names {named} (it was changed, or is another set)"
    )]
    OtherSamples {
        /// Who names a digest.
        named_by: &'static str,
        /// The digest named.
        named: String,
        /// That of the samples.
        found: String,
    },
}
