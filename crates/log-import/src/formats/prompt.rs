//! What was asked, as logs hold it.

use std::borrow::Cow;

use serde::Deserialize;

use crate::Prompt;
use crate::value::{Field, read_json};

/// Messages in an object of a request.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Request<'a> {
    #[serde(borrow)]
    messages: Field<'a>,
    prompt: Field<'a>,
}

/// What was asked: a list of messages, an object with `messages` or `prompt`, the same as JSON in a string, or a text.
pub(super) fn prompt_of(field: Field<'_>) -> Option<Prompt<'_>> {
    match field.json().filter(|_| field.is_nested()) {
        Some(json) => prompt_of_json(json),
        None => match field.text()? {
            Cow::Borrowed(text) => prompt_of_text(text),
            Cow::Owned(text) => prompt_of_text(&text).map(Prompt::into_owned),
        },
    }
}

/// The same, of a text.
pub(super) fn prompt_of_text(text: &str) -> Option<Prompt<'_>> {
    match text.trim_start().starts_with(['[', '{']) && read_json::<serde::de::IgnoredAny>(text).is_ok() {
        true => prompt_of_json(text),
        false => (!text.is_empty()).then_some(Prompt::Text(text.into())),
    }
}

fn prompt_of_json(json: &str) -> Option<Prompt<'_>> {
    if json.starts_with('[') {
        // An empty list asks for nothing.
        return (json.chars().filter(|sign| !sign.is_whitespace()).count() > 2)
            .then_some(Prompt::Messages(json.into()));
    }
    let request = read_json::<Request<'_>>(json).ok()?;
    prompt_of(request.messages).or_else(|| prompt_of(request.prompt))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Row<'a> {
        #[serde(borrow)]
        asked: Field<'a>,
    }

    fn asked(json: &str) -> Option<Prompt<'static>> {
        let text = format!(r#"{{"asked":{json}}}"#);
        read_json::<Row<'_>>(&text).ok().and_then(|row| prompt_of(row.asked)).map(Prompt::into_owned)
    }

    #[test]
    fn messages_are_found_in_every_shape() {
        let messages = || Some(Prompt::Messages(r#"[{"role":"user"}]"#.into()));
        assert_eq!(asked(r#"[{"role":"user"}]"#), messages());
        assert_eq!(asked(r#""[{\"role\":\"user\"}]""#), messages());
        assert_eq!(asked(r#"{"model":"m","messages":[{"role":"user"}]}"#), messages());
        assert_eq!(asked(r#""{\"messages\":[{\"role\":\"user\"}]}""#), messages());
        assert_eq!(asked(r#""[not a list""#), Some(Prompt::Text("[not a list".into())));
        assert_eq!(asked(r#"{"prompt":"once"}"#), Some(Prompt::Text("once".into())));
        assert_eq!(asked("{}"), None);
        assert_eq!(asked("[ ]"), None);
        assert_eq!(asked("null"), None);
    }
}
