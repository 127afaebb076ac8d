//! What a chat request asks for, and every reason to refuse it.

use serde::Deserialize;
use serde_json::Value;

use crate::config::SimConfig;
use crate::text;
use crate::wire::ApiError;

/// Tokens that each message costs beyond its text: its role and its separators.
pub(crate) const MESSAGE_TOKENS: u64 = 4;

/// A request that will be answered.
#[derive(Debug)]
pub(crate) struct Chat {
    pub(crate) stream: bool,
    pub(crate) usage: bool,
    pub(crate) continuous_usage: bool,
    /// The text of all messages, for the prefix cache.
    pub(crate) text: String,
    pub(crate) last_user_message: String,
    pub(crate) prompt_tokens: u64,
    limit: Option<u64>,
    least: u64,
    ignore_eos: bool,
}

#[derive(Deserialize)]
struct Body {
    model: Option<String>,
    messages: Option<Vec<Message>>,
    #[serde(default)]
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    max_tokens: Option<i64>,
    max_completion_tokens: Option<i64>,
    min_tokens: Option<u64>,
    ignore_eos: Option<bool>,
    n: Option<i64>,
}

#[derive(Deserialize)]
pub(crate) struct Message {
    role: String,
    pub(crate) content: Option<Value>,
}

#[derive(Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
    continuous_usage_stats: Option<bool>,
}

impl Chat {
    pub(crate) fn parse(body: &[u8], config: &SimConfig) -> Result<Self, ApiError> {
        let invalid = |error: serde_json::Error| {
            ApiError::new(400, "Bad Request", &format!("1 validation error: {error}"), "body")
        };
        let body: Body = serde_json::from_slice(body).map_err(invalid)?;
        if body.stream_options.is_some() && config.refuse_stream_options {
            return Err(ApiError::new(
                400,
                "invalid_request_error",
                "Unrecognized request argument supplied: stream_options",
                "stream_options",
            ));
        }
        if config.refuse_ignore_eos && (body.ignore_eos.is_some() || body.min_tokens.is_some()) {
            return Err(ApiError::new(
                400,
                "invalid_request_error",
                "Unrecognized request argument supplied: ignore_eos",
                "ignore_eos",
            ));
        }
        let messages = body.messages.filter(|messages| !messages.is_empty()).ok_or_else(|| {
            ApiError::new(400, "BadRequestError", "messages must hold at least one message", "messages")
        })?;
        if config.strict_turns && !takes_turns(&messages) {
            let message = "conversation roles must alternate user/assistant/user/..., and end with user";
            return Err(ApiError::new(400, "BadRequestError", message, "messages"));
        }
        if let Some(model) = body.model.filter(|model| *model != config.model) {
            return Err(ApiError::new(
                404,
                "NotFoundError",
                &format!("The model `{model}` does not exist. Valid aliases: {}.", config.model),
                "model",
            ));
        }
        if body.n.is_some_and(|n| n != 1) {
            return Err(ApiError::new(400, "BadRequestError", "n must be 1", "n"));
        }
        let limit = positive("max_completion_tokens", body.max_completion_tokens)?
            .or(positive("max_tokens", body.max_tokens)?);
        let options = body.stream_options.as_ref();
        let mut chat = Chat {
            stream: body.stream.unwrap_or(false),
            usage: options.and_then(|options| options.include_usage).unwrap_or(false),
            continuous_usage: options.and_then(|options| options.continuous_usage_stats).unwrap_or(false),
            text: String::new(),
            last_user_message: String::new(),
            prompt_tokens: 0,
            limit: limit.filter(|_| config.honours_max_tokens),
            least: body.min_tokens.filter(|_| config.honours_ignore_eos).unwrap_or(0),
            ignore_eos: body.ignore_eos.unwrap_or(false) && config.honours_ignore_eos,
        };
        for message in messages {
            let content = content_text(message.content);
            chat.prompt_tokens += text::count_tokens(&content) + MESSAGE_TOKENS;
            chat.text.push('\n');
            chat.text.push_str(&content);
            if message.role == "user" {
                chat.last_user_message = content;
            }
        }
        if chat.prompt_tokens >= config.context_tokens {
            return Err(ApiError::new(
                400,
                "BadRequestError",
                &format!(
                    "This model's maximum context length is {} tokens. However, your prompt contains {} input \
                     tokens. Please reduce the length of the input prompt.",
                    config.context_tokens, chat.prompt_tokens
                ),
                "input_tokens",
            ));
        }
        Ok(chat)
    }

