//! One HTTP/1.1 connection, driven by the task that uses it.
//!
//! Nothing is spawned: the connection is polled right before what waits for it, in one task. hyper hands on one
//! frame of a body and reads no further until it is taken, so when a frame is taken here, the socket's last read is
//! the one that completed it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connect::Connect;
use crate::guard::{Guard, Stop};
use crate::line::{Counted, poll_data};
use crate::stamp::Stamps;
use crate::transport::MaybeTls;

/// The least room for reading that hyper takes.
const LEAST_BUFFER: usize = 8 << 10;

/// The most headers of a response. Services behind gateways send dozens; hyper's own limit is 100.
const MOST_HEADERS: usize = 256;

type Driver<T> = Connection<TokioIo<MaybeTls<T>>, Full<Bytes>>;

/// A connection of its own for one request at a time.
pub(crate) struct Own<C: Connect> {
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

impl<C: Connect> Own<C> {
    /// Speaks HTTP/1.1 over a transport. Heads of responses may be `head_limit` bytes long, and never less than 8 KiB
    /// while they are incomplete.
    pub(crate) async fn over(
        io: MaybeTls<C::Io>,
        stamps: Arc<Stamps>,
        head_limit: usize,
        counted: Counted,
    ) -> hyper::Result<Self> {
        let mut builder = http1::Builder::new();
        builder
            .max_buf_size(head_limit.max(LEAST_BUFFER))
            .max_header_size(head_limit)
            .max_headers(MOST_HEADERS);
        let (sender, connection) = builder.handshake(TokioIo::new(io)).await?;
        let connection = Some(Open { driver: Box::pin(connection), _counted: counted });
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

    /// Reads the rest of a body that is of no more interest. Says whether it came to its end.
    pub(crate) async fn rest(&mut self, mut body: Incoming) -> bool {
        poll_fn(|cx| {
            loop {
                self.poll_connection(cx);
                match ready!(poll_data(&mut body, cx)) {
                    Some(Ok(_)) => {}
                    end => return Poll::Ready(end.is_none()),
                }
            }
        })
        .await
    }

    /// Whether it is open, as far as was noticed.
    pub(crate) fn is_open(&self) -> bool {
        self.connection.is_some()
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
