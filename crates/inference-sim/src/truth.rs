//! What really happened, as the server's own socket saw it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The true story of one chat request.
///
/// Arrivals are stamped after the read that brought them, departures just before the write that carried their last
/// byte. A client's interval from its first write to any of its reads therefore always contains the interval given
/// here: what it measures beyond is its own and the network's.
///
/// The instants are tokio's, so that a paused clock works; `into_std` makes them comparable with any other
/// monotonic instant of the process.
#[derive(Clone, Debug)]
pub struct RequestTruth {
    /// The number of the request, from 0 in order of arrival; what faults by ordinal count.
    pub ordinal: u64,
    /// The request's `X-Request-Id`.
    pub request_id: Option<String>,
    /// The number of the connection it came over, from 0.
    pub connection: u64,
    /// First read of any byte of the request.
    pub received: Instant,
    /// The read that completed the request.
    pub received_whole: Instant,
    /// When its sequence joined the batch; absent when it never did.
    pub admitted: Option<Instant>,
    /// Write of the response head.
    pub head_written: Option<Instant>,
    /// The status that was answered.
    pub status: Option<u16>,
    /// Tokens of the prompt, by [`count_tokens`](crate::count_tokens) and 4 a message; 0 when refused before they were counted.
    pub prompt_tokens: u64,
    /// Of them, found in the prefix cache.
    pub cached_tokens: u64,
    /// Token events in the order of their writing; empty when the answer was not streamed.
    pub events: Vec<TokenEvent>,
    /// Tokens written, whether streamed or not, reasoning included.
    pub output_tokens: u64,
    /// Write of `[DONE]`, or of the last byte of a response that was not streamed.
    pub done_written: Option<Instant>,
    /// How it ended.
    pub ending: Ending,
}

/// One event that carried generated text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenEvent {
    /// Its write to the socket.
    pub at: Instant,
    /// Tokens in it.
    pub tokens: u64,
    /// Whether they were reasoning.
    pub reasoning: bool,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// Answered in full, with success.
    Complete,
    /// Answered with an error status.
    Refused,
    /// Spoilt by a fault of the script.
    Faulted,
    /// The client left, or the service was shut down.
    Cancelled,
}

impl RequestTruth {
    /// Whether the client left before the end.
    pub fn cancelled(&self) -> bool {
        self.ending == Ending::Cancelled
    }

    /// From the arrival of the request to the write of its first token; absent without one.
    pub fn ttft(&self) -> Option<Duration> {
        Some(self.events.first()?.at - self.received)
    }

    /// From the arrival of the request to the write of its end; absent when there was none.
    pub fn e2e(&self) -> Option<Duration> {
        Some(self.done_written? - self.received)
    }
}

/// Where truths are kept until they are drained.
#[derive(Default)]
pub(crate) struct Ledger {
    state: Mutex<State>,
    settled: Condvar,
}

#[derive(Default)]
struct State {
    finished: Vec<RequestTruth>,
    open: usize,
}

impl Ledger {
    /// Begins the story of one request. It is entered when the returned guard is settled or dropped.
    pub(crate) fn open(self: &Arc<Self>, keep: bool, truth: RequestTruth) -> OpenTruth {
        self.lock().open += 1;
        OpenTruth { truth: Some(truth), keep, ledger: Arc::clone(self) }
    }

    pub(crate) fn drain(&self) -> Vec<RequestTruth> {
        let mut truths = std::mem::take(&mut self.lock().finished);
        truths.sort_by_key(|truth| truth.ordinal);
        truths
    }

    /// Waits until no request is open, but no longer than `patience`. Blocks the thread.
    pub(crate) fn settle(&self, patience: Duration) {
        let waited = self.settled.wait_timeout_while(self.lock(), patience, |state| state.open > 0);
        drop(waited);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The story of a request that is under way. Dropping it says that the request was cancelled.
pub(crate) struct OpenTruth {
    truth: Option<RequestTruth>,
    keep: bool,
    ledger: Arc<Ledger>,
}

impl OpenTruth {
    pub(crate) fn note(&mut self, change: impl FnOnce(&mut RequestTruth)) {
        if let Some(truth) = &mut self.truth {
            change(truth);
        }
    }

    pub(crate) fn settle(mut self, ending: Ending) {
        self.note(|truth| truth.ending = ending);
    }
}

impl Drop for OpenTruth {
    fn drop(&mut self) {
        let mut state = self.ledger.lock();
        state.open -= 1;
        if let Some(truth) = self.truth.take()
            && self.keep
        {
            state.finished.push(truth);
        }
        drop(state);
        self.ledger.settled.notify_all();
    }
}
