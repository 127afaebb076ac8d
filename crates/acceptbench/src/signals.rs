//! Ctrl-C once ends a run in order; twice ends the program.

use std::{io, sync::Arc};

use load_engine::{Stop, StopCause};

use crate::terminal::warn;

/// What shells give a program that was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// From here on, the first Ctrl-C (or request to terminate) stops the run, and the second one the program.
///
/// The listeners live as long as the program, so that no signal falls between them.
pub(crate) fn stop_on_signals(stop: Arc<Stop>) -> io::Result<()> {
    let mut signals = Signals::listen()?;
    tokio::spawn(async move {
        signals.next().await;
        warn(
            "stopping: what was measured is kept, and the run is marked as interrupted (again to stop at once)",
        );
        stop.now(StopCause::Interrupt);
        signals.next().await;
        std::process::exit(INTERRUPTED);
    });
    Ok(())
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
