//! One HTTP/1.1 connection, driven by the task that uses it.
//!
//! Nothing is spawned: the connection is polled right before what waits for it, in one task. hyper hands on one
//! frame of a body and reads no further until it is taken, so when a frame is taken here, the socket's last read is
//! the one that completed it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::guard::{Guard, Stop};
use crate::stamp::{Stamped, Stamps};
use crate::tls::MaybeTls;

type Driver<T> = Connection<TokioIo<MaybeTls<Stamped<T>>>, Full<Bytes>>;

pub(crate) struct Line<C: Connect> {
    sender: SendRequest<Full<Bytes>>,
    /// `None` once it has ended.
    connection: Option<Pin<Box<Driver<C::Io>>>>,
    pub(crate) stamps: Arc<Stamps>,
}

impl<C: Connect> Line<C> {
    /// Connects, within the given time.
    pub(crate) async fn open(
        connector: &C,
        clock: Arc<dyn Clock>,
        within: Duration,
    ) -> Result<Self, ConnectError> {
        let opened = tokio::time::timeout(within, async {
            let stamps = Arc::new(Stamps::new(clock));
            let io = Stamped::new(connector.connect().await?, Arc::clone(&stamps));
            let io = match connector.tls() {
                Some(tls) => MaybeTls::Tls(Box::new(tls.secure(io).await?)),
                None => MaybeTls::Plain(io),
            };
            let (sender, connection) = http1::handshake(TokioIo::new(io)).await.map_err(|error| {
                ConnectError::Other { host: "the service".to_owned(), source: std::io::Error::other(error) }
            })?;
            Ok(Self { sender, connection: Some(Box::pin(connection)), stamps })
        });
        opened.await.unwrap_or(Err(ConnectError::Timeout { seconds: within.as_secs_f64() }))
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
        if let Some(connection) = &mut self.connection
            && connection.as_mut().poll(cx).is_ready()
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
