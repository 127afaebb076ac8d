//! `POST /tokenize`, as vLLM has it: the tokens of a prompt, or of messages with what their template adds.

use serde::Deserialize;
use serde_json::json;

use crate::chat::{MESSAGE_TOKENS, Message, content_text};
use crate::config::SimConfig;
use crate::text;
use crate::wire::ApiError;

#[derive(Deserialize)]
struct Body {
    model: Option<String>,
    prompt: Option<String>,
    messages: Option<Vec<Message>>,
}

/// The body of the answer, or why there is none.
pub(crate) fn answer(body: &[u8], config: &SimConfig) -> Result<String, ApiError> {
    let invalid = |message: &str| ApiError::new(400, "BadRequestError", message, "body");
    let body: Body = serde_json::from_slice(body).map_err(|error| invalid(&error.to_string()))?;
    if let Some(model) = body.model.filter(|model| *model != config.model) {
        let message = format!("The model `{model}` does not exist.");
        return Err(ApiError::new(404, "NotFoundError", &message, "model"));
    }
    let count = match (body.prompt, body.messages) {
        (Some(prompt), None) => text::count_tokens(&prompt),
        (None, Some(messages)) => messages
            .into_iter()
            .map(|message| text::count_tokens(&content_text(message.content)) + MESSAGE_TOKENS)
            .sum(),
        _ => return Err(invalid("either prompt or messages is needed")),
    };
    let tokens: Vec<u64> = (0..count).collect();
    Ok(json!({ "count": count, "max_model_len": config.context_tokens, "tokens": tokens, "token_strs": null })
        .to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::chat::Chat;

    #[test]
    fn tokens_are_those_that_usage_counts() {
        let config = SimConfig::fast();
        let count = |body: Value| {
            let answer = answer(body.to_string().as_bytes(), &config).map_err(|error| error.status);
            answer.map(|answer| serde_json::from_str::<Value>(&answer).expect("JSON")["count"].as_u64())
        };
        let messages = json!([
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "你好, world" },
        ]);
        let chat =
            Chat::parse(json!({ "messages": messages }).to_string().as_bytes(), &config).expect("a chat");
        assert_eq!(
            count(json!({ "model": config.model, "messages": messages })),
            Ok(Some(chat.prompt_tokens))
        );
        assert_eq!(count(json!({ "prompt": "你好, world" })), Ok(Some(4)));
        assert_eq!(count(json!({ "prompt": "" })), Ok(Some(0)));
        assert_eq!(count(json!({ "content": "x" })), Err(400));
        assert_eq!(count(json!({ "model": "other", "prompt": "x" })), Err(404));
    }
}
