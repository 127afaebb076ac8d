//! The decoder's shortcut: the same answer as without it.
#![no_main]

#[path = "../../../crates/sse-client/tests/checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::shortcut(bytes));
