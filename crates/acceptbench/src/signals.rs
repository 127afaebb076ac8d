//! Ctrl-C once ends a run in order; twice ends the program.

use std::sync::Arc;

use load_engine::{Stop, StopCause};
use tokio::task::JoinHandle;

use crate::terminal::warn;

/// What shells give a program that was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Stops the run on the first Ctrl-C (or a request to terminate), and the program on the second.
pub(crate) fn stop_on_signals(stop: Arc<Stop>) -> JoinHandle<()> {
    tokio::spawn(async move {
        wait().await;
        warn(
            "stopping: what was measured is kept, and the run is marked as interrupted (again to stop at once)",
        );
        stop.now(StopCause::Interrupt);
        wait().await;
        std::process::exit(INTERRUPTED);
    })
}

async fn wait() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
