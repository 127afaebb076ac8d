//! Texts of a wanted length.

use super::{CountError, Ratios, TokenCounter};
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

/// Makes texts of a wanted length.
///
/// A text follows from the stream, the tongues, the length and the counter, and from nothing that was made before it.
pub struct Texts {
    counter: Option<Box<dyn TokenCounter>>,
    ratios: Ratios,
    counted: u64,
    worst_error: Option<u64>,
}

impl Texts {
    /// Texts sized by a counter, or without one by ratios. What the ratios say of tokens that a service adds holds in either case.
    #[must_use]
    pub fn new(counter: Option<Box<dyn TokenCounter>>, ratios: Ratios) -> Self {
        Self { counter, ratios, counted: 0, worst_error: None }
    }

    /// A text of so many tokens (at least 1), in one of the tongues, each as likely as its weight says; English where no
    /// tongue has any. It ends in a request.
    ///
    /// # Errors
    /// Where the counter could not count.
    pub fn text(
        &mut self,
        stream: &mut Stream,
        tongues: &[(Tongue, u32)],
        tokens: u64,
    ) -> Result<Made, CountError> {
        self.request(stream, tongues, tokens, None)
    }

    /// As [`Texts::text`]; the request asks for an answer of about `output` tokens where that is given.
    ///
    /// # Errors
    /// Where the counter could not count.
    pub fn request(
        &mut self,
        stream: &mut Stream,
        tongues: &[(Tongue, u32)],
        tokens: u64,
        _output: Option<u64>,
    ) -> Result<Made, CountError> {
        let tongue = pick(stream, tongues);
        let (list, between): (&[&str], &str) = match tongue {
            Tongue::Zh => (&["交付", "预算", "培训", "合同", "库存", "客户", "会议", "报表"], "、"),
            Tongue::En => (&["delivery", "budget", "training", "contract", "stock", "customer"], " "),
        };
        let mut text = String::new();
        while text.is_empty() || self.estimate(tongue, &text) < tokens {
            if !text.is_empty() {
                text.push_str(between);
            }
            text.push_str(list[stream.below(list.len() as u64) as usize]);
        }
        let counted = match &mut self.counter {
            Some(counter) => Some(counter.count(&text)?),
            None => None,
        };
        if let Some(counted) = counted {
            self.counted += 1;
            self.worst_error = self.worst_error.max(Some(counted.abs_diff(tokens)));
        }
        Ok(Made { text, counted })
    }

    /// The text of one block of a prefix that requests share: it follows from the seed, the block's number, the tongues, the length and
    /// the counter alone. It ends in a line break, so that blocks that are joined keep their counts.
    ///
    /// # Errors
    /// Where the counter could not count.
    pub fn block(
        &mut self,
        seed: u64,
        id: u64,
        tongues: &[(Tongue, u32)],
        tokens: u64,
    ) -> Result<String, CountError> {
        let mut stream = Stream::new(seed, &format!("block:{id}:{tokens}"));
        let mut text = self.text(&mut stream, tongues, tokens)?.text;
        text.push('\n');
        Ok(text)
    }

    /// About how many tokens of a request are not its text: those that the service adds, and those of the opening that stands
    /// before its first text. Whoever wants a request of a length asks for a text that is so much shorter.
    ///
    /// # Errors
    /// Where the counter could not count.
    pub fn around(&mut self) -> Result<u64, CountError> {
        const OPENINGS: u64 = 16;
        let mut sum = 0;
        for seq in 0..OPENINGS {
            let opening = opening("texts", seq);
            sum += match &mut self.counter {
                Some(counter) => counter.count(&opening)?,
                None => 10,
            };
        }
        Ok(self.ratios.added_tokens + (sum + OPENINGS / 2) / OPENINGS)
    }

    /// Who counted, how many texts were counted whole, and the worst error seen so far.
    #[must_use]
    pub fn sizing(&self) -> Sizing {
        let counter = self.counter.as_ref();
        Sizing {
            by: counter.map_or(self.ratios.by, |counter| counter.by()),
            counter: counter.map_or_else(|| self.ratios.name.clone(), |counter| counter.name()),
            sha256: counter.and_then(|counter| counter.sha256()),
            added_tokens: self.ratios.added_tokens,
            counted: self.counted,
            worst_error: self.worst_error,
        }
    }

    fn estimate(&self, tongue: Tongue, text: &str) -> u64 {
        (text.chars().count() as f64 / self.ratios.of(tongue)).round() as u64
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
    use crate::SizedBy;

    #[test]
    fn a_text_is_the_same_for_the_same_seed_and_about_as_long_as_it_is_to_be() {
        let mut texts = Texts::new(None, Ratios::default());
        let tongues = [(Tongue::Zh, 1), (Tongue::En, 1)];
        let mut make =
            |seed| texts.text(&mut Stream::new(seed, "a text"), &tongues, 200).map(|made| made.text);
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
        assert_eq!(texts.sizing().by, SizedBy::Estimate);
    }

    #[test]
    fn a_tongue_without_weight_is_never_taken() {
        let mut stream = Stream::new(1, "tongues");
        for _ in 0..100 {
            assert_eq!(pick(&mut stream, &[(Tongue::En, 0), (Tongue::Zh, 3), (Tongue::En, 0)]), Tongue::Zh);
        }
        assert_eq!(pick(&mut stream, &[]), Tongue::En);
    }
}
