//! The service's own `/tokenize`.

use std::time::Duration;

use load_engine::Service;
use serde_json::{Value, json};
use sse_client::TcpConnector;
use workload_model::{
    SizedBy,
    synthesis::{CountError, Effort, TokenCounter},
};

use super::asker::{Answer, Asker, CountingError, answered};

/// Texts that are counted whole after they were made.
const CHECKS: u64 = 64;

/// How a service wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// vLLM and SGLang.
    Prompt,
    /// llama.cpp.
    Content,
    /// Text Generation Inference.
    Inputs,
}

impl Form {
    const ALL: [Self; 3] = [Self::Prompt, Self::Content, Self::Inputs];

    pub(super) fn body(self, model: &str, text: &str) -> Value {
        match self {
            Self::Prompt => json!({ "model": model, "prompt": text, "add_special_tokens": false }),
            Self::Content => json!({ "content": text, "add_special": false }),
            Self::Inputs => json!({ "inputs": text }),
        }
    }

    /// Tokens that an answer of this form tells.
    pub(super) fn count(self, body: &Value) -> Option<u64> {
        let length = |list: &Value| list.as_array().map(|list| list.len() as u64);
        match self {
            Self::Prompt => body["count"].as_u64().or_else(|| length(&body["tokens"])),
            Self::Content => length(&body["tokens"]),
            Self::Inputs => length(body),
        }
    }
}

/// Counts tokens by asking the service for them, by whichever form of `/tokenize` it knows.
///
/// It waits for each answer on a runtime of its own, so that it must not be used from asynchronous code.
pub struct ServiceCounter {
    asker: Asker,
    model: String,
    path: String,
    form: Form,
    /// Tokens that the service puts before and after every text.
    marks: u64,
}

impl ServiceCounter {
    /// Finds out how the service wants to be asked: at its base without `/v1` and with it, in each of the known forms.
    ///
    /// # Errors
    /// Where nobody answers, the key is refused, or no form is known.
    pub fn connect(
        service: &Service<TcpConnector>,
        model: &str,
        within: Duration,
    ) -> Result<Self, CountingError> {
        const TEXT: &str = "one two three";
        let mut asker = Asker::new(service, within)?;
        let endpoint = asker.endpoint().clone();
        let mut tried = Vec::new();
        for path in [endpoint.root_path("/tokenize"), endpoint.path_of("tokenize")] {
            for form in Form::ALL {
                let (status, body) = asker.ask(&path, &form.body(model, TEXT))?;
                if status == 200 && form.count(&body).is_some_and(|count| count > 0) {
                    let mut counter = Self { asker, model: model.to_owned(), path, form, marks: 0 };
                    counter.marks = counter.find_marks()?;
                    return Ok(counter);
                }
                tried.push(format!("{path} as {form:?}: {status}"));
            }
        }
        Err(CountingError::NoTokenize { tried: tried.join(", ") })
    }

    /// What two texts have more than both in one: the marks of a beginning and an end, which some services add unasked.
    fn find_marks(&mut self) -> Result<u64, CountingError> {
        let counts = self.ask(&["one two", " three four", "one two three four"])?;
        Ok(match counts.as_slice() {
            [one, other, both] => (one + other).saturating_sub(*both),
            _ => 0,
        })
    }

    fn ask(&mut self, texts: &[&str]) -> Result<Vec<u64>, CountingError> {
        let bodies: Vec<Value> = texts.iter().map(|text| self.form.body(&self.model, text)).collect();
        let answers = self.asker.ask_all(&self.path, &bodies)?;
        let count = |answer: &Answer| {
            let count = self.form.count(&answer.1).filter(|_| answer.0 == 200);
            count.ok_or_else(|| answered(&self.path, answer))
        };
        answers.iter().map(count).collect()
    }
}

impl TokenCounter for ServiceCounter {
    fn count(&mut self, text: &str) -> Result<u64, CountError> {
        Ok(self.count_all(&[text])?.first().copied().unwrap_or_default())
    }

    fn count_all(&mut self, texts: &[&str]) -> Result<Vec<u64>, CountError> {
        let counts = self.ask(texts).map_err(|error| CountError(error.to_string()))?;
        Ok(counts.into_iter().map(|count| count.saturating_sub(self.marks)).collect())
    }

    fn effort(&self) -> Effort {
        Effort::Checks(CHECKS)
    }

    fn by(&self) -> SizedBy {
        SizedBy::Service
    }

    fn name(&self) -> Option<String> {
        Some(self.model.clone())
    }
}
