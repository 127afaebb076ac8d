//! Reading a response: a stream to be recorded, or a refusal to be understood.

use std::error::Error;

use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Response, StatusCode};

use crate::clock::Clock;
use crate::connect::Connect;
use crate::exchange::{Ended, Exchange, Failure, FailureKind};
use crate::guard::Guard;
use crate::kept::Kept;
use crate::line::Line;
use crate::recorder::{Recorder, keep};
use crate::service_error::ServiceError;
use crate::session::SendOptions;

/// How much of a refusal is kept to find its message in.
const REFUSAL_BYTES: usize = 64 << 10;

/// The longest refusal read, in bytes: a service that never ends one is not waited for.
const REFUSAL_LIMIT: u64 = 1 << 20;

/// Reads a response into the exchange. Gives back the connection, and what of the body is still to come, where both
/// may serve again.
pub(crate) async fn read<C: Connect>(
    mut line: Line<C>,
    response: Response<Incoming>,
    guard: &mut Guard<'_>,
    options: &SendOptions<'_>,
    clock: &dyn Clock,
    exchange: &mut Exchange,
    kept: &mut Kept,
) -> Option<(Line<C>, Option<Incoming>)> {
    let (head, mut body) = response.into_parts();
    exchange.status = Some(head.status.as_u16());
    exchange.content_type = text(&head.headers, header::CONTENT_TYPE);
    exchange.retry_after = head.headers.contains_key(header::RETRY_AFTER);
    exchange.date = text(&head.headers, header::DATE);
    let rest = if head.status.is_success() {
        let is_whole = stream(&mut line, &mut body, guard, options, clock, exchange, kept).await;
        (!is_whole).then_some(body)
    } else {
        refusal(&mut line, &mut body, guard, options, exchange, kept).await;
        refused(head.status, &head.headers, exchange);
        None
    };
    if exchange.ended == Ended::Eof {
        // A body without a frame ends when the connection does; a framed one, with the read that brought its end.
        let framed = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING];
        let framed = framed.iter().any(|name| head.headers.contains_key(name));
        let ends_with_socket = line.stamps().end_us().filter(|_| !framed && !line.is_shared());
        exchange.end = Some(ends_with_socket.unwrap_or(line.stamps().last_read().at_us));
    }
    exchange.end.get_or_insert_with(|| clock.now_us());
    if let Some(encoding) =
        text(&head.headers, header::CONTENT_ENCODING).filter(|encoding| encoding != "identity")
        && let Some(Failure { kind: FailureKind::NotEventStream, message }) = &mut exchange.error
    {
        *message = format!(
            "the endpoint answered in {encoding}, which was not asked for (a proxy that compresses?)"
        );
    }
    matches!(exchange.ended, Ended::Done | Ended::Eof).then_some((line, rest))
}

/// Records a stream. Says whether its body has been read to the end.
async fn stream<C: Connect>(
    line: &mut Line<C>,
    body: &mut Incoming,
    guard: &mut Guard<'_>,
    options: &SendOptions<'_>,
    clock: &dyn Clock,
    exchange: &mut Exchange,
    kept: &mut Kept,
) -> bool {
    let mut recorder = Recorder::new(exchange, kept, options.event_limit, options.live_tokens);
    let mut is_whole = false;
    let mut failure = None;
    let mut failed = |kind, message| failure = Some(Failure { kind, message });
    let ended = loop {
        let seen = match line.data(body, guard).await {
            Err(stop) => break stop.into(),
            Ok(Some(Err(error))) => {
                failed(FailureKind::Reset, broken(&error));
                break Ended::Reset;
            }
            Ok(None) => {
                is_whole = true;
                match recorder.body_end() {
                    Ok(true) => break Ended::Done,
                    Ok(false) => break Ended::Eof,
                    Err(limit) => Err(limit),
                }
            }
            Ok(Some(Ok(data))) => recorder.data(&data, line.stamps().last_read()),
        };
        match seen {
            Err(limit) => {
                failed(FailureKind::TooLarge, limit.to_string());
                break Ended::TooLarge;
            }
            Ok(seen) if seen.done => break Ended::Done,
            Ok(seen) if seen.token_events > 0 => guard.token(),
            Ok(_) => {}
        }
        if recorder.exchange().bytes > options.body_limit {
            failed(FailureKind::TooLarge, format!("read a body longer than {} bytes", options.body_limit));
            break Ended::TooLarge;
        }
        if let Some(stop) = guard.check() {
            break stop.into();
        }
    };
    let done_at = recorder.last_data_us();
    let exchange = recorder.finish(ended);
    exchange.end = match ended {
        Ended::Done => Some(done_at),
        Ended::Eof => None,
        _ => Some(clock.now_us()),
    };
    exchange.error = exchange.error.take().or(failure);
    is_whole
}

/// Reads the body of a response that is no success, for its message.
async fn refusal<C: Connect>(
    line: &mut Line<C>,
    body: &mut Incoming,
    guard: &mut Guard<'_>,
    options: &SendOptions<'_>,
    exchange: &mut Exchange,
    kept: &mut Kept,
) {
    let mut beginning = Vec::new();
    let limit = options.body_limit.min(REFUSAL_LIMIT);
    exchange.ended = loop {
        match line.data(body, guard).await {
            Err(stop) => break stop.into(),
            Ok(Some(Err(_))) => break Ended::Reset,
            Ok(None) => break Ended::Eof,
            Ok(Some(Ok(data))) => {
                keep(exchange, kept, &data, line.stamps().last_read());
                let room = (REFUSAL_BYTES - beginning.len()).min(data.len());
                beginning.extend_from_slice(&data[..room]);
                if exchange.bytes > limit {
                    let message = format!("read a refusal longer than {limit} bytes");
                    exchange.error = Some(Failure { kind: FailureKind::TooLarge, message });
                    break Ended::TooLarge;
                }
                if let Some(stop) = guard.check() {
                    break stop.into();
                }
            }
        }
    };
    let message = ServiceError::from_body(&beginning).map(|error| error.message).unwrap_or_default();
    exchange.error.get_or_insert(Failure { kind: FailureKind::Http, message });
}

/// Says what a refusal means.
fn refused(status: StatusCode, headers: &HeaderMap, exchange: &mut Exchange) {
    let Some(failure) = &mut exchange.error else { return };
    if status == StatusCode::SERVICE_UNAVAILABLE && exchange.retry_after {
        failure.kind = FailureKind::Overloaded;
    }
    if let Some(location) = text(headers, header::LOCATION).filter(|_| status.is_redirection()) {
        failure.message =
            format!("the endpoint redirects to {location} (redirects are not followed: use that address)");
    } else if failure.message.is_empty() {
        failure.message = format!("status {status} without a message");
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// What hyper's error means to a person.
pub(crate) fn broken(error: &hyper::Error) -> String {
    let hint = if error.is_parse() {
        "the port does not answer in HTTP/1.1; if it is a TLS port, use https://"
    } else {
        "the service, or something before it, closed the connection; see its log"
    };
    format!("read the answer: {} ({hint})", reason(error))
}

/// An error and what it came from.
pub(crate) fn reason(error: &hyper::Error) -> String {
    let mut reason = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        reason = format!("{reason}: {inner}");
        source = inner.source();
    }
    reason
}
