//! A chat completion as its stream tells it, whichever service speaks.

use serde::Serialize;

use crate::chat_state::ChatState;
use crate::opening::{self, Opening};
use crate::parser::{DEFAULT_LIMIT, LimitExceeded, Parser};
use crate::service_error::ServiceError;
use crate::terminal::Terminal;

/// Decodes the body of a streamed chat completion while it arrives.
///
/// ```
/// use sse_client::{ChatStream, Terminal};
///
/// let mut stream = ChatStream::new();
/// let seen = stream.feed(b"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n")?;
/// assert_eq!(seen.token_events, 0, "a role is no token");
/// let seen = stream.feed(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n")?;
/// assert_eq!(seen.token_events, 1);
/// assert!(stream.feed(b"data: [DONE]\n\n")?.done);
///
/// let chat = stream.into_chat();
/// assert_eq!((chat.text.as_str(), chat.terminal), ("Hi", Terminal::Complete));
/// # Ok::<(), sse_client::LimitExceeded>(())
/// ```
#[derive(Debug)]
pub struct ChatStream {
    parser: Parser,
    state: ChatState,
    opening: Opening,
}

impl Default for ChatStream {
    fn default() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }
}

impl ChatStream {
    /// A decoder at the start of a body.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A decoder that takes no line and no event longer than `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            parser: Parser::with_limit(limit),
            state: ChatState::default(),
            opening: Opening::within(limit),
        }
    }

    /// The same without its shortcut for events that differ from one before in their text alone: every event is decoded
    /// in full. Slower, and always of the same result; the tests compare the two.
    #[must_use]
    pub fn without_shortcut(mut self) -> Self {
        self.state.disable_shortcut();
        self
    }

    /// The same without the answer itself: events, counts, usage and finish reason are those of the whole stream, while
    /// text, reasoning, refusal and tool calls stay empty, and whether deltas were cumulative is not told.
    #[must_use]
    pub fn without_text(mut self) -> Self {
        self.state.discard_text();
        self
    }

    /// Takes the next bytes of the body, cut anywhere, and says what the events they complete brought.
    ///
    /// # Errors
    ///
    /// [`LimitExceeded`] where a line or an event is too long; what came before it is kept.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Seen, LimitExceeded> {
        if self.state.events() == 0 {
            self.opening.keep(chunk);
        }
        self.state.begin_chunk();
        self.parser.feed_sink(chunk, &mut self.state)?;
        Ok(self.state.seen())
    }

    /// Says that the body has ended by itself, and flushes a last event without its blank line. Not for a body that
    /// was cut: what stands there is no whole event.
    ///
    /// # Errors
    ///
    /// [`LimitExceeded`] as in [`feed`](Self::feed).
    pub fn finish(&mut self) -> Result<Seen, LimitExceeded> {
        self.state.begin_chunk();
        if self.parser.finish_sink(&mut self.state)? {
            self.state.flushed();
        }
        Ok(self.state.seen())
    }

    /// What the events of the last piece brought, also where a limit was met in it.
    pub(crate) fn seen(&self) -> Seen {
        self.state.seen()
    }

    /// Whether `[DONE]` has come. Nothing after it is looked at.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.state.is_done()
    }

    /// What the stream said in all, up to here.
    #[must_use]
    pub fn into_chat(self) -> Chat {
        let mut chat = self.state.into_chat();
        chat.comments = self.parser.comments();
        let no_stream = (chat.events == 0).then(|| self.opening.recognise()).flatten();
        if chat.problem.is_none() {
            chat.problem = no_stream;
        }
        if chat.problem.is_none() && chat.finish_reason.is_none() && chat.stray_markup {
            chat.problem = Some(opening::page_problem(""));
        }
        chat.terminal = match (&chat.problem, &chat.finish_reason) {
            (Some(_), _) => Terminal::StreamError,
            (None, Some(reason)) => Terminal::of_finish_reason(reason),
            (None, None) => Terminal::Truncated,
        };
        chat
    }
}

