//! A simulated inference service: a continuous-batching engine with known truth, and scripted faults.
//!
//! A measuring tool can only be tested against a service whose true latencies are known. This one speaks the
//! OpenAI dialect as vLLM does (`/v1/chat/completions`, `/v1/models`, `/health`, `/version`, `/metrics`), batches
//! as such engines do, so that throughput and latency rise with concurrency, and writes down for every request
//! **when its bytes really passed the socket** ([`RequestTruth`]). It can be told to fail in every way that
//! services in the field do ([`FaultKind`]).
//!
//! The one design decision: the HTTP server is written by hand, from the socket up. Frameworks buffer between a
//! body frame and its write, so that they cannot say when a token left; and a client under test may be built on the same
//! framework, which would then hide the same mistake on both sides. All time is tokio's, so that a sweep of a
//! minute runs in a moment on a paused clock, over in-memory connections ([`Sim::serve_connection`]).
//!
//! ```
//! use std::io::{Read, Write};
//!
//! use inference_sim::{SimConfig, spawn_thread};
//!
//! let service = spawn_thread(SimConfig::fast(), "127.0.0.1:0")?;
//! let body = r#"{"model":"sim-chat","stream":true,"messages":[{"role":"user","content":"Hello"}]}"#;
//! let mut socket = std::net::TcpStream::connect(service.addr())?;
//! write!(
//!     socket,
//!     "POST /v1/chat/completions HTTP/1.1\r\nhost: sim\r\nconnection: close\r\nx-request-id: one\r\n\
//!      content-length: {}\r\n\r\n{body}",
//!     body.len()
//! )?;
//! let mut answer = String::new();
//! socket.read_to_string(&mut answer)?;
//! assert!(answer.contains("data: [DONE]"));
//!
//! let truth = &service.truth()[0];
//! assert_eq!(truth.request_id.as_deref(), Some("one"));
//! assert_eq!(truth.events.len() as u64, truth.output_tokens);
//! assert!(truth.ttft() < truth.e2e());
//! # Ok::<(), std::io::Error>(())
//! ```

mod answer;
mod chat;
mod config;
mod connection;
mod engine;
mod fault;
mod http;
mod reply;
pub mod scripted;
mod sim;
mod stream;
mod text;
mod thread;
mod truth;
mod wire;

pub use config::{ApiKey, ReasoningField, SimConfig};
pub use fault::{Cut, Fault, FaultKind, When};
pub use sim::{Shutdown, Sim};
pub use text::count_tokens;
pub use thread::{RunningSim, spawn_thread};
pub use truth::{Ending, RequestTruth, TokenEvent};
