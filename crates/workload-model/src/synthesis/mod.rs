//! Texts made to a wanted length in tokens, the same from the same seed on every machine.

mod bank;
mod compose;
mod counter;
mod fill;
mod gauge;
mod ratios;
mod texts;
#[cfg(feature = "tokenizers")]
mod tokenizer;
mod writer;

pub use counter::{CountError, Effort, TokenCounter};
pub use ratios::Ratios;
pub use texts::{MOST_TEXT_TOKENS, Made, Texts, Tongue};
#[cfg(feature = "tokenizers")]
pub use tokenizer::{TokenizerCounter, TokenizerError};

/// Version of the way in which texts are made: the same version, seed, lengths and counter give the same texts.
pub const VERSION: u32 = 1;
