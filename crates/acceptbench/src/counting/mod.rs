//! Tokens of texts as the service under test counts them: by its own `/tokenize`, or by the `usage` of a few requests.

mod asker;
mod service;
mod usage;

pub use asker::CountingError;
pub use service::ServiceCounter;
pub use usage::UsageProbe;

#[cfg(test)]
mod tests;
