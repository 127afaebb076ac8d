//! Decoding a captured stream offline.

use serde::Serialize;

use crate::chat::{Chat, ChatStream, ToolCall, Usage};
use crate::head::Head;
use crate::service_error::{ServiceError, shorten};
use crate::terminal::Terminal;

/// What a captured answer says, for choice 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decoded {
    /// The content.
    pub text: String,
    /// The reasoning.
    pub reasoning: String,
    /// The tool calls.
    pub tool_calls: Vec<ToolCall>,
    /// How the stream left the answer.
    pub terminal: Terminal,
    /// The finish reason.
    pub finish_reason: Option<String>,
    /// Whether `[DONE]` came.
    pub done: bool,
    /// The usage that came last.
    pub usage: Option<Usage>,
    /// Events of the stream.
    pub events: u64,
    /// Events with generated text.
    pub token_events: u64,
    /// Events that could not be decoded.
    pub malformed: u64,
    /// Comment lines.
    pub comments: u64,
    /// The HTTP status, where the capture begins with a response head.
    pub status: Option<u16>,
    /// What the service said went wrong.
    pub error: Option<ServiceError>,
    /// What a reader should know, a sentence each.
    pub notes: Vec<String>,
}

/// Decodes the captured body of a chat completion, with or without the HTTP response head before it. Empty input is
/// a truncated answer.
///
/// ```
/// let capture = b"HTTP/1.1 200 OK\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}";
/// let decoded = sse_client::decode(capture);
/// assert_eq!(decoded.text, "Hi");
/// assert_eq!(decoded.notes[0], "The last event came without its blank line and was taken all the same.");
/// ```
#[must_use]
pub fn decode(bytes: &[u8]) -> Decoded {
    let (head, body) = Head::split(bytes);
    let body = head.as_ref().map_or(body.into(), |head| head.unchunk(body));
    let status = head.and_then(|head| head.status);
    let mut notes = Vec::new();
    let refused = status.filter(|status| !(200..300).contains(status));
    let mut stream = ChatStream::new();
    if refused.is_none()
        && let Err(limit) = stream.feed(&body).and_then(|_| stream.finish())
    {
        notes.push(format!("Stopped: {limit}."));
    }
    let chat = stream.into_chat();
    let mut error = chat.problem.as_ref().and_then(|problem| problem.service_error()).cloned();
    if let Some(status) = refused {
        error = ServiceError::from_body(&body);
        error.iter_mut().for_each(|error| shorten(&mut error.message));
        let message = error.as_ref().map_or("no message", |error| error.message.trim_end_matches('.'));
        notes.push(format!("The service answered with status {status}: {message}."));
    } else {
        error.iter_mut().for_each(|error| shorten(&mut error.message));
        describe(&chat, &mut notes);
    }
    Decoded {
        terminal: if refused.is_some() { Terminal::StreamError } else { chat.terminal },
        text: chat.text,
        reasoning: chat.reasoning,
        tool_calls: chat.tool_calls,
        finish_reason: chat.finish_reason,
        done: chat.done,
        usage: chat.usage,
        events: chat.events,
        token_events: chat.token_events,
        malformed: chat.malformed,
        comments: chat.comments,
        status,
        error,
        notes,
    }
}

fn describe(chat: &Chat, notes: &mut Vec<String>) {
    let mut note = |holds: bool, text: &str| {
        if holds {
            notes.push(text.to_owned());
        }
    };
    if let Some(problem) = &chat.problem {
        let mut message = problem.message().to_owned();
        shorten(&mut message);
        note(true, &format!("The answer is an error: {}.", message.trim_end_matches('.')));
    }
    note(chat.flushed, "The last event came without its blank line and was taken all the same.");
    note(chat.cumulative, "Every delta carried the whole text so far, so deltas were not joined.");
    note(chat.malformed == 1, "One event could not be decoded: the text may have a hole.");
    note(
        chat.malformed > 1,
        &format!("{} events could not be decoded: the text may have holes.", chat.malformed),
    );
    note(chat.replaced > 0, "Bytes that are not UTF-8 were replaced by U+FFFD.");
    note(
        chat.stray_lines > 0 && chat.events > 0,
        &format!("Lines that belong to no event stream: {}.", chat.stray_lines),
    );
    note(!chat.refusal.is_empty(), &format!("The model refused: {}", chat.refusal));
    if chat.problem.is_some() {
        return;
    }
    note(
        chat.finish_reason.is_none() && chat.done,
        "[DONE] came without a finish reason, and proves nothing.",
    );
    note(chat.finish_reason.is_none() && !chat.done, "The stream ended without a finish reason.");
    note(chat.finish_reason.is_some() && !chat.done, "The stream ended without [DONE].");
    note(chat.usage.is_none(), "The service sent no usage, so tokens can only be counted otherwise.");
    note(chat.token_events == 0, "No event carried generated text.");
}
