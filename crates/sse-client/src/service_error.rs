//! Errors as services report them, inside a stream or as a body.

use serde::Serialize;
use serde_json::Value;

/// Longest message shown, in characters.
const MESSAGE_CHARS: usize = 500;

/// What a service said went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServiceError {
    /// Its message; where it gave none, its error object as JSON.
    pub message: String,
    /// The type it gave, such as `BadRequestError`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The code it gave.
    pub code: Option<ErrorCode>,
}

/// Services number their errors or name them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ErrorCode {
    /// A number, mostly an HTTP status.
    Number(i64),
    /// A name, such as `context_length_exceeded`.
    Name(String),
}

impl ServiceError {
    /// An error of which only a text is known.
    pub(crate) fn from_text(text: &str) -> Self {
        Self { message: text.trim().to_owned(), kind: None, code: None }
    }

    /// The error that a JSON value reports, in any of the shapes services use: `{"error": {…}}`, `{"error": "…"}`,
    /// a bare `{"object": "error", …}`, FastAPI's `{"detail": …}`, `{"error_msg": …, "error_code": …}`, or a message
    /// beside a code. `None` where it reports none.
    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        if let Some(error) = value.get("error").filter(|error| is_error(error)) {
            return Some(match error {
                Value::Object(_) => Self::from_object(error),
                other => Self { message: text_of(other), ..Self::from_object(value) },
            });
        }
        let says_error = |key| value.get(key).and_then(Value::as_str) == Some("error");
        let has = |key| value.get(key).is_some_and(is_error);
        let coded = ["code", "status_code", "status", "type", "error_code"].into_iter().any(has);
        (says_error("object")
            || says_error("type")
            || ["detail", "error_msg", "errors"].into_iter().any(has)
            || (has("message") && coded))
            .then(|| Self::from_object(value))
    }

    /// The error that a body reports, as JSON or as plain text. Of a page of markup only the title is taken.
    pub(crate) fn from_body(body: &[u8]) -> Option<Self> {
        // Some services frame even their refusals as an event.
        let body = body.trim_ascii();
        let body = body.strip_prefix(b"data:").unwrap_or(body).trim_ascii();
        if let Ok(value) = serde_json::from_slice::<Value>(body) {
            return Some(Self::from_value(&value).unwrap_or_else(|| Self::from_object(&value)));
        }
        let text = String::from_utf8_lossy(body);
        let text = title_of(&text).unwrap_or(&text);
        (!text.is_empty()).then(|| Self::from_text(text))
    }

    fn from_object(object: &Value) -> Self {
        let first =
            |keys: &[&str]| keys.iter().filter_map(|key| object.get(key)).find(|value| is_error(value));
        Self {
            message: first(&["message", "detail", "error_msg", "errors", "msg"])
                .map_or_else(|| object.to_string(), text_of),
            kind: first(&["type", "error_type", "status"]).and_then(Value::as_str).map(str::to_owned),
            code: first(&["code", "http_status_code", "status_code", "error_code"]).and_then(
                |code| match code {
                    Value::Number(number) => number.as_i64().map(ErrorCode::Number),
                    Value::String(name) => Some(ErrorCode::Name(name.clone())),
                    _ => None,
                },
            ),
        }
    }
}

/// Whether the value of an `error` key tells of one: many services send the key with nothing in it.
pub(crate) fn is_error(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value.as_str() != Some("")
}

/// What stands in the `title` of a page of markup.
pub(crate) fn title_of(page: &str) -> Option<&str> {
    let start = page.starts_with('<').then(|| page.find("<title>"))?? + "<title>".len();
    let end = start + page[start..].find("</title>")?;
    Some(page[start..end].trim())
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned())
}

/// Cuts a message to 500 characters. Only after secrets were masked in it: of a key that is cut, a part would stay.
pub(crate) fn shorten(message: &mut String) {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARS) {
        message.truncate(end);
    }
}
