//! A service on a thread of its own, as a stranger to its client as one process allows.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::config::SimConfig;
use crate::sim::Sim;
use crate::truth::RequestTruth;

/// How long [`RunningSim::truth`] waits for requests that are under way.
const PATIENCE: Duration = Duration::from_secs(5);

/// Starts a service on its own thread with its own runtime, so that a busy client slows it down as little as possible.
///
/// `addr` is where it listens, such as `"127.0.0.1:0"`; port 0 takes any free port.
///
/// # Errors
///
/// When the address cannot be bound, or a runtime or a thread cannot be had.
pub fn spawn_thread(config: SimConfig, addr: impl ToSocketAddrs) -> io::Result<RunningSim> {
    let sim = Sim::new(config);
    let served = sim.clone();
    let serve = move |listener| async move { served.serve(listener).await };
    Ok(RunningSim { thread: OwnThread::serve("inference-sim", addr, serve)?, sim })
}

/// A server's thread. Dropping it ends the server and waits for its thread.
#[derive(Debug)]
pub(crate) struct OwnThread {
    addr: SocketAddr,
    running: Option<(oneshot::Sender<()>, JoinHandle<io::Result<()>>)>,
}

impl OwnThread {
    /// Listens, and serves until the server ends by itself or is ended.
    pub(crate) fn serve<F: Future<Output = ()>>(
        name: &str,
        addr: impl ToSocketAddrs,
        server: impl FnOnce(tokio::net::TcpListener) -> F + Send + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(addr)?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let (end, ended) = oneshot::channel();
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                tokio::select! {
                    () = server(listener) => {}
                    _ = ended => {}
                }
                Ok(())
            })
        })?;
        Ok(Self { addr, running: Some((end, thread)) })
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub(crate) fn end(&mut self) -> io::Result<()> {
        let Some((end, thread)) = self.running.take() else { return Ok(()) };
        let _ = end.send(());
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the server's thread panicked")))
    }
}

impl Drop for OwnThread {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// A service that runs on its own thread. Dropping it ends the service and waits for its thread.
#[derive(Debug)]
pub struct RunningSim {
    sim: Sim,
    thread: OwnThread,
}

impl RunningSim {
    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.thread.addr()
    }

    /// The base URL for clients, up to and including `/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.addr())
    }

    /// The service.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// What happened to the requests since the last call, in the order of their arrival. Waits until none is under
    /// way, at most 5 s, since the server settles a request a moment after its client has read the end.
    pub fn truth(&self) -> Vec<RequestTruth> {
        self.sim.settled_truth(PATIENCE)
    }

    /// Ends the service and waits for its thread.
    ///
    /// # Errors
    ///
    /// When its listener could not be used.
    pub fn shutdown(mut self) -> io::Result<()> {
        self.sim.shutdown_handle().signal();
        self.thread.end()
    }
}

impl Drop for RunningSim {
    fn drop(&mut self) {
        self.sim.shutdown_handle().signal();
    }
}
