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

/// How often the timer of each IO thread is due.
const TIMER: Duration = Duration::from_millis(10);

/// Runtimes on which requests are made, one thread each, and the lateness of a 10 ms timer on each of them.
///
/// Requests stay on the thread on which they began, so that a late timer there says that their stamps may be late.
#[derive(Debug)]
pub struct IoThreads {
    runtimes: Vec<Handle>,
    delays: Arc<Mutex<Vec<u64>>>,
    running: Vec<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl IoThreads {
    /// Starts `count` threads (at least one).
    ///
    /// # Errors
    /// Where the system gives no thread or no event queue.
    pub fn start(count: u32) -> io::Result<Self> {
        let mut threads = Self { runtimes: Vec::new(), delays: Arc::default(), running: Vec::new() };
        for index in 0..count.max(1) {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            threads.runtimes.push(runtime.handle().clone());
            let (stop, stopped) = oneshot::channel::<()>();
            let delays = Arc::clone(&threads.delays);
            let thread = std::thread::Builder::new().name(format!("io-{index}")).spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = time_timers(&delays) => {}
                        _ = stopped => {}
                    }
                });
            })?;
            threads.running.push((stop, thread));
        }
        Ok(threads)
    }

    /// The caller's own runtime as the only one: for tests on a paused clock, with transports in memory.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn current() -> Self {
        Self { runtimes: vec![Handle::current()], delays: Arc::default(), running: Vec::new() }
    }

    /// The runtime for the `slot`-th request in flight.
    pub(crate) fn of_slot(&self, slot: usize) -> &Handle {
        &self.runtimes[slot % self.runtimes.len()]
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

async fn time_timers(delays: &Mutex<Vec<u64>>) {
    let mut due = Instant::now() + TIMER;
    loop {
        tokio::time::sleep_until(due).await;
        let now = Instant::now();
        let late = u64::try_from((now - due).as_micros()).unwrap_or(u64::MAX);
        delays.lock().unwrap_or_else(PoisonError::into_inner).push(late);
        due += TIMER;
        if due < now {
            due = now + TIMER;
        }
    }
}
