//! Lengths and arrivals rounded before anything is computed, for whoever wants a profile to tell less.

use std::{fmt, str::FromStr};

use crate::traffic::{Row, RowFacts};

/// How lengths and arrivals are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binning {
    /// Lengths are rounded up to multiples of this many tokens; 1 leaves them exact.
    pub tokens: u32,
    /// Arrivals are rounded down to multiples of this many seconds; 0 leaves them exact.
    pub seconds: u32,
}

/// A text is no binning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("use {text:?} for --bin: {fault} (write tokens=64, seconds=60, or both with a comma between)")]
pub struct BadBinning {
    text: String,
    fault: &'static str,
}

impl Default for Binning {
    fn default() -> Self {
        Self { tokens: 1, seconds: 0 }
    }
}

impl fmt::Display for Binning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "tokens={},seconds={}", self.tokens, self.seconds)
    }
}

impl FromStr for Binning {
    type Err = BadBinning;

    /// Reads `tokens=64,seconds=60`, either of them, in any order.
    fn from_str(text: &str) -> Result<Self, BadBinning> {
        let bad = |fault| BadBinning { text: text.to_owned(), fault };
        let (mut tokens, mut seconds) = (None, None);
        for part in text.split(',') {
            let (key, value) = part.split_once('=').ok_or_else(|| bad("a part has no ="))?;
            let known = match key.trim() {
                "tokens" => &mut tokens,
                "seconds" => &mut seconds,
                _ => return Err(bad("lengths are binned by tokens, and times by seconds")),
            };
            let value: u32 = value.trim().parse().map_err(|_| bad("a value is no whole number"))?;
            if value == 0 {
                return Err(bad("a bin of 0 holds nothing"));
            }
            if known.replace(value).is_some() {
                return Err(bad("a key is there twice"));
            }
        }
        let exact = Self::default();
        Ok(Self { tokens: tokens.unwrap_or(exact.tokens), seconds: seconds.unwrap_or(exact.seconds) })
    }
}

impl Binning {
    pub(crate) fn arrival_ns(self, row: &Row) -> i64 {
        let exact = row.arrival_ns();
        match i64::from(self.seconds) * 1_000_000_000 {
            0 => exact,
            // The first multiple within 64 bits, where rounding down would leave them.
            bin => exact.div_euclid(bin).checked_mul(bin).unwrap_or((i64::MIN / bin) * bin),
        }
    }

    pub(crate) fn facts(self, row: &Row) -> RowFacts {
        let facts = row.facts();
        let tokens = |length: u32| match self.tokens {
            0 | 1 => length,
            bin => length.div_ceil(bin).saturating_mul(bin),
        };
        RowFacts {
            arrival_ns: self.arrival_ns(row),
            input_tokens: facts.input_tokens.map(tokens),
            output_tokens: facts.output_tokens.map(tokens),
            ..facts
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binning_is_read_as_it_is_written() {
        let read = |text: &str| text.parse::<Binning>();
        assert_eq!(read("tokens=64,seconds=60"), Ok(Binning { tokens: 64, seconds: 60 }));
        assert_eq!(read("seconds=5"), Ok(Binning { tokens: 1, seconds: 5 }));
        for wrong in ["", "64", "tokens=0", "tokens=1.5", "bytes=4", "tokens=1,tokens=2"] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        let told = read("bytes=4").unwrap_err().to_string();
        assert!(told.contains("bytes=4") && told.contains("tokens=64"), "{told}");
    }
}
