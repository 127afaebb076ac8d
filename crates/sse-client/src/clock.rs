//! Where instants come from.

use tokio::time::Instant;

/// A monotonic clock, in whole microseconds since the run's start. Every instant of this crate comes from the clock
/// that was passed in; it is read right after the socket was, so it should be quick.
pub trait Clock: Send + Sync + 'static {
    /// Microseconds since the run's start.
    fn now_us(&self) -> u64;
}

/// The clock of the tokio runtime: monotonic, and on a paused runtime as still as its timers are.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeClock {
    start: Instant,
}

impl RuntimeClock {
    /// A clock that starts at 0 now.
    #[must_use]
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for RuntimeClock {
    fn now_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}
