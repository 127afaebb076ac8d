//! Attributes of spans, of which few are looked at.

use std::fmt;

use serde::Deserialize;
use serde::de::{SeqAccess, Visitor};

use super::prompt_of_text;
use crate::Prompt;
use crate::value::{Field, read_json};

/// The attributes of a span that tell of a call of a model, under their names of now and of before.
#[derive(Default)]
pub(super) struct Attributes<'a> {
    pub(super) operation: AnyValue<'a>,
    pub(super) request_model: AnyValue<'a>,
    pub(super) response_model: AnyValue<'a>,
    pub(super) input_tokens: AnyValue<'a>,
    pub(super) output_tokens: AnyValue<'a>,
    pub(super) stream: AnyValue<'a>,
    pub(super) time_to_first_chunk: AnyValue<'a>,
    pub(super) finish_reasons: AnyValue<'a>,
    pub(super) conversation: AnyValue<'a>,
    pub(super) user: AnyValue<'a>,
    pub(super) error: AnyValue<'a>,
    pub(super) input_messages: AnyValue<'a>,
}

impl<'a> Attributes<'a> {
    /// Whether anything tells that a model was called.
    pub(super) fn of_a_model(&self) -> bool {
        [self.request_model, self.response_model, self.input_tokens, self.output_tokens]
            .into_iter()
            .any(|known| !known.value().is_unknown())
    }

    fn named(&mut self, name: &str) -> Option<&mut AnyValue<'a>> {
        Some(match name {
            "gen_ai.operation.name" | "llm.request.type" => &mut self.operation,
            "gen_ai.request.model" => &mut self.request_model,
            "gen_ai.response.model" => &mut self.response_model,
            "gen_ai.usage.input_tokens" | "gen_ai.usage.prompt_tokens" => &mut self.input_tokens,
            "gen_ai.usage.output_tokens" | "gen_ai.usage.completion_tokens" => &mut self.output_tokens,
            "gen_ai.request.stream" | "gen_ai.request.is_stream" | "llm.is_streaming" => &mut self.stream,
            // The second is what vLLM's own spans have.
            "gen_ai.response.time_to_first_chunk" | "gen_ai.latency.time_to_first_token" => {
                &mut self.time_to_first_chunk
            }
            "gen_ai.response.finish_reasons" => &mut self.finish_reasons,
            "gen_ai.conversation.id" | "session.id" => &mut self.conversation,
            "enduser.id" | "user.id" => &mut self.user,
            "error.type" => &mut self.error,
            "gen_ai.input.messages" | "gen_ai.prompt" => &mut self.input_messages,
            _ => return None,
        })
    }
}

/// The attributes of what made the spans.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Resource<'a> {
    #[serde(borrow)]
    attributes: Named<'a>,
}

impl<'a> Resource<'a> {
    /// What the service calls itself.
    pub(super) fn service_name(&self) -> Option<std::borrow::Cow<'a, str>> {
        self.attributes.0.value().text()
    }
}

/// A value of an attribute, with its type around it.
#[derive(Clone, Copy, Default)]
pub(super) struct AnyValue<'a>(Field<'a>);

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Typed<'a> {
    #[serde(borrow)]
    string_value: Field<'a>,
    int_value: Field<'a>,
    double_value: Field<'a>,
    bool_value: Field<'a>,
    array_value: Field<'a>,
}

impl<'a> AnyValue<'a> {
    fn of(value: Field<'a>) -> Self {
        let typed = value.json().and_then(|json| read_json::<Typed<'a>>(json).ok());
        let Some(typed) = typed else { return Self(value) };
        let known =
            [typed.string_value, typed.int_value, typed.double_value, typed.bool_value, typed.array_value]
                .into_iter()
                .find(|value| !value.is_unknown());
        Self(known.unwrap_or_default())
    }

    /// The value without its type.
    pub(super) fn value(self) -> Field<'a> {
        self.0
    }

    /// The value as it stands there.
    pub(super) fn text(self) -> Option<&'a str> {
        self.0.json()
    }

    /// Messages after the conventions, as messages of a chat.
    pub(super) fn messages(self) -> Option<Prompt<'a>> {
        let text = self.0.text()?;
        let Ok(serde_json::Value::Array(mut messages)) = serde_json::from_str(&text) else {
            return prompt_of_text(&text).map(|_| Prompt::Text(text.clone()));
        };
        for message in messages.iter_mut().filter_map(serde_json::Value::as_object_mut) {
            let Some(parts) = message.remove("parts") else { continue };
            let texts =
                parts.as_array().into_iter().flatten().filter_map(|part| part.get("content")?.as_str());
            message.insert("content".into(), texts.collect::<Vec<_>>().join("\n").into());
        }
        Some(Prompt::Messages(serde_json::Value::Array(messages).to_string().into()))
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Attribute<'a> {
    #[serde(borrow)]
    key: Field<'a>,
    value: Field<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Attributes<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut read = Self::default();
        from.deserialize_seq(Each(|attribute: Attribute<'a>| {
            if let Some(slot) = attribute.key.text().and_then(|name| read.named(&name)) {
                *slot = AnyValue::of(attribute.value);
            }
        }))?;
        Ok(read)
    }
}

/// The one attribute of a resource that is looked at, `service.name`.
#[derive(Default)]
struct Named<'a>(AnyValue<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Named<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut read = Self::default();
        from.deserialize_seq(Each(|attribute: Attribute<'a>| {
            if attribute.key.text().as_deref() == Some("service.name") {
                read.0 = AnyValue::of(attribute.value);
            }
        }))?;
        Ok(read)
    }
}

/// Hands every attribute of a list to a function, so that none is kept for longer.
struct Each<F>(F);

impl<'de: 'a, 'a, F: FnMut(Attribute<'a>)> Visitor<'de> for Each<F> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of attributes")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(attribute) = list.next_element()? {
            (self.0)(attribute);
        }
        Ok(())
    }
}
