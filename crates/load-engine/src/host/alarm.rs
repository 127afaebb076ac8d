//! A timer that fires once, when it was set to.
//!
//! The runtime's timers fire at whole milliseconds, and up to two late. The system's own fires within some ten
//! microseconds; outside Linux, and on a caller's own runtime, whose clock may stand still, the runtime's has to do.

use std::time::Duration;

/// Waits exactly, as far as the system can.
#[derive(Debug)]
pub(crate) struct Alarm {
    #[cfg(target_os = "linux")]
    timer: Option<super::ticker::Timer>,
}

#[cfg(target_os = "linux")]
impl Alarm {
    /// An alarm of the runtime that this is called on. Where the system gives no timer, the runtime's stands in.
    pub(crate) fn exact() -> Self {
        Self { timer: super::ticker::timer(Duration::ZERO, Duration::ZERO).ok() }
    }

    /// An alarm that the runtime's own timers stand for.
    pub(crate) fn of_runtime() -> Self {
        Self { timer: None }
    }

    /// Waits that long.
    pub(crate) async fn wait(&self, long: Duration) {
        if long.is_zero() {
            return;
        }
        if let Some(timer) = &self.timer
            && super::ticker::set(timer, long, Duration::ZERO).is_ok()
            && super::ticker::fired(timer).await.is_ok()
        {
            return;
        }
        tokio::time::sleep(long).await;
    }
}

#[cfg(not(target_os = "linux"))]
impl Alarm {
    /// The runtime's own timers.
    pub(crate) fn exact() -> Self {
        Self {}
    }

    /// The runtime's own timers.
    pub(crate) fn of_runtime() -> Self {
        Self {}
    }

    /// Waits that long.
    pub(crate) async fn wait(&self, long: Duration) {
        tokio::time::sleep(long).await;
    }
}
