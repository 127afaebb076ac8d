//! Secrets never reach a file or a terminal.

use std::{borrow::Cow, fmt, path::Path};

use crate::{
    files::{self, FileError},
    pattern::{self, Pattern},
};

/// What stands in place of a secret.
pub const MASK: &str = "[secret]";

/// Takes secrets out of everything that is written or shown.
///
/// A secret is found as it is, JSON-escaped, percent-encoded, and in base64 (both alphabets, with and without
/// padding, alone or inside something longer such as `user:key`).
///
/// Short secrets are a trade. Where the key is a dummy such as `EMPTY`, `none` or `sk-1`, taking it out of every
/// place would wreck rows (`none` stands in many an honest word) and hide nothing. So:
///
/// | bytes | taken out of |
/// |---|---|
/// | 8 and more | every string of every file, in every encoding |
/// | 4 to 7 | free text (error messages, failed responses, the terminal), as a whole word |
/// | 0 to 3 | nothing |
///
/// Free text may have been cut at a limit, so the beginning of a long secret at its end goes as well.
///
/// Words of closed vocabularies (`ended`, `kind`, `token_source`) and digests are left alone: they cannot carry one.
///
/// ```
/// let redactor = evidence_pack::Redactor::new(["sk-1234567890".to_owned()]);
/// assert_eq!(redactor.scrub("bad key sk-1234567890"), "bad key [secret]");
/// assert_eq!(redactor.scrub("Basic dXNlcjpzay0xMjM0NTY3ODkw"), "Basic dXNlcjp[secret]");
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    patterns: Vec<Pattern>,
    secrets: usize,
    // For every byte whether a match may start with it.
    starts: Vec<bool>,
}

/// How much of a string is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    /// Not at all.
    None,
    /// Long secrets only.
    Name,
    /// Short ones too, and a secret that was cut at the string's end.
    FreeText,
}

/// Keys of rows whose values come from closed vocabularies or are digests.
const CLOSED: [&str; 5] = ["ended", "kind", "token_source", "text_sha256", "prev"];

/// Keys of rows whose values are in the service's words or the system's.
const FREE: [&str; 2] = ["message", "by"];

