//! What is asked of a service: plan, stages, groups, samples and their order.
#![doc = include_str!("../README.md")]

mod builtin;
mod check;
mod control;
mod plan;
pub mod profile;
mod sample;
mod schedule;
mod stage;
mod sweep;
mod template;
pub mod traffic;

pub use builtin::builtin;
pub use check::{MAX_CONCURRENCY, MAX_IO_THREADS, MAX_REQUESTS, MAX_SECONDS, PlanError};
pub use control::{CONTROL_RECORDING_STAGE, CONTROL_THREADS_STAGE};
pub use plan::{
    BUILTIN_SET, Bounds, Client, DEFAULT_GROUP, Group, Http, PLAN_FORMAT, Plan, Project, RequestShape,
    SampleSource, Target, Timeouts, one_group,
};
pub use sample::{Origin, PromptsError, Sample, SampleSet, SamplesError, opening};
pub use schedule::{Schedule, Slot};
pub use stage::{Recording, Stage, StageKind};
pub use sweep::{
    STANDARD_TIERS, SWEEP_STAGE, WARM_UP_STAGE, standard_requests, standard_warm_up, sweep_plan,
};
pub use template::Template;
