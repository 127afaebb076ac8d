//! Prompts as they were written, held until the rows they belong to are in their groups.

use log_import::Prompt;
use serde_json::{Value, json};
use workload_model::{SampleSet, sampling};

/// What was asked, row by row.
#[derive(Debug, Default)]
pub(crate) struct KeptText {
    pub(crate) prompts: Vec<sampling::Prompt>,
    /// Rows whose prompt cannot be sent again.
    pub(crate) unusable: u64,
}

impl KeptText {
    pub(super) fn put(&mut self, row: u64, prompt: &Prompt<'_>) {
        let messages = match prompt {
            Prompt::Messages(messages) => serde_json::from_str::<Value>(messages).ok(),
            Prompt::Text(text) => Some(json!([{ "role": "user", "content": text }])),
        };
        let read = |messages: Value| SampleSet::from_prompts(&messages.to_string()).ok();
        match messages.and_then(read).and_then(|set| set.measured.into_iter().next()) {
            Some(sample) => self.prompts.push(sampling::Prompt { row, messages: sample.messages }),
            None => self.unusable += 1,
        }
    }
}
