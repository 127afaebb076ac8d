//! What a card's rule compares with.

use std::{fmt, ops::RangeInclusive};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};

/// A text in which `*` stands for any characters, or for none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(String);

impl Pattern {
    /// Whether the whole text is of the pattern. Upper and lower case differ.
    ///
    /// ```
    /// use workload_model::profile::Pattern;
    ///
    /// assert!(Pattern::new("qwen3-*").matches("qwen3-32b"));
    /// assert!(!Pattern::new("qwen3-*").matches("my-qwen3-32b"));
    /// ```
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let Some((begin, rest)) = self.0.split_once('*') else { return self.0 == text };
        let Some(mut text) = text.strip_prefix(begin) else { return false };
        let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
        for part in middle.split('*').filter(|part| !part.is_empty()) {
            let Some(at) = text.find(part) else { return false };
            text = &text[at + part.len()..];
        }
        text.ends_with(end)
    }

    /// From its text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// It stands for one text alone.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        !self.0.contains('*')
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if text.is_empty() {
            return Err(D::Error::custom(
                "an empty text matches nothing (leave the key out, or write \"*\")",
            ));
        }
        Ok(Self(text))
    }
}

/// One value, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OneOrMany<T>(pub(crate) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Values<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Values<T> {
            type Value = Vec<T>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a text or a list of texts")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
                T::deserialize(serde::de::value::StrDeserializer::new(text)).map(|value| vec![value])
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                if values.is_empty() {
                    return Err(A::Error::custom("an empty list matches nothing (leave the key out)"));
                }
                Ok(values)
            }
        }
        from.deserialize_any(Values(std::marker::PhantomData)).map(Self)
    }
}

/// Lengths from one to another, both among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Band {
    pub(crate) lengths: RangeInclusive<u32>,
    text: String,
}

impl fmt::Display for Band {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Band {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let wrong = |fault: &str| {
            let remedy = "write \"0..4096\", \"..4096\" or \"4097..\"; both ends are in it";
            D::Error::custom(format!("{text:?} is no band of lengths: {fault} ({remedy})"))
        };
        let (least, most) = text.split_once("..").ok_or_else(|| wrong("two dots are missing"))?;
        let end = |end: &str, open: u32| match end.trim() {
            "" => Ok(open),
            digits => digits.parse().map_err(|_| wrong("an end is no number of tokens")),
        };
        let (least, most): (u32, u32) = (end(least, 0)?, end(most, u32::MAX)?);
        if least > most {
            return Err(wrong("it ends before it begins"));
        }
        Ok(Self { lengths: least..=most, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, matches) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*", "a", true),
            ("*b", "ab", true),
            ("*b", "ba", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("**", "x", true),
            ("*/chat/*", "/v1/chat/completions", true),
            ("租户-*", "租户-甲", true),
            ("ab*bc", "abc", false),
        ] {
            assert_eq!(Pattern::new(pattern).matches(text), matches, "{pattern} {text}");
        }
    }
}
