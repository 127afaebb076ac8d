//! Clients of the service that wait for their next request, their connections kept open.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use sse_client::{Connect, Pool, Session};

use crate::run::Shared;

/// Sessions of one place, or of one thread of an open loop: the one that was used last is used next, and where none is
/// free, a new one is made.
pub(crate) struct Sessions<C: Connect> {
    free: Mutex<Vec<Session<C>>>,
    pool: Pool,
    room: Arc<Room>,
}

/// How many requests may be in flight, and how many are.
#[derive(Debug)]
pub(crate) struct Room {
    most: u64,
    in_flight: AtomicU64,
}

impl Room {
    /// Room for so many.
    pub(crate) fn of(most: u64) -> Arc<Self> {
        Arc::new(Self { most, in_flight: AtomicU64::new(0) })
    }
}

impl<C: Connect> Sessions<C> {
    /// None yet. Connections of HTTP/2 are those of `pool`.
    pub(crate) fn new(pool: Pool, room: Arc<Room>) -> Self {
        Self { free: Mutex::default(), pool, room }
    }

    /// A session for one request; `None` where there is no room for another one in flight.
    pub(crate) fn take(&self, shared: &Shared<C>) -> Option<Session<C>> {
        if self.room.in_flight.fetch_add(1, Ordering::Relaxed) >= self.room.most {
            self.room.in_flight.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Some(free.unwrap_or_else(|| {
            let session = shared.session().sharing(self.pool.clone());
            session.counted_in(Arc::clone(&shared.sampler.connections))
        }))
    }

    /// Gives it back when its request is over.
    pub(crate) fn put(&self, session: Session<C>) {
        self.room.in_flight.fetch_sub(1, Ordering::Relaxed);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    }
}
