//! Bodies made ahead of time, all but their openings.

use crate::{plan::RequestShape, sample::Sample};

/// The body of every request for one sample. Making it is work that grows with the prompt; adding an opening is
/// copying, short enough to be done between the instant at which a request is due and its sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    before: String,
    /// `None` where the sample has no text that an opening could stand before.
    after: Option<String>,
}

impl Template {
    /// The template of [`Sample::body`] with this model and shape.
    #[must_use]
    pub fn new(sample: &Sample, model: &str, shape: &RequestShape) -> Self {
        let plain = sample.body(model, shape, "");
        // A mark that stands nowhere in the body. It needs no escaping, and neither does what stands around it.
        let mark = (0_u64..).map(|number| format!("<{number}>")).find(|mark| !plain.contains(mark));
        let mark = mark.expect("a body holds finitely many numbers");
        match sample.body(model, shape, &mark).split_once(&mark) {
            Some((before, after)) => Self { before: before.to_owned(), after: Some(after.to_owned()) },
            None => Self { before: plain, after: None },
        }
    }

    /// The body with this opening.
    #[must_use]
    pub fn body(&self, opening: &str) -> String {
        let after = self.after.as_deref().unwrap_or_default();
        let mut body = String::with_capacity(self.before.len() + opening.len() + after.len() + 2);
        body.push_str(&self.before);
        if self.after.is_some() {
            let quoted = serde_json::to_string(opening).expect("text is JSON");
            body.push_str(&quoted[1..quoted.len() - 1]);
        }
        body.push_str(after);
        body
    }
}
