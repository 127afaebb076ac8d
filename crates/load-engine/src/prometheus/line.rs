//! One line of a page of metrics.

use super::{
    Format, Malformed,
    entry::{Entry, Exemplar, Kind, Sample, Timestamp},
    labels::{Labels, unescape},
};

/// Reads a line without its end. A blank line and a comment are nothing.
pub(super) fn read(line: &[u8], format: Format) -> Result<Option<Entry<'_>>, Malformed> {
    let text = std::str::from_utf8(line).map_err(|_| Malformed::NotUtf8)?;
    let text = text.trim_start_matches(is_blank);
    match text.strip_prefix('#') {
        Some(comment) => of_comment(comment, format),
        None if text.is_empty() => Ok(None),
        None => sample(text, format).map(Entry::Sample).map(Some),
    }
}

pub(super) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

/// Splits a name off a text. Metrics may have colons in theirs; labels may not.
pub(super) fn split_name(text: &str, colons: bool) -> Option<(&str, &str)> {
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || colons && byte == b':';
    let end = text.bytes().position(|byte| !in_name(byte)).unwrap_or(text.len());
    let begins = text.bytes().next().is_some_and(|first| in_name(first) && !first.is_ascii_digit());
    begins.then(|| text.split_at(end))
}

/// The word at the beginning of a text, and what follows it without blanks; both empty at the end of the line.
fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_at(text.find(is_blank).unwrap_or(text.len()));
    (word, rest.trim_start_matches(is_blank))
}

fn of_comment(comment: &str, format: Format) -> Result<Option<Entry<'_>>, Malformed> {
    let (keyword, rest) = split_word(comment.trim_start_matches(is_blank));
    let about = || {
        let (name, rest) = split_name(rest, true).ok_or(Malformed::Name)?;
        if rest.is_empty() || rest.starts_with(is_blank) {
            Ok((name, rest.trim_start_matches(is_blank)))
        } else {
            Err(Malformed::Name)
        }
    };
    let entry = match keyword {
        "HELP" => {
            let (name, text) = about()?;
            Entry::Help { name, text: unescape(text, format == Format::OpenMetrics) }
        }
        "TYPE" => {
            let (name, rest) = about()?;
            let (kind, rest) = split_word(rest);
            at_end(rest)?;
            Entry::Type { name, kind: Kind::of(kind).ok_or(Malformed::Kind)? }
        }
        "UNIT" if format == Format::OpenMetrics => {
            let (name, rest) = about()?;
            let (unit, rest) = split_word(rest);
            at_end(rest)?;
            Entry::Unit { name, unit }
        }
        "EOF" if rest.is_empty() => Entry::Eof,
        _ => return Ok(None),
    };
    Ok(Some(entry))
}

fn sample(text: &str, format: Format) -> Result<Sample<'_>, Malformed> {
    let (name, after) = split_name(text, true).ok_or(Malformed::Name)?;
    let rest = after.trim_start_matches(is_blank);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(labels) => Labels::read(labels)?,
        // What stands right behind the name is a name that went wrong.
        None if !after.is_empty() && after.len() == rest.len() => return Err(Malformed::Name),
        None => (Labels::default(), rest),
    };
    let (value, rest) = value(rest)?;
    let (timestamp, rest) = match split_word(rest) {
        ("", _) => (None, rest),
        (word, _) if word.starts_with('#') => (None, rest),
        (word, rest) => (Some(timestamp(word, format)?), rest),
    };
    let exemplar = rest.strip_prefix('#').map(exemplar).transpose()?;
    if exemplar.is_none() {
        at_end(rest)?;
    }
    Ok(Sample { name, labels, value, timestamp, exemplar })
}

fn exemplar(text: &str) -> Result<Exemplar<'_>, Malformed> {
    let labels = text.trim_start_matches(is_blank).strip_prefix('{').ok_or(Malformed::Exemplar)?;
    let (labels, rest) = Labels::read(labels)?;
    let (value, rest) = value(rest)?;
    let (seconds, rest) = match split_word(rest) {
        ("", _) => (None, rest),
        (word, rest) => (Some(finite(word)?), rest),
    };
    at_end(rest)?;
    Ok(Exemplar { labels, value, seconds })
}

fn value(text: &str) -> Result<(f64, &str), Malformed> {
    let (word, rest) = split_word(text.trim_start_matches(is_blank));
    Ok((word.parse().map_err(|_| Malformed::Value)?, rest))
}

fn timestamp(word: &str, format: Format) -> Result<Timestamp, Malformed> {
    match format {
        Format::Text => word.parse().map(Timestamp::Milliseconds).map_err(|_| Malformed::Timestamp),
        Format::OpenMetrics => finite(word).map(Timestamp::Seconds),
    }
}

fn finite(word: &str) -> Result<f64, Malformed> {
    word.parse().ok().filter(|seconds: &f64| seconds.is_finite()).ok_or(Malformed::Timestamp)
}

fn at_end(rest: &str) -> Result<(), Malformed> {
    if rest.is_empty() { Ok(()) } else { Err(Malformed::Trailing) }
}
