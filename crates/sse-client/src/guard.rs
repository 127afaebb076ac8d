//! What ends a request from outside: its time-outs, and the client's own will.

use std::future::{Future, pending};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::exchange::Phase;

/// How long a request may take. The defaults are long, since reasoning under load takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For connecting: resolving, TCP and TLS together. Default 10 s.
    pub connect: Duration,
    /// From the sending to the first token. Comments and empty deltas are no tokens. Default 300 s.
    pub first_token: Duration,
    /// From a token to the next, and from the last to the end. Comments do not count. Default 120 s.
    pub stall: Duration,
    /// From the sending to the end. Default 3,600 s.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_token: Duration::from_secs(300),
            stall: Duration::from_secs(120),
            total: Duration::from_secs(3600),
        }
    }
}

/// The wish to cancel requests, held by whoever may have it.
#[derive(Debug)]
pub struct Canceller(watch::Sender<bool>);

/// A request's view of that wish. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Cancel(watch::Receiver<bool>);

impl Canceller {
    /// A wish not yet uttered.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// A view for requests. If the canceller is dropped without a word, they run on.
    #[must_use]
    pub fn watch(&self) -> Cancel {
        Cancel(self.0.subscribe())
    }

    /// Cancels every request that watches, for good.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}

impl Default for Canceller {
    fn default() -> Self {
        Self::new()
    }
}

impl Cancel {
    /// Whether the wish has been uttered.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is; for ever, if it never is.
    pub async fn cancelled(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|cancelled| *cancelled).await.is_err() {
            pending().await
        }
    }
}

/// Why a request was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Timeout(Phase),
    Cancelled,
}

/// Watches over one request.
pub(crate) struct Guard<'a> {
    timeouts: Timeouts,
    cancel: Option<&'a Cancel>,
    cancelled: Pin<Box<dyn Future<Output = ()> + Send + 'a>>,
    /// When the request was sent; until it is, when it was to be sent.
    sent: Instant,
    is_sent: bool,
    last_token: Option<Instant>,
    sleep: Pin<Box<Sleep>>,
    /// Whom timer and wish will wake; `None` where they are to be asked anew.
    woken: Option<Waker>,
    /// Reads since the task last waited.
    unwaited: u32,
}

impl<'a> Guard<'a> {
    pub(crate) fn new(timeouts: Timeouts, cancel: Option<&'a Cancel>) -> Self {
        let cancelled: Pin<Box<dyn Future<Output = ()> + Send + 'a>> = match cancel {
            Some(cancel) => Box::pin(cancel.cancelled()),
            None => Box::pin(pending()),
        };
        let sent = Instant::now();
        let sleep = Box::pin(sleep_until(later(sent, timeouts.total.min(timeouts.first_token))));
        Self {
            timeouts,
            cancel,
            cancelled,
            sent,
            is_sent: false,
            last_token: None,
            sleep,
            woken: None,
            unwaited: 0,
        }
    }

    pub(crate) fn connect_timeout(&self) -> Duration {
        self.timeouts.connect
    }

    /// Begins anew for a request that is about to be sent.
    pub(crate) fn begin_request(&mut self) {
        self.sent = Instant::now();
        self.is_sent = false;
        self.last_token = None;
        self.woken = None;
    }

    /// Notes that the first byte has been handed over: the time-outs run from here.
    pub(crate) fn sent(&mut self) {
        if !self.is_sent {
            self.sent = Instant::now();
            self.is_sent = true;
        }
    }

    pub(crate) fn token(&mut self) {
        if self.last_token.replace(Instant::now()).is_none() {
            // From here on another time-out holds, which may end sooner; later tokens only put it off.
            self.woken = None;
        }
    }

    /// Runs something unless the client wants no more.
    pub(crate) async fn unless_cancelled<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::select! {
            biased;
            () = &mut self.cancelled => Err(Stop::Cancelled),
            done = work => Ok(done),
        }
    }

    /// Whether it is over now, asked after every read and looked at after many. For streams in which there is always
    /// something to read, and no wait to be ended.
    pub(crate) fn check(&mut self) -> Option<Stop> {
        const MANY: u32 = 32;
        self.unwaited += 1;
        if !self.unwaited.is_multiple_of(MANY) {
            return None;
        }
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            return Some(Stop::Cancelled);
        }
        let (at, phase) = self.deadline();
        (Instant::now() >= at).then_some(Stop::Timeout(phase))
    }

    /// Waits for the first thing to end the request.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Stop> {
        self.unwaited = 0;
        // Tokens come often, and mostly nothing has changed since the last: then it is enough that this task will be
        // woken, and that nobody has woken it yet.
        let is_watched = self.woken.as_ref().is_some_and(|woken| woken.will_wake(cx.waker()))
            && !self.sleep.is_elapsed()
            && !self.cancel.is_some_and(Cancel::is_cancelled);
        if is_watched {
            return Poll::Pending;
        }
        // The future is not polled again once it is ready: the request is then over.
        if self.cancelled.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Stop::Cancelled);
        }
        loop {
            // The timer is moved only when it has fired, or would fire too late: tokens come often.
            let (at, phase) = self.deadline();
            if at < self.sleep.deadline() {
                self.sleep.as_mut().reset(at);
            }
            if self.sleep.as_mut().poll(cx).is_pending() {
                // A task that has used up its share of a turn is sent away before anything is registered.
                self.woken = tokio::task::coop::has_budget_remaining().then(|| cx.waker().clone());
                return Poll::Pending;
            }
            if Instant::now() >= at {
                return Poll::Ready(Stop::Timeout(phase));
            }
            self.sleep.as_mut().reset(at);
        }
    }

    fn deadline(&self) -> (Instant, Phase) {
        let total = (later(self.sent, self.timeouts.total), Phase::Total);
        let next = match self.last_token {
            None => (later(self.sent, self.timeouts.first_token), Phase::FirstToken),
            Some(token) => (later(token, self.timeouts.stall), Phase::Stall),
        };
        if total.0 <= next.0 { total } else { next }
    }
}

/// A year serves where a time-out is beyond what a clock can hold.
pub(crate) fn later(instant: Instant, wait: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
    instant + wait.min(YEAR)
}
