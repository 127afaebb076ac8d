//! `acceptbench sweep`.

use std::path::PathBuf;

use acceptreport::{
    Exit,
    cli::{CommandError, Lang, agreement_text, spoken},
};
use report_render::Language;
use workload_model::{
    BUILTIN_SET, Bounds, Client, Output, Pause, Plan, Project, RequestShape, STANDARD_TIERS, SampleSet,
    SampleSource, Target, builtin, random::DEFAULT_SEED, standard_or_given, standard_warm_up, sweep_plan,
};

use super::{
    block_on,
    calibration::CalibrationArguments,
    conclude,
    groups::{GroupChange, apply},
    scrubbed,
    target::TargetArguments,
};
use crate::{
    out::{default_out, io_threads},
    samples::{groups_of, samples_of},
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
    #[arg(long, value_name = "FILE", conflicts_with = "samples")]
    prompts: Option<PathBuf>,
    /// A sample set, or a profile to draw one from (`acceptbench samples make`, `acceptbench profile`). Its groups are judged
    /// each by its own rule.
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    /// What is different in a group of the samples; may be given several times. Keys: weight, retries, retry_wait_s,
    /// ttft_limit_s, deadline_s, min_output_tokens, accept_length.
    #[arg(long, value_name = "NAME:KEY=VALUE[,…]")]
    group: Vec<GroupChange>,
    /// How long outputs are to be, where the samples say.
    #[arg(long, value_enum, default_value = "natural", requires = "samples")]
    output: OutputArgument,
    /// From an answer to the next request of its place, in seconds on average (exponential); turns of a conversation have
    /// pauses of their own.
    #[arg(long, value_name = "S")]
    think_time: Option<f64>,
    /// How much longer the pauses between turns of a conversation are than the samples say: 0.1 for a tenth, 0 for none.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, requires = "samples")]
    think_scale: f64,
    /// What pauses are drawn from, and the samples where --samples names a profile.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
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

/// How long outputs are to be.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum OutputArgument {
    /// To their natural stop.
    Natural,
    /// No longer than the sample says (max_tokens).
    Capped,
    /// Exactly as long (max_tokens and ignore_eos).
    Fixed,
}

impl From<OutputArgument> for Output {
    fn from(output: OutputArgument) -> Self {
        match output {
            OutputArgument::Natural => Self::Natural,
            OutputArgument::Capped => Self::Capped,
            OutputArgument::Fixed => Self::Fixed,
        }
    }
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
        let confidence = self.target.contact.confidence()?;
        let redactor = redactor(&confidence);
        let samples = self.samples()?;
        let asked = Sweep {
            plan: self.plan(&samples)?,
            samples,
            confidence,
            tls: self.target.contact.tls(&self.target.url, language),
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

    fn plan(&self, samples: &SampleSet) -> Result<Plan, CommandError> {
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
            output: self.output.into(),
            ..RequestShape::default()
        };
        plan.samples = SampleSource {
            set: self.set(),
            sha256: samples.facts.as_ref().map(|facts| facts.samples_sha256.clone()),
            nonce: self.nonce.clone().unwrap_or_default(),
            think_scale: self.think_scale,
        };
        plan.seed = self.seed;
        if let Some(facts) = &samples.facts {
            plan.group = groups_of(facts);
        }
        apply(&mut plan.group, &self.group).map_err(|error| CommandError::new(Exit::Usage, error))?;
        if let Some(mean_s) = self.think_time {
            let measured = plan.stage.iter_mut().filter(|stage| stage.kind.measured());
            measured.for_each(|stage| stage.think = Pause { mean_s, exponential: true });
        }
        plan.client = Client {
            location: words.location.clone().unwrap_or_default(),
            io_threads: self.io_threads.unwrap_or_else(|| io_threads(&self.tiers)),
            http: self.target.contact.http(),
            insecure: self.target.contact.insecure(),
            client_cert: self.target.contact.client_cert_name(),
            ..Client::default()
        };
        plan.timeouts = self.target.contact.timeouts();
        plan.bounds = Bounds {
            max_requests: self.bounds.max_requests,
            max_output_tokens: self.bounds.max_output_tokens,
            max_duration_s: self.bounds.max_duration,
            max_errors: self.bounds.max_errors,
        };
        if self.control {
            plan.add_control();
        }
        Ok(plan)
    }

    /// The set's name: that of the file or folder, without the folders above it.
    fn set(&self) -> String {
        let named = |kind: &str, path: &Option<PathBuf>| {
            Some(format!("{kind}:{}", path.as_deref()?.file_name()?.to_string_lossy()))
        };
        let given = named("file", &self.prompts).or_else(|| named("set", &self.samples));
        given.unwrap_or_else(|| BUILTIN_SET.to_owned())
    }

    fn samples(&self) -> Result<SampleSet, CommandError> {
        if let Some(dir) = &self.samples {
            let counts = standard_or_given(&self.tiers, &self.requests);
            let most = counts.into_iter().max().unwrap_or(1);
            return samples_of(dir, most, self.seed).map_err(|error| CommandError::new(Exit::Usage, error));
        }
        let Some(path) = &self.prompts else { return Ok(builtin()) };
        let wrong = |error: String| CommandError::new(Exit::Usage, format!("{error} in {}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| {
            let hint = "name a file of JSON Lines, a list of messages each";
            CommandError::new(Exit::Usage, format!("read {}: {error} ({hint})", path.display()))
        })?;
        SampleSet::from_prompts(&text).map_err(|error| wrong(error.to_string()))
    }
}
