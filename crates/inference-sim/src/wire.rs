//! The JSON that goes over the wire, in the shape that vLLM gives it.

use serde_json::{Value, json};

use crate::engine::Counts;

/// A refusal: a status and an error object.
#[derive(Debug)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl ApiError {
    pub(crate) fn new(status: u16, kind: &str, message: &str, param: &str) -> Self {
        let param = if param.is_empty() { Value::Null } else { param.into() };
        let error = json!({"message": message, "type": kind, "param": param, "code": status});
        ApiError { status, body: json!({"error": error}).to_string() }
    }
}

/// What every chunk of one answer repeats.
pub(crate) struct Chunks {
    head: String,
    id: String,
    created: u64,
    model: String,
}

/// The token counts of one answer.
#[derive(Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) prompt: u64,
    pub(crate) output: u64,
    pub(crate) cached: u64,
    pub(crate) reasoning: u64,
}

impl Usage {
    fn json(self) -> Value {
        json!({
            "prompt_tokens": self.prompt,
            "total_tokens": self.prompt + self.output,
            "completion_tokens": self.output,
            "prompt_tokens_details": {"cached_tokens": self.cached},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning},
        })
    }
}

impl Chunks {
    pub(crate) fn new(id: String, created: u64, model: &str) -> Self {
        let head = format!(
            r#"{{"id":{},"object":"chat.completion.chunk","created":{created},"model":{},"choices":"#,
            quoted(&id),
            quoted(model)
        );
        Chunks { head, id, created, model: model.to_owned() }
    }

    /// The first chunk: a role and no text.
    pub(crate) fn role(&self) -> String {
        format!(
            r#"{}[{{"index":0,"delta":{{"role":"assistant","content":""}},"logprobs":null,"finish_reason":null}}]}}"#,
            self.head
        )
    }

    /// A chunk with text in the named field of its delta; an empty text gives an empty delta.
    pub(crate) fn delta(
        &self,
        field: &str,
        text: &str,
        finish: Option<&str>,
        usage: Option<Usage>,
    ) -> String {
        let delta = if text.is_empty() { String::new() } else { format!(r#""{field}":{}"#, quoted(text)) };
        let finish = match finish {
            Some(reason) => format!(r#"{},"stop_reason":null"#, quoted(reason)),
            None => "null".to_owned(),
        };
        let usage = usage.map_or(String::new(), |usage| format!(r#","usage":{}"#, usage.json()));
        format!(
            r#"{}[{{"index":0,"delta":{{{delta}}},"logprobs":null,"finish_reason":{finish},"token_ids":null}}]{usage}}}"#,
            self.head
        )
    }

    /// The last chunk: counts and no choice.
    pub(crate) fn usage(&self, usage: Usage) -> String {
        format!(r#"{}[],"usage":{}}}"#, self.head, usage.json())
    }

    /// The whole answer of a request that did not ask for a stream.
    pub(crate) fn completion(
        &self,
        content: &str,
        reasoning: Option<(&str, &str)>,
        finish: &str,
        usage: Option<Usage>,
    ) -> String {
        let mut message = json!({"role": "assistant", "content": content, "refusal": null});
        if let Some((field, text)) = reasoning {
            message[field] = text.into();
        }
        let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish});
        json!({
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [choice],
            "usage": usage.map(Usage::json),
        })
        .to_string()
    }
}

pub(crate) fn models(model: &str, created: u64, context_tokens: u64) -> String {
    let entry = json!({
        "id": model, "object": "model", "created": created, "owned_by": "inference-sim",
        "root": model, "parent": null, "max_model_len": context_tokens,
    });
    json!({"object": "list", "data": [entry]}).to_string()
}

pub(crate) fn version(version: &str) -> String {
    json!({"version": version}).to_string()
}

/// The `/metrics` page, in the Prometheus text format, under the names that vLLM uses.
pub(crate) fn metrics(model: &str, counts: Counts, process_start_s: Option<f64>) -> String {
    let labels = format!(r#"{{engine="0",model_name={}}}"#, quoted(model));
    let mut page = String::new();
    if let Some(start) = process_start_s {
        page += &format!(
            "# HELP process_start_time_seconds Start time of the process since unix epoch in seconds.\n\
             # TYPE process_start_time_seconds gauge\nprocess_start_time_seconds {start}\n"
        );
    }
    for (name, kind, help, value) in [
        ("num_requests_running", "gauge", "Number of requests in model execution batches.", counts.running),
        ("num_requests_waiting", "gauge", "Number of requests waiting to be processed.", counts.waiting),
        ("prompt_tokens_total", "counter", "Number of prefill tokens processed.", counts.prompt_tokens),
        (
            "generation_tokens_total",
            "counter",
            "Number of generation tokens processed.",
            counts.generation_tokens,
        ),
        ("prefix_cache_queries_total", "counter", "Prefix cache queries, in tokens.", counts.cache_queries),
        ("prefix_cache_hits_total", "counter", "Prefix cache hits, in tokens.", counts.cache_hits),
    ] {
        page +=
            &format!("# HELP vllm:{name} {help}\n# TYPE vllm:{name} {kind}\nvllm:{name}{labels} {value}.0\n");
    }
    page
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_json_whatever_the_text() {
        let chunks = Chunks::new("chatcmpl-\"1\"".to_owned(), 7, "模型");
        let usage = Usage { prompt: 3, output: 2, cached: 0, reasoning: 0 };
        for chunk in [
            chunks.role(),
            chunks.delta("content", "\"\n", None, Some(usage)),
            chunks.delta("content", "", Some("stop"), None),
            chunks.usage(usage),
            chunks.completion("a", Some(("reasoning", "b")), "stop", Some(usage)),
        ] {
            let value: Value = serde_json::from_str(&chunk).unwrap();
            assert_eq!(value["id"], "chatcmpl-\"1\"");
            assert_eq!(value["model"], "模型");
        }
    }
}
