//! Arguments that every command to a service shares.

use std::path::PathBuf;

use acceptreport::{Exit, cli::CommandError};
use report_render::Language;
use sse_client::TlsOptions;
use workload_model::{Http, Timeouts};

use crate::{headers::header_of, key::api_key, sweep::Confidence, terminal::warn};

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum HttpArgument {
    /// HTTP/2 where TLS agrees on it, else HTTP/1.1.
    Auto,
    /// HTTP/1.1.
    #[value(name = "1.1")]
    One,
    /// HTTP/2, over plain TCP without asking first.
    #[value(name = "2")]
    Two,
}

#[derive(Debug, clap::Args)]
pub(super) struct TargetArguments {
    /// Base of the service, up to and including /v1, or its full …/chat/completions.
    #[arg(long)]
    pub(super) url: String,
    /// Model name, as the service knows it.
    #[arg(long)]
    pub(super) model: String,
    #[command(flatten)]
    pub(super) contact: ContactArguments,
}

/// How a service is spoken with.
#[derive(Debug, clap::Args)]
pub(super) struct ContactArguments {
    /// Variable that holds the API key [default: OPENAI_API_KEY]. An empty one means no key.
    #[arg(long, value_name = "NAME", conflicts_with = "api_key_file")]
    api_key_env: Option<String>,
    /// File that holds the API key.
    #[arg(long, value_name = "PATH")]
    api_key_file: Option<PathBuf>,
    /// Certificates (PEM) to trust beside the public ones.
    #[arg(long, value_name = "PATH")]
    ca_file: Option<PathBuf>,
    /// Certificate (PEM) to show to a service that demands one; the file may hold its key as well.
    #[arg(long, value_name = "PATH")]
    client_cert: Option<PathBuf>,
    /// Key (PEM) of the client's certificate.
    #[arg(long, value_name = "PATH", requires = "client_cert")]
    client_key: Option<PathBuf>,
    /// Do not check the service's certificate. It stands in the report: what was measured may be anybody's answers.
    #[arg(long)]
    insecure: bool,
    /// Further header NAME with the value of the variable VAR, which is kept secret; may be given several times.
    #[arg(long, value_name = "NAME=VAR")]
    header_env: Vec<String>,
    /// HTTP to speak. auto: HTTP/2 where TLS agrees on it, else 1.1.
    #[arg(long, value_name = "VERSION", value_enum, default_value = "auto")]
    http: HttpArgument,
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

impl ContactArguments {
    /// What is sent in confidence: the key, and the values of further headers.
    pub(super) fn confidence(&self) -> Result<Confidence, CommandError> {
        let key = api_key(self.api_key_env.as_deref(), self.api_key_file.as_deref())
            .map_err(|error| CommandError::new(Exit::Usage, error))?;
        let headers = self.header_env.iter().map(|given| header_of(given));
        let headers = headers.collect::<Result<_, _>>();
        Ok(Confidence { key, headers: headers.map_err(|error| CommandError::new(Exit::Usage, error))? })
    }

    /// How TLS is to be spoken with whoever is at this address. Says so where it is not to be trusted.
    pub(super) fn tls(&self, url: &str, language: Language) -> TlsOptions {
        if self.insecure && url.trim().to_ascii_lowercase().starts_with("https:") {
            warn(language.say(
                "warning: the service's certificate is not checked (--insecure); anybody may be answering",
                "警告：未校验服务证书（--insecure），应答方身份无法确认",
            ));
        }
        TlsOptions {
            ca_file: self.ca_file.clone(),
            client_cert: self.client_cert.clone(),
            client_key: self.client_key.clone(),
            insecure: self.insecure,
        }
    }

    pub(super) fn insecure(&self) -> bool {
        self.insecure
    }

    /// The name of the file with the client's certificate.
    pub(super) fn client_cert_name(&self) -> Option<String> {
        let name = self.client_cert.as_deref()?.file_name()?;
        Some(name.to_string_lossy().into_owned())
    }

    pub(super) fn http(&self) -> Http {
        match self.http {
            HttpArgument::Auto => Http::Auto,
            HttpArgument::One => Http::One,
            HttpArgument::Two => Http::Two,
        }
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
