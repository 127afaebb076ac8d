//! The acceptance sweep: preflight, freeze, load, evidence, figures, verdict, documents.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use acceptreport::{DocumentError, Format, Under, Written, write_documents};
use evidence_pack::{
    AppendError, CreateError, Environment, FinishError, Frozen, Redactor, Tool, Writer, calibration_json,
};
use load_engine::{
    Asked, IoThreads, Job, NoRoom, Preflight, Refusal, Service, Sink, Step, Stop, StopCause, enough_room,
    host_facts, preflight, random_hex, room, run,
};
use report_render::Language;
use sse_client::{
    Clock, Endpoint, EndpointError, RuntimeClock, Secret, Target, TargetError, TcpConnector, TlsError,
    TlsOptions,
};
use verdict_rules::{Agreement, AgreementError};
use workload_model::{Output, Plan, PlanError, SampleSet, Schedule, ScheduleError, SetFacts};

use crate::{
    calibrating::{Calibrating, Found, UnusableCalibration, measure},
    estimate::Estimate,
    headers::Header,
    locate::locate,
    progress::Progress,
    recorder::{Recorder, record},
    signals::Signals,
    terminal::warn,
};

/// Rows that may wait for the writer.
pub(crate) const QUEUE: usize = 4096;

/// The `User-Agent` of every request, so that operators can find them.
pub const USER_AGENT: &str = concat!("acceptbench/", env!("CARGO_PKG_VERSION"));

/// All that a sweep is asked to do.
#[derive(Debug)]
pub struct Sweep {
    /// The plan; the service's answer to the preflight may still turn `request.include_usage` off.
    pub plan: Plan,
    /// What is sent.
    pub samples: SampleSet,
    /// What is sent in confidence.
    pub confidence: Confidence,
    /// How TLS is to be spoken.
    pub tls: TlsOptions,
    /// Which calibration of the generator the figures are held against.
    pub calibrating: Calibrating,
    /// Text of the agreement.
    pub agreement: Option<String>,
    /// Folder of the package: new, or empty.
    pub out: PathBuf,
    /// Languages of the documents.
    pub languages: Vec<Language>,
    /// Language of what is said on the way.
    pub language: Language,
    /// Say nothing on the way.
    pub quiet: bool,
}

/// What every request carries in confidence. The names of headers are written to the package; no key and no value is
/// written or printed.
#[derive(Debug, Clone, Default)]
pub struct Confidence {
    /// The API key.
    pub key: Option<Secret>,
    /// Further headers.
    pub headers: Vec<Header>,
}

impl Confidence {
    /// Names of the further headers in lower case, each once, in order.
    fn header_names(&self) -> Vec<String> {
        let names: BTreeSet<_> = self.headers.iter().map(|header| header.name.to_ascii_lowercase()).collect();
        names.into_iter().collect()
    }
}

/// What a sweep came to.
#[derive(Debug)]
pub struct Swept {
    /// Folder of the package.
    pub out: PathBuf,
    /// The documents, and all that follows from the package.
    pub written: Written,
    /// Why the run ended before its plan was done.
    pub stopped: Option<StopCause>,
}

