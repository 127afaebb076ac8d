//! One connection: its requests one after another, and the pages that need no engine.

use std::io;
use std::sync::atomic::Ordering;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::answer;
use crate::http::{ReadError, Request, Response, Wire};
use crate::sim::Inner;
use crate::tokenize;
use crate::wire::{self, ApiError};

pub(crate) const JSON: &str = "application/json";

/// What becomes of the connection after a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Close,
}

impl Flow {
    pub(crate) fn keep(alive: bool) -> Self {
        if alive { Flow::Next } else { Flow::Close }
    }
}

pub(crate) async fn serve<IO: AsyncRead + AsyncWrite + Unpin>(inner: &Inner, connection: u64, io: IO) {
    let mut wire = Wire::new(io);
    loop {
        let flow = match wire.request().await {
            Ok(Some(request)) if request.path == "/v1/chat/completions" && request.method == "POST" => {
                answer::chat(inner, connection, &mut wire, &request).await
            }
            Ok(Some(request)) => page(inner, &mut wire, &request).await.unwrap_or(Flow::Close),
            Ok(None) | Err(ReadError::Io(_)) => Flow::Close,
            Err(error) => {
                let status = if matches!(error, ReadError::TooLarge) { 413 } else { 400 };
                let error = ApiError::new(status, "Bad Request", &format!("failed to {error}"), "");
                let _ = refuse(&mut wire, &error, "", false).await;
                Flow::Close
            }
        };
        if flow == Flow::Close {
            return wire.close().await;
        }
    }
}

/// Answers with an error object.
pub(crate) async fn refuse<IO: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<IO>,
    error: &ApiError,
    extra: &str,
    keep_alive: bool,
) -> io::Result<tokio::time::Instant> {
    let body = error.body.as_bytes();
    wire.respond(&Response { status: error.status, content_type: JSON, extra, body, keep_alive }).await
}

async fn page<IO: AsyncRead + AsyncWrite + Unpin>(
    inner: &Inner,
    wire: &mut Wire<IO>,
    request: &Request,
) -> io::Result<Flow> {
    let config = &inner.config;
    let ready = inner.ready.load(Ordering::SeqCst);
    let authorized = || config.api_key.as_ref().is_none_or(|key| key.admits(request.header("authorization")));
    let (status, content_type, body) = match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/health") => (if ready { 200 } else { 503 }, JSON, String::new()),
        ("GET", "/version") => (200, JSON, wire::version(&config.version)),
        ("GET", "/v1/models") if !authorized() => (401, JSON, unauthorized().body),
        ("GET", "/v1/models") => {
            (200, JSON, wire::models(&config.model, inner.unix_s(), config.context_tokens))
        }
        ("POST", "/tokenize") if !authorized() => (401, JSON, unauthorized().body),
        ("POST", "/tokenize") => match tokenize::answer(&request.body, config) {
            Ok(body) => (200, JSON, body),
            Err(error) => (error.status, JSON, error.body),
        },
        ("GET", "/metrics") => (
            200,
            "text/plain; version=0.0.4; charset=utf-8",
            wire::metrics(&config.model, inner.engine.counts(), config.process_start_s),
        ),
        (_, "/health" | "/version" | "/v1/models" | "/tokenize" | "/metrics" | "/v1/chat/completions") => {
            (405, JSON, ApiError::new(405, "Method Not Allowed", "Method Not Allowed", "").body)
        }
        _ => (404, JSON, ApiError::new(404, "Not Found", "Not Found", "").body),
    };
    let keep_alive = request.keep_alive;
    wire.respond(&Response { status, content_type, extra: "", body: body.as_bytes(), keep_alive }).await?;
    Ok(Flow::keep(keep_alive))
}

/// The refusal of a wrong key, which never repeats it.
pub(crate) fn unauthorized() -> ApiError {
    ApiError::new(401, "AuthenticationError", "Incorrect API key provided.", "")
}
