//! Ctrl-C once ends a run in order; twice ends the program.

use std::{io, sync::Arc};

use load_engine::{Stop, StopCause};
use report_render::Language;
use tokio::sync::watch;

use crate::terminal::warn;

/// What shells give a program that was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Ears for Ctrl-C and requests to terminate.
///
/// They listen on a thread of their own for as long as the program lives, so that no signal falls between two
/// listeners, and the second one ends the program whatever the first thread is waiting for.
#[derive(Debug)]
pub(crate) struct Signals {
    heard: watch::Receiver<bool>,
}

impl Signals {
    /// Listens from here on. The second signal ends the program with 130.
    pub(crate) fn listen() -> io::Result<Self> {
        let (tell, heard) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut ears = {
            let _within = runtime.enter();
            Ears::open()?
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            runtime.block_on(async {
                ears.next().await;
                tell.send_replace(true);
                ears.next().await;
                std::process::exit(INTERRUPTED);
            });
        })?;
        Ok(Self { heard })
    }

    /// Waits for the first signal; returns at once where it has come already.
    pub(crate) async fn first(&mut self) {
        // The sender lives as long as the program.
        let _ = self.heard.wait_for(|heard| *heard).await;
    }

    /// Stops the run on the first signal.
    pub(crate) fn stop(mut self, stop: Arc<Stop>, language: Language) {
        tokio::spawn(async move {
            self.first().await;
            warn(language.say(
                "stopping: what was measured is kept, and the run is marked as interrupted (again to stop at once)",
                "正在停止：已测得的数据均予保留，本次测试标记为中断（再按一次立即退出）",
            ));
            stop.now(StopCause::Interrupt);
        });
    }
}

#[cfg(unix)]
struct Ears {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ears {
    fn open() -> io::Result<Self> {
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
struct Ears;

#[cfg(not(unix))]
impl Ears {
    fn open() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
