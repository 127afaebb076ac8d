//! Logs: in whatever format they are read, every row is kept or dropped for a reason.
#![no_main]

#[path = "../../../crates/log-import/tests/checks/import.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
