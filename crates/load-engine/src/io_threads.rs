//! Threads that read sockets, and how late their timers fire.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use tokio::{
    runtime::{Builder, Handle},
    sync::oneshot,
    time::Instant,
};

use crate::host::{self, Ticker};

/// How often the timer of each IO thread is due.
const TIMER: Duration = Duration::from_millis(10);

/// Most ticks that one stall tells of: those of a minute. A process that was suspended for a day need not tell more.
const MOST_TICKS: u32 = 6_000;

/// How the names of IO threads begin.
pub(crate) const NAME: &str = "io-";

/// Runtimes on which requests are made, one thread each, and the lateness of a 10 ms timer on each of them.
///
/// Requests stay on the thread on which they began, so that a late timer there says that their stamps may be late.
#[derive(Debug)]
pub struct IoThreads {
    runtimes: Vec<Handle>,
    delays: Arc<Mutex<Vec<u64>>>,
    running: Vec<(oneshot::Sender<()>, JoinHandle<()>)>,
    /// They are threads of this kind's own, rather than the caller's runtime.
    own: bool,
}

impl IoThreads {
    /// Starts `count` threads (at least one).
    ///
    /// # Errors
    /// Where the system gives no thread or no event queue.
    pub fn start(count: u32) -> io::Result<Self> {
        let mut threads =
            Self { runtimes: Vec::new(), delays: Arc::default(), running: Vec::new(), own: true };
        threads.start_up_to(count.max(1))?;
        Ok(threads)
    }

    /// The same threads, and as many more as make `count`. What is measured on those is taken with the rest; they end
    /// when this is dropped. The caller's own runtime stands for all of them.
    pub(crate) fn widened(&self, count: u32) -> io::Result<Self> {
        let (runtimes, delays) = (self.runtimes.clone(), Arc::clone(&self.delays));
        let mut wider = Self { runtimes, delays, running: Vec::new(), own: self.own };
        if !self.own {
            let all = wider.runtimes.iter().cycle().take(count as usize).cloned().collect();
            wider.runtimes = all;
        } else {
            wider.start_up_to(count)?;
        }
        Ok(wider)
    }

