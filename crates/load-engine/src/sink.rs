//! The one ordered stream of what a run has to say.

use std::time::Duration;

use metrics_core::{ClientSample, Event, Record};
use tokio::sync::mpsc;

/// What a run has to say.
#[derive(Debug)]
pub enum RunEvent {
    /// A request ended, in whatever way.
    Settled {
        /// Its facts.
        record: Box<Record>,
        /// The first bytes of its body, where it went wrong.
        body: Option<Vec<u8>>,
    },
    /// Something happened beside the requests.
    Happened(Event),
    /// A second of the generator's own life.
    Sampled(Box<ClientSample>),
}

/// Where run events go: one bounded queue to one writer.
///
/// A full queue makes the sender wait, so that nothing is ever dropped; its depth is sampled.
#[derive(Debug, Clone)]
pub struct Sink {
    queue: mpsc::Sender<RunEvent>,
}

/// How long rows gather before the next are taken. Waking a thread costs the waking one more than a row costs to write,
/// so that a thread that waits for every row would be paid for by those that read sockets.
const GATHER: Duration = Duration::from_millis(2);

/// Takes every event, in order, on the calling thread, until the run is over. Each is taken within milliseconds.
///
/// # Errors
/// The first error of `take`; the queue is closed then, which ends the run.
pub fn take_all<E>(
    mut events: mpsc::Receiver<RunEvent>,
    mut take: impl FnMut(RunEvent) -> Result<(), E>,
) -> Result<(), E> {
    while let Some(event) = events.blocking_recv() {
        take(event)?;
        while let Ok(event) = events.try_recv() {
            take(event)?;
        }
        std::thread::sleep(GATHER);
    }
    Ok(())
}

/// The writer is gone: evidence can no longer be kept, so the run must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("keep the evidence: the writer has stopped (its own error says why)")]
pub struct EvidenceLost;

impl Sink {
    /// A queue that holds `capacity` events (at least 1), and the end to read it from.
    #[must_use]
    pub fn bounded(capacity: usize) -> (Self, mpsc::Receiver<RunEvent>) {
        let (queue, events) = mpsc::channel(capacity.max(1));
        (Self { queue }, events)
    }

    /// Hands over one event, waiting while the queue is full.
    pub(crate) async fn send(&self, event: RunEvent) -> Result<(), EvidenceLost> {
        self.queue.send(event).await.map_err(|_| EvidenceLost)
    }

    /// Events that wait for the writer.
    pub(crate) fn depth(&self) -> u64 {
        (self.queue.max_capacity() - self.queue.capacity()) as u64
    }
}
