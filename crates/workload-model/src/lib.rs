//! What is asked of a service: plan, stages, groups, samples and their order.
#![doc = include_str!("../README.md")]

pub mod arrival;
mod builtin;
mod check;
mod check_load;
mod check_samples;
mod control;
mod plan;
mod plan_error;
pub mod profile;
pub mod random;
mod sample;
pub mod sampling;
pub mod schedule;
pub mod set;
mod set_facts;
mod stage;
mod sweep;
pub mod synthesis;
mod template;
pub mod traffic;

pub use builtin::builtin;
pub use check::{MAX_CONCURRENCY, MAX_IO_THREADS, MAX_RATE, MAX_REQUESTS, MAX_SECONDS};
pub use control::{CONTROL_RECORDING_STAGE, CONTROL_THREADS_STAGE};
pub use plan::{
    BUILTIN_SET, Bounds, Client, DEFAULT_GROUP, Group, Http, Output, PLAN_FORMAT, Plan, Project,
    RequestShape, SampleSource, Target, Timeouts, one_group,
};
pub use plan_error::PlanError;
pub use sample::{Lengths, Origin, PromptsError, Sample, SampleSet, SamplesError, Turn, opening};
pub use schedule::{Schedule, ScheduleError, Slot, SlotTurn};
pub use set_facts::{
    DrawnFrom, Openings, SAMPLES_FILE, SET_FILE, SET_FORMAT, SetFacts, SetFactsError, SetGroup, SetSource,
    SizedBy, Sizing, samples_digest,
};
pub use stage::{Arrival, Pause, Recording, Stage, StageKind, TraceScale};
pub use sweep::{
    STANDARD_TIERS, SWEEP_STAGE, WARM_UP_STAGE, standard_or_given, standard_requests, standard_warm_up,
    sweep_plan,
};
pub use template::{History, Template};
