//! Samples drawn from a profile, from the rows of a log, or from its prompts.
//!
//! The same profile or rows, drawing and counter of tokens give the same samples on every machine, ids and texts included. An id
//! is `s-` and the first 48 bits of SHA-256 over the messages (`recorded-` where these are somebody's own words), so that
//! the same id stands for the same request in every set; a message that comes up again has `-2`, `-3` behind it.
//! Pseudonyms of an import enter neither ids nor texts.

mod conversations;
mod drawing;
mod facts;
mod from_profile;
mod from_rows;
mod from_texts;
mod joint;
mod rows;
mod shares;
mod waits;
mod writing;

pub use drawing::{Account, Drawing, Drawn, LeftOut, SamplingError, Take};
pub use from_profile::from_profile;
pub(crate) use from_profile::{asked, weights};
pub use from_rows::from_rows;
pub use from_texts::{Prompt, from_texts};
pub(crate) use joint::{below_of_range, bins};
pub use rows::SEGMENT_GAP_US;
pub use writing::LEAST_NEW_TOKENS;

#[cfg(test)]
mod tests;
