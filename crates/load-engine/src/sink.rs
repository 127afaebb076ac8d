//! The one ordered stream of what a run has to say.

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