/// A sweep could not be made, or not be brought to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The plan cannot be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The schedule cannot be written.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The agreement cannot be used.
    #[error(transparent)]
    Agreement(#[from] AgreementError),
    /// The calibration that was named cannot be used.
    #[error(transparent)]
    Calibration(#[from] UnusableCalibration),
    /// The address cannot be used.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The key or another header cannot be sent.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The operating system does not allow what the plan needs.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    /// The service cannot be reached, or refuses to serve at all.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The operator stopped it before anything was measured.
    #[error("measure anything: interrupted during the preflight (nothing was kept)")]
    Interrupted,
    /// The folder of the package cannot be made or read.
    #[error("make the folder {}: {error} (name another --out)", out.display())]
    Out {
        /// The folder.
        out: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The package cannot be begun.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The system gave no thread or event queue.
    #[error("start a thread: {0} (raise the limit on processes)")]
    Thread(#[from] io::Error),
    /// A row could not be kept, so the run is invalid.
    #[error("keep the evidence: {error} (the run was stopped; make room, and complete what was kept with `acceptbench finalize {}`)", out.display())]
    EvidenceLost {
        /// What went wrong.
        error: AppendError,
        /// Folder of the package.
        out: PathBuf,
    },
    /// The package could not be completed.
    #[error("complete the package: {error} (everything measured is kept; make room, then `acceptbench finalize {}`)", out.display())]
    Finish {
        /// What went wrong.
        error: FinishError,
        /// Folder of the package.
        out: PathBuf,
    },
    /// The documents could not be written.
    #[error("{error} (the evidence is complete in {}; write the documents with `acceptreport render`)", out.display())]
    Documents {
        /// What went wrong.
        error: DocumentError,
        /// Folder of the package.
        out: PathBuf,
    },
}

/// Makes a sweep. What was measured is kept, whatever stops it.
///
/// # Errors
/// [`SweepError`]; everything that can be checked beforehand is checked before anything is sent.
pub async fn sweep(mut asked: Sweep) -> Result<Swept, SweepError> {
    asked.plan = Plan::parse(&asked.plan.to_toml()?)?;
    asked.plan.check_samples(&asked.samples)?;
    enough_room(&asked.plan, &room())?;
    if let Some(text) = &asked.agreement {
        Agreement::parse(text)?;
    }
    let calibration = asked.calibrating.find(asked.plan.client.io_threads, asked.language)?;
    if asked.plan.samples.nonce.is_empty() {
        asked.plan.samples.nonce = random_hex();
    }
    let endpoint = Endpoint::parse(&asked.plan.target.url)?;
    asked.plan.target.url = endpoint.url();
    let (clock, started_at): (Arc<dyn Clock>, _) = (Arc::new(RuntimeClock::start()), jiff::Timestamp::now());
    let mut service = service(&endpoint, &asked.confidence, &asked.tls)?;
    let redactor = redactor(&asked.confidence);
    let made = make_vacant(&asked.out)?;
    let mut signals = Signals::listen()?;
    let asking = async {
        let found = ask(&service, &clock, &asked, &mut signals).await?;
        Ok((found, calibrated(calibration, &asked, &mut signals).await?))
    };
    let (found, calibration) = match asking.await {
        Ok(found) => found,
        Err(error) => {
            // Nothing was measured: the folder that was made to see whether it can be goes again.
            if made {
                let _ = std::fs::remove_dir(&asked.out);
            }
            return Err(error);
        }
    };
    service.health_path.clone_from(&found.health_path);
    if found.usage_refused.is_some() {
        asked.plan.request.include_usage = false;
    }
    let schedule = Schedule::new(&asked.plan, &asked.samples);
    announce(&asked, &schedule, &found, &redactor);

    let frozen = Frozen {
        plan: asked.plan.to_toml()?,
        samples: asked.samples.to_jsonl(),
        sample_set: asked.samples.facts.as_ref().map(SetFacts::to_json),
        schedule: Some(schedule.to_jsonl(&asked.samples)?),
        environment: environment(&asked, &endpoint, &found, started_at),
        agreement: asked.agreement.clone(),
        calibration,
    };
    let threads = IoThreads::start(asked.plan.client.io_threads)?;
    let writer = Writer::create(&asked.out, &frozen, redactor)?;
    let stop = Arc::new(Stop::new(asked.plan.bounds, found.spent));
    signals.stop(Arc::clone(&stop), asked.language);
    let (sink, events) = Sink::bounded(QUEUE);
    let progress =
        Progress::new(schedule.slots.len() as u64, asked.plan.rules(), asked.language, asked.quiet);
    let recorder = record(writer, events, progress)?;
    let job = Job {
        plan: Arc::new(asked.plan),
        samples: Arc::new(asked.samples),
        schedule: Arc::new(schedule),
        usage_refused: found.usage_refused,
    };
    let ran = run(&job, &service, clock, &threads, &stop, sink).await;
    drop(threads);
    let stopped = ran.ok().and_then(|end| end.stopped);
    // Off this thread, so that a second Ctrl-C is heard even while a disk is slow.
    let ending = tokio::task::spawn_blocking(move || end(recorder, asked.out, &asked.languages, stopped));
    ending.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Completes the package when the last row is kept, and writes its documents.
fn end(
    recorder: Recorder,
    out: PathBuf,
    languages: &[Language],
    stopped: Option<StopCause>,
) -> Result<Swept, SweepError> {
    let kept = recorder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let writer = kept.map_err(|error| SweepError::EvidenceLost { error, out: out.clone() })?;
    writer.finish().map_err(|error| SweepError::Finish { error, out: out.clone() })?;
    let written = write_documents(&out, &Under::Run, languages, Format::WRITTEN, None)
        .map_err(|error| SweepError::Documents { error, out: out.clone() })?;
    Ok(Swept { out, written, stopped })
}

/// What takes secrets out of everything that is written or printed.
#[must_use]
pub fn redactor(confidence: &Confidence) -> Redactor {
    let headers = confidence.headers.iter().map(|header| &header.value);
    Redactor::new(confidence.key.iter().chain(headers).map(|secret| secret.expose().to_owned()))
}

/// A service as the client reaches it; where it tells its health is not known yet.
///
/// # Errors
/// Where key, headers or TLS options cannot be used.
pub fn service(
    endpoint: &Endpoint,
    confidence: &Confidence,
    tls: &TlsOptions,
) -> Result<Service<TcpConnector>, SweepError> {
    let mut target = Target::new(endpoint.clone(), USER_AGENT, confidence.key.clone())?;
    for Header { name, value } in &confidence.headers {
        target = target.with_header(name, value.expose())?;
    }
    let connector = TcpConnector::new(endpoint, tls)?;
    Ok(Service { target: Arc::new(target), connector: Arc::new(connector), health_path: None })
}

async fn ask(
    service: &Service<TcpConnector>,
    clock: &Arc<dyn Clock>,
    asked: &Sweep,
    signals: &mut Signals,
) -> Result<Preflight, SweepError> {
    let mut shape = asked.plan.request.clone();
    if shape.output == Output::Capped && shape.max_tokens.is_none() {
        // No answer of the run is longer, so that none is waited for.
        let longest = asked.samples.measured.iter().map(|sample| sample.lengths.output);
        shape.max_tokens = longest.collect::<Option<Vec<u64>>>().and_then(|all| all.into_iter().max());
    }
    let questions = Asked {
        model: &asked.plan.target.model,
        shape,
        timeouts: asked.plan.timeouts,
        http: asked.plan.client.http,
        bounds: asked.plan.bounds,
        nonce: &asked.plan.samples.nonce,
        limits: false,
    };
    let (l, quiet) = (asked.language, asked.quiet);
    let progress = |step| {
        if step == Step::Questions && !quiet {
            warn(l.say("asking the service one question before the sweep", "扫测前先向服务试发一个请求"));
        }
    };
    tokio::select! {
        found = preflight(service, clock, &questions, progress) => Ok(found?),
        () = signals.first() => Err(SweepError::Interrupted),
    }
}

/// The text of the calibration, measured here where none was found.
async fn calibrated(
    found: Found,
    asked: &Sweep,
    signals: &mut Signals,
) -> Result<Option<String>, SweepError> {
    let calibration = match found {
        Found::None => None,
        Found::Ready(calibration) => Some(*calibration),
        Found::ToMeasure => tokio::select! {
            measured = measure(&asked.out, asked.plan.client.io_threads, asked.language, asked.quiet) => measured,
            () = signals.first() => return Err(SweepError::Interrupted),
        },
    };
    // Only a number that is not finite has no text, and no figure of a calibration is one.
    Ok(calibration.and_then(|calibration| calibration_json(&calibration).ok()))
}

fn announce(asked: &Sweep, schedule: &Schedule, found: &Preflight, redactor: &Redactor) {
    let l = asked.language;
    // These lines hold the service's own words.
    let warn = |en: String, zh: String| warn(&redactor.scrub(&l.say(en, zh)));
    for warning in &found.warnings {
        warn(format!("warning: {warning}"), format!("警告：{}", warning.in_chinese()));
    }
    if let Some(message) = &found.usage_refused {
        warn(
            format!(
                "the service refuses stream_options ({message}); it is asked without, and output is counted in events"
            ),
            format!("服务不接受 stream_options（{message}）；改为不带该参数请求，输出按流事件数统计"),
        );
    }
    if !asked.quiet {
        let estimate = Estimate::of(&asked.plan, schedule, &asked.samples, found);
        let (model, url) = (&asked.plan.target.model, &asked.plan.target.url);
        warn(
            format!("{model} at {url}: {}", estimate.words(Language::En)),
            format!("{model}（{url}）：{}", estimate.words(Language::Zh)),
        );
    }
    if let Some(most) = asked.plan.bounds.max_requests {
        let tells = schedule.slots.iter().rposition(|slot| slot.measured).map_or(0, |last| last as u64 + 1);
        let (tells, all) = (tells + found.spent.requests, schedule.slots.len() as u64 + found.spent.requests);
        if tells > most {
            warn(
                format!(
                    "warning: {tells} requests with the preflight's, and --max-requests {most}: the sweep will stop there and cannot pass"
                ),
                format!(
                    "警告：连同预检共需 {tells} 个请求，而 --max-requests 为 {most}；扫测将在此停止，不可能通过"
                ),
            );
        } else if all > most {
            warn(
                format!(
                    "warning: {all} requests with the control's, and --max-requests {most}: the sweep ends before, the control is cut short and tells nothing"
                ),
                format!(
                    "警告：连同对照共需 {all} 个请求，而 --max-requests 为 {most}；扫测可以完成，对照将中途停止，不提供结论"
                ),
            );
        }
    }
}

fn environment(
    asked: &Sweep,
    endpoint: &Endpoint,
    found: &Preflight,
    started_at: jiff::Timestamp,
) -> Environment {
    let plan = &asked.plan;
    let (address, co_located) = locate(endpoint);
    let host = host_facts();
    let location = plan.client.location.clone();
    Environment {
        v: evidence_pack::FORMAT,
        run_id: random_hex(),
        started_at: started_at.to_string(),
        tool: tool(),
        host: evidence_pack::Host {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            cpus: host.cpus,
            cpus_allowed: host.cpus_allowed,
            memory_bytes: host.memory_bytes,
            fingerprint: Some(host.fingerprint),
        },
        location: (!location.is_empty()).then_some(location),
        target: evidence_pack::Target {
            url: plan.target.url.clone(),
            model: plan.target.model.clone(),
            address,
            server: found.server.clone(),
            version: found.version.clone(),
            models: found.models.clone(),
            health_path: found.health_path.clone(),
            usage: if found.usage_refused.is_some() { Some(false) } else { found.usage },
            co_located,
            dialect_notes: found.dialect_notes.clone(),
            http: found.spoken.as_ref().map(|spoken| spoken.http.to_owned()),
            tls: found.spoken.as_ref().and_then(|spoken| spoken.tls).map(str::to_owned),
            insecure_tls: plan.client.insecure && endpoint.is_tls(),
            headers: asked.confidence.header_names(),
        },
        clock: clock_offset(found, started_at),
    }
}

/// The program as it was built.
pub(crate) fn tool() -> Tool {
    let level = env!("ACCEPTBENCH_OPT_LEVEL");
    Tool {
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        profile: env!("ACCEPTBENCH_PROFILE").to_owned(),
        optimised: !matches!(level, "0" | "1"),
        target: env!("ACCEPTBENCH_TARGET").to_owned(),
    }
}

/// The service's clock against this host's, from its `Date` header: whole seconds, so to within a second.
pub(crate) fn clock_offset(found: &Preflight, started_at: jiff::Timestamp) -> evidence_pack::Clock {
    let offset_ms = found.date.as_ref().and_then(|(date, at_us)| {
        let told = jiff::fmt::rfc2822::parse(date).ok()?.timestamp();
        let here = started_at.as_millisecond() + i64::try_from(at_us / 1000).ok()?;
        // The header's second began up to a second ago: half of that on average.
        Some(told.as_millisecond() + 500 - here)
    });
    let method = offset_ms.map(|_| "HTTP Date header, to within a second".to_owned());
    evidence_pack::Clock { offset_ms, method }
}

/// Makes the folder of the package, or sees that it is empty and can be written: before anything is sent, so that no
/// request is spent on a run that could not be kept. Says whether it was made.
fn make_vacant(out: &Path) -> Result<bool, SweepError> {
    let unusable = |error| SweepError::Out { out: out.to_owned(), error };
    let made = !out.is_dir();
    std::fs::create_dir_all(out).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            CreateError::NotAFolder(out.to_owned()).into()
        }
        _ => unusable(error),
    })?;
    let mut entries = std::fs::read_dir(out).map_err(unusable)?;
    if entries.next().is_some() {
        return Err(CreateError::NotEmpty(out.to_owned()).into());
    }
    let trial = out.join(".trial");
    std::fs::File::create_new(&trial).and_then(|_| std::fs::remove_file(&trial)).map_err(unusable)?;
    Ok(made)
}
