//! Instants of a socket, taken right where it is read and written.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use rustls::AlertDescription;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::clock::Clock;
#[cfg(feature = "http2")]
use crate::mark::{Mark, Marks};

pub(crate) const NEVER: u64 = u64::MAX;

/// How many turns a shared connection waits after a read. The head of a response takes two to its request: one to the
/// task in which hyper waits for it, and one from there.
const TURNS: u8 = 2;

/// What a socket has seen so far. Whoever asks runs on the thread that read, so no order
/// between the two need be forced.
pub(crate) struct Stamps {
    clock: Arc<dyn Clock>,
    reads: AtomicU64,
    plain_reads: AtomicU64,
    last_read: AtomicU64,
    end: AtomicU64,
    first_write: AtomicU64,
    /// The alert that ended TLS. It may come long after the connection did.
    alert: OnceLock<AlertDescription>,
    #[cfg(feature = "http2")]
    marks: Marks,
}

/// A read that brought bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadStamp {
    /// Which read of its socket it was, from 1; 0 before any.
    pub(crate) number: u64,
    /// When it returned, in microseconds.
    pub(crate) at_us: u64,
}

impl Stamps {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let never = || AtomicU64::new(NEVER);
        Self {
            clock,
            reads: AtomicU64::new(0),
            plain_reads: AtomicU64::new(0),
            last_read: AtomicU64::new(0),
            end: never(),
            first_write: never(),
            alert: OnceLock::new(),
            #[cfg(feature = "http2")]
            marks: Marks::default(),
        }
    }

    /// Forgets the writes so far: the next one begins a request.
    pub(crate) fn begin_request(&self) {
        self.first_write.store(NEVER, Relaxed);
    }

    /// When the first byte of the request was handed to the socket.
    pub(crate) fn sent_us(&self) -> Option<u64> {
        Some(self.first_write.load(Relaxed)).filter(|at| *at != NEVER)
    }

    pub(crate) fn last_read(&self) -> ReadStamp {
        ReadStamp { number: self.reads.load(Relaxed), at_us: self.last_read.load(Relaxed) }
    }

    /// When the socket's end was read.
    pub(crate) fn end_us(&self) -> Option<u64> {
        Some(self.end.load(Relaxed)).filter(|at| *at != NEVER)
    }

    /// Reads that brought something above TLS.
    pub(crate) fn plain_reads(&self) -> u64 {
        self.plain_reads.load(Relaxed)
    }

    pub(crate) fn read_plainly(&self) {
        self.plain_reads.fetch_add(1, Relaxed);
    }

    pub(crate) fn alerted(&self, alert: Option<AlertDescription>) {
        if let Some(alert) = alert {
            let _ = self.alert.set(alert);
        }
    }

    /// The alert by which the other side ended TLS.
    pub(crate) fn alert(&self) -> Option<AlertDescription> {
        self.alert.get().copied()
    }

    /// Sets the mark at the next write.
    #[cfg(feature = "http2")]
    pub(crate) fn mark_next_write(&self, mark: Mark) {
        self.marks.push(mark);
    }

    /// The instant of a write that may hand over the first byte of a request. Taken before it: what the system does
    /// with the bytes, it does within the write.
    fn before_write(&self) -> Option<u64> {
        let awaited = self.first_write.load(Relaxed) == NEVER;
        #[cfg(feature = "http2")]
        let awaited = awaited || self.marks.are_awaited();
        awaited.then(|| self.clock.now_us())
    }

    fn wrote(&self, bytes: usize, begun: Option<u64>) {
        if let Some(at) = begun.filter(|_| bytes > 0) {
            let _ = self.first_write.compare_exchange(NEVER, at, Relaxed, Relaxed);
            #[cfg(feature = "http2")]
            self.marks.set(at);
        }
    }
}

/// A socket whose reads and writes are stamped. It lies below TLS and below HTTP: what they hold back and hand on
/// later came with the read that is stamped here.
pub(crate) struct Stamped<T> {
    io: T,
    stamps: Arc<Stamps>,
    one_read_a_turn: bool,
    turns_owed: u8,
}

impl<T> Stamped<T> {
    pub(crate) fn new(io: T, stamps: Arc<Stamps>) -> Self {
        Self { io, stamps, one_read_a_turn: false, turns_owed: 0 }
    }

    /// Reads no more than once, and then waits until every task that the read woke has run: on a runtime of one
    /// thread, whatever asks for the last read's stamp then asks for its own. The runtime wakes who yields after all
    /// that was ready before.
    #[cfg(feature = "http2")]
    pub(crate) fn one_read_a_turn(&mut self) {
        self.one_read_a_turn = true;
    }

    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.turns_owed == 0 {
            return Poll::Ready(());
        }
        self.turns_owed -= 1;
        // Polled once, it leaves the waker with the runtime; nothing is to be kept of it.
        let turn = std::pin::pin!(tokio::task::yield_now());
        if turn.poll(cx).is_ready() {
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }

    pub(crate) fn stamps(&self) -> &Stamps {
        &self.stamps
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Stamped<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_turn(cx));
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(cx, buffer))?;
        let now = self.stamps.clock.now_us();
        if self.one_read_a_turn {
            self.turns_owed = TURNS;
        }
        if buffer.filled().len() > before {
            self.stamps.last_read.store(now, Relaxed);
            self.stamps.reads.fetch_add(1, Relaxed);
        } else {
            self.stamps.end.store(now, Relaxed);
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Stamped<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let begun = self.stamps.before_write();
        let written = ready!(Pin::new(&mut self.io).poll_write(cx, bytes))?;
        self.stamps.wrote(written, begun);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let begun = self.stamps.before_write();
        let written = ready!(Pin::new(&mut self.io).poll_write_vectored(cx, slices))?;
        self.stamps.wrote(written, begun);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    #[derive(Default)]
    struct Hand(AtomicU64);

    impl Clock for Hand {
        fn now_us(&self) -> u64 {
            self.0.load(Relaxed)
        }
    }

    /// A socket that takes its time: 7 µs a write, and nothing at the first.
    struct Slow(Arc<Hand>);

    impl AsyncWrite for Slow {
        fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            if self.0.0.fetch_add(7, Relaxed) == 0 {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn sending_is_the_beginning_of_the_first_write_that_takes_bytes() {
        let clock = Arc::new(Hand::default());
        let stamps = Arc::new(Stamps::new(Arc::clone(&clock) as Arc<dyn Clock>));
        let mut io = Stamped::new(Slow(Arc::clone(&clock)), Arc::clone(&stamps));
        for _ in 0..2 {
            poll_fn(|cx| Pin::new(&mut io).poll_write(cx, b"ab")).await.unwrap();
        }
        assert_eq!((stamps.sent_us(), clock.now_us()), (Some(7), 21));
        stamps.begin_request();
        poll_fn(|cx| Pin::new(&mut io).poll_write_vectored(cx, &[IoSlice::new(b"ab")])).await.unwrap();
        assert_eq!(stamps.sent_us(), Some(21));
    }
}
