//! What ends a run before its plan is done, and how everyone hears of it.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use metrics_core::Facts;
use sse_client::{Cancel, Canceller};
use workload_model::Bounds;

/// Why a run ended before its plan was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// The operator's Ctrl-C.
    Interrupt,
    /// `--max-requests`.
    MaxRequests,
    /// `--max-output-tokens`.
    MaxOutputTokens,
    /// `--max-duration`.
    MaxDuration,
    /// `--max-errors`.
    MaxErrors,
    /// An open loop had more requests in flight than the operating system has files and ports for.
    NoRoom,
    /// A row could not be kept.
    EvidenceLost,
}

impl StopCause {
    /// The word in `raw/events.jsonl`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupt",
            Self::MaxRequests => "max_requests",
            Self::MaxOutputTokens => "max_output_tokens",
            Self::MaxDuration => "max_duration",
            Self::MaxErrors => "max_errors",
            Self::NoRoom => "no_room",
            Self::EvidenceLost => "evidence_lost",
        }
    }
}

/// Stops a run from outside, or from within when a bound is met.
///
/// After a stop nothing further is sent, and requests under way are cancelled; only `max_requests` lets them end,
/// since they are within the bound.
#[derive(Debug)]
pub struct Stop {
    cause: Mutex<Option<StopCause>>,
    canceller: Canceller,
    /// For whoever waits to send: whatever the cause, nothing further is sent.
    halter: Canceller,
    bounds: Bounds,
    /// Most requests in flight in an open loop; `None` is what the operating system allows.
    pub(crate) in_flight: Option<u64>,
    elapsed_us: u64,
    begun: AtomicU64,
    errors: AtomicU64,
    /// Token-bearing events received so far, counted while they stream.
    pub(crate) token_events: AtomicU64,
}

/// What was already spent before the run, by the probe: it counts against the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Requests sent.
    pub requests: u64,
    /// Output tokens received.
    pub output_tokens: u64,
    /// Time passed, in microseconds.
    pub elapsed_us: u64,
}

impl Stop {
    /// Nothing has stopped yet, unless what was spent has met a bound on tokens or time already.
    #[must_use]
    pub fn new(bounds: Bounds, spent: Spent) -> Self {
        let stop = Self {
            cause: Mutex::new(None),
            canceller: Canceller::new(),
            halter: Canceller::new(),
            bounds,
            in_flight: None,
            elapsed_us: spent.elapsed_us,
            begun: AtomicU64::new(spent.requests),
            errors: AtomicU64::new(0),
            token_events: AtomicU64::new(spent.output_tokens),
        };
        if bounds.max_output_tokens.is_some_and(|most| spent.output_tokens >= most) {
            stop.now(StopCause::MaxOutputTokens);
        } else if stop.time_left().is_some_and(|left| left.is_zero()) {
            stop.now(StopCause::MaxDuration);
        }
        stop
    }

    /// The same, ending the run by [`StopCause::NoRoom`] where an open loop has more requests than this in flight. Without
    /// it, that is what the operating system allows.
    #[must_use]
    pub fn at_most_in_flight(mut self, most: u64) -> Self {
        self.in_flight = Some(most);
        self
    }

    /// How long it may go on from when it was made; `None` where no bound says.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let most = crate::service::seconds(self.bounds.max_duration_s?);
        Some(most.saturating_sub(Duration::from_micros(self.elapsed_us)))
    }

    /// Stops the run; the first cause stands.
    pub fn now(&self, cause: StopCause) {
        self.cause.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(cause);
        self.halter.cancel();
        if cause != StopCause::MaxRequests {
            self.canceller.cancel();
        }
    }

    /// Why the run stopped; `None` while it goes on.
    #[must_use]
    pub fn cause(&self) -> Option<StopCause> {
        *self.cause.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Turns true when requests under way are to be cancelled.
    pub(crate) fn cancelled(&self) -> Cancel {
        self.canceller.watch()
    }

    /// Turns true when nothing further is to be sent.
    pub(crate) fn halted(&self) -> Cancel {
        self.halter.watch()
    }

    /// May another request be sent? Counts it if so.
    pub(crate) fn begin(&self) -> bool {
        if self.cause().is_some() {
            return false;
        }
        let begun = self.begun.fetch_add(1, Ordering::Relaxed);
        if self.bounds.max_requests.is_some_and(|most| begun >= most) {
            self.now(StopCause::MaxRequests);
            return false;
        }
        true
    }

    /// Takes note of what came for a request. One that was sent once more on a fresh connection counts as often as it was
    /// sent; output that came several tokens an event is made up for.
    pub(crate) fn received(&self, facts: &Facts) {
        self.begun.fetch_add(u64::from(facts.reconnects), Ordering::Relaxed);
        let uncounted = facts.output_tokens.map_or(0, |tokens| tokens.0.saturating_sub(facts.token_events));
        self.token_events.fetch_add(uncounted, Ordering::Relaxed);
    }

    /// Takes note of a request that came to nothing, all its tries included.
    pub(crate) fn failed(&self) {
        let errors = self.errors.fetch_add(1, Ordering::Relaxed) + 1;
        if self.bounds.max_errors.is_some_and(|most| errors >= most.max(1)) {
            self.now(StopCause::MaxErrors);
        }
    }

    /// Watches the bounds that are met while requests stream. Ends when one is met or the run is stopped; with neither
    /// bound set it never does.
    pub(crate) async fn watch_bounds(&self) {
        const LOOK_EVERY: Duration = Duration::from_millis(5);
        let cancelled = self.cancelled();
        let deadline = async {
            match self.time_left() {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
        };
        let tokens = async {
            match self.bounds.max_output_tokens {
                Some(most) => {
                    while self.token_events.load(Ordering::Relaxed) < most {
                        tokio::time::sleep(LOOK_EVERY).await;
                    }
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = deadline => self.now(StopCause::MaxDuration),
            () = tokens => self.now(StopCause::MaxOutputTokens),
            () = cancelled.cancelled() => {}
        }
    }
}
