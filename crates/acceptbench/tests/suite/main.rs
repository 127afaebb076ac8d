//! The program `acceptbench` from the outside: what it is given, what it ends with, and what it leaves on the disk.
//!
//! Sweeps run on real sockets here. A busy machine may find the generator invalid, so that a sound sweep ends with 0
//! or 3; every other exit code is determined and asserted.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod arguments;
mod calibrating;
mod completing;
mod control;
mod decoding;
mod demo;
mod disk;
mod faults;
mod interrupts;
mod profile_audit;
mod profile_refusals;
mod profile_text;
mod profiles;
mod program;
mod refusals;
mod samples;
mod secrets;
mod sent;
mod services;
mod terminal;
mod tls;
