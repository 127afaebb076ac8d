//! When a request was handed to a socket that it shares with others.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};

use crate::stamp::{NEVER, Stamps};

/// The instant of one request's sending, once there is one.
#[derive(Clone, Debug)]
pub(crate) struct Mark(Arc<AtomicU64>);

impl Mark {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(NEVER)))
    }

    pub(crate) fn at_us(&self) -> Option<u64> {
        Some(self.0.load(Relaxed)).filter(|at| *at != NEVER)
    }
}

/// The marks of requests that wait for the next write.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Asked at every write, so that none takes the lock for nothing.
    awaited: AtomicBool,
    waiting: Mutex<Vec<Mark>>,
}

impl Marks {
    pub(crate) fn push(&self, mark: Mark) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(mark);
        self.awaited.store(true, Relaxed);
    }

    pub(crate) fn are_awaited(&self) -> bool {
        self.awaited.load(Relaxed)
    }

    pub(crate) fn set(&self, at: u64) {
        if self.awaited.swap(false, Relaxed) {
            for mark in self.waiting.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
                mark.0.store(at, Relaxed);
            }
        }
    }
}

/// A request's body that tells when it is taken. The head is queued right before it, so the next write of the socket
/// hands over the one and begins the other.
pub(crate) struct Marked {
    pub(crate) body: Full<Bytes>,
    pub(crate) mark: Option<Mark>,
    pub(crate) stamps: Arc<Stamps>,
}

impl Body for Marked {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(mark) = self.mark.take() {
            self.stamps.mark_next_write(mark);
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
