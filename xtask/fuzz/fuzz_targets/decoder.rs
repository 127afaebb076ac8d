//! The chat-stream decoder: the same answer however the body is cut.
#![no_main]

#[path = "../../../crates/sse-client/tests/checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::decoder(bytes));
