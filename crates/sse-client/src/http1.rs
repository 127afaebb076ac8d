//! One HTTP/1.1 connection, read by the task that uses it.
//!
//! What a read of the socket brings is taken apart in place: nothing lies between the read that is stamped and the events
//! that it brought, no task, no queue and no buffer but the decoder's own. Nothing is allocated for a read. See
//! `docs/decisions/0008-http1-by-hand.md` for why this is not hyper's.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::Response;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::connect::Connect;
use crate::framing::{self, Body, FramingError};
use crate::guard::{Guard, Stop};
use crate::line::Counted;
use crate::outgoing::{Outgoing, UnusablePath};
use crate::stamp::{ReadStamp, Stamps};
use crate::transport::MaybeTls;

/// Most bytes taken by one read.
const READ: usize = 128 << 10;

thread_local! {
    /// Where reads go. Their bytes are taken before anything else can happen on the thread, so that ten thousand
    /// connections need no more than one such place.
    static PLACE: RefCell<Vec<u8>> = RefCell::new(vec![0; READ]);
}

/// Why a connection gave no answer, or no more of one.
#[derive(Debug, Error)]
pub(crate) enum Broken {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Framing(#[from] FramingError),
    #[error("{0}")]
    Path(#[from] UnusablePath),
    #[error("the connection was closed before the answer was whole")]
    Closed,
}

/// A connection of its own for one request at a time.
pub(crate) struct Own<C: Connect> {
    io: MaybeTls<C::Io>,
    pub(crate) stamps: Arc<Stamps>,
    head_limit: usize,
    /// What was read and not taken yet: the beginning of a head, or what came with a head.
    ahead: Vec<u8>,
    /// The request as it is sent, or was sent last, and how much of it the transport has taken.
    out: Vec<u8>,
    taken: usize,
    /// Whether the transport has nothing left of it.
    flushed: bool,
    /// How far the body under way has been read; `None` where there is none.
    body: Option<Body>,
    /// Whether the body under way, or read last, lasts until the connection ends.
    pub(crate) lasts_until_end: bool,
    /// Whether it may serve another request.
    stays: bool,
    _counted: Counted,
}

impl<C: Connect> Own<C> {
    /// Speaks HTTP/1.1 over a transport. Heads of responses may be `head_limit` bytes long.
    pub(crate) fn over(
        io: MaybeTls<C::Io>,
        stamps: Arc<Stamps>,
        head_limit: usize,
        counted: Counted,
    ) -> Self {
        Self {
            io,
            stamps,
            head_limit,
            ahead: Vec::new(),
            out: Vec::new(),
            taken: 0,
            flushed: true,
            body: None,
            lasts_until_end: false,
            stays: true,
            _counted: counted,
        }
    }

    /// Looks whether the connection, idle till now, can take another request: its end may have come meanwhile.
    pub(crate) async fn is_usable(&mut self) -> bool {
        // The runtime looks at its sockets while this task yields; without, an end just come would go unseen.
        tokio::task::yield_now().await;
        // Whatever is there to be read belongs to no request: the end, or words that nobody asked for.
        self.stays && poll_fn(|cx| Poll::Ready(self.poll_read(cx, |_, _| ()).is_pending())).await
    }

    /// Sends a request, and waits for the head of its response.
    pub(crate) async fn send(
        &mut self,
        request: Outgoing<'_>,
        id: &str,
        guard: &mut Guard<'_>,
    ) -> Result<Result<Response<()>, Broken>, Stop> {
        self.stamps.begin_request();
        guard.begin_request();
        if let Err(unusable) = request.write(id, &mut self.out) {
            return Ok(Err(unusable.into()));
        }
        (self.taken, self.flushed) = (0, false);
        poll_fn(|cx| {
            // An answer may come before the request has been taken whole; and where the request cannot be written any
            // more, an answer may say why.
            let failed = self.poll_send(cx);
            if self.stamps.sent_us().is_some() {
                guard.sent();
            }
            match (self.poll_head(cx), failed) {
                (Poll::Pending, _) => guard.poll(cx).map(Err),
                (Poll::Ready(Err(_)), Some(failed)) => Poll::Ready(Ok(Err(failed.into()))),
                (Poll::Ready(answered), _) => Poll::Ready(Ok(answered)),
            }
        })
        .await
    }

    /// Waits for the next read, and hands every piece of the body in it to `sink`, with the read's stamp. Says whether
    /// the body is whole now.
    pub(crate) async fn read(
        &mut self,
        guard: &mut Guard<'_>,
        sink: &mut (dyn FnMut(&[u8], ReadStamp) + Send),
    ) -> Result<Result<bool, Broken>, Stop> {
        poll_fn(|cx| match self.poll_body(cx, sink) {
            Poll::Ready(read) => Poll::Ready(Ok(read)),
            Poll::Pending => guard.poll(cx).map(Err),
        })
        .await
    }

    /// Reads the rest of a body that is of no more interest. Says whether the connection may serve again.
    pub(crate) async fn drain(&mut self) -> bool {
        while self.body.is_some() {
            if poll_fn(|cx| self.poll_body(cx, &mut |_, _| ())).await.is_err() {
                return false;
            }
        }
        self.stays
    }

    /// Whether no body is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.body.is_none()
    }

    /// Sends on. What cannot be sent spoils the connection, and is told of once.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Option<io::Error> {
        while !self.flushed {
            let sent = if self.taken < self.out.len() {
                match Pin::new(&mut self.io).poll_write(cx, &self.out[self.taken..]) {
                    Poll::Pending => return None,
                    Poll::Ready(Ok(0)) => Err(io::ErrorKind::WriteZero.into()),
                    Poll::Ready(written) => written.map(|count| self.taken += count),
                }
            } else {
                match Pin::new(&mut self.io).poll_flush(cx) {
                    Poll::Pending => return None,
                    Poll::Ready(flushed) => flushed.map(|()| self.flushed = true),
                }
            };
            if let Err(error) = sent {
                (self.flushed, self.stays) = (true, false);
                return Some(error);
            }
        }
        None
    }

    fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<Result<Response<()>, Broken>> {
        loop {
            if !self.ahead.is_empty()
                && let Some((head, length, body)) = framing::head(&self.ahead, self.head_limit)?
            {
                self.ahead.drain(..length);
                // What 1xx announces is still to come; but for 101, which nobody asked for.
                if head.status().is_informational() && head.status() != hyper::StatusCode::SWITCHING_PROTOCOLS
                {
                    continue;
                }
                self.stays &= framing::keeps_alive(&head) && body != Body::UntilEnd;
                self.lasts_until_end = body == Body::UntilEnd;
                self.body = (!body.is_whole()).then_some(body);
                self.settle();
                return Poll::Ready(Ok(head));
            }
            let mut ahead = std::mem::take(&mut self.ahead);
            let read = self.poll_read(cx, |_, bytes| ahead.extend_from_slice(bytes));
            self.ahead = ahead;
            if ready!(read)? == 0 {
                return Poll::Ready(Err(Broken::Closed));
            }
        }
    }

    fn poll_body(
        &mut self,
        cx: &mut Context<'_>,
        sink: &mut dyn FnMut(&[u8], ReadStamp),
    ) -> Poll<Result<bool, Broken>> {
        let Some(mut body) = self.body else { return Poll::Ready(Ok(true)) };
        // A service may answer before it has read all of a long request; it may as well wait for the rest.
        self.poll_send(cx);
        let mut left = Vec::new();
        let taken = if self.ahead.is_empty() {
            let mut taken = Ok(());
            let count = ready!(self.poll_read(cx, |stamp, bytes| {
                taken = body
                    .take(bytes, |piece| sink(piece, stamp))
                    .map(|used| left.extend_from_slice(&bytes[used..]));
            }))?;
            if count == 0 {
                self.body = None;
                self.stays = false;
                return Poll::Ready(if body == Body::UntilEnd { Ok(true) } else { Err(Broken::Closed) });
            }
            taken
        } else {
            let stamp = self.stamps.last_read();
            body.take(&self.ahead, |piece| sink(piece, stamp))
                .map(|used| left.extend_from_slice(&self.ahead[used..]))
        };
        self.ahead.clear();
        self.ahead.append(&mut left);
        if let Err(error) = taken {
            (self.body, self.stays) = (None, false);
            return Poll::Ready(Err(error.into()));
        }
        self.body = (!body.is_whole()).then_some(body);
        self.settle();
        Poll::Ready(Ok(self.body.is_none()))
    }

    /// Words beyond a whole answer belong to no request that was sent, and an answer to half a request leaves the other
    /// half: whoever says either is not to be asked again.
    fn settle(&mut self) {
        if self.body.is_none() && !(self.ahead.is_empty() && self.flushed) {
            self.stays = false;
        }
    }

    /// Reads once, and lets `take` have the bytes. Gives their number; 0 is the end.
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        take: impl FnOnce(ReadStamp, &[u8]),
    ) -> Poll<io::Result<usize>> {
        PLACE.with_borrow_mut(|place| {
            let mut buffer = ReadBuf::new(place);
            ready!(Pin::new(&mut self.io).poll_read(cx, &mut buffer))?;
            let bytes = buffer.filled();
            if !bytes.is_empty() {
                take(self.stamps.last_read(), bytes);
            }
            Poll::Ready(Ok(bytes.len()))
        })
    }
}