    fn start_up_to(&mut self, count: u32) -> io::Result<()> {
        for index in self.runtimes.len()..count as usize {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let handle = runtime.handle().clone();
            let (ticker, begun) = {
                let _of_the_runtime = runtime.enter();
                (Ticker::start(TIMER)?, Instant::now())
            };
            let (stop, stopped) = oneshot::channel::<()>();
            let delays = Arc::clone(&self.delays);
            let thread = std::thread::Builder::new().name(format!("{NAME}{index}")).spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = time_timers(ticker, begun, &delays) => {}
                        _ = stopped => {}
                    }
                });
            })?;
            self.runtimes.push(handle);
            self.running.push((stop, thread));
        }
        Ok(())
    }

    /// The caller's own runtime as the only one: for tests on a paused clock, with transports in memory.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn current() -> Self {
        Self { runtimes: vec![Handle::current()], delays: Arc::default(), running: Vec::new(), own: false }
    }

    /// The runtime for the `slot`-th request in flight.
    pub(crate) fn of_slot(&self, slot: usize) -> &Handle {
        &self.runtimes[slot % self.runtimes.len()]
    }

    /// CPU time that threads of this kind have used in this process, ended ones left out; a difference of two readings
    /// is what was used between them. `None` where the system does not tell (Linux alone does).
    #[must_use]
    pub fn cpu_time(&self) -> Option<Duration> {
        host::io_cpu()
    }

    /// Whether their clock is the system's: that of the caller's own runtime may stand still.
    pub(crate) fn own(&self) -> bool {
        self.own
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.runtimes.len()
    }

    /// Takes what was measured since it was last taken: how late each timer fired, in microseconds.
    pub(crate) fn take_delays(&self) -> Vec<u64> {
        std::mem::take(&mut *self.delays.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for IoThreads {
    fn drop(&mut self) {
        for (stop, thread) in self.running.drain(..) {
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

/// Tells how late every tick was, for as long as the thread runs.
async fn time_timers(ticker: Ticker, begun: Instant, delays: &Mutex<Vec<u64>>) {
    let mut due = begun + TIMER;
    loop {
        if ticker.tick().await.is_err() {
            // The system's timer is gone: the runtime's has to do.
            tokio::time::sleep_until(due).await;
        }
        let now = Instant::now();
        delays.lock().unwrap_or_else(PoisonError::into_inner).extend(lateness(due, now));
        due = next_due(due, now);
    }
}

/// How late, in microseconds, is every tick from the one at `due` to the last before `now`. A stall makes each tick
/// within it late: telling of the first alone would hide the stall among the ticks of better times.
fn lateness(due: Instant, now: Instant) -> impl Iterator<Item = u64> {
    let ticks = (0..MOST_TICKS).map(move |tick| due + TIMER * tick);
    let late = ticks.map_while(move |tick| now.checked_duration_since(tick));
    late.map(|late| u64::try_from(late.as_micros()).unwrap_or(u64::MAX))
}

/// The first tick that has not been told of: the first after `now`, or `due` itself where that is still to come.
fn next_due(due: Instant, now: Instant) -> Instant {
    let missed = now.checked_duration_since(due).map_or(0, |late| late.as_nanos() / TIMER.as_nanos() + 1);
    due + TIMER * u32::try_from(missed).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_told_of_once_for_every_tick_in_it() {
        let due = Instant::now();
        let check = |stall: u64, ticks: usize, worst: u64, next: u64| {
            let now = due + Duration::from_micros(stall);
            let late: Vec<u64> = lateness(due, now).collect();
            assert_eq!((late.len(), late.first().copied()), (ticks, Some(worst)), "{stall} µs");
            assert!(late.windows(2).all(|pair| pair[0] - pair[1] == 10_000), "{late:?}");
            assert_eq!(next_due(due, now) - due, Duration::from_micros(next), "{stall} µs");
        };
        check(0, 1, 0, 10_000);
        check(90, 1, 90, 10_000);
        check(10_000, 2, 10_000, 20_000);
        check(500_000, 51, 500_000, 510_000);
        check(3_600_000_000, 6_000, 3_600_000_000, 3_600_010_000);
        // Woken for a tick that was told of already.
        let early = due - Duration::from_micros(1);
        assert_eq!((lateness(due, early).count(), next_due(due, early)), (0, due));
    }

    #[tokio::test]
    async fn more_threads_serve_beside_the_first_until_they_are_dropped() {
        let threads = IoThreads::start(1).expect("threads");
        let name = async |threads: &IoThreads, slot| {
            let name = async { std::thread::current().name().map(str::to_owned) };
            threads.of_slot(slot).spawn(name).await.ok().flatten()
        };
        let of = async |threads: &IoThreads| [name(threads, 0).await, name(threads, 1).await];
        let named = |names: [&str; 2]| names.map(|name| Some(name.to_owned()));
        let wider = threads.widened(2).expect("threads");
        assert_eq!((wider.count(), of(&wider).await), (2, named(["io-0", "io-1"])));
        let second = wider.of_slot(1).clone();
        drop(wider);
        assert!(second.spawn(async {}).await.is_err(), "its thread has ended");
        assert_eq!(
            (threads.count(), of(&threads).await),
            (1, named(["io-0", "io-0"])),
            "and the first goes on"
        );
        assert_eq!(IoThreads::current().widened(3).expect("no thread").count(), 3);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_run_delay_is_that_of_threads_that_read() {
        let threads = IoThreads::start(2).expect("threads");
        for slot in 0..2 {
            // A thread that runs something has its name.
            threads.of_slot(slot).spawn(async {}).await.expect("ran");
        }
        let read = host::read().threads.len();
        assert!(read >= 2, "{read}");
        assert!(threads.cpu_time().is_some_and(|used| !used.is_zero()), "they have run");
    }
}
