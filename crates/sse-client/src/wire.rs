//! The chunks of a chat-completion stream as they stand on the wire, in every dialect at once.
//!
//! Dialects disagree on which fields are null, absent, numbers or strings. A field of an unforeseen type is passed
//! over rather than making the whole event undecodable, unless generated text may stand in it: an event that loses
//! text is a hole, and must not pass for whole. Text is borrowed from the event where it can be, and what few events
//! have is boxed, since every event is moved about while it is taken apart.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::lenient::{Figures, Holder, Holders};

#[derive(serde::Deserialize)]
pub(crate) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(crate) id: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    pub(crate) usage: Figures<Box<UsageFields>>,
    #[serde(default)]
    pub(crate) x_groq: Figures<Groq>,
    /// An owned value, but one that only a chunk with an error pays for.
    #[serde(default)]
    pub(crate) error: Option<Value>,
    /// MindIE's sign that `content` is the whole text so far.
    #[serde(borrow, default)]
    pub(crate) full_text: Text<'a>,
}

#[derive(serde::Deserialize)]
pub(crate) struct Choice<'a> {
    #[serde(default)]
    pub(crate) index: Number,
    #[serde(borrow, default)]
    pub(crate) delta: Holder<Delta<'a>>,
    /// The text of a plain completion, which has no delta.
    #[serde(borrow, default)]
    pub(crate) text: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) finish_reason: Text<'a>,
    /// Some services put the usage into the last choice.
    #[serde(default)]
    pub(crate) usage: Figures<Box<UsageFields>>,
    #[serde(default)]
    pub(crate) error: Option<Value>,
}

#[derive(Default, serde::Deserialize)]
pub(crate) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(crate) role: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) content: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) reasoning_content: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) reasoning: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) refusal: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) tool_calls: Holders<ToolCallDelta<'a>>,
    #[serde(borrow, default)]
    pub(crate) function_call: Holder<FunctionDelta<'a>>,
}

impl<'a> Delta<'a> {
    /// The reasoning under whichever name it comes. Services that send both names send the same text twice.
    pub(crate) fn reasoning(&self) -> &str {
        [self.reasoning_content.as_str(), self.reasoning.as_str(), self.content.thinking()]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }
}

#[derive(serde::Deserialize)]
pub(crate) struct ToolCallDelta<'a> {
    #[serde(default)]
    pub(crate) index: Number,
    #[serde(borrow, default)]
    pub(crate) id: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) function: Holder<FunctionDelta<'a>>,
}

#[derive(serde::Deserialize)]
pub(crate) struct FunctionDelta<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) arguments: Text<'a>,
}

impl FunctionDelta<'_> {
    /// The model writes the name as well as the arguments, so either is output.
    pub(crate) fn has_output(&self) -> bool {
        !self.name.as_str().is_empty() || !self.arguments.as_str().is_empty()
    }
}

#[derive(serde::Deserialize)]
pub(crate) struct Groq {
    #[serde(default)]
    pub(crate) usage: Figures<Box<UsageFields>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct UsageFields {
    pub(crate) prompt_tokens: Number,
    pub(crate) completion_tokens: Number,
    pub(crate) reasoning_tokens: Number,
    pub(crate) cached_tokens: Number,
    pub(crate) prompt_tokens_details: Figures<Details>,
    pub(crate) completion_tokens_details: Figures<Details>,
    pub(crate) prompt_cache_hit_tokens: Number,
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Details {
    pub(crate) cached_tokens: Number,
    pub(crate) reasoning_tokens: Number,
}

/// A field that should be a string.
#[derive(Default)]
pub(crate) enum Text<'a> {
    #[default]
    Absent,
    /// Null, or of a type that carries no text.
    Empty,
    Plain(Cow<'a, str>),
    /// Content in parts, `[{"type": "text", "text": …}, {"type": "thinking", "thinking": …}]`.
    Parts(Box<Parts>),
}

/// The parts of a content, by what they are.
#[derive(Default)]
pub(crate) struct Parts {
    text: String,
    thinking: String,
}

impl Text<'_> {
    /// The text, empty where there is none.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Absent | Self::Empty => "",
            Self::Plain(text) => text,
            Self::Parts(parts) => &parts.text,
        }
    }

    /// The text as it stands in its event, without escapes; `None` where it had to be made.
    pub(crate) fn as_borrowed(&self) -> Option<&str> {
        if let Self::Plain(Cow::Borrowed(text)) = self { Some(text) } else { None }
    }

    /// The reasoning among the parts of a content.
    fn thinking(&self) -> &str {
        if let Self::Parts(parts) = self { &parts.thinking } else { "" }
    }

    /// Whether the key was there, if only with a null.
    pub(crate) fn is_present(&self) -> bool {
        !matches!(self, Self::Absent)
    }
}

#[derive(serde::Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text::Plain(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text::Plain(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Text::Empty)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Text::Empty)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Text::Plain(Cow::Owned(number.to_string())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Text::Plain(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Text::Empty)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::Empty)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut parts = Box::<Parts>::default();
        while let Some(part) = list.next_element::<Part<'de>>()? {
            parts.text.push_str(part.text.as_str());
            parts.thinking.push_str(part.thinking.as_str());
        }
        Ok(Text::Parts(parts))
    }
}

/// A field that should be a count. Anything else is no count.
#[derive(Clone, Copy, Default)]
pub(crate) struct Number(pub(crate) Option<u64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor).map(Number)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Option<u64>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a count")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(u64::try_from(number).ok())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        // Some gateways write counts as 12.0; a cast of what is whole and in range loses nothing.
        let whole = number >= 0.0 && number.fract() == 0.0 && number < 9.0e15;
        Ok(whole.then_some(number as u64))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(text.trim().parse().ok())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}
