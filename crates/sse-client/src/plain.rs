//! Requests that are not measured: health, models, metrics, tokenizing.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::Method;
use hyper::header::HeaderMap;
use thiserror::Error;

use crate::connect::{Connect, ConnectError};
use crate::guard::{Guard, Stop, Timeouts};
use crate::outgoing::Outgoing;
use crate::session::{HEAD_LIMIT, HeadFailure, Sending, Session};

/// The longest body taken: 8 MiB.
pub const PLAIN_LIMIT: usize = 8 << 20;

/// A whole answer, of any status.
#[derive(Clone, Debug)]
pub struct Plain {
    /// The HTTP status.
    pub status: u16,
    headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// When the request was sent, in microseconds of the session's clock.
    pub sent: Option<u64>,
    /// When the answer was whole.
    pub end: u64,
}

impl Plain {
    /// Whether the status is one of success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// A header of the answer, the first of its name in any case. `None` where absent or no text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl<C: Connect> Session<C> {
    /// Asks for a path, such as [`Endpoint::root_path`](crate::Endpoint::root_path) gives, within a time that bounds
    /// connecting and answering each; connecting also by [`Session::connecting_within`].
    ///
    /// # Errors
    ///
    /// [`PlainError`] where no whole answer came. A status of any kind is an answer.
    pub async fn get(&mut self, path: &str, id: &str, within: Duration) -> Result<Plain, PlainError> {
        self.plain(Method::GET, path, None, id, within).await
    }

    /// Posts JSON to a path.
    ///
    /// # Errors
    ///
    /// As for [`get`](Self::get).
    pub async fn post(
        &mut self,
        path: &str,
        body: Bytes,
        id: &str,
        within: Duration,
    ) -> Result<Plain, PlainError> {
        self.plain(Method::POST, path, Some(body), id, within).await
    }

    async fn plain(
        &mut self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
        id: &str,
        within: Duration,
    ) -> Result<Plain, PlainError> {
        let connect = self.connect_plain_within(within);
        let timeouts = Timeouts { connect, first_token: within, stall: within, total: within };
        let mut guard = Guard::new(timeouts, None);
        let target: Arc<_> = self.target_of_requests();
        let request = Outgoing { target: &target, method: &method, path, accept: "*/*", body: body.as_ref() };
        let mut sending = Sending::default();
        let gone = |_: Stop| PlainError::Timeout { seconds: within.as_secs_f64() };
        let sent = self.send(request, &mut || id.to_owned(), &mut guard, HEAD_LIMIT, &mut sending).await;
        let (mut line, head) = sent.map_err(|failure| match failure {
            HeadFailure::Connect(error) => PlainError::Connect(error),
            HeadFailure::Stopped(stop) => gone(stop),
            HeadFailure::Broken(reason) => PlainError::Broken(reason),
            HeadFailure::TooLong { limit } => PlainError::HeadTooLong { limit },
        })?;
        let mut whole = Vec::new();
        loop {
            let read =
                line.read(&mut guard, &mut |data, _| whole.extend_from_slice(data)).await.map_err(gone)?;
            let ended = read.map_err(|error| PlainError::Broken(error.to_string()))?;
            if whole.len() > PLAIN_LIMIT {
                return Err(PlainError::TooLong);
            }
            if ended {
                break;
            }
        }
        let end = line.stamps().last_read().at_us;
        self.keep((!line.is_shared()).then_some(line));
        Ok(Plain {
            status: head.status().as_u16(),
            headers: head.into_parts().0.headers,
            body: whole.into(),
            sent: sending.sent,
            end,
        })
    }
}

/// Why no whole answer came.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlainError {
    /// No connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Not within the time.
    #[error("get an answer within {seconds} s (is the service overloaded?)")]
    Timeout {
        /// The time there was, in seconds.
        seconds: f64,
    },
    /// The connection broke, or no HTTP came.
    #[error("{0}")]
    Broken(String),
    /// A head longer than a head may be.
    #[error("read the head of an answer: longer than {limit} bytes or 256 headers (is this the right path?)")]
    HeadTooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A body longer than [`PLAIN_LIMIT`].
    #[error("read an answer longer than 8 MiB (is this the right path?)")]
    TooLong,
}
