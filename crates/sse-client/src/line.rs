//! One HTTP/1.1 connection, driven by the task that uses it.
//!
//! Nothing is spawned: the connection is polled right before what waits for it, in one task. hyper hands on one
//! frame of a body and reads no further until it is taken, so when a frame is taken here, the socket's last read is
//! the one that completed it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::guard::{Guard, Stop, later};
use crate::stamp::{Stamped, Stamps};
use crate::tls::MaybeTls;

type Driver<T> = Connection<TokioIo<MaybeTls<T>>, Full<Bytes>>;

pub(crate) struct Line<C: Connect> {
    sender: SendRequest<Full<Bytes>>,
    /// `None` once it has ended.
    connection: Option<Open<C::Io>>,
    pub(crate) stamps: Arc<Stamps>,
}

/// A connection that has not ended.
struct Open<T: AsyncRead + AsyncWrite + Unpin + Send + Sync + 'static> {
    driver: Pin<Box<Driver<T>>>,
    _counted: Counted,
}

/// Counts a connection for as long as it lives.
struct Counted(Option<Arc<AtomicU64>>);

impl Counted {
    fn new(gauge: Option<Arc<AtomicU64>>) -> Self {
        if let Some(gauge) = &gauge {
            gauge.fetch_add(1, Relaxed);
        }
        Self(gauge)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if let Some(gauge) = &self.0 {
            gauge.fetch_sub(1, Relaxed);
        }
    }
}

impl<C: Connect> Line<C> {
    /// Connects, within the given time.
    pub(crate) async fn open(
        connector: &C,
        clock: Arc<dyn Clock>,
        within: Duration,
        gauge: Option<Arc<AtomicU64>>,
    ) -> Result<Self, ConnectError> {
        let deadline = later(tokio::time::Instant::now(), within);
        let seconds = within.as_secs_f64();
        let stamps = Arc::new(Stamps::new(clock));
        let connected = tokio::time::timeout_at(deadline, connector.connect()).await;
        let io =
            Stamped::new(connected.unwrap_or(Err(ConnectError::Timeout { seconds }))?, Arc::clone(&stamps));
        let io = match connector.tls() {
            Some(tls) => {
                let secured = tokio::time::timeout_at(deadline, tls.secure(io)).await;
                MaybeTls::Tls(Box::new(secured.map_err(|_| ConnectError::TlsTimeout { seconds })??))
            }
            None => MaybeTls::Plain(io),
        };
        let (sender, connection) = http1::handshake(TokioIo::new(io)).await.map_err(|error| {
            ConnectError::Other { host: "the service".to_owned(), source: std::io::Error::other(error) }
        })?;
        let connection = Some(Open { driver: Box::pin(connection), _counted: Counted::new(gauge) });
        Ok(Self { sender, connection, stamps })
    }

    /// Looks whether the connection, idle till now, can take another request: its end may have come meanwhile.
    pub(crate) async fn is_usable(&mut self) -> bool {
        // The runtime looks at its sockets while this task yields; without, an end just come would go unseen.
        tokio::task::yield_now().await;
        poll_fn(|cx| {
            self.poll_connection(cx);
            let ready = matches!(self.sender.poll_ready(cx), Poll::Ready(Ok(())));
            Poll::Ready(ready && self.connection.is_some())
        })
        .await
    }

    /// Sends a request, and waits for the head of its response.
    pub(crate) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
        guard: &mut Guard<'_>,
    ) -> Result<hyper::Result<Response<Incoming>>, Stop> {
        self.stamps.begin_request();
        guard.begin_request();
        let mut response = Box::pin(self.sender.send_request(request));
        self.drive(guard, |cx| response.as_mut().poll(cx)).await
    }

    /// Waits for the next bytes of a body. `None` is its end.
    pub(crate) async fn data(
        &mut self,
        body: &mut Incoming,
        guard: &mut Guard<'_>,
    ) -> Result<Option<hyper::Result<Bytes>>, Stop> {
        self.drive(guard, |cx| poll_data(body, cx)).await
    }

    /// Reads the rest of a body that is of no more interest, so that the connection can serve again. `None` where it
    /// cannot.
    pub(crate) async fn drain(mut self, rest: Option<Incoming>, within: Duration) -> Option<Self> {
        if let Some(mut body) = rest {
            let drained = poll_fn(|cx| {
                loop {
                    self.poll_connection(cx);
                    match ready!(poll_data(&mut body, cx)) {
                        Some(Ok(_)) => {}
                        end => return Poll::Ready(end.is_none()),
                    }
                }
            });
            if !tokio::time::timeout(within, drained).await.unwrap_or(false) {
                return None;
            }
        }
        self.connection.is_some().then_some(self)
    }

    async fn drive<T>(
        &mut self,
        guard: &mut Guard<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Result<T, Stop> {
        poll_fn(|cx| {
            self.poll_connection(cx);
            if self.stamps.sent_us().is_some() {
                guard.sent();
            }
            match poll(cx) {
                Poll::Ready(done) => Poll::Ready(Ok(done)),
                Poll::Pending => guard.poll(cx).map(Err),
            }
        })
        .await
    }

    fn poll_connection(&mut self, cx: &mut Context<'_>) {
        // What the connection's end means is told to whoever waits for the response or its body.
        if let Some(Open { driver, .. }) = &mut self.connection
            && driver.as_mut().poll(cx).is_ready()
        {
            self.connection = None;
        }
    }
}

fn poll_data(body: &mut Incoming, cx: &mut Context<'_>) -> Poll<Option<hyper::Result<Bytes>>> {
    loop {
        match ready!(Pin::new(&mut *body).poll_frame(cx)) {
            Some(Ok(frame)) => {
                // Trailers are no data.
                if let Ok(data) = frame.into_data() {
                    return Poll::Ready(Some(Ok(data)));
                }
            }
            Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            None => return Poll::Ready(None),
        }
    }
}
