//! The answer to one chat request: refused, whole or streamed, sound or spoilt by a fault.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::chat::Chat;
use crate::connection::{self, Flow, JSON};
use crate::engine::{QueueFull, Ticket, Yield};
use crate::fault::{Cut, FaultKind, Interrupt, Interruption};
use crate::http::{Request, Response, Wire};
use crate::sim::Inner;
use crate::text::{self, Voice};
use crate::truth::{Ending, OpenTruth, RequestTruth};
use crate::wire::{ApiError, Chunks, Usage};

/// The client has left; its story ends as cancelled.
struct Left;

impl From<io::Error> for Left {
    fn from(_: io::Error) -> Self {
        Left
    }
}

/// What is going to be said, decided before the first token.
struct Script<'a> {
    inner: &'a Inner,
    chat: &'a Chat,
    chunks: Chunks,
    voice: Voice,
    /// Tokens of reasoning, the first of `total`.
    reasoning: u64,
    total: u64,
    finish: String,
    /// Whether the fault is in the finish reason itself.
    spoilt: bool,
    interruption: Option<Interruption>,
    keep_alive: bool,
}

pub(crate) async fn chat<IO: AsyncRead + AsyncWrite + Unpin>(
    inner: &Inner,
    connection: u64,
    wire: &mut Wire<IO>,
    request: &Request,
) -> Flow {
    let ordinal = inner.ordinals.fetch_add(1, Ordering::SeqCst);
    let truth = inner.ledger.open(
        inner.config.record_truth,
        RequestTruth {
            ordinal,
            request_id: request.header("x-request-id").map(str::to_owned),
            connection,
            received: request.received,
            received_whole: request.received_whole,
            admitted: None,
            head_written: None,
            status: None,
            prompt_tokens: 0,
            cached_tokens: 0,
            events: Vec::new(),
            output_tokens: 0,
            done_written: None,
            ending: Ending::Cancelled,
        },
    );
    answer(inner, ordinal, wire, request, truth).await.unwrap_or(Flow::Close)
}

async fn answer<IO: AsyncRead + AsyncWrite + Unpin>(
    inner: &Inner,
    ordinal: u64,
    wire: &mut Wire<IO>,
    request: &Request,
    mut truth: OpenTruth,
) -> Result<Flow, Left> {
    let config = &inner.config;
    let keep_alive = request.keep_alive;
    let chat = match examine(inner, request) {
        Ok(chat) => chat,
        Err(error) => return refuse(wire, truth, &error, "", keep_alive, Ending::Refused).await,
    };
    truth.note(|truth| truth.prompt_tokens = chat.prompt_tokens);

    let fault = config
        .faults
        .iter()
        .find(|fault| fault.when.applies(config.seed, ordinal, &chat.last_user_message))
        .map(|fault| &fault.kind);
    match fault {
        Some(FaultKind::HttpError { status, retry_after_s }) => {
            let extra = retry_after_s.map_or(String::new(), |after| format!("retry-after: {after}\r\n"));
            let error = ApiError::new(*status, "InternalServerError", "a fault of the script", "");
            return refuse(wire, truth, &error, &extra, keep_alive, Ending::Faulted).await;
        }
        Some(FaultKind::NoResponse) => {
            truth.settle(Ending::Faulted);
            return Ok(Flow::Close);
        }
        Some(FaultKind::HtmlPage) => {
            let body = b"<!DOCTYPE html><html><body><h1>It works!</h1></body></html>\n";
            let html = Response {
                status: 200,
                content_type: "text/html; charset=utf-8",
                extra: "",
                body,
                keep_alive,
            };
            return respond(wire, truth, &html, Ending::Faulted).await;
        }
        _ => {}
    }

    pause(wire, config.request_overhead).await?;
    let script = Script::new(inner, &chat, request, ordinal, fault);
    let ticket = match script.submit() {
        Ok(ticket) => ticket,
        Err(QueueFull) => {
            let error = ApiError::new(429, "TooManyRequests", "The waiting queue is full.", "");
            return refuse(wire, truth, &error, "", keep_alive, Ending::Refused).await;
        }
    };
    truth.note(|truth| truth.cached_tokens = ticket.as_ref().map_or(0, |ticket| ticket.cached_tokens));
    if chat.stream {
        script.stream(wire, truth, ticket).await
    } else {
        script.whole(wire, truth, ticket).await
    }
}

