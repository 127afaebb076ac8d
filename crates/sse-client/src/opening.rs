//! What a body looks like that is no event stream.

use serde_json::Value;

use crate::chat::Problem;
use crate::service_error::{ServiceError, title_of};

/// How much of a body without events is kept to be recognised by.
const KEPT: usize = 16 << 10;

/// The first bytes of a body, as long as no event has come.
#[derive(Debug)]
pub(crate) struct Opening {
    bytes: Vec<u8>,
    most: usize,
    /// Whether the body went on after what is kept.
    cut: bool,
}

impl Opening {
    /// Keeps no more than a parser takes in of a line that goes beyond `limit`: what lies after that has come or has
    /// not, as the body was cut.
    pub(crate) fn within(limit: usize) -> Self {
        Self { bytes: Vec::new(), most: KEPT.min(limit), cut: false }
    }

    pub(crate) fn keep(&mut self, chunk: &[u8]) {
        let room = (self.most - self.bytes.len()).min(chunk.len());
        self.bytes.extend_from_slice(&chunk[..room]);
        self.cut |= room < chunk.len();
    }

    /// Says what stands there instead of events. `None` for nothing, for comments alone, and for the beginning of
    /// an event that was cut.
    pub(crate) fn recognise(&self) -> Option<Problem> {
        let text = String::from_utf8_lossy(&self.bytes);
        let text = text.trim_start_matches('\u{feff}').trim();
        let known = ["data", "event", "id", "retry"];
        let is_field = |line: &str| {
            line.is_empty()
                || line.starts_with(':')
                || known.iter().any(|name| line.split(':').next() == Some(name))
        };
        if text.starts_with('<') {
            return Some(page_problem(title_of(text).unwrap_or_default()));
        }
        if text.starts_with(['{', '[']) {
            return Some(self.json_problem(text));
        }
        if text.lines().all(is_field) {
            return None;
        }
        let first = text.lines().find(|line| !is_field(line)).unwrap_or_default();
        Some(Problem::NotEventStream(format!(
            "the endpoint answered with text that is no event stream: {first}"
        )))
    }

    fn json_problem(&self, text: &str) -> Problem {
        let value = serde_json::from_str::<Value>(text).ok();
        if let Some(error) = value.as_ref().and_then(ServiceError::from_value) {
            return Problem::ErrorObject(error);
        }
        let whole = text.contains("\"choices\"") || text.contains("\"chat.completion\"");
        Problem::NotEventStream(match (whole, value.is_some() || self.cut) {
            (true, _) => {
                "the endpoint answered without streaming (does it honour \"stream\": true?)".to_owned()
            }
            (false, true) => {
                "the endpoint answered with JSON that is no chat completion (a wrong path?)".to_owned()
            }
            (false, false) => "the endpoint answered with broken JSON instead of an event stream".to_owned(),
        })
    }
}

/// The problem of a body that is, or ends in, a page of markup.
pub(crate) fn page_problem(title: &str) -> Problem {
    let titled = if title.is_empty() { String::new() } else { format!(", titled \"{title}\"") };
    Problem::NotEventStream(format!(
        "the endpoint answered with an HTML page{titled} (a proxy or a wrong path?)"
    ))
}