/// What one piece of a body brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Events with non-empty generated text of any choice: content, reasoning, refusal, or a tool call's name or
    /// arguments. A delta with a role only, or with empty text, is none.
    pub token_events: u32,
    /// Those among them with anything but reasoning.
    pub visible_events: u32,
    /// Whether `[DONE]` has come, in this piece or before.
    pub done: bool,
}

/// What a stream said in all. `text`, `reasoning`, `refusal`, `tool_calls` and `finish_reason` are choice 0's;
/// events are counted for every choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chat {
    /// The content, empty where there was none.
    pub text: String,
    /// The reasoning, under whichever name it came.
    pub reasoning: String,
    /// The refusal.
    pub refusal: String,
    /// The tool calls by their index.
    pub tool_calls: Vec<ToolCall>,
    /// The last non-empty finish reason.
    pub finish_reason: Option<String>,
    /// Whether `[DONE]` came.
    pub done: bool,
    /// The usage that came last; usages are never added.
    pub usage: Option<Usage>,
    /// How the stream left the answer.
    pub terminal: Terminal,
    /// Why `terminal` is [`Terminal::StreamError`].
    pub problem: Option<Problem>,
    /// The id of the first chunk that has one.
    pub response_id: Option<String>,
    /// Events, a flushed one included, up to and with `[DONE]`.
    pub events: u64,
    /// Events with generated text of any choice.
    pub token_events: u64,
    /// Events with non-empty content.
    pub content_events: u64,
    /// Events with non-empty reasoning.
    pub reasoning_events: u64,
    /// Events with a tool call's name or arguments.
    pub tool_call_events: u64,
    /// Events with a `role` or `content` key and no output.
    pub role_or_empty_events: u64,
    /// The number of the first event with output, counted from 0.
    pub first_output_event: Option<u64>,
    /// Events whose data could not be decoded; the text may have a hole there.
    pub malformed: u64,
    /// Events in which bytes that are not UTF-8 were replaced.
    pub replaced: u64,
    /// Comment lines.
    pub comments: u64,
    /// Lines that belong to no event stream, and were passed over.
    pub stray_lines: u64,
    /// Whether the last event came without its blank line.
    pub flushed: bool,
    /// Whether deltas carried the whole text so far rather than what was new.
    pub cumulative: bool,
    pub(crate) stray_markup: bool,
}

/// What makes an answer with status 200 an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The service sent an error object, as an event or as the whole body.
    ErrorObject(ServiceError),
    /// The service sent an `event: error`, or a line `error: …`.
    ErrorEvent(ServiceError),
    /// The body is no event stream; the text says what it looks like.
    NotEventStream(String),
}

impl Problem {
    /// The problem in words, without a full stop.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::ErrorObject(error) | Self::ErrorEvent(error) => &error.message,
            Self::NotEventStream(text) => text,
        }
    }

    /// The service's own error, where it gave one.
    #[must_use]
    pub fn service_error(&self) -> Option<&ServiceError> {
        match self {
            Self::ErrorObject(error) | Self::ErrorEvent(error) => Some(error),
            Self::NotEventStream(_) => None,
        }
    }
}

/// One tool call, put together from its deltas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ToolCall {
    /// Its place among the calls of the answer.
    pub index: u64,
    /// Its id, empty where the service gave none.
    pub id: String,
    /// The function's name.
    pub name: String,
    /// The arguments, JSON as the model wrote it.
    pub arguments: String,
}

/// Tokens as the service counted them. Missing is `None`, never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer, reasoning included.
    pub completion_tokens: Option<u64>,
    /// Tokens of the answer that were reasoning.
    pub reasoning_tokens: Option<u64>,
    /// Tokens of the prompt that were read from a cache.
    pub cached_tokens: Option<u64>,
}
