//! What is searched, prepared so that a long log is gone through quickly.

use memchr::memmem;

/// Fewest letters of a value that is looked for; of a Chinese one, two.
pub const LEAST_LETTERS: usize = 4;

/// Fewest digits of a value that is nothing but digits: fewer cannot be told from a count.
pub const LEAST_DIGITS: usize = 6;

/// Bytes of a longer text that must not stand anywhere in a row.
const RUN: usize = 24;

/// Bytes by which a place is looked up before it is compared.
const GRAM: usize = 4;

/// Texts in which something is looked for, without regard to upper and lower case of ASCII letters.
pub struct Haystack {
    texts: Vec<(String, String)>,
    grams: Bits,
    runs: Bits,
}

/// Where something was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Name of the text.
    pub text: String,
    /// Line, from 1.
    pub line: u64,
    /// Only a part of a longer value stands there.
    pub part: bool,
}

impl Haystack {
    /// Of these texts, each with its name.
    #[must_use]
    pub fn new(texts: Vec<(String, String)>) -> Self {
        let lower = |(name, text): (String, String)| (name, text.to_ascii_lowercase());
        let texts: Vec<(String, String)> = texts.into_iter().map(lower).collect();
        let (mut grams, mut runs) = (Bits::new(), Bits::new());
        for (_, text) in &texts {
            text.as_bytes().windows(GRAM).for_each(|gram| grams.set(hash(gram)));
            text.as_bytes().windows(RUN).for_each(|run| runs.set(hash(run)));
        }
        Self { texts, grams, runs }
    }

    /// Whether a value is long enough to be looked for: 4 bytes (two Chinese characters), or 6 digits before the decimal
    /// mark where it is a number.
    #[must_use]
    pub fn can_find(value: &str) -> bool {
        let whole = value.trim_start_matches(['-', '+']).split('.').next().unwrap_or_default();
        let is_number = value.bytes().any(|byte| byte.is_ascii_digit()) && value.parse::<f64>().is_ok();
        if is_number { whole.len() >= LEAST_DIGITS } else { value.len() >= LEAST_LETTERS }
    }

    /// Where the value stands, as a word of its own; of one longer than 24 bytes also any 24 bytes of it in a row. `None`
    /// where it stands nowhere, or is too short to be looked for.
    #[must_use]
    pub fn find(&self, value: &str) -> Option<Place> {
        let value = value.trim();
        if !Self::can_find(value) {
            return None;
        }
        let bytes = value.as_bytes();
        if bytes.len() < RUN {
            let gram: Vec<u8> = bytes[..GRAM].to_ascii_lowercase();
            if !self.grams.has(hash(&gram)) {
                return None;
            }
            return self.place(&bytes.to_ascii_lowercase(), false);
        }
        let lower = bytes.to_ascii_lowercase();
        let mut found = lower.windows(RUN).filter(|run| self.runs.has(hash(run)));
        found.find_map(|run| self.place(run, lower.len() > RUN))
    }

    fn place(&self, needle: &[u8], part: bool) -> Option<Place> {
        self.texts.iter().find_map(|(name, text)| {
            let text = text.as_bytes();
            let mut places = memmem::find_iter(text, needle);
            let at = places.find(|at| part || is_word(text, *at, needle.len()))?;
            let line = 1 + memchr::memchr_iter(b'\n', &text[..at]).count() as u64;
            Some(Place { text: name.clone(), line, part })
        })
    }
}

/// Nothing before or after makes it a part of a longer word. Chinese has no words that end at white space.
fn is_word(text: &[u8], at: usize, length: usize) -> bool {
    let joins = |inner: u8, outer: Option<&u8>| {
        inner.is_ascii_alphanumeric() && outer.is_some_and(u8::is_ascii_alphanumeric)
    };
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    !joins(text[at], before) && !joins(text[at + length - 1], text.get(at + length))
}

/// FNV-1a.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Which hashes occur.
struct Bits(Vec<u64>);

/// Bits of the set, as a power of two.
const BITS: u32 = 22;

impl Bits {
    fn new() -> Self {
        Self(vec![0; 1 << (BITS - 6)])
    }

    fn slot(hash: u64) -> (usize, u64) {
        let bit = (hash ^ (hash >> 32)) & ((1 << BITS) - 1);
        ((bit >> 6) as usize, 1 << (bit & 63))
    }

    fn set(&mut self, hash: u64) {
        let (word, bit) = Self::slot(hash);
        self.0[word] |= bit;
    }

    fn has(&self, hash: u64) -> bool {
        let (word, bit) = Self::slot(hash);
        self.0[word] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, value: &str) -> Option<Place> {
        Haystack::new(vec![("f".to_owned(), text.to_owned())]).find(value)
    }

    #[test]
    fn a_value_is_found_as_a_word_whatever_its_case() {
        let place = Place { text: "f".to_owned(), line: 2, part: false };
        assert_eq!(find("a\n\"Demo_User_11\"", "demo_user_11"), Some(place));
        assert_eq!(find("demo_user_112", "demo_user_11"), None);
        assert_eq!(find("客户张三来电", "张三").map(|place| place.line), Some(1));
        assert_eq!(find("900011", "900011").map(|place| place.part), Some(false));
    }

    #[test]
    fn what_is_too_short_is_not_looked_for() {
        for value in ["", "ab", "abc", "12345", "  abc  "] {
            assert_eq!(find("ab abc 12345", value), None, "{value:?}");
        }
    }

    #[test]
    fn a_piece_of_a_long_text_is_found() {
        let prompt = "请帮我写一封给供应商的催款函，金额为三十二万元，语气要客气但坚决。";
        let found = find("说明：金额为三十二万元，语气要客气", prompt);
        assert_eq!(found, Some(Place { text: "f".to_owned(), line: 1, part: true }));
        assert_eq!(find("说明：金额为三十二万", prompt), None, "too short to be more than chance");
    }
}
