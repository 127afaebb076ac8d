//! Bodies made ahead of time, all but their openings and what a conversation has brought so far.

use serde_json::json;

use crate::{plan::RequestShape, sample::Sample};

/// The body of every request for one sample. Making it is work that grows with the prompt; adding an opening is
/// copying, short enough to be done between the instant at which a request is due and its sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Up to the first message.
    head: String,
    /// The sample's own messages up to the opening.
    before: String,
    /// From the opening on; `None` where the sample has no text that an opening could stand before.
    after: Option<String>,
    /// From the end of the last message on.
    tail: String,
}

/// The messages of a conversation so far, as they are sent with its next turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History(String);

impl Template {
    /// The template of [`Sample::body`] with this model and shape.
    #[must_use]
    pub fn new(sample: &Sample, model: &str, shape: &RequestShape) -> Self {
        let plain = sample.body(model, shape, "");
        // A mark that stands nowhere in the body. It needs no escaping, and neither does what stands around it.
        let mark = (0_u64..).map(|number| format!("<{number}>")).find(|mark| !plain.contains(mark));
        let mark = mark.expect("a body holds finitely many numbers");
        let messages = inner(&json!(sample.opened(&mark)).to_string());
        let marked = json!([mark]);
        let around = sample.body_around(&marked, model, shape).to_string();
        let (head, tail) = around.split_once(&inner(&marked.to_string())).unwrap_or((&around, ""));
        let (before, after) = match messages.split_once(&mark) {
            Some((before, after)) => (before.to_owned(), Some(after.to_owned())),
            None => (messages, None),
        };
        Self { head: head.to_owned(), before, after, tail: tail.to_owned() }
    }

    /// The body with this opening.
    #[must_use]
    pub fn body(&self, opening: &str) -> String {
        self.next_turn(&mut History::default(), opening)
    }

    /// The body of the next turn of a conversation: what was said so far, and then the sample's own messages, with this
    /// opening (`""` after the first turn). They belong to the history from then on.
    #[must_use]
    pub fn next_turn(&self, history: &mut History, opening: &str) -> String {
        let said = &mut history.0;
        said.reserve(self.before.len() + opening.len() + self.after.as_ref().map_or(0, String::len) + 8);
        if !said.is_empty() {
            said.push(',');
        }
        said.push_str(&self.before);
        if let Some(after) = &self.after {
            let quoted = json!(opening).to_string();
            said.push_str(&quoted[1..quoted.len() - 1]);
            said.push_str(after);
        }
        [&self.head, &**said, &self.tail].concat()
    }
}

impl History {
    /// Adds the service's answer, as an assistant's message of this text.
    pub fn answered(&mut self, text: &str) {
        self.0.push(',');
        self.0.push_str(&json!({ "role": "assistant", "content": text }).to_string());
    }
}

/// A JSON list without its brackets.
fn inner(list: &str) -> String {
    list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(list).to_owned()
}
