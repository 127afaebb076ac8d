//! The event-stream parser: the same events however the stream is cut.
#![no_main]

#[path = "../../../crates/sse-client/tests/checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::parser(bytes));
