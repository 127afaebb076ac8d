//! Texts of a wanted length.

use std::{collections::HashMap, sync::Arc};

use super::{
    CountError, Ratios, TokenCounter,
    bank::Bank,
    compose::{Wanted, compose},
    gauge::Gauge,
    writer::Writer,
};
use crate::{Sizing, random::Stream, sample::opening};

/// A language in which texts are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tongue {
    /// Chinese.
    Zh,
    /// English.
    En,
}

/// A text that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The text.
    pub text: String,
    /// Its tokens, where the whole was counted.
    pub counted: Option<u64>,
}

/// Tokens of the longest text that is made.
pub const MOST_TEXT_TOKENS: u64 = 1 << 24;

/// Makes texts of a wanted length.
///
/// A text follows from the stream, the tongues, the length and the counter, and from nothing that was made before it: whoever
/// makes many may share them out among threads, each with `Texts` of its own and the same counter.
pub struct Texts {
    gauge: Gauge,
    blocks: HashMap<Block, Arc<str>>,
    block_bytes: usize,
}

/// What a block follows from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Block {
    seed: u64,
    id: u64,
    tongue: Tongue,
    tokens: u64,
}

impl Texts {
    /// Texts sized by a counter, or without one by ratios. What the ratios say of tokens that a service adds holds in either
    /// case.
    #[must_use]
    pub fn new(counter: Option<Box<dyn TokenCounter>>, ratios: Ratios) -> Self {
        Self { gauge: Gauge::new(counter, ratios), blocks: HashMap::new(), block_bytes: 0 }
    }

    /// A text of so many tokens (1 to [`MOST_TEXT_TOKENS`]), in one of the tongues, each as likely as its weight says; English where no
    /// tongue has any. It ends in a request, where there is room for one.
    ///
    /// It takes two numbers of the stream, whatever its length. No sentence comes twice as long as there are others, which is
    /// so for some hundred thousand tokens.
    ///
    /// # Errors
    /// Where the counter could not count, or the text would be longer than any.
    pub fn text(
        &mut self,
        stream: &mut Stream,
        tongues: &[(Tongue, u32)],
        tokens: u64,
    ) -> Result<Made, CountError> {
        self.request(stream, tongues, tokens, None)
    }

    /// As [`Texts::text`]; the request asks for an answer of about `output` tokens where that is given and there is room.
    ///
    /// # Errors
    /// As [`Texts::text`].
    pub fn request(
        &mut self,
        stream: &mut Stream,
        tongues: &[(Tongue, u32)],
        tokens: u64,
        output: Option<u64>,
    ) -> Result<Made, CountError> {
        let tongue = pick(stream, tongues);
        let own = Stream::new(stream.bits(), "synthesis:text");
        let answer = output.map(|output| self.answer(tongue, output));
        self.make(own, tongue, Wanted { tokens, answer, block: false })
    }

    /// The text of one block of a prefix that requests share: it follows from the seed, the block's number, the tongues, the
    /// length and the counter alone. It ends in a line break, so that blocks that are joined keep their counts.
    ///
    /// # Errors
    /// As [`Texts::text`].
    pub fn block(
        &mut self,
        seed: u64,
        id: u64,
        tongues: &[(Tongue, u32)],
        tokens: u64,
    ) -> Result<String, CountError> {
        /// What is kept of blocks that were made, since those of a trace come again.
        const MOST_BYTES: usize = 64 << 20;
        let mut stream = Stream::new(seed, &format!("synthesis:block:{id}"));
        let tongue = pick(&mut stream, tongues);
        let key = Block { seed, id, tongue, tokens };
        if let Some(text) = self.blocks.get(&key) {
            return Ok(text.as_ref().to_owned());
        }
        let text = self.make(stream, tongue, Wanted { tokens, answer: None, block: true })?.text;
        if self.block_bytes > MOST_BYTES {
            self.blocks.clear();
            self.block_bytes = 0;
        }
        self.block_bytes += text.len();
        self.blocks.insert(key, text.as_str().into());
        Ok(text)
    }

    /// About how many tokens of a request are not its text: those that the service adds, and those of the opening that
    /// stands before its first text. Whoever wants a request of a length asks for a text that is so much shorter.
    ///
    /// # Errors
    /// Where the counter could not count.
    pub fn around(&mut self) -> Result<u64, CountError> {
        const OPENINGS: u64 = 16;
        let mut sum = 0;
        for seq in 0..OPENINGS {
            sum += self.gauge.opening(&opening("synthesis", seq))?;
        }
        Ok(self.gauge.ratios().added_tokens + (sum + OPENINGS / 2) / OPENINGS)
    }

    /// Who counted, how many texts were counted whole, and the worst error seen so far.
    #[must_use]
    pub fn sizing(&self) -> Sizing {
        self.gauge.sizing()
    }

    fn make(&mut self, stream: Stream, tongue: Tongue, wanted: Wanted) -> Result<Made, CountError> {
        if wanted.tokens > MOST_TEXT_TOKENS {
            let tokens = wanted.tokens;
            return Err(CountError(format!(
                "it is to have {tokens}, and a text has at most {MOST_TEXT_TOKENS}"
            )));
        }
        let costs = self.gauge.costs(tongue)?;
        let mut writer = Writer::new(Bank::of(tongue), costs, stream);
        let made = compose(&mut self.gauge, &mut writer, wanted)?;
        let counted = self.gauge.check(&made, wanted.tokens)?;
        Ok(Made { text: made.text, counted })
    }

    /// Words or characters of an answer of so many tokens, to two digits.
    fn answer(&self, tongue: Tongue, output: u64) -> u64 {
        /// Letters of an English word with the space after it.
        const WORD: f64 = 6.0;
        let ratio = self.gauge.ratios().of(tongue);
        let length = match tongue {
            Tongue::Zh => output as f64 * ratio,
            Tongue::En => output as f64 * ratio / WORD,
        };
        let mut length = length.round().max(1.0) as u64;
        let mut scale = 1;
        while length >= 100 {
            length = (length + 5) / 10;
            scale *= 10;
        }
        length * scale
    }
}

/// The tongue of a text.
fn pick(stream: &mut Stream, tongues: &[(Tongue, u32)]) -> Tongue {
    let sum: u64 = tongues.iter().map(|(_, weight)| u64::from(*weight)).sum();
    let mut at = stream.below(sum);
    for (tongue, weight) in tongues {
        match at.checked_sub(u64::from(*weight)) {
            None => return *tongue,
            Some(rest) => at = rest,
        }
    }
    Tongue::En
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tongue_without_weight_is_never_taken() {
        let mut stream = Stream::new(1, "tongues");
        for _ in 0..100 {
            assert_eq!(pick(&mut stream, &[(Tongue::En, 0), (Tongue::Zh, 3), (Tongue::En, 0)]), Tongue::Zh);
        }
        assert_eq!(pick(&mut stream, &[]), Tongue::En);
    }
}
