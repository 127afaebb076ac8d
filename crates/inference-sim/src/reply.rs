//! One reply: what it will say, and the saying of it all at once.

use tokio::io::{AsyncRead, AsyncWrite};

use crate::answer::{Left, next, pause, refuse, respond};
use crate::chat::Chat;
use crate::connection::{Flow, JSON};
use crate::engine::{QueueFull, Ticket};
use crate::fault::{FaultKind, Interrupt, Interruption};
use crate::http::{Request, Response, Wire};
use crate::sim::Inner;
use crate::text::{self, Voice};
use crate::truth::{Ending, OpenTruth};
use crate::wire::{ApiError, Chunks, Usage};

/// What is going to be said, decided before the first token.
pub(crate) struct Reply<'a> {
    pub(crate) inner: &'a Inner,
    pub(crate) chat: &'a Chat,
    pub(crate) chunks: Chunks,
    voice: Voice,
    /// Tokens of reasoning, the first of `total`.
    pub(crate) reasoning: u64,
    pub(crate) total: u64,
    pub(crate) finish: String,
    /// Whether the fault is in the finish reason itself.
    pub(crate) spoilt: bool,
    pub(crate) interruption: Option<Interruption>,
    pub(crate) keep_alive: bool,
}

impl<'a> Reply<'a> {
    pub(crate) fn new(
        inner: &'a Inner,
        chat: &'a Chat,
        request: &Request,
        ordinal: u64,
        fault: Option<&FaultKind>,
    ) -> Self {
        let config = &inner.config;
        let voice = Voice::new(config.seed, &chat.last_user_message);
        let natural = voice.length(*config.output_tokens.start(), *config.output_tokens.end());
        let (mut total, finish) = chat.length(config.reasoning_tokens + natural, config);
        let mut finish = finish.to_owned();
        let spoilt = if let Some(FaultKind::Finish { after_tokens, reason }) = fault {
            total = total.min(*after_tokens);
            finish.clone_from(reason);
            true
        } else {
            false
        };
        // As vLLM does, the answer takes the request's own id.
        let id = match request.header("x-request-id") {
            Some(id) => format!("chatcmpl-{id}"),
            None => format!("chatcmpl-sim-{ordinal}"),
        };
        Reply {
            inner,
            chat,
            chunks: Chunks::new(id, inner.unix_s(), &config.model),
            voice,
            reasoning: config.reasoning_tokens.min(total),
            total,
            finish,
            spoilt,
            interruption: fault.and_then(|fault| fault.interruption(total)),
            keep_alive: request.keep_alive,
        }
    }

    /// A place in the queue; an empty answer needs none.
    pub(crate) fn submit(&self) -> Result<Option<Ticket>, QueueFull> {
        if self.total == 0 {
            return Ok(None);
        }
        let prompt = text::tokens(&self.chat.text);
        self.inner.engine.submit(prompt, self.chat.prompt_tokens, self.total).map(Some)
    }

    /// Tokens from `from` on, `count` of them, all of one phase: the field they go in, and their text.
    pub(crate) fn say(&self, from: u64, count: u64) -> (&'static str, String) {
        let (phase, first, field) = if from < self.reasoning {
            (1, from, self.inner.config.reasoning_field.name())
        } else {
            (0, from - self.reasoning, "content")
        };
        (field, (first..first + count).map(|index| self.voice.token(phase, index)).collect())
    }

    pub(crate) fn usage(&self, output: u64, cached: u64) -> Usage {
        let reasoning = self.reasoning.min(output);
        Usage { prompt: self.chat.prompt_tokens, output, cached, reasoning }
    }

    pub(crate) fn ending(&self) -> Ending {
        if self.spoilt { Ending::Faulted } else { Ending::Complete }
    }

    pub(crate) async fn whole<IO: AsyncRead + AsyncWrite + Unpin>(
        self,
        wire: &mut Wire<IO>,
        mut truth: OpenTruth,
        mut ticket: Option<Ticket>,
    ) -> Result<Flow, Left> {
        let config = &self.inner.config;
        let cached = ticket.as_ref().map_or(0, |ticket| ticket.cached_tokens);
        let mut said = 0;
        while said < self.total {
            let step = next(wire, ticket.as_mut()).await?;
            truth.note(|truth| truth.admitted = Some(step.admitted));
            said += step.tokens;
        }
        let mut ending = self.ending();
        let (field, thought) = self.say(0, self.reasoning);
        let (_, content) = self.say(self.reasoning, self.total - self.reasoning);
        let reasoning = (self.reasoning > 0).then_some((field, thought.as_str()));
        let usage = config.gives_usage.then(|| self.usage(said, cached));
        let mut body = self.chunks.completion(&content, reasoning, &self.finish, usage);
        if let Some(strike) = &self.interruption {
            ending = Ending::Faulted;
            match strike.kind {
                Interrupt::Stall(length) => pause(wire, length).await?,
                Interrupt::Malformed => body.truncate(body.len() / 2),
                Interrupt::Error => {
                    return refuse(wire, truth, &engine_died(), "", self.keep_alive, Ending::Faulted).await;
                }
                Interrupt::Hang => {
                    wire.gone().await;
                    truth.settle(Ending::Faulted);
                    return Ok(Flow::Close);
                }
                Interrupt::Cut(_) => {
                    let length = body.len();
                    let head = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: {JSON}\r\ncontent-length: {length}\r\n\r\n"
                    );
                    wire.write(head.as_bytes()).await?;
                    wire.write(&body.as_bytes()[..length / 2]).await?;
                    truth.note(|truth| truth.status = Some(200));
                    truth.settle(Ending::Faulted);
                    return Ok(Flow::Close);
                }
            }
        }
        truth.note(|truth| truth.output_tokens = said);
        let keep_alive = self.keep_alive;
        let response =
            Response { status: 200, content_type: JSON, extra: "", body: body.as_bytes(), keep_alive };
        respond(wire, truth, &response, ending).await
    }
}

pub(crate) fn engine_died() -> ApiError {
    ApiError::new(500, "InternalServerError", "EngineCore encountered an issue. A fault of the script.", "")
}
