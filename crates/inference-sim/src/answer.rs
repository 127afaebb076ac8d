//! The way of one chat request: examined, refused or spoilt by the script, queued, answered.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::chat::Chat;
use crate::connection::{self, Flow, JSON};
use crate::engine::{QueueFull, Ticket, Yield};
use crate::fault::FaultKind;
use crate::http::{Request, Response, Wire};
use crate::reply::Reply;
use crate::sim::Inner;
use crate::truth::{Ending, OpenTruth, RequestTruth};
use crate::wire::ApiError;

/// The client has left; its story ends as cancelled.
pub(crate) struct Left;

impl From<io::Error> for Left {
    fn from(_: io::Error) -> Self {
        Left
    }
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
    let reply = Reply::new(inner, &chat, request, ordinal, fault);
    let ticket = match reply.submit() {
        Ok(ticket) => ticket,
        Err(QueueFull) => {
            let error = ApiError::new(429, "TooManyRequests", "The waiting queue is full.", "");
            return refuse(wire, truth, &error, "", keep_alive, Ending::Refused).await;
        }
    };
    truth.note(|truth| truth.cached_tokens = ticket.as_ref().map_or(0, |ticket| ticket.cached_tokens));
    if chat.stream { reply.stream(wire, truth, ticket).await } else { reply.whole(wire, truth, ticket).await }
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

/// The next tokens of the engine, unless the client leaves or the engine ends before.
pub(crate) async fn next<IO: AsyncRead + AsyncWrite + Unpin>(
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
pub(crate) async fn pause<IO: AsyncRead + AsyncWrite + Unpin>(
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

pub(crate) async fn refuse<IO: AsyncRead + AsyncWrite + Unpin>(
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

pub(crate) async fn respond<IO: AsyncRead + AsyncWrite + Unpin>(
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
