//! `acceptbench sim`.

use acceptreport::{Exit, cli::CommandError};
use inference_sim::{Sim, SimConfig};

use super::block_on;
use crate::terminal::{print, warn};

#[derive(Debug, clap::Args)]
pub(super) struct SimCommand {
    /// Port on 127.0.0.1; 0 takes any free one.
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// Model name that it answers to.
    #[arg(long, default_value = "sim-chat")]
    model: String,
}

impl SimCommand {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        // Nobody reads the truth of a service that runs for its own sake, so none is kept.
        let config = SimConfig { model: self.model.clone(), record_truth: false, ..SimConfig::demo() };
        block_on(async {
            let address = ("127.0.0.1", self.port);
            let listener = tokio::net::TcpListener::bind(address).await.map_err(|error| {
                let message = format!("listen on 127.0.0.1:{}: {error} (choose another --port)", self.port);
                CommandError::new(Exit::Usage, message)
            })?;
            let bound = listener.local_addr().map_err(|error| CommandError::new(Exit::Usage, error))?;
            print(&format!("http://{bound}/v1"));
            warn(&format!("simulated service, model {:?}; Ctrl-C ends it", self.model));
            let sim = Sim::new(config);
            tokio::select! {
                () = sim.serve(listener) => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            Ok(Exit::Passed)
        })?
    }
}
