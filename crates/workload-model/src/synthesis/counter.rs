//! Whoever counts the tokens of a text.

use crate::set_facts::SizedBy;

/// Tokens of a text could not be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("count the tokens of a text: {0}")]
pub struct CountError(pub String);

/// How many texts a counter is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// It is cheap: every text is counted whole, and brought to exactly its length.
    Every,
    /// It is costly: what texts are put together from is counted once, then a few whole texts, by which the sums of
    /// all others are corrected. Afterwards so many texts more are counted to state the error.
    Checks(u64),
}

/// Counts the tokens of texts as a service does, without what its chat template adds.
///
/// The same text must give the same count each time: texts made with a counter follow from what it says.
pub trait TokenCounter: Send {
    /// Tokens of a text, without any that mark its beginning or end.
    ///
    /// # Errors
    /// Where it could not be counted, in words that say what to do.
    fn count(&mut self, text: &str) -> Result<u64, CountError>;

    /// Tokens of each of several texts; a counter over a network asks for many at a time here.
    ///
    /// # Errors
    /// As [`TokenCounter::count`], on the first text that could not be counted.
    fn count_all(&mut self, texts: &[&str]) -> Result<Vec<u64>, CountError> {
        texts.iter().map(|text| self.count(text)).collect()
    }

    /// How much may be asked of it.
    fn effort(&self) -> Effort {
        Effort::Every
    }

    /// What kind of counter it is.
    fn by(&self) -> SizedBy;

    /// Name of the tokenizer's file, or of the model whose service is asked.
    fn name(&self) -> Option<String> {
        None
    }

    /// SHA-256 of the tokenizer's file, in hexadecimal.
    fn sha256(&self) -> Option<String> {
        None
    }
}
