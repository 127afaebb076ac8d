//! A timer that fires over and over without being set again.
//!
//! A runtime with a timer under way tells the system, at every wait, until when to wait. On an idle core that sets the
//! processor's clock anew each time, which costs more than reading an event does. The system's own periodic timer is set
//! once; outside Linux the runtime's has to do.

use std::{io, time::Duration};

/// Fires every so often from its making on.
#[derive(Debug)]
pub(crate) struct Ticker(Timer);

#[cfg(target_os = "linux")]
pub(super) type Timer = tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>;

#[cfg(not(target_os = "linux"))]
type Timer = tokio::sync::Mutex<tokio::time::Interval>;

#[cfg(target_os = "linux")]
impl Ticker {
    /// A timer of the runtime that this is called on.
    pub(crate) fn start(every: Duration) -> io::Result<Self> {
        timer(every, every).map(Self)
    }

    /// Waits until it fires next, or has fired since the last wait.
    pub(crate) async fn tick(&self) -> io::Result<()> {
        fired(&self.0).await
    }
}

/// The system's timer, of the runtime that this is called on: it fires after `first`, and then every so often. Zero is never.
#[cfg(target_os = "linux")]
pub(super) fn timer(first: Duration, every: Duration) -> io::Result<Timer> {
    use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
    #[expect(
        deprecated,
        reason = "what it leaves open, a descriptor that closes early, an owned one cannot do"
    )]
    let timer = Timer::with_interest(timer, tokio::io::Interest::READABLE)?;
    set(&timer, first, every)?;
    Ok(timer)
}

/// Sets it anew; what it had fired before is forgotten.
#[cfg(target_os = "linux")]
pub(super) fn set(timer: &Timer, first: Duration, every: Duration) -> io::Result<()> {
    use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};
    let spec = |time: Duration| Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    };
    let times = Itimerspec { it_interval: spec(every), it_value: spec(first) };
    timerfd_settime(timer, TimerfdTimerFlags::empty(), &times)?;
    Ok(())
}

/// Waits until it fires, or has fired since the last wait.
#[cfg(target_os = "linux")]
pub(super) async fn fired(timer: &Timer) -> io::Result<()> {
    let mut count = [0; 8];
    loop {
        let mut ready = timer.readable().await?;
        match ready.try_io(|timer| Ok(rustix::io::read(timer, &mut count)?)) {
            Ok(read) => return read.map(drop),
            Err(_) => continue,
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Ticker {
    /// A timer of the runtime that this is called on.
    pub(crate) fn start(every: Duration) -> io::Result<Self> {
        let mut interval = tokio::time::interval_at(tokio::time::Instant::now() + every, every);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        Ok(Self(tokio::sync::Mutex::new(interval)))
    }

    /// Waits until it fires next, or has fired since the last wait.
    pub(crate) async fn tick(&self) -> io::Result<()> {
        self.0.lock().await.tick().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn it_fires_again_and_again_and_never_early() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            #[expect(clippy::disallowed_methods, reason = "the system's timer knows no other clock")]
            let begun = Instant::now();
            let every = Duration::from_millis(2);
            let ticker = Ticker::start(every).expect("a timer");
            for ticks in 1..=5 {
                ticker.tick().await.expect("it fires");
                assert!(begun.elapsed() >= every * ticks, "{:?}", begun.elapsed());
            }
        });
    }
}
