//! Connections that sessions share.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Mutex as Turn;

use crate::http2::{Place, Shared};

/// How many requests share a connection of HTTP/2 by default.
pub const STREAMS_PER_CONNECTION: usize = 100;

/// The HTTP/2 connections to one service, for sessions that run on one thread. Cloning gives another handle on the
/// same connections.
///
/// A connection carries at most as many requests as was said, and never more than the service allows; then another one
/// is opened. While one is being opened, whoever needs one waits for it. What is never used again is closed with the
/// last handle.
#[derive(Clone)]
pub struct Pool(Arc<Connections>);

struct Connections {
    at_most: usize,
    open: Mutex<Vec<Arc<Shared>>>,
    opening: Turn<()>,
    /// The service has chosen HTTP/1.1.
    is_http1: Arc<AtomicBool>,
}

impl Pool {
    /// No connections yet, each of which takes at most this many requests at a time, and at least one.
    #[must_use]
    pub fn new(streams_per_connection: usize) -> Self {
        Self(Arc::new(Connections {
            at_most: streams_per_connection.max(1),
            open: Mutex::default(),
            opening: Turn::new(()),
            is_http1: Arc::default(),
        }))
    }

    /// Another pool for the same service, with connections of its own. Where the service chooses HTTP/1.1, which leaves
    /// nothing to share, both know it.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self(Arc::new(Connections {
            at_most: self.0.at_most,
            open: Mutex::default(),
            opening: Turn::new(()),
            is_http1: Arc::clone(&self.0.is_http1),
        }))
    }

    /// How many connections are open, as far as was noticed.
    #[must_use]
    pub fn connections(&self) -> usize {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|shared| shared.is_open());
        open.len()
    }

    /// A place on the first connection that has one. Not on `dead`, nor on one that was opened before it: what ended
    /// the one may have ended them all.
    pub(crate) fn place(&self, dead: Option<&Arc<Shared>>) -> Option<Place> {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = dead.and_then(|dead| open.iter().position(|shared| Arc::ptr_eq(shared, dead))) {
            open.drain(..=at);
        }
        open.retain(|shared| shared.is_open());
        open.iter().find_map(|shared| shared.place(self.0.at_most))
    }

    /// Adds a connection, and takes a place on it.
    pub(crate) fn add(&self, shared: Shared) -> Option<Place> {
        let shared = Arc::new(shared);
        let place = shared.place(self.0.at_most);
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner).push(shared);
        place
    }

    /// Waits for the turn to open a connection.
    pub(crate) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.opening.lock().await
    }

    /// Whether the service has chosen HTTP/1.1, so that nothing can be shared.
    pub(crate) fn is_http1(&self) -> bool {
        self.0.is_http1.load(Relaxed)
    }

    pub(crate) fn chose_http1(&self) {
        self.0.is_http1.store(true, Relaxed);
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new(STREAMS_PER_CONNECTION)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").field("at_most", &self.0.at_most).finish_non_exhaustive()
    }
}
