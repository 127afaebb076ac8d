//! A simulated inference service: a continuous-batching engine with known truth, and scripted faults.
#![doc = include_str!("../README.md")]

mod answer;
mod chat;
mod config;
mod connection;
mod engine;
mod fault;
mod http;
pub mod pressure;
mod reply;
pub mod scripted;
mod sim;
mod stream;
mod text;
mod thread;
mod tokenize;
mod truth;
mod wire;

pub use config::{ApiKey, ReasoningField, SimConfig};
pub use fault::{Cut, Fault, FaultKind, When};
pub use sim::{Shutdown, Sim};
pub use text::count_tokens;
pub use thread::{RunningSim, spawn_thread};
pub use truth::{Ending, RequestTruth, TokenEvent};
