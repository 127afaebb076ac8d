//! HTTP/1.1 as far as a server of this kind needs it, over any byte stream, with an instant for every read and write.
//!
//! Written by hand: the truth of this crate is the instant at which bytes reach the socket, and a framework keeps
//! a buffer between the two. It also makes the server a second opinion about clients that are built on one.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::Poll;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::Instant;

const HEAD_LIMIT: usize = 64 * 1024;
const BODY_LIMIT: usize = 64 * 1024 * 1024;
/// What a client may send ahead while its answer is under way.
const AHEAD_LIMIT: usize = 256 * 1024;

/// One request, read whole.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) keep_alive: bool,
    pub(crate) received: Instant,
    pub(crate) received_whole: Instant,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Why no request could be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("read: {0}")]
    Io(#[from] io::Error),
    #[error("understand the request: {0}")]
    Malformed(&'static str),
    #[error("take a request of this size")]
    TooLarge,
}

/// One response that is written at once.
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) content_type: &'a str,
    /// Whole lines, each with its line end.
    pub(crate) extra: &'a str,
    pub(crate) body: &'a [u8],
    pub(crate) keep_alive: bool,
}

/// A connection: bytes in both directions, and what was read ahead.
pub(crate) struct Wire<IO> {
    io: IO,
    ahead: BytesMut,
    last_read: Option<Instant>,
}

impl<IO: AsyncRead + AsyncWrite + Unpin> Wire<IO> {
    pub(crate) fn new(io: IO) -> Self {
        Wire { io, ahead: BytesMut::with_capacity(8 * 1024), last_read: None }
    }

    /// The next request, or nothing when the client closed between two.
    pub(crate) async fn request(&mut self) -> Result<Option<Request>, ReadError> {
        // Bytes of a pipelined request came with an earlier read.
        let mut received = if self.ahead.is_empty() { None } else { self.last_read };
        let head_end = loop {
            if let Some(at) = find(&self.ahead, b"\r\n\r\n") {
                break at;
            }
            if self.ahead.len() > HEAD_LIMIT {
                return Err(ReadError::TooLarge);
            }
            if self.fill().await? == 0 {
                return if self.ahead.is_empty() {
                    Ok(None)
                } else {
                    Err(ReadError::Malformed("the connection ended inside the head"))
                };
            }
            received = received.or(self.last_read);
        };
        let mut request = parse_head(&self.ahead[..head_end])?;
        self.ahead.advance(head_end + 4);
        if request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        let chunked =
            request.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
        request.body = if chunked {
            self.chunked_body().await?
        } else if let Some(length) = request.header("content-length") {
            let length = length.parse().map_err(|_| ReadError::Malformed("content-length is no number"))?;
            self.exactly(length).await?
        } else {
            Vec::new()
        };
        request.received = received.unwrap_or(request.received);
        request.received_whole = self.last_read.unwrap_or(request.received);
        Ok(Some(request))
    }

    async fn exactly(&mut self, length: usize) -> Result<Vec<u8>, ReadError> {
        if length > BODY_LIMIT {
            return Err(ReadError::TooLarge);
        }
        while self.ahead.len() < length {
            self.more("the connection ended inside the body").await?;
        }
        Ok(self.ahead.split_to(length).to_vec())
    }

    async fn chunked_body(&mut self) -> Result<Vec<u8>, ReadError> {
        let mut body = Vec::new();
        loop {
            let line = self.line().await?;
            let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
            let size = std::str::from_utf8(digits)
                .ok()
                .and_then(|digits| usize::from_str_radix(digits.trim(), 16).ok())
                .ok_or(ReadError::Malformed("a chunk has no size"))?;
            if body.len().saturating_add(size) > BODY_LIMIT {
                return Err(ReadError::TooLarge);
            }
            if size == 0 {
                while !self.line().await?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.exactly(size).await?);
            self.line().await?;
        }
    }

    async fn line(&mut self) -> Result<Vec<u8>, ReadError> {
        loop {
            if let Some(at) = find(&self.ahead, b"\r\n") {
                let line = self.ahead.split_to(at).to_vec();
                self.ahead.advance(2);
                return Ok(line);
            }
            if self.ahead.len() > HEAD_LIMIT {
                return Err(ReadError::TooLarge);
            }
            self.more("the connection ended inside a chunk").await?;
        }
    }

    async fn more(&mut self, ended: &'static str) -> Result<(), ReadError> {
        if self.fill().await? == 0 { Err(ReadError::Malformed(ended)) } else { Ok(()) }
    }

    async fn fill(&mut self) -> io::Result<usize> {
        let count = self.io.read_buf(&mut self.ahead).await?;
        self.last_read = Some(Instant::now());
        Ok(count)
    }

