//! An HTTP/2 connection, shared by requests.
//!
//! It is driven by tasks of its own, so a frame is taken by another task than the one that read it. The socket therefore
//! waits after every read until those tasks have run ([`Stamped::one_read_a_turn`](crate::stamp::Stamped)): on a
//! runtime of one thread the last read is then the one that completed a frame, as on a connection of HTTP/1.1.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http2::{self, Connection, SendRequest};
use hyper::header::HOST;
use hyper::{Request, Response, Uri, Version};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;

use crate::connect::ConnectError;
use crate::guard::{Guard, Stop};
use crate::http_version::Spoken;
use crate::line::{Counted, Fate};
use crate::mark::{Mark, Marked};
use crate::stamp::{ReadStamp, Stamps};
use crate::tls_failure::TlsFailure;
use crate::transport::MaybeTls;

/// What a service may send on one stream before it must wait for the client, in bytes: 16 MiB. Events are taken as
/// they come, so a service that has to wait was not made to by its reader.
const STREAM_WINDOW: u32 = 16 << 20;

/// The same for all streams of a connection together: 1 GiB.
const CONNECTION_WINDOW: u32 = 1 << 30;

/// How far beyond the limit a head is read, so that it can be said to be too long rather than the connection broken.
const HEAD_SLACK: u32 = 16;

/// A connection and what is known of it.
pub(crate) struct Shared {
    sender: SendRequest<Marked>,
    peer: Arc<dyn Peer>,
    stamps: Arc<Stamps>,
    turns: Turns,
    spoken: Spoken,
    head_limit: usize,
    places: AtomicUsize,
    has_served: AtomicBool,
}

/// What the other side of a connection allows.
trait Peer: Send + Sync {
    fn max_streams(&self) -> usize;
}

impl<T> Peer for Mutex<Connection<TokioIo<MaybeTls<T>>, Marked, Turns>>
where
    T: AsyncRead + AsyncWrite + Unpin + Send + Sync + 'static,
{
    fn max_streams(&self) -> usize {
        self.lock().unwrap_or_else(PoisonError::into_inner).current_max_send_streams()
    }
}

/// Runs hyper's tasks, and says when they have had a turn.
#[derive(Clone, Default)]
struct Turns(Arc<TurnsOf>);

#[derive(Default)]
struct TurnsOf {
    is_open: AtomicBool,
    has_ended: AtomicBool,
    has_connection: AtomicBool,
    turned: Notify,
}

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for Turns {
    fn execute(&self, task: F) {
        let turns = Arc::clone(&self.0);
        // The first task is the one that reads and writes.
        let is_connection = !turns.has_connection.swap(true, Relaxed);
        tokio::spawn(async move {
            let mut task = pin!(task);
            poll_fn(|cx| {
                let polled = task.as_mut().poll(cx);
                if is_connection && polled.is_ready() {
                    turns.has_ended.store(true, Relaxed);
                }
                if !turns.is_open.load(Relaxed) {
                    turns.turned.notify_one();
                }
                polled
            })
            .await;
        });
    }
}

