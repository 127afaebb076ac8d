//! The service itself: its state, and its two doors, a listener and any stream of bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use std::{fmt, io};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::config::SimConfig;
use crate::connection;
use crate::engine::Engine;
use crate::truth::{Ledger, RequestTruth};

/// A simulated inference service. Clones are handles to the same one.
///
/// Its engine runs as a task of the runtime that serves the first connection, so that one service belongs to one
/// runtime.
#[derive(Clone)]
pub struct Sim {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) config: SimConfig,
    pub(crate) engine: Arc<Engine>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) ready: AtomicBool,
    pub(crate) ordinals: AtomicU64,
    connections: AtomicU64,
    engine_started: AtomicBool,
    began: Instant,
    down: watch::Sender<bool>,
}

impl Sim {
    /// A service with these properties. Nothing runs before it is served.
    pub fn new(config: SimConfig) -> Self {
        Sim {
            inner: Arc::new(Inner {
                engine: Arc::new(Engine::new(config.clone())),
                ledger: Arc::default(),
                ready: AtomicBool::new(config.ready),
                ordinals: AtomicU64::new(0),
                connections: AtomicU64::new(0),
                engine_started: AtomicBool::new(false),
                began: Instant::now(),
                down: watch::Sender::new(false),
                config,
            }),
        }
    }

    /// Serves every connection that the listener accepts, until [`Shutdown::signal`]. Connections that are open then
    /// are dropped. Where no connection can be accepted (no descriptor is left), it tries again after 50 ms.
    pub async fn serve(&self, listener: TcpListener) {
        let mut connections = JoinSet::new();
        let shutdown = self.shutdown_handle();
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        // Without it a token would wait for the acknowledgement of the one before.
                        let _ = stream.set_nodelay(true);
                        let sim = self.clone();
                        connections.spawn(async move { sim.serve_connection(stream).await });
                    }
                    Err(error) if is_of_one_connection(&error) => {}
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
                Some(_) = connections.join_next() => {}
                () = shutdown.signalled() => return,
            }
        }
    }

    /// Serves one connection until either side ends it, or [`Shutdown::signal`].
    pub async fn serve_connection<IO: AsyncRead + AsyncWrite + Unpin>(&self, io: IO) {
        if !self.inner.engine_started.swap(true, Ordering::SeqCst) {
            let engine = Arc::clone(&self.inner.engine);
            tokio::spawn(async move { engine.run().await });
        }
        let number = self.inner.connections.fetch_add(1, Ordering::SeqCst);
        let shutdown = self.shutdown_handle();
        tokio::select! {
            () = connection::serve(&self.inner, number, io) => {}
            () = shutdown.signalled() => {}
        }
    }

    /// A handle that ends [`serve`](Self::serve) and every connection.
    pub fn shutdown_handle(&self) -> Shutdown {
        Shutdown { down: self.inner.down.clone(), engine: Arc::clone(&self.inner.engine) }
    }

    /// Says whether the model is loaded.
    pub fn set_ready(&self, ready: bool) {
        self.inner.ready.store(ready, Ordering::SeqCst);
    }

    /// What happened to the requests that have ended since the last call, in the order of their arrival. Chat requests
    /// only, refused ones included.
    pub fn truth(&self) -> Vec<RequestTruth> {
        self.inner.ledger.drain()
    }

    /// The same after waiting until no request is under way, or the patience is at its end. Blocks the calling
    /// thread: for a service that runs on a thread of its own.
    pub(crate) fn settled_truth(&self, patience: Duration) -> Vec<RequestTruth> {
        self.inner.ledger.settle(patience);
        self.truth()
    }

    /// The properties it was made with.
    pub fn config(&self) -> &SimConfig {
        &self.inner.config
    }
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sim").field("config", &self.inner.config).finish_non_exhaustive()
    }
}

impl Inner {
    /// Seconds since the Unix epoch, as far as the configuration knows them.
    pub(crate) fn unix_s(&self) -> u64 {
        (self.config.process_start_s.unwrap_or(0.0) + self.began.elapsed().as_secs_f64()) as u64
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.engine.close();
    }
}

impl fmt::Debug for Shutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shutdown").field("signalled", &*self.down.borrow()).finish()
    }
}

/// Ends a service. Clones end the same one.
#[derive(Clone)]
pub struct Shutdown {
    down: watch::Sender<bool>,
    engine: Arc<Engine>,
}

impl Shutdown {
    /// Ends the service: it accepts no more, and drops what is under way. Final.
    pub fn signal(&self) {
        self.down.send_replace(true);
        self.engine.close();
    }

    /// Returns once the signal was given, at once if it was given before.
    pub async fn signalled(&self) {
        // The sender lives in `self`, so that the wait ends by the signal alone.
        let _ = self.down.subscribe().wait_for(|down| *down).await;
    }
}

/// Whether accepting failed for one client that had already left.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