    /// Tokens of the answer, reasoning included, and its finish reason.
    pub(crate) fn length(&self, natural: u64, config: &SimConfig) -> (u64, &'static str) {
        let room = config.context_tokens - self.prompt_tokens;
        let limit = self.limit.unwrap_or(room).min(room);
        let natural = if self.ignore_eos { u64::MAX } else { natural.max(self.least).max(1) };
        if natural <= limit { (natural, "stop") } else { (limit, "length") }
    }
}

/// Users and assistants take turns, and it is the assistant's next. System prompts may stand before.
fn takes_turns(messages: &[Message]) -> bool {
    let mut turns = messages.iter().map(|message| message.role.as_str()).skip_while(|role| *role == "system");
    let mut expected = ["user", "assistant"].into_iter().cycle();
    let alternate = turns.by_ref().all(|role| expected.next() == Some(role));
    alternate && messages.last().is_some_and(|message| message.role == "user")
}

fn positive(name: &str, value: Option<i64>) -> Result<Option<u64>, ApiError> {
    match value {
        Some(value @ ..1) => Err(ApiError::new(
            400,
            "BadRequestError",
            &format!("{name} must be at least 1, got {value}. (parameter={name}, value={value})"),
            name,
        )),
        value => Ok(value.map(i64::unsigned_abs)),
    }
}

/// The text of a message: a string, or the text parts of a list.
pub(crate) fn content_text(content: Option<Value>) -> String {
    match content {
        Some(Value::String(text)) => text,
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Result<Chat, u16> {
        Chat::parse(body.as_bytes(), &SimConfig::fast()).map_err(|error| error.status)
    }

    #[test]
    fn limits_and_reasons() {
        let config = SimConfig { context_tokens: 100, ..SimConfig::fast() };
        // The prompt has 2 + 4 tokens, and so the answer has room for 94.
        let check = |options: &str, expected: (u64, &str)| {
            let body = format!(r#"{{"messages":[{{"role":"user","content":"Hello there"}}]{options}}}"#);
            assert_eq!(
                Chat::parse(body.as_bytes(), &config).unwrap().length(7, &config),
                expected,
                "{options}"
            );
        };
        check("", (7, "stop"));
        check(r#","max_tokens":7"#, (7, "stop"));
        check(r#","max_tokens":6"#, (6, "length"));
        check(r#","max_completion_tokens":3,"max_tokens":6"#, (3, "length"));
        check(r#","ignore_eos":true,"max_tokens":20"#, (20, "length"));
        check(r#","ignore_eos":true"#, (94, "length"));
        check(r#","min_tokens":9"#, (9, "stop"));
        check(r#","max_tokens":4096"#, (7, "stop"));
    }

    #[test]
    fn refusals() {
        for (body, status) in [
            (r#"{"messages":"#, 400),
            (r#"{"model":"sim-chat"}"#, 400),
            (r#"{"model":"sim-chat","messages":[]}"#, 400),
            (r#"{"model":"other","messages":[{"role":"user","content":"x"}]}"#, 404),
            (r#"{"messages":[{"role":"user","content":"x"}],"max_tokens":0}"#, 400),
            (r#"{"messages":[{"role":"user","content":"x"}],"n":2}"#, 400),
        ] {
            assert_eq!(parse(body).unwrap_err(), status, "{body}");
        }
    }

    #[test]
    fn strict_services_want_roles_in_turn() {
        let config = SimConfig { strict_turns: true, ..SimConfig::fast() };
        let check = |roles: &[&str], taken: bool| {
            let messages: Vec<_> =
                roles.iter().map(|role| format!(r#"{{"role":"{role}","content":"x"}}"#)).collect();
            let body = format!(r#"{{"messages":[{}]}}"#, messages.join(","));
            assert_eq!(Chat::parse(body.as_bytes(), &config).is_ok(), taken, "{roles:?}");
        };
        check(&["user"], true);
        check(&["system", "user", "assistant", "user"], true);
        check(&["system"], false);
        check(&["user", "assistant"], false);
        check(&["user", "user"], false);
        check(&["user", "assistant", "assistant", "user"], false);
        check(&["user", "system", "user"], false);
    }

    #[test]
    fn content_may_come_in_parts() {
        let chat = parse(
            r#"{"messages":[{"role":"system","content":"Be brief."},
                {"role":"user","content":[{"type":"text","text":"你好"},{"type":"image_url"}]}]}"#,
        )
        .unwrap();
        assert_eq!(chat.last_user_message, "你好");
        assert_eq!(chat.prompt_tokens, 3 + 4 + 2 + 4);
    }
}
