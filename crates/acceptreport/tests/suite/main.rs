//! The program `acceptreport` from the outside: packages in, and what it says, writes and ends with.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agreements;
mod calibrations;
mod damage;
mod exports;
mod golden;
mod languages;
mod packages;
#[cfg(feature = "pdf")]
mod pdf;
mod profiles;
mod program;
mod settings;
mod signing;
mod tampering;
mod unfinished;
