//! Texts made to a wanted length in tokens, the same from the same seed on every machine.

mod counter;
mod ratios;
mod texts;

pub use counter::{CountError, Effort, TokenCounter};
pub use ratios::Ratios;
pub use texts::{Made, Texts, Tongue};

/// Version of the way in which texts are made: the same version, seed, lengths and counter give the same texts.
pub const VERSION: u32 = 1;