impl Shared {
    /// Speaks HTTP/2 over a transport, and waits until the other side has said what it allows.
    pub(crate) async fn over<T>(
        mut io: MaybeTls<T>,
        stamps: Arc<Stamps>,
        head_limit: usize,
        counted: Counted,
        host: &str,
    ) -> Result<Self, ConnectError>
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + Sync + 'static,
    {
        io.one_read_a_turn();
        let spoken = Spoken { http: "h2", tls: io.tls_version() };
        let turns = Turns::default();
        let mut builder = http2::Builder::new(turns.clone());
        builder
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(u32::try_from(head_limit).unwrap_or(u32::MAX).saturating_mul(HEAD_SLACK))
            // None, until the other side has said how many.
            .initial_max_send_streams(0);
        let failed = |reason: String| ConnectError::Http2 { host: host.to_owned(), reason };
        let handshake = builder.handshake(TokioIo::new(io)).await;
        let (sender, connection) = handshake.map_err(|error| failed(error.to_string()))?;
        let connection = Arc::new(Mutex::new(connection));
        let peer: Arc<dyn Peer> = Arc::clone(&connection) as Arc<dyn Peer>;
        let ended = Arc::new(OnceLock::new());
        let (told, turned) = (Arc::clone(&ended), turns.clone());
        tokio::spawn(async move {
            let _counted = counted;
            let ended = poll_fn(|cx| {
                let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                pin!(&mut *connection).poll(cx)
            });
            let reason = ended.await.err().map(|error| reason(&error));
            let _ = told.set(reason.unwrap_or_else(|| "it closed the connection".to_owned()));
            turned.0.turned.notify_one();
        });
        while peer.max_streams() == 0 {
            if let Some(reason) = ended.get() {
                return Err(match stamps.alert() {
                    Some(alert) => TlsFailure::alerted(host.to_owned(), alert).into(),
                    None => failed(reason.clone()),
                });
            }
            turns.0.turned.notified().await;
        }
        turns.0.is_open.store(true, Relaxed);
        let (places, has_served) = Default::default();
        Ok(Self { sender, peer, stamps, turns, spoken, head_limit, places, has_served })
    }

    pub(crate) fn spoken(&self) -> &Spoken {
        &self.spoken
    }

    /// Whether it can take requests, as far as was noticed.
    pub(crate) fn is_open(&self) -> bool {
        !self.turns.0.has_ended.load(Relaxed) && !self.sender.is_closed()
    }

    /// A place on it, where it has fewer than `at_most` requests under way, and fewer than the other side allows.
    pub(crate) fn place(self: &Arc<Self>, at_most: usize) -> Option<Place> {
        let most = self.peer.max_streams().min(at_most);
        let taken = self.places.fetch_update(Relaxed, Relaxed, |taken| (taken < most).then_some(taken + 1));
        taken.ok()?;
        Some(Place {
            was_used: self.has_served.load(Relaxed),
            shared: Arc::clone(self),
            sent: Mark::new(),
            body: None,
        })
    }
}

/// A place for one request on a shared connection, free again when it is dropped.
pub(crate) struct Place {
    shared: Arc<Shared>,
    sent: Mark,
    /// The body of the response under way.
    body: Option<Incoming>,
    /// Whether the connection had carried a request before.
    pub(crate) was_used: bool,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.places.fetch_sub(1, Relaxed);
    }
}

impl Place {
    pub(crate) fn stamps(&self) -> &Stamps {
        &self.shared.stamps
    }

    pub(crate) fn sent_us(&self) -> Option<u64> {
        self.sent.at_us()
    }

    /// The connection it is on.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Whether the head is longer than the limit, counted as HTTP/2 does: 32 bytes a field besides name and value.
    pub(crate) fn is_too_long(&self, response: &Response<()>) -> bool {
        let fields = response.headers().iter();
        let bytes: usize = fields.map(|(name, value)| name.as_str().len() + value.len() + 32).sum();
        bytes > self.shared.head_limit
    }

    pub(crate) async fn send(
        &mut self,
        request: Request<Bytes>,
        guard: &mut Guard<'_>,
    ) -> Result<hyper::Result<Response<()>>, Stop> {
        self.shared.has_served.store(true, Relaxed);
        guard.begin_request();
        // Time-outs run from here: nobody is woken when another task has written.
        guard.sent();
        let mut sender = self.shared.sender.clone();
        let mut response = pin!(sender.send_request(self.marked(request)));
        let response = poll_fn(|cx| match response.as_mut().poll(cx) {
            Poll::Ready(response) => Poll::Ready(Ok(response)),
            Poll::Pending => guard.poll(cx).map(Err),
        });
        Ok(response.await?.map(|response| {
            let (head, body) = response.into_parts();
            self.body = Some(body);
            Response::from_parts(head, ())
        }))
    }