impl Redactor {
    /// A redactor of these secrets. Empty ones (no key) and surrounding white space do not matter.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let secrets: Vec<String> = secrets
            .into_iter()
            .map(|secret| secret.trim().to_owned())
            .filter(|secret| !secret.is_empty())
            .collect();
        let patterns: Vec<Pattern> = secrets.iter().flat_map(|secret| pattern::forms(secret)).collect();
        let mut starts = vec![false; 256];
        for byte in patterns.iter().map(Pattern::first_byte).chain(*b"%\\") {
            starts[usize::from(byte)] = true;
        }
        Self { patterns, secrets: secrets.len(), starts }
    }

    /// The text without secrets, for a terminal or a message.
    #[must_use]
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.scrub_str(text, Care::FreeText)
    }

    /// The bytes without secrets, and without the beginning of one at their end (bodies are cut at a limit).
    #[must_use]
    pub fn scrub_bytes<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        self.scrub_raw(bytes, Care::FreeText)
    }

    /// A JSON row without secrets; it stays a JSON row with the same keys.
    pub(crate) fn scrub_row<'t>(&self, line: &'t str) -> Cow<'t, str> {
        self.scrub_json(line, Care::None, |key| match key {
            key if CLOSED.contains(&key) => Care::None,
            key if FREE.contains(&key) => Care::FreeText,
            _ => Care::Name,
        })
    }

    /// JSON or JSON Lines without long secrets.
    pub(crate) fn scrub_document<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.scrub_json(text, Care::Name, |_| Care::Name)
    }

    /// Text of a file that a person wrote, without long secrets.
    pub(crate) fn scrub_file<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.scrub_str(text, Care::Name)
    }

    /// Files of a folder that hold a secret, sorted, relative to it. Their names are looked at as well.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn check(&self, dir: impl AsRef<Path>) -> Result<Vec<String>, FileError> {
        let dir = dir.as_ref();
        let mut found = Vec::new();
        for path in files::list(dir)?.files {
            let bytes = files::read_if_any(&dir.join(&path))?.unwrap_or_default();
            let clean = match std::str::from_utf8(&bytes) {
                Ok(text) if path.ends_with(".jsonl") && path.contains("raw/") => self.scrub_row(text) == text,
                Ok(text) if path.ends_with(".jsonl") || path.ends_with(".json") => {
                    self.scrub_document(text) == text
                }
                _ if path.contains(crate::layout::FAILURES) => self.find(&bytes, 0, Care::FreeText).is_none(),
                _ => self.find(&bytes, 0, Care::Name).is_none(),
            };
            if !clean || self.find(path.as_bytes(), 0, Care::Name).is_some() {
                found.push(path);
            }
        }
        found.sort();
        Ok(found)
    }

    fn scrub_str<'t>(&self, text: &'t str, care: Care) -> Cow<'t, str> {
        match self.scrub_raw(text.as_bytes(), care) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    fn scrub_raw<'t>(&self, text: &'t [u8], care: Care) -> Cow<'t, [u8]> {
        let mut clean = Vec::new();
        let mut kept = 0;
        while let Some((start, end)) = self.find(text, kept, care) {
            clean.extend_from_slice(&text[kept..start]);
            clean.extend_from_slice(MASK.as_bytes());
            kept = end;
        }
        let rest = &text[kept..];
        let tail = if care == Care::FreeText { self.tail(rest) } else { None };
        if kept == 0 && tail.is_none() {
            return Cow::Borrowed(text);
        }
        clean.extend_from_slice(&rest[..tail.unwrap_or(rest.len())]);
        if tail.is_some() {
            clean.extend_from_slice(MASK.as_bytes());
        }
        Cow::Owned(clean)
    }

    fn find(&self, text: &[u8], from: usize, care: Care) -> Option<(usize, usize)> {
        if self.patterns.is_empty() || care == Care::None {
            return None;
        }
        (from..text.len()).filter(|start| self.starts[usize::from(text[*start])]).find_map(|start| {
            self.patterns
                .iter()
                .filter(|pattern| care == Care::FreeText || !pattern.whole_word())
                .filter_map(|pattern| pattern.match_at(text, start))
                .max()
                .map(|end| (start, end))
        })
    }

    fn tail(&self, text: &[u8]) -> Option<usize> {
        self.patterns
            .iter()
            .filter(|pattern| !pattern.whole_word())
            .filter_map(|pattern| pattern.tail(text))
            .min()
    }

    /// Scrubs the strings of a JSON text, each decoded first and encoded again after, so that no match can begin
    /// inside an escape and no number is touched.
    fn scrub_json<'t>(&self, json: &'t str, of_keys: Care, of_value: impl Fn(&str) -> Care) -> Cow<'t, str> {
        if self.patterns.is_empty() {
            return Cow::Borrowed(json);
        }
        let mut clean = String::new();
        let mut kept = 0;
        let mut key = "";
        let mut from = 0;
        while let Some((start, end)) = next_string(json, from) {
            from = end;
            let literal = &json[start..end];
            let is_key = json[end..].trim_start().starts_with(':');
            if is_key {
                key = &literal[1..literal.len() - 1];
            }
            // What is no JSON string after all (half a surrogate pair) is looked at as it stands.
            let text = serde_json::from_str::<String>(literal).unwrap_or_else(|_| literal.to_owned());
            if let Cow::Owned(scrubbed) = self.scrub_str(&text, if is_key { of_keys } else { of_value(key) })
            {
                clean.push_str(&json[kept..start]);
                clean.push_str(&serde_json::Value::from(scrubbed).to_string());
                kept = end;
            }
        }
        if kept == 0 {
            return Cow::Borrowed(json);
        }
        clean.push_str(&json[kept..]);
        Cow::Owned(clean)
    }
}

/// The next string literal of a JSON text, quotes included.
fn next_string(json: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = json.as_bytes();
    let start = from + bytes[from..].iter().position(|byte| *byte == b'"')?;
    let mut at = start + 1;
    while *bytes.get(at)? != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    Some((start, at + 1))
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Redactor({} secrets)", self.secrets)
    }
}
