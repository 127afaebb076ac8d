//! Reading a response: a stream to be recorded, or a refusal to be understood.

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

/// Reads a response into the exchange. Gives back the connection where it may serve again; some of the body may still
/// be to come.
pub(crate) async fn read<C: Connect>(
    mut line: Line<C>,
    head: &Response<()>,
    guard: &mut Guard<'_>,
    options: &SendOptions<'_>,
    clock: &dyn Clock,
    exchange: &mut Exchange,
    kept: &mut Kept,
) -> Option<Line<C>> {
    let headers = head.headers();
    exchange.status = Some(head.status().as_u16());
    exchange.content_type = text(headers, header::CONTENT_TYPE);
    exchange.retry_after = headers.contains_key(header::RETRY_AFTER);
    exchange.retry_after_s =
        text(headers, header::RETRY_AFTER).and_then(|seconds| seconds.trim().parse().ok());
    exchange.date = text(headers, header::DATE);
    if head.status().is_success() {
        stream(&mut line, guard, options, clock, exchange, kept).await;
    } else {
        refusal(&mut line, guard, options, exchange, kept).await;
        refused(head.status(), headers, exchange);
    }
    if exchange.ended == Ended::Eof {
        // A body without a frame ends when the connection does; a framed one, with the read that brought its end.
        let ends_with_socket = line.stamps().end_us().filter(|_| line.lasts_until_end());
        exchange.end = Some(ends_with_socket.unwrap_or(line.stamps().last_read().at_us));
    }
    exchange.end.get_or_insert_with(|| clock.now_us());
    if let Some(encoding) = text(headers, header::CONTENT_ENCODING).filter(|encoding| encoding != "identity")
        && let Some(Failure { kind: FailureKind::NotEventStream, message }) = &mut exchange.error
    {
        *message = format!(
            "the endpoint answered in {encoding}, which was not asked for (a proxy that compresses?)"
        );
    }
    matches!(exchange.ended, Ended::Done | Ended::Eof).then_some(line)
}

/// Records a stream, until it says that it is done or its body ends.
async fn stream<C: Connect>(
    line: &mut Line<C>,
    guard: &mut Guard<'_>,
    options: &SendOptions<'_>,
    clock: &dyn Clock,
    exchange: &mut Exchange,
    kept: &mut Kept,
) {
    let SendOptions { event_limit, body_limit, live_tokens, recording, .. } = *options;
    let mut recorder = Recorder::new(exchange, kept, event_limit, body_limit, live_tokens, recording);
    let mut failure = None;
    let mut failed = |kind, message| failure = Some(Failure { kind, message });
    let ended = loop {
        let read = match line.read(guard, &mut |data, read| recorder.data(data, read)).await {
            Ok(read) => read,
            Err(stop) => break stop.into(),
        };
        if matches!(read, Ok(true)) && !recorder.is_over() {
            recorder.body_end();
        }
        if let Some(limit) = recorder.limit_met() {
            failed(FailureKind::TooLarge, limit.to_string());
            break Ended::TooLarge;
        }
        if recorder.is_too_long() {
            failed(FailureKind::TooLarge, format!("read a body longer than {} bytes", options.body_limit));
            break Ended::TooLarge;
        }
        if recorder.is_done() {
            break Ended::Done;
        }
        match read {
            Err(error) => {
                failed(FailureKind::Reset, error.to_string());
                break Ended::Reset;
            }
            Ok(true) => break Ended::Eof,
            Ok(false) => {}
        }
        if recorder.take_tokens() {
            guard.token();
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
}

/// Reads the body of a response that is no success, for its message.
async fn refusal<C: Connect>(
    line: &mut Line<C>,
    guard: &mut Guard<'_>,
    options: &SendOptions<'_>,
    exchange: &mut Exchange,
    kept: &mut Kept,
) {
    let mut beginning = Vec::new();
    let limit = options.body_limit.min(REFUSAL_LIMIT);
    exchange.ended = loop {
        let mut take = |data: &[u8], read| {
            if exchange.bytes > limit {
                return;
            }
            keep(exchange, kept, data, read);
            let room = (REFUSAL_BYTES - beginning.len()).min(data.len());
            beginning.extend_from_slice(&data[..room]);
        };
        match line.read(guard, &mut take).await {
            Err(stop) => break stop.into(),
            Ok(Err(_)) => break Ended::Reset,
            Ok(Ok(true)) => break Ended::Eof,
            Ok(Ok(false)) if exchange.bytes > limit => {
                let message = format!("read a refusal longer than {limit} bytes");
                exchange.error = Some(Failure { kind: FailureKind::TooLarge, message });
                break Ended::TooLarge;
            }
            Ok(Ok(false)) => {}
        }
        if let Some(stop) = guard.check() {
            break stop.into();
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
