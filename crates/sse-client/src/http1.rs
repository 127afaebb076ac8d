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
    /// The request as it was sent last; kept for its room.
    out: Vec<u8>,
    /// How far the body under way has been read; `None` where there is none.
    body: Option<Body>,
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
            body: None,
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
        let mut out = std::mem::take(&mut self.out);
        if let Err(unusable) = request.write(id, &mut out) {
            return Ok(Err(unusable.into()));
        }
        let mut sending = Sending { rest: &out, flushed: false, failed: None };
        let answered = poll_fn(|cx| {
            // An answer may come before the request has been taken whole; and where the request cannot be written any
            // more, an answer may say why.
            let sent = self.poll_send(cx, &mut sending);
            if self.stamps.sent_us().is_some() {
                guard.sent();
            }
            match self.poll_head(cx) {
                Poll::Pending => guard.poll(cx).map(Err),
                Poll::Ready(Ok(head)) => {
                    self.stays &= sent.is_ready() && sending.failed.is_none();
                    Poll::Ready(Ok(Ok(head)))
                }
                Poll::Ready(Err(error)) => Poll::Ready(Ok(Err(match sending.failed.take() {
                    Some(failed) => failed.into(),
                    None => error,
                }))),
            }
        })
        .await;
        self.out = out;
        answered
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

    fn poll_send(&mut self, cx: &mut Context<'_>, sending: &mut Sending<'_>) -> Poll<()> {
        while sending.failed.is_none() && !(sending.rest.is_empty() && sending.flushed) {
            let result = if sending.rest.is_empty() {
                ready!(Pin::new(&mut self.io).poll_flush(cx)).map(|()| sending.flushed = true)
            } else {
                match ready!(Pin::new(&mut self.io).poll_write(cx, sending.rest)) {
                    Ok(0) => Err(io::ErrorKind::WriteZero.into()),
                    written => written.map(|count| sending.rest = &sending.rest[count..]),
                }
            };
            sending.failed = result.err();
        }
        Poll::Ready(())
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
                self.stays = framing::keeps_alive(&head) && body != Body::UntilEnd;
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
        taken?;
        self.body = (!body.is_whole()).then_some(body);
        self.settle();
        Poll::Ready(Ok(self.body.is_none()))
    }

    /// Words beyond a whole answer belong to no request that was sent: whoever says them is not to be asked again.
    fn settle(&mut self) {
        if self.body.is_none() && !self.ahead.is_empty() {
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

/// A request on its way.
struct Sending<'a> {
    rest: &'a [u8],
    flushed: bool,
    failed: Option<io::Error>,
}
