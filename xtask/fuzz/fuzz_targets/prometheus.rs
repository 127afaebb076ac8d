//! The parser of metrics: every line is what it is by itself, and what is read can be written and read again.
#![no_main]

#[path = "../../../crates/load-engine/tests/checks/prometheus.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
