//! What was observed beside the requests: the generator itself, the course of the run, the service's health.

use serde::{Deserialize, Serialize};

use crate::quantity::Micros;

/// One second of the generator's own life.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientSample {
    /// End of the sampled second.
    pub at: Micros,
    /// Stage under way.
    pub stage: Option<String>,
    /// Tier under way.
    pub tier: Option<u32>,
    /// CPU of the process, as a share of the cores it may use (0 to 1).
    pub cpu: Option<f64>,
    /// CPU of the whole host, as a share of all its cores (0 to 1).
    pub host_cpu: Option<f64>,
    /// For each thread that ran: how long it waited for a core per time slice, in microseconds.
    pub run_delay_us: Vec<u64>,
    /// How late every 10 ms timer of every IO thread fired, in microseconds.
    pub timer_delay_us: Vec<u64>,
    /// Resident memory of the process.
    pub rss_bytes: Option<u64>,
    /// Connections of the generator to the service.
    pub connections: u64,
    /// Sockets that the process holds.
    pub sockets: Option<u64>,
    /// Bytes that the host's network interfaces received in that second.
    pub rx_bytes: Option<u64>,
    /// Bytes that they sent.
    pub tx_bytes: Option<u64>,
    /// Rows that waited for the writer.
    pub queue_depth: u64,
}

/// Something that happened in the run, at an instant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When.
    pub at: Micros,
    /// What.
    #[serde(flatten)]
    pub what: Happening,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Happening {
    /// A stage of the plan began.
    StageStarted {
        /// Its name.
        stage: String,
    },
    /// A stage ended.
    StageEnded {
        /// Its name.
        stage: String,
    },
    /// A tier of a stage began.
    TierStarted {
        /// The stage.
        stage: String,
        /// Requests in flight.
        tier: u32,
        /// Requests planned.
        planned: u64,
    },
    /// A tier ended.
    TierEnded {
        /// The stage.
        stage: String,
        /// Requests in flight.
        tier: u32,
    },
    /// The service was asked for its health.
    Health {
        /// It answered that it is ready.
        ready: bool,
        /// It refused the connection: nothing listened.
        refused: bool,
        /// HTTP status, where there was one.
        status: Option<u16>,
        /// What was asked.
        path: String,
    },
    /// The service told when its process started (`process_start_time_seconds`), in seconds since 1970.
    ServiceStartTime {
        /// As told.
        seconds: f64,
    },
    /// The service refused `stream_options` and is asked without it from here on.
    UsageRefused {
        /// Its words.
        message: String,
    },
    /// The run was stopped before its plan was done.
    Stopped {
        /// `interrupt`, or the bound or stop condition that struck.
        by: String,
    },
    /// The run ended with its plan done, or stopped.
    RunEnded,
}
