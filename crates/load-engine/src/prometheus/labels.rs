//! The labels of a sample, which stay where they are until somebody asks for them.

use std::borrow::Cow;

use super::{
    Malformed,
    line::{is_blank, split_name},
};

/// The labels between the braces of a sample; none where it has no braces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels<'a> {
    /// Everything between the braces. It was read once, so it can be read again.
    inner: &'a str,
}

impl<'a> Labels<'a> {
    /// Reads labels from the text after their opening brace; gives what follows the closing one as well.
    pub(super) fn read(text: &'a str) -> Result<(Self, &'a str), Malformed> {
        let mut rest = text.trim_start_matches(is_blank);
        loop {
            if let Some(after) = rest.strip_prefix('}') {
                let inner = &text[..text.len() - rest.len()];
                return Ok((Self { inner }, after));
            }
            (_, rest) = label(rest)?;
            match rest.strip_prefix(',') {
                Some(after) => rest = after.trim_start_matches(is_blank),
                None if rest.starts_with('}') => {}
                None => return Err(Malformed::LabelsEnd),
            }
        }
    }

    /// Names and values, without their escapes, in their order.
    #[must_use]
    pub fn iter(&self) -> LabelsIter<'a> {
        LabelsIter { rest: self.inner.trim_start_matches(is_blank) }
    }

    /// The value of a label, the first of its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        self.iter().find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl<'a> IntoIterator for Labels<'a> {
    type Item = (&'a str, Cow<'a, str>);
    type IntoIter = LabelsIter<'a>;

    fn into_iter(self) -> LabelsIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Labels<'a> {
    type Item = (&'a str, Cow<'a, str>);
    type IntoIter = LabelsIter<'a>;

    fn into_iter(self) -> LabelsIter<'a> {
        self.iter()
    }
}

/// The labels one by one; made by [`Labels::iter`].
#[derive(Clone, Debug)]
pub struct LabelsIter<'a> {
    rest: &'a str,
}

impl<'a> Iterator for LabelsIter<'a> {
    type Item = (&'a str, Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        // Only the end of the labels is no label: they were read before.
        let ((name, value), rest) = label(self.rest).ok()?;
        self.rest = rest.strip_prefix(',').unwrap_or(rest).trim_start_matches(is_blank);
        Some((name, unescape(value, true)))
    }
}

/// A label, its value with its escapes, and what follows it without blanks.
fn label(text: &str) -> Result<((&str, &str), &str), Malformed> {
    let (name, rest) = split_name(text, false).ok_or(Malformed::LabelName)?;
    let rest = rest.trim_start_matches(is_blank).strip_prefix('=').ok_or(Malformed::LabelValue)?;
    let rest = rest.trim_start_matches(is_blank).strip_prefix('"').ok_or(Malformed::LabelValue)?;
    let end = closing_quote(rest).ok_or(Malformed::LabelValue)?;
    Ok(((name, &rest[..end]), rest[end + 1..].trim_start_matches(is_blank)))
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

/// Resolves `\\`, `\n` and, where quotes are escaped, `\"`. A backslash before anything else stands for itself, as it
/// does for Prometheus.
pub(super) fn unescape(text: &str, quotes: bool) -> Cow<'_, str> {
    let Some((before, mut rest)) = text.split_once('\\') else { return Cow::Borrowed(text) };
    let mut plain = before.to_owned();
    loop {
        let (resolved, after) = match rest.as_bytes().first() {
            Some(b'n') => ('\n', &rest[1..]),
            Some(b'\\') => ('\\', &rest[1..]),
            Some(b'"') if quotes => ('"', &rest[1..]),
            _ => ('\\', rest),
        };
        plain.push(resolved);
        let Some((before, next)) = after.split_once('\\') else {
            plain.push_str(after);
            return Cow::Owned(plain);
        };
        plain.push_str(before);
        rest = next;
    }
}
