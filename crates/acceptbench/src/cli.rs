//! The command line of `acceptbench`: arguments in, text and an exit code out.

mod calibrate;
mod calibration;
mod decode;
mod demo;
mod drawing;
mod finalize;
mod groups;
mod probe;
mod profile;
mod samples;
mod sim;
mod sweep;
mod target;

use acceptreport::{
    Exit,
    cli::{CommandError, EXIT_CODES, Manual, summary_text},
};
use clap::{CommandFactory as _, Parser, Subcommand};
use evidence_pack::{Pack, Redactor};
use report_render::Language;

use crate::{
    progress::stopped_by,
    sweep::{SweepError, Swept},
    terminal::print,
};

/// Measures a large-language-model inference service, keeps the evidence, and ends in a judged report.
#[derive(Debug, Parser)]
#[command(name = "acceptbench", version, about, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the standard sweep against a simulated service inside this process, and write all documents.
    Demo(demo::Demo),
    /// Ask a service what it is, and say what a sweep will do about it.
    Probe(probe::Probe),
    /// The acceptance sweep: rising concurrency, from one command to a report.
    Sweep(Box<sweep::SweepCommand>),
    /// Make a profile of business logs: what load is like, without anything of whoever made it.
    Profile(Box<profile::ProfileCommand>),
    /// Draw sample sets from a profile; look into them, compare them, and see whether they still match.
    Samples(Box<samples::SamplesCommand>),
    /// Measure what this generator can do on its host, against a server of its own.
    Calibrate(calibrate::CalibrateCommand),
    /// Decode a captured stream offline, and say what the client makes of it.
    Decode(decode::Decode),
    /// Complete a package that was cut short.
    Finalize(finalize::Finalize),
    /// The simulated service alone, until Ctrl-C.
    Sim(sim::SimCommand),
    /// Print completions for a shell, or the manual page.
    Manual(Manual),
}

/// Does what the arguments ask, and prints it.
///
/// # Errors
/// With the message to print and the code to end with.
pub fn run(arguments: &Arguments) -> Result<Exit, CommandError> {
    match &arguments.command {
        Command::Demo(demo) => demo.run(),
        Command::Probe(probe) => probe.run(),
        Command::Sweep(sweep) => sweep.run(),
        Command::Profile(profile) => profile.run(),
        Command::Samples(samples) => samples.run(),
        Command::Calibrate(calibrate) => calibrate.run(),
        Command::Decode(decode) => decode.run(),
        Command::Finalize(finalize) => finalize.run(),
        Command::Sim(sim) => sim.run(),
        Command::Manual(manual) => manual.print(Arguments::command()),
    }
}

/// Runs something on a runtime of its own, on this thread.
fn block_on<T>(work: impl Future<Output = T>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::new(Exit::Usage, format!("start a runtime: {error}")))?;
    Ok(runtime.block_on(work))
}

impl From<SweepError> for CommandError {
    fn from(error: SweepError) -> Self {
        let exit = match &error {
            SweepError::Refused(_) => Exit::Target,
            SweepError::EvidenceLost { .. } | SweepError::Finish { .. } => Exit::Evidence,
            SweepError::Interrupted => Exit::Inconclusive,
            SweepError::Documents { error, .. } if error.is_damage() => Exit::Evidence,
            _ => Exit::Usage,
        };
        Self::new(exit, error)
    }
}

/// An error whose words may be the service's, with the key taken out of them.
fn scrubbed(error: SweepError, redactor: &Redactor) -> CommandError {
    let CommandError { exit, message } = error.into();
    CommandError { exit, message: redactor.scrub(&message).into_owned() }
}

/// Says what a sweep came to, and ends with its decision.
fn conclude(swept: &Swept, language: Language, json: bool) -> Result<Exit, CommandError> {
    let assessment = &swept.written.assessment;
    let verdict = &assessment.verdict;
    let stopped = swept.stopped.map(load_engine::StopCause::as_str);
    if json {
        let value = serde_json::json!({
            "pack": swept.out,
            "documents": swept.written.documents,
            "stopped_by": stopped,
            "decision": verdict.decision,
            "edition": verdict.edition,
            "evidence_digest": verdict.evidence_digest,
        });
        print(&value.to_string());
    } else {
        let pack = Pack::open(&swept.out).map_err(|error| CommandError::new(Exit::Evidence, error))?;
        print(&summary_text(&pack, assessment, language));
        if let Some(by) = stopped {
            print(&stopped_by(by, language));
        }
        for document in &swept.written.documents {
            print(&document.display().to_string());
        }
    }
    Ok(verdict.decision.into())
}
