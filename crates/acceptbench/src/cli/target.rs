//! Arguments that every command to a service shares.

use std::path::PathBuf;

use acceptreport::{Exit, cli::CommandError};
use sse_client::{Secret, TlsOptions};
use workload_model::Timeouts;

use crate::key::api_key;

#[derive(Debug, clap::Args)]
pub(super) struct TargetArguments {
    /// Base of the service, up to and including /v1, or its full …/chat/completions.
    #[arg(long)]
    pub(super) url: String,
    /// Model name, as the service knows it.
    #[arg(long)]
    pub(super) model: String,
    /// Variable that holds the API key [default: OPENAI_API_KEY]. An empty one means no key.
    #[arg(long, value_name = "NAME", conflicts_with = "api_key_file")]
    api_key_env: Option<String>,
    /// File that holds the API key.
    #[arg(long, value_name = "PATH")]
    api_key_file: Option<PathBuf>,
    /// Certificates (PEM) to trust beside the public ones.
    #[arg(long, value_name = "PATH")]
    ca_file: Option<PathBuf>,
    /// Longest wait for a connection, in seconds.
    #[arg(long, value_name = "S", default_value_t = Timeouts::default().connect_s)]
    connect_timeout: f64,
    /// Longest wait for the first token, in seconds.
    #[arg(long, value_name = "S", default_value_t = Timeouts::default().first_token_s)]
    first_token_timeout: f64,
    /// Longest silence within an answer, in seconds.
    #[arg(long, value_name = "S", default_value_t = Timeouts::default().stall_s)]
    stall_timeout: f64,
    /// Longest wait for a whole answer, in seconds.
    #[arg(long, value_name = "S", default_value_t = Timeouts::default().total_s)]
    timeout: f64,
}

impl TargetArguments {
    pub(super) fn key(&self) -> Result<Option<Secret>, CommandError> {
        api_key(self.api_key_env.as_deref(), self.api_key_file.as_deref())
            .map_err(|error| CommandError::new(Exit::Usage, error))
    }

    pub(super) fn tls(&self) -> TlsOptions {
        TlsOptions { ca_file: self.ca_file.clone(), ..TlsOptions::default() }
    }

    pub(super) fn timeouts(&self) -> Timeouts {
        Timeouts {
            connect_s: self.connect_timeout,
            first_token_s: self.first_token_timeout,
            stall_s: self.stall_timeout,
            total_s: self.timeout,
        }
    }
}
