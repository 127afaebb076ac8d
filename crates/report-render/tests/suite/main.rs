//! Documents, and what holds for every one of them.

mod documents;
mod guarantees;
mod same_words;
mod templates;
mod workload;
