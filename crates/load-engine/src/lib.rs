//! Runs a plan against a target and emits one ordered stream of run events.
#![doc = include_str!("../README.md")]

mod bodies;
mod enough;
mod facts;
mod health;
mod host;
mod io_threads;
mod lane;
mod preflight;
mod preflight_warning;
pub mod prometheus;
mod request_id;
mod run;
mod sampler;
mod service;
mod sessions;
mod sink;
mod step;
mod stop;
mod timer;
mod turns;

pub use enough::{FILES_BESIDE, NoRoom, enough_room};
pub use host::{HostFacts, Room, host_facts, room};
pub use io_threads::IoThreads;
pub use preflight::{Asked, Preflight, Refusal, Step, preflight};
pub use preflight_warning::PreflightWarning;
pub use request_id::{random_hex, request_id};
pub use run::{Job, RunEnd, run};
pub use service::Service;
pub use sink::{EvidenceLost, RunEvent, Sink, take_all};
pub use stop::{Spent, Stop, StopCause};
