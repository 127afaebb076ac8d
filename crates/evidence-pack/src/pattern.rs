//! Forms in which the bytes of a secret may stand in a text.

use base64::{Engine, engine::general_purpose};

/// One run of bytes to look for.
///
/// Every byte of it is also found percent-encoded (`%2B`, `%2b`) or JSON-escaped (`\u002b`, `\/`), whatever mix of
/// these the text uses.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    bytes: Vec<u8>,
    whole_word: bool,
}

/// Shorter secrets are found as whole words only.
pub(crate) const LONG: usize = 8;

/// Shorter secrets are not looked for.
pub(crate) const SHORTEST: usize = 4;

/// Fewest bytes at which the beginning of a secret at the end of a cut text is taken for one.
const SHORTEST_TAIL: usize = 4;

/// The forms of a secret, the longest first.
pub(crate) fn forms(secret: &str) -> Vec<Pattern> {
    if secret.len() < SHORTEST {
        return Vec::new();
    }
    if secret.len() < LONG {
        return vec![Pattern { bytes: secret.into(), whole_word: true }];
    }
    let mut forms = vec![secret.as_bytes().to_vec()];
    let once = json_escaped(secret);
    forms.push(json_escaped(&once).into_bytes());
    forms.push(once.into_bytes());
    for offset in 0..3 {
        forms.push(base64_core(&general_purpose::STANDARD_NO_PAD, secret, offset));
        forms.push(base64_core(&general_purpose::URL_SAFE_NO_PAD, secret, offset));
    }
    forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    forms.dedup();
    forms.into_iter().map(|bytes| Pattern { bytes, whole_word: false }).collect()
}

fn json_escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The base64 characters that depend on the secret alone where it starts `offset` bytes into a group of three.
///
/// The characters at either end that mix its first or last bits with those of its neighbours are not among them,
/// and neither is padding.
fn base64_core(engine: &impl Engine, secret: &str, offset: usize) -> Vec<u8> {
    let mut bytes = vec![0; offset];
    bytes.extend_from_slice(secret.as_bytes());
    let first = (offset * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    engine.encode(&bytes).into_bytes()[first..last].to_vec()
}

impl Pattern {
    pub(crate) fn whole_word(&self) -> bool {
        self.whole_word
    }

    pub(crate) fn first_byte(&self) -> u8 {
        self.bytes[0]
    }

    /// Where the pattern ends, if it starts at `start`.
    pub(crate) fn match_at(&self, text: &[u8], start: usize) -> Option<usize> {
        let mut at = start;
        for wanted in &self.bytes {
            at += step(&text[at..], *wanted)?;
        }
        let bounded = |byte: Option<&u8>| !byte.copied().is_some_and(is_word);
        let before = start.checked_sub(1).and_then(|before| text.get(before));
        (!self.whole_word || bounded(before) && bounded(text.get(at))).then_some(at)
    }

    /// Where the text ends in a beginning of the pattern, as it does when it was cut inside it.
    pub(crate) fn tail(&self, text: &[u8]) -> Option<usize> {
        let longest = (self.bytes.len() - 1).min(text.len());
        (SHORTEST_TAIL..=longest)
            .rev()
            .find(|length| text.ends_with(&self.bytes[..*length]))
            .map(|length| text.len() - length)
    }
}

/// How many bytes at the start of `text` stand for `wanted`, in any encoding.
fn step(text: &[u8], wanted: u8) -> Option<usize> {
    match text {
        [b'%', high, low, ..] if hex(&[*high, *low]) == Some(u32::from(wanted)) => Some(3),
        [b'\\', b'u', digits @ ..] if digits.len() >= 4 && hex(&digits[..4]) == Some(u32::from(wanted)) => {
            Some(6)
        }
        [b'\\', b'/', ..] if wanted == b'/' => Some(2),
        [first, ..] if *first == wanted => Some(1),
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}
