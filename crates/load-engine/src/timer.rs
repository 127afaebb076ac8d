//! Waiting until an instant of the run's clock: one timer of the system for all that wait on a thread.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use sse_client::Clock;
use tokio::{
    runtime::Handle,
    sync::{Notify, oneshot},
    task::AbortHandle,
};

use crate::host::Alarm;

/// The timer of a thread, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Timer {
    waiting: Arc<Waiting>,
    serving: AbortHandle,
}

/// Who waits.
struct Waiting {
    clock: Arc<dyn Clock>,
    /// By when, and in the order in which they came.
    queue: Mutex<Queue>,
    earlier: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: BTreeMap<(u64, u64), oneshot::Sender<()>>,
    came: u64,
}

impl Timer {
    /// A timer for those who run on this thread. `exact` it is where the runtime's clock is the system's.
    pub(crate) fn start(thread: &Handle, clock: &Arc<dyn Clock>, exact: bool) -> Self {
        let (clock, queue, earlier) = (Arc::clone(clock), Mutex::default(), Notify::new());
        let waiting = Arc::new(Waiting { clock, queue, earlier });
        let serving = thread.spawn(serve(Arc::clone(&waiting), exact)).abort_handle();
        Self { waiting, serving }
    }

    /// Waits until the clock shows `due` or more, in microseconds.
    pub(crate) async fn until(&self, due: u64) {
        if self.waiting.clock.now_us() >= due {
            return;
        }
        let (fire, fired) = oneshot::channel();
        let first = {
            let mut queue = self.waiting.queue();
            queue.came += 1;
            let key = (due, queue.came);
            queue.waiting.insert(key, fire);
            queue.waiting.first_key_value().is_some_and(|(first, _)| *first == key)
        };
        if first {
            self.waiting.earlier.notify_one();
        }
        let _ = fired.await;
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Waiting {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes whoever is due. Gives back how long the next one is still to wait.
    fn wake(&self) -> Option<Duration> {
        let mut queue = self.queue();
        let now = self.clock.now_us();
        while let Some(entry) = queue.waiting.first_entry() {
            let (due, _) = *entry.key();
            if due > now {
                return Some(Duration::from_micros(due - now));
            }
            // Whoever waits no more needs no waking.
            let _ = entry.remove().send(());
        }
        None
    }
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Waiting")
            .field("waiting", &self.queue().waiting.len())
            .finish_non_exhaustive()
    }
}

async fn serve(waiting: Arc<Waiting>, exact: bool) {
    let mut alarm = None;
    loop {
        match waiting.wake() {
            None => waiting.earlier.notified().await,
            Some(long) => {
                let new = || if exact { Alarm::exact() } else { Alarm::of_runtime() };
                let alarm = alarm.get_or_insert_with(new);
                tokio::select! {
                    () = alarm.wait(long) => {}
                    () = waiting.earlier.notified() => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sse_client::RuntimeClock;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn everybody_is_woken_when_due_whoever_came_first() {
        let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
        let timer = Timer::start(&Handle::current(), &clock, false);
        let woken = Mutex::new(Vec::new());
        let until = async |due: u64| {
            timer.until(due).await;
            woken.lock().unwrap_or_else(PoisonError::into_inner).push((due, clock.now_us()));
        };
        let given_up = tokio::time::timeout(Duration::from_millis(1), timer.until(50_000));
        tokio::join!(until(9_000), until(3_000), until(0), until(9_000), until(20_000), async {
            assert!(given_up.await.is_err(), "whoever waits no more holds up nobody");
            until(4_000).await;
        });
        let woken = woken.into_inner().unwrap_or_else(PoisonError::into_inner);
        let dues = [0, 3_000, 4_000, 9_000, 9_000, 20_000];
        assert_eq!(woken, dues.map(|due| (due, due)));
    }

    #[test]
    fn the_systems_timer_is_never_early() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
            let timer = Timer::start(&Handle::current(), &clock, true);
            for due in [700, 1_900, 2_000, 5_333] {
                timer.until(due).await;
                assert!(clock.now_us() >= due, "{due}");
            }
        });
    }
}
