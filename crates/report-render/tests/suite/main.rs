//! Documents, and what holds for every one of them.

#[path = "../../examples/sample/mod.rs"]
mod sample;

mod cases;
mod documents;
mod guarantees;
mod same_words;
