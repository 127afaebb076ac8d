//! Logs of APISIX with its plugin `ai-proxy`: the access log, and the JSON of its plugins for logs.

mod access;
mod json;

use super::rows::{Rows, first_object};
use crate::{Framing, Importer, Opening, RowReader, Start, StartError};

/// APISIX's logs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Apisix;

/// What the variable `request_type` says.
const REQUEST_TYPES: [&str; 3] = ["ai_chat", "ai_stream", "traditional_http"];

impl Importer for Apisix {
    fn name(&self) -> &'static str {
        "apisix"
    }

    fn framing(&self, opening: &Opening<'_>) -> Framing {
        match opening.text.trim_start().starts_with(['{', '[']) {
            true => Framing::Json,
            false => Framing::Lines,
        }
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        if let Some(object) = first_object(opening) {
            let keys = [
                "llm_summary",
                "apisix_latency",
                "llm_prompt_tokens",
                "llm_time_to_first_token",
                "request_llm_model",
            ];
            let own = keys.into_iter().find(|key| object.contains_key(*key))?;
            return Some(format!("its rows have {own}"));
        }
        let lines = || opening.text.lines().filter(|line| !line.trim().is_empty());
        let own = |line: &str| REQUEST_TYPES.iter().any(|kind| line.contains(&format!(" \"{kind}\" \"")));
        (lines().next().is_some() && lines().take(10).all(own))
            .then(|| "its lines are those of an access log with a request_type and what a model took".into())
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "start_time",
            "latency",
            "upstream_latency",
            "apisix_latency",
            "status",
            "size",
            "method",
            "request_type",
            "llm_time_to_first_token",
            "llm_prompt_tokens",
            "llm_completion_tokens",
            "llm_total_tokens",
            "llm_model",
            "request_llm_model",
            "llm_stream",
            "stream",
            "request_model",
            "model",
            "duration",
            "prompt_tokens",
            "completion_tokens",
            "upstream_response_time",
            "time_local",
            "request_time",
            "body_bytes_sent",
            // Words of lines, which have no fields.
            "ai_chat",
            "ai_stream",
            "traditional_http",
            "GET",
            "POST",
            "HTTP/1.1",
            "HTTP/2.0",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Rows::boxed(
            |text, reading| match text.starts_with('{') {
                true => json::read(text, reading),
                false => access::read(text, reading),
            },
            start.options,
        ))
    }
}