    /// Returns when the client has left. What it sends ahead is kept for the next request; nothing is lost when this
    /// future is dropped.
    pub(crate) async fn gone(&mut self) {
        while self.ahead.len() < AHEAD_LIMIT {
            if !matches!(self.fill().await, Ok(1..)) {
                return;
            }
        }
        std::future::pending().await
    }

    /// Writes all of it and returns the instant just before the write that took the last byte.
    pub(crate) async fn write(&mut self, mut bytes: &[u8]) -> io::Result<Instant> {
        poll_fn(|context| {
            loop {
                let at = Instant::now();
                match Pin::new(&mut self.io).poll_write(context, bytes) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    Poll::Ready(Ok(count)) if count >= bytes.len() => return Poll::Ready(Ok(at)),
                    Poll::Ready(Ok(count)) => bytes = &bytes[count..],
                }
            }
        })
        .await
    }

    pub(crate) async fn respond(&mut self, response: &Response<'_>) -> io::Result<Instant> {
        let Response { status, content_type, extra, body, keep_alive } = response;
        let close = if *keep_alive { "" } else { "connection: close\r\n" };
        let mut bytes = format!(
            "HTTP/1.1 {status} {reason}\r\nserver: inference-sim\r\ncontent-length: {length}\r\n\
             content-type: {content_type}\r\n{extra}{close}\r\n",
            reason = reason(*status),
            length = body.len(),
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        self.write(&bytes).await
    }

    /// Begins a chunked event stream. `announce` is a line about the connection, or nothing.
    pub(crate) async fn begin_stream(&mut self, announce: &str) -> io::Result<Instant> {
        let head = format!(
            "HTTP/1.1 200 OK\r\nserver: inference-sim\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
             {announce}transfer-encoding: chunked\r\n\r\n"
        );
        self.write(head.as_bytes()).await
    }

    /// One event, as one chunk, in one write.
    pub(crate) async fn event(&mut self, data: &str) -> io::Result<Instant> {
        let size = "data: \n\n".len() + data.len();
        self.write(format!("{size:x}\r\ndata: {data}\n\n\r\n").as_bytes()).await
    }

    pub(crate) async fn end_stream(&mut self) -> io::Result<Instant> {
        self.write(b"0\r\n\r\n").await
    }

    /// Says goodbye. Whether the other side still listens does not matter.
    pub(crate) async fn close(mut self) {
        let _ = self.io.shutdown().await;
    }
}

fn parse_head(head: &[u8]) -> Result<Request, ReadError> {
    let head = std::str::from_utf8(head).map_err(|_| ReadError::Malformed("the head is not UTF-8"))?;
    let mut lines = head.trim_start_matches("\r\n").split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (first.next(), first.next(), first.next(), first.next())
    else {
        return Err(ReadError::Malformed("the request line has not three parts"));
    };
    if !version.starts_with("HTTP/1.") {
        return Err(ReadError::Malformed("not HTTP/1"));
    }
    let headers = lines
        .map(|line| {
            let (name, value) = line.split_once(':').ok_or(ReadError::Malformed("a header without colon"))?;
            Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect::<Result<Vec<_>, ReadError>>()?;
    let now = Instant::now();
    let mut request = Request {
        method: method.to_owned(),
        path: target.split('?').next().unwrap_or_default().to_owned(),
        headers,
        body: Vec::new(),
        keep_alive: true,
        received: now,
        received_whole: now,
    };
    let connection = request.header("connection").unwrap_or_default().to_ascii_lowercase();
    request.keep_alive =
        if version == "HTTP/1.0" { connection.contains("keep-alive") } else { !connection.contains("close") };
    Ok(request)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    async fn read(parts: &[&[u8]]) -> Result<Option<Request>, ReadError> {
        let (mut client, server) = tokio::io::duplex(1 << 16);
        let mut wire = Wire::new(server);
        let send = async {
            for part in parts {
                client.write_all(part).await.unwrap();
                tokio::task::yield_now().await;
            }
            drop(client);
        };
        tokio::join!(wire.request(), send).0
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_may_be_cut_anywhere() {
        for whole in [
            b"POST /v1/x?y=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".as_slice(),
            b"POST /v1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
        ] {
            for cut in 0..whole.len() {
                let request = read(&[&whole[..cut], &whole[cut..]]).await.unwrap().unwrap();
                assert_eq!((request.path.as_str(), request.body.as_slice()), ("/v1/x", b"hello".as_slice()));
                assert!(request.keep_alive);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_no_request_is_said_to_be_none() {
        assert!(read(&[b""]).await.unwrap().is_none());
        for bytes in
            [b"GET /\r\n\r\n".as_slice(), b"GET / HTTP/2\r\n\r\n", b"GET / HTTP/1.1\r\nHo", b"\xff\r\n\r\n"]
        {
            assert!(matches!(read(&[bytes]).await, Err(ReadError::Malformed(_))), "{bytes:?}");
        }
    }
}