    /// Waits for the next frame of the body.
    pub(crate) async fn read(
        &mut self,
        guard: &mut Guard<'_>,
        sink: &mut (dyn FnMut(&[u8], ReadStamp) + Send),
    ) -> Result<hyper::Result<bool>, Stop> {
        poll_fn(|cx| match self.poll_data(cx, sink) {
            Poll::Ready(read) => Poll::Ready(Ok(read)),
            Poll::Pending => guard.poll(cx).map(Err),
        })
        .await
    }

    /// Reads the rest of a body that is of no more interest.
    pub(crate) async fn drain(&mut self) {
        while matches!(poll_fn(|cx| self.poll_data(cx, &mut |_, _| ())).await, Ok(false)) {}
    }

    /// Says whether the body is whole.
    fn poll_data(
        &mut self,
        cx: &mut Context<'_>,
        sink: &mut dyn FnMut(&[u8], ReadStamp),
    ) -> Poll<hyper::Result<bool>> {
        let Some(body) = &mut self.body else { return Poll::Ready(Ok(true)) };
        loop {
            match ready!(Pin::new(&mut *body).poll_frame(cx)) {
                Some(Ok(frame)) => {
                    // Trailers are no data.
                    if let Some(data) = frame.data_ref() {
                        sink(data, self.shared.stamps.last_read());
                        return Poll::Ready(Ok(false));
                    }
                }
                Some(Err(error)) => return Poll::Ready(Err(error)),
                None => {
                    self.body = None;
                    return Poll::Ready(Ok(true));
                }
            }
        }
    }

    /// The request as HTTP/2 has it, with its whole address and a body that tells of its sending.
    fn marked(&self, request: Request<Bytes>) -> Request<Marked> {
        let (mut head, body) = request.into_parts();
        let body = Full::new(body);
        let mut parts = std::mem::take(&mut head.uri).into_parts();
        parts.scheme =
            Some(if self.shared.spoken.tls.is_some() { "https" } else { "http" }.parse().expect("a scheme"));
        let authority = head.headers.remove(HOST);
        parts.authority = authority.and_then(|host| host.as_bytes().try_into().ok());
        head.uri = Uri::from_parts(parts).unwrap_or_default();
        head.version = Version::HTTP_2;
        let stamps = Arc::clone(&self.shared.stamps);
        let mut mark = Some(self.sent.clone());
        // Nobody asks for a body where there is none.
        if body.is_end_stream()
            && let Some(mark) = mark.take()
        {
            stamps.mark_next_write(mark);
        }
        Request::from_parts(head, Marked { body, mark, stamps })
    }
}

/// An error and what it came from.
pub(crate) fn reason(error: &hyper::Error) -> String {
    let mut reason = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        reason = format!("{reason}: {inner}");
        source = inner.source();
    }
    reason
}

/// What is known of a request that failed so.
pub(crate) fn fate(error: &hyper::Error) -> Fate {
    use h2::Reason;
    // Never handed over.
    if error.is_canceled() || error.is_closed() {
        return Fate::TooLate;
    }
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<h2::Error>());
    match source.map(|error| (error, error.reason())) {
        Some((error, Some(Reason::REFUSED_STREAM))) if error.is_remote() && error.is_reset() => Fate::Refused,
        // Told to those requests alone that came after the last one that the service takes up.
        Some((error, _)) if error.is_remote() && error.is_go_away() => Fate::TooLate,
        // What h2 says of a head far beyond its limit, which it gives up decoding. A service whose compression is broken
        // would be told the same, but none of its answers would ever be read.
        Some((error, Some(Reason::ENHANCE_YOUR_CALM | Reason::COMPRESSION_ERROR))) if error.is_library() => {
            Fate::TooLong
        }
        _ => Fate::Unknown,
    }
}
