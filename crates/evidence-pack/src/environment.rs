//! What stood around the run: the tool, its host, the service as observed, and the calendar.

use serde::{Deserialize, Serialize};

use crate::{layout::FORMAT, rows::parse_version};

/// `data/environment.json`. What is unknown is `None`, never a made-up value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// Version of the file, [`FORMAT`].
    pub v: u32,
    /// Id of the run, one line of text.
    pub run_id: String,
    /// Wall-clock instant at which the monotonic clock of the rows was 0: RFC 3339, in UTC (`…Z`).
    pub started_at: String,
    /// The program that measured.
    pub tool: Tool,
    /// Where it ran.
    pub host: Host,
    /// Where that stands on the network, in the operator's words.
    pub location: Option<String>,
    /// The service, as observed before the first request.
    pub target: Target,
    /// The host's clock against another.
    pub clock: Clock,
}

/// The program that measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Name of the program.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Build profile: `release` or `dev`.
    pub profile: String,
    /// Built with optimisation; timings of a build without are not to be trusted.
    pub optimised: bool,
    /// Target triple.
    pub target: String,
}

/// Where the program ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Operating system.
    pub os: String,
    /// Processor architecture.
    pub arch: String,
    /// Logical processors of the host.
    pub cpus: u32,
    /// Those that the process may use.
    pub cpus_allowed: u32,
    /// Memory of the host.
    pub memory_bytes: Option<u64>,
    /// What identifies the machine and what it allows the process, by which a calibration is known to be of this host;
    /// unknown in older packages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// The service, as observed before the first request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Where requests go, without any secret.
    pub url: String,
    /// The model asked for.
    pub model: String,
    /// Socket address that the name resolved to.
    pub address: Option<String>,
    /// Its `Server` header.
    pub server: Option<String>,
    /// Its version, as told by itself.
    pub version: Option<String>,
    /// Its list of models.
    pub models: Vec<String>,
    /// Path that answers whether it is healthy.
    pub health_path: Option<String>,
    /// It honours `stream_options` and so counts its tokens.
    pub usage: Option<bool>,
    /// It stands on the generator's own host and shares its limits.
    pub co_located: bool,
    /// What is particular about its dialect, one sentence each.
    pub dialect_notes: Vec<String>,
    /// Protocol that was agreed on, `http/1.1` or `h2`; unknown in older packages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<String>,
    /// Version of TLS, such as `1.3`; `None` without TLS, and in older packages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<String>,
    /// Its certificate was not checked.
    #[serde(default)]
    pub insecure_tls: bool,
    /// Names of the further headers that every request carried, in lower case; values are secret and stand nowhere.
    /// Empty in older packages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
}

impl Target {
    /// A service of which nothing has been observed.
    #[must_use]
    pub fn unseen(url: &str, model: &str) -> Self {
        Self {
            url: url.to_owned(),
            model: model.to_owned(),
            address: None,
            server: None,
            version: None,
            models: Vec::new(),
            health_path: None,
            usage: None,
            co_located: false,
            http: None,
            tls: None,
            insecure_tls: false,
            headers: Vec::new(),
            dialect_notes: Vec::new(),
        }
    }
}

/// The host's clock against another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// The other clock minus the host's.
    pub offset_ms: Option<i64>,
    /// How that was found.
    pub method: Option<String>,
}

/// `environment.json` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// It was written by a newer version of the tool.
    #[error("read environment.json of format {0}: this version knows {FORMAT} (update the tool)")]
    NewerFormat(u32),
    /// It is not what it should be.
    #[error("read environment.json: {0} (the file is damaged)")]
    Malformed(String),
    /// The anchor is no instant in UTC.
    #[error("take {0:?} as the run's start (use RFC 3339 in UTC, such as 2026-03-01T08:00:00Z)")]
    StartedAt(String),
}

impl EnvironmentError {
    /// The file is not what it was, rather than of a newer format.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        !matches!(self, Self::NewerFormat(_))
    }
}

impl Environment {
    /// Reads the file's text.
    ///
    /// # Errors
    /// Where it is of a newer format, has unknown or missing keys, or an anchor that is no UTC instant.
    pub fn parse(json: &str) -> Result<Self, EnvironmentError> {
        match parse_version(json.as_bytes()) {
            Some(newer) if newer > FORMAT => return Err(EnvironmentError::NewerFormat(newer)),
            Some(other) if other != FORMAT => {
                return Err(EnvironmentError::Malformed(format!("there is no version {other}")));
            }
            _ => {}
        }
        let environment: Self =
            serde_json::from_str(json).map_err(|error| EnvironmentError::Malformed(error.to_string()))?;
        environment.date()?;
        Ok(environment)
    }

    /// The file's text.
    pub(crate) fn to_json(&self) -> Result<String, EnvironmentError> {
        self.date()?;
        serde_json::to_string_pretty(self)
            .map(|json| json + "\n")
            .map_err(|error| EnvironmentError::Malformed(error.to_string()))
    }

    /// The day on which the run started, in UTC.
    pub(crate) fn date(&self) -> Result<&str, EnvironmentError> {
        let in_utc = self.started_at.ends_with('Z') && self.started_at.parse::<jiff::Timestamp>().is_ok();
        in_utc
            .then(|| self.started_at.get(..10))
            .flatten()
            .ok_or_else(|| EnvironmentError::StartedAt(self.started_at.clone()))
    }
}
