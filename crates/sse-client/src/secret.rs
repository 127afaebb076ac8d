//! A key that cannot be printed by mistake.

use std::fmt;

/// An API key. `Debug` and `Display` write `[secret]`, and it is not serialisable.
///
/// ```
/// let key = sse_client::Secret::new("sk-12345678\n").unwrap();
/// assert_eq!(format!("{key} {key:?}"), "[secret] [secret]");
/// assert_eq!(key.expose(), "sk-12345678");
/// assert_eq!(key.redact("bad key sk-12345678"), "bad key [secret]");
/// assert!(sse_client::Secret::new(" ").is_none());
///
/// let dummy = sse_client::Secret::new("none").unwrap();
/// assert_eq!(dummy.redact("none of these"), "none of these");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// What stands where a secret stood.
const MASK: &str = "[secret]";

/// The shortest secret, in bytes, that is masked in text. Shorter ones are dummies such as `EMPTY` or `none`, which
/// stand in many an honest word: masking them would wreck messages and hide nothing.
const SHORTEST: usize = 8;

/// The shortest part of a secret, in bytes, that is masked where text was cut in the middle of it.
const SHORTEST_PART: usize = 4;

impl Secret {
    /// A key, without the white space around it that files end in. `None` where nothing is left: no key.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    /// The key itself, to be sent and nothing else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The text with every occurrence of the key masked: services repeat keys in their messages. A key shorter than
    /// 8 bytes is left where it stands: where it matters, whoever writes the text takes it out.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        if self.0.len() < SHORTEST { text.to_owned() } else { text.replace(&self.0, MASK) }
    }

    /// The same for bytes of any kind.
    #[must_use]
    pub fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        if self.0.len() < SHORTEST {
            return bytes.to_vec();
        }
        let mut clean = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(start) = memchr::memmem::find(rest, self.0.as_bytes()) {
            clean.extend_from_slice(&rest[..start]);
            clean.extend_from_slice(MASK.as_bytes());
            rest = &rest[start + self.0.len()..];
        }
        clean.extend_from_slice(rest);
        clean
    }

    /// Masks the beginning of the key at the end of bytes that were cut there.
    pub(crate) fn redact_end(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        if let Some(part) = self.parts().find(|part| bytes.ends_with(&self.0.as_bytes()[..*part])) {
            bytes.truncate(bytes.len() - part);
            bytes.extend_from_slice(MASK.as_bytes());
        }
        bytes
    }

    /// Masks the end of the key at the start of bytes that were cut there.
    pub(crate) fn redact_start(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let end = |part: usize| &self.0.as_bytes()[self.0.len() - part..];
        if let Some(part) = self.parts().find(|part| bytes.starts_with(end(*part))) {
            bytes.splice(..part, MASK.bytes());
        }
        bytes
    }

    /// Lengths of the parts that a cut may leave, the longest first.
    fn parts(&self) -> impl Iterator<Item = usize> + use<> {
        let longest = if self.0.len() < SHORTEST { 0 } else { self.0.len() - 1 };
        (SHORTEST_PART..=longest).rev()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}