/// The request, or why it is refused.
fn examine(inner: &Inner, request: &Request) -> Result<Chat, ApiError> {
    let config = &inner.config;
    let authorization = request.header("authorization");
    if config.api_key.as_ref().is_some_and(|key| !key.admits(authorization)) {
        return Err(connection::unauthorized());
    }
    if !inner.ready.load(Ordering::SeqCst) {
        return Err(ApiError::new(503, "ServiceUnavailable", "The model is still loading.", ""));
    }
    if config.echo_authorization {
        let message = format!("upstream failed (authorization: {})", authorization.unwrap_or("none"));
        return Err(ApiError::new(500, "InternalServerError", &message, ""));
    }
    Chat::parse(&request.body, config)
}

impl<'a> Script<'a> {
    fn new(
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
        Script {
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
    fn submit(&self) -> Result<Option<Ticket>, QueueFull> {
        if self.total == 0 {
            return Ok(None);
        }
        let prompt = text::tokens(&self.chat.text);
        self.inner.engine.submit(prompt, self.chat.prompt_tokens, self.total).map(Some)
    }

    /// Tokens from `from` on, `count` of them, all of one phase: the field they go in, and their text.
    fn say(&self, from: u64, count: u64) -> (&'static str, String) {
        let (phase, first, field) = if from < self.reasoning {
            (1, from, self.inner.config.reasoning_field.name())
        } else {
            (0, from - self.reasoning, "content")
        };
        (field, (first..first + count).map(|index| self.voice.token(phase, index)).collect())
    }

    fn usage(&self, output: u64, cached: u64) -> Usage {
        let reasoning = self.reasoning.min(output);
        Usage { prompt: self.chat.prompt_tokens, output, cached, reasoning }
    }

    fn ending(&self) -> Ending {
        if self.spoilt { Ending::Faulted } else { Ending::Complete }
    }

    async fn stream<IO: AsyncRead + AsyncWrite + Unpin>(
        mut self,
        wire: &mut Wire<IO>,
        mut truth: OpenTruth,
        mut ticket: Option<Ticket>,
    ) -> Result<Flow, Left> {
        let config = &self.inner.config;
        let keep_alive = self.keep_alive && !config.close_after_response;
        let announce = match (config.close_after_response, self.keep_alive) {
            (true, _) => "connection: keep-alive\r\n",
            (false, true) => "",
            (false, false) => "connection: close\r\n",
        };
        let cached = ticket.as_ref().map_or(0, |ticket| ticket.cached_tokens);
        let head = wire.begin_stream(announce).await?;
        truth.note(|truth| (truth.head_written, truth.status) = (Some(head), Some(200)));

        let (mut said, mut ready, mut garble) = (0, 0, false);
        loop {
            if let Some(strike) = self.interruption.take_if(|strike| strike.after_tokens == said) {
                self.spoilt = true;
                match strike.kind {
                    Interrupt::Stall(length) => pause(wire, length).await?,
                    Interrupt::Malformed => garble = true,
                    fatal => {
                        // What nobody will read is not computed.
                        drop(ticket.take());
                        return break_off(wire, truth, &fatal, keep_alive).await;
                    }
                }
            }
            if said == self.total {
                break;
            }
            if ready == 0 {
                let step = next(wire, ticket.as_mut()).await?;
                truth.note(|truth| truth.admitted = Some(step.admitted));
                ready = step.tokens;
            }
            let count = ready.min(self.stretch(said));
            if said == 0 {
                wire.event(&self.chunks.role()).await?;
            }
            let (field, text) = self.say(said, count);
            let last = said + count == self.total;
            let finish = last.then_some(self.finish.as_str());
            let running =
                (self.chat.continuous_usage && config.gives_usage).then(|| self.usage(said + count, cached));
            if std::mem::take(&mut garble) {
                wire.event(r#"{"choices":[{"index":0,"delta":{"content":"#).await?;
                if last {
                    wire.event(&self.chunks.delta("content", "", finish, running)).await?;
                }
                truth.note(|truth| truth.output_tokens += count);
            } else {
                let at = wire.event(&self.chunks.delta(field, &text, finish, running)).await?;
                let reasoning = said < self.reasoning;
                truth.note(|truth| {
                    truth.events.push(crate::truth::TokenEvent { at, tokens: count, reasoning });
                    truth.output_tokens += count;
                });
            }
            said += count;
            ready -= count;
        }
        if self.total == 0 {
            wire.event(&self.chunks.role()).await?;
            wire.event(&self.chunks.delta("content", "", Some(&self.finish), None)).await?;
        }
        if self.chat.usage && config.gives_usage {
            wire.event(&self.chunks.usage(self.usage(said, cached))).await?;
        }
        end_with_done(wire, truth, self.ending()).await?;
        Ok(Flow::keep(keep_alive))
    }

    /// How many tokens from `said` on may share an event: reasoning and answer do not, and an interruption parts them.
    fn stretch(&self, said: u64) -> u64 {
        let phase_end = if said < self.reasoning { self.reasoning } else { self.total };
        let strike = self.interruption.as_ref().map_or(u64::MAX, |strike| strike.after_tokens);
        phase_end.min(strike) - said
    }

    async fn whole<IO: AsyncRead + AsyncWrite + Unpin>(
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

/// The next tokens of the engine, unless the client leaves or the engine ends before.
async fn next<IO: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<IO>,
    ticket: Option<&mut Ticket>,
) -> Result<Yield, Left> {
    let ticket = ticket.ok_or(Left)?;
    tokio::select! {
        biased;
        step = ticket.yields.recv() => step.ok_or(Left),
        () = wire.gone() => Err(Left),
    }
}

/// Lets time pass, unless the client leaves.
async fn pause<IO: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<IO>,
    length: Duration,
) -> Result<(), Left> {
    if length.is_zero() {
        return Ok(());
    }
    tokio::select! {
        () = tokio::time::sleep(length) => Ok(()),
        () = wire.gone() => Err(Left),
    }
}

/// Ends a stream by a fault that it does not survive.
async fn break_off<IO: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<IO>,
    truth: OpenTruth,
    fault: &Interrupt,
    keep_alive: bool,
) -> Result<Flow, Left> {
    match fault {
        Interrupt::Error => {
            wire.event(&engine_died().body).await?;
            end_with_done(wire, truth, Ending::Faulted).await?;
        }
        Interrupt::Cut(Cut::InventedDone) => end_with_done(wire, truth, Ending::Faulted).await?,
        Interrupt::Cut(Cut::CleanEnd) => {
            truth.settle(Ending::Faulted);
            wire.end_stream().await?;
        }
        Interrupt::Hang => {
            wire.gone().await;
            truth.settle(Ending::Faulted);
            return Ok(Flow::Close);
        }
        Interrupt::Cut(Cut::Close) | Interrupt::Stall(_) | Interrupt::Malformed => {
            truth.settle(Ending::Faulted);
            return Ok(Flow::Close);
        }
    }
    Ok(Flow::keep(keep_alive))
}

/// Writes `[DONE]` and the end of the body. The truth is entered between the two, before anything is awaited, so that
/// on one thread whoever has read `[DONE]` finds it.
async fn end_with_done<IO: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<IO>,
    mut truth: OpenTruth,
    ending: Ending,
) -> io::Result<()> {
    let done = wire.event("[DONE]").await?;
    truth.note(|truth| truth.done_written = Some(done));
    truth.settle(ending);
    wire.end_stream().await?;
    Ok(())
}

async fn refuse<IO: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<IO>,
    truth: OpenTruth,
    error: &ApiError,
    extra: &str,
    keep_alive: bool,
    ending: Ending,
) -> Result<Flow, Left> {
    let body = error.body.as_bytes();
    respond(
        wire,
        truth,
        &Response { status: error.status, content_type: JSON, extra, body, keep_alive },
        ending,
    )
    .await
}

async fn respond<IO: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<IO>,
    mut truth: OpenTruth,
    response: &Response<'_>,
    ending: Ending,
) -> Result<Flow, Left> {
    let at = wire.respond(response).await?;
    truth.note(|truth| {
        (truth.status, truth.head_written, truth.done_written) = (Some(response.status), Some(at), Some(at));
    });
    truth.settle(ending);
    Ok(Flow::keep(response.keep_alive))
}

fn engine_died() -> ApiError {
    ApiError::new(500, "InternalServerError", "EngineCore encountered an issue. A fault of the script.", "")
}
