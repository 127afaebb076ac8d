//! `acceptbench sweep`.

use std::path::PathBuf;

use acceptreport::{
    Exit,
    cli::{CommandError, Lang, agreement_text, spoken},
};
use report_render::Language;
use workload_model::{
    BUILTIN_SET, Bounds, Client, Plan, Project, RequestShape, STANDARD_TIERS, SampleSet, SampleSource,
    Target, builtin, standard_warm_up, sweep_plan,
};

use super::{block_on, calibration::CalibrationArguments, conclude, scrubbed, target::TargetArguments};
use crate::{
    out::{default_out, io_threads},
    sweep::{Sweep, redactor, sweep},
};

#[derive(Debug, clap::Args)]
pub(super) struct SweepCommand {
    #[command(flatten)]
    target: TargetArguments,
    /// Requests in flight, one tier each, ascending.
    #[arg(long, value_delimiter = ',', value_name = "C,C,…", default_values_t = STANDARD_TIERS)]
    tiers: Vec<u32>,
    /// Requests of every tier, or one number a tier [default: five a unit of concurrency, at least 20].
    #[arg(long, value_delimiter = ',', value_name = "N[,N…]")]
    requests: Vec<u64>,
    /// Requests of the warm-up, which enters no figure [default: as many as the highest tier, at least 4].
    #[arg(long, value_name = "N")]
    warmup: Option<u64>,
    /// Prompts of your own: JSON Lines of messages. They are kept in the package.
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// Maximum output length to ask for [default: none, answers run to their natural stop].
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Temperature to ask for [default: none, the service's own].
    #[arg(long, value_name = "T")]
    temperature: Option<f64>,
    /// What makes the openings of this run its own [default: random].
    #[arg(long, value_name = "TEXT")]
    nonce: Option<String>,
    /// Folder of the package: new, or empty [default: acceptance/MODEL-TIME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Agreement (TOML): target, limits, advice [default: none; the six criteria with their defaults].
    #[arg(long, value_name = "FILE")]
    agreement: Option<PathBuf>,
    /// Language of the documents and of what is printed [default: documents in both, the rest in that of the locale].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Threads that read sockets [default: one, more from 64 requests in flight up].
    #[arg(long, value_name = "N")]
    io_threads: Option<u32>,
    /// After the sweep, repeat its highest tier twice, with twice the threads and with less recorded, to see whether the
    /// service then gets more requests. The report says so; it enters no other figure.
    #[arg(long)]
    control: bool,
    #[command(flatten)]
    calibration: CalibrationArguments,
    #[command(flatten)]
    bounds: BoundArguments,
    #[command(flatten)]
    words: WordArguments,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// No progress on the way.
    #[arg(long)]
    quiet: bool,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Bounds")]
struct BoundArguments {
    /// Most requests to send, preflight, warm-up and control included.
    #[arg(long, value_name = "N")]
    max_requests: Option<u64>,
    /// Most output tokens to receive.
    #[arg(long, value_name = "N")]
    max_output_tokens: Option<u64>,
    /// Longest duration, in seconds.
    #[arg(long, value_name = "S")]
    max_duration: Option<f64>,
    /// Stop after so many requests that were not effective.
    #[arg(long, value_name = "N")]
    max_errors: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "For the documents (\"\" means left blank on purpose)")]
struct WordArguments {
    /// Name of the project.
    #[arg(long, value_name = "TEXT")]
    project: Option<String>,
    /// The customer.
    #[arg(long, value_name = "TEXT")]
    customer: Option<String>,
    /// The supplier.
    #[arg(long, value_name = "TEXT")]
    supplier: Option<String>,
    /// Contract number.
    #[arg(long, value_name = "TEXT")]
    contract: Option<String>,
    /// Version of the service; the service is asked as well.
    #[arg(long, value_name = "TEXT")]
    service_version: Option<String>,
    /// Inference backend.
    #[arg(long, value_name = "TEXT")]
    backend: Option<String>,
    /// Quantisation.
    #[arg(long, value_name = "TEXT")]
    quantisation: Option<String>,
    /// Hardware.
    #[arg(long, value_name = "TEXT")]
    hardware: Option<String>,
    /// Where the generator stands on the network.
    #[arg(long, value_name = "TEXT")]
    location: Option<String>,
}

impl SweepCommand {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let language = spoken(self.lang);
        let confidence = self.target.confidence()?;
        let redactor = redactor(&confidence);
        let asked = Sweep {
            plan: self.plan(),
            samples: self.samples()?,
            confidence,
            tls: self.target.tls(language),
            calibrating: self.calibration.calibrating(),
            agreement: agreement_text(self.agreement.as_deref())?,
            out: self.out.clone().unwrap_or_else(|| default_out(&self.target.model)),
            languages: self.lang.map_or_else(|| Language::ALL.to_vec(), |language| vec![language.into()]),
            language,
            quiet: self.quiet,
        };
        let swept = block_on(sweep(asked))?.map_err(|error| scrubbed(error, &redactor))?;
        conclude(&swept, language, self.json)
    }

    fn plan(&self) -> Plan {
        let words = &self.words;
        let target = Target {
            url: self.target.url.clone(),
            model: self.target.model.clone(),
            service_version: words.service_version.clone(),
            backend: words.backend.clone(),
            quantisation: words.quantisation.clone(),
            hardware: words.hardware.clone(),
        };
        let warm_up = self.warmup.unwrap_or_else(|| standard_warm_up(&self.tiers));
        let mut plan = sweep_plan(target, &self.tiers, &self.requests, warm_up);
        let project = Project {
            name: words.project.clone(),
            customer: words.customer.clone(),
            supplier: words.supplier.clone(),
            contract: words.contract.clone(),
            ..Project::default()
        };
        plan.project = (project != Project::default()).then_some(project);
        plan.request = RequestShape {
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            ..RequestShape::default()
        };
        plan.samples =
            SampleSource { set: self.set(), sha256: None, nonce: self.nonce.clone().unwrap_or_default() };
        plan.client = Client {
            location: words.location.clone().unwrap_or_default(),
            io_threads: self.io_threads.unwrap_or_else(|| io_threads(&self.tiers)),
            http: self.target.http(),
            insecure: self.target.insecure(),
            client_cert: self.target.client_cert_name(),
            ..Client::default()
        };
        plan.timeouts = self.target.timeouts();
        plan.bounds = Bounds {
            max_requests: self.bounds.max_requests,
            max_output_tokens: self.bounds.max_output_tokens,
            max_duration_s: self.bounds.max_duration,
            max_errors: self.bounds.max_errors,
        };
        if self.control {
            plan.add_control();
        }
        plan
    }

    /// The set's name: that of the file, without the folders above it.
    fn set(&self) -> String {
        let name = self.prompts.as_deref().and_then(std::path::Path::file_name);
        name.map_or_else(|| BUILTIN_SET.to_owned(), |name| format!("file:{}", name.to_string_lossy()))
    }

    fn samples(&self) -> Result<SampleSet, CommandError> {
        let Some(path) = &self.prompts else { return Ok(builtin()) };
        let wrong = |error: String| CommandError::new(Exit::Usage, format!("{error} in {}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| {
            let hint = "name a file of JSON Lines, a list of messages each";
            CommandError::new(Exit::Usage, format!("read {}: {error} ({hint})", path.display()))
        })?;
        SampleSet::from_prompts(&text).map_err(|error| wrong(error.to_string()))
    }
}
