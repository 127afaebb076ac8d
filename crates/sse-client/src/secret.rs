//! A key that cannot be printed by mistake.

use std::fmt;

/// An API key. `Debug` and `Display` write `[secret]`, and it is not serialisable.
///
/// ```
/// let key = sse_client::Secret::new("sk-123\n").unwrap();
/// assert_eq!(format!("{key} {key:?}"), "[secret] [secret]");
/// assert_eq!(key.expose(), "sk-123");
/// assert_eq!(key.redact("bad key sk-123"), "bad key [secret]");
/// assert!(sse_client::Secret::new(" ").is_none());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// What stands where a secret stood.
const MASK: &str = "[secret]";

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

    /// The text with every occurrence of the key masked: services repeat keys in their messages.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        text.replace(&self.0, MASK)
    }

    /// The same for bytes of any kind.
    #[must_use]
    pub fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
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
