//! The command line of `acceptreport`: arguments in, text and an exit code out.

mod export;
mod manual;
mod render;
mod sign;
mod terminal;
mod verdict;
mod verify;

use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use report_render::Language;

use crate::{
    assess::AssessError,
    documents::DocumentError,
    exit::Exit,
    foreign,
    report::Format,
    settings::{MetaError, SettingsError, TemplateFolderError},
    verify::CheckError,
    workload::WorkloadError,
};

pub use manual::Manual;
pub use terminal::{print, print_json, spoken, summary_text};

/// Verifies an evidence package, recomputes and judges it, and writes the documents.
#[derive(Debug, Parser)]
#[command(name = "acceptreport", version, about, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What both programs say of their exit codes.
pub const EXIT_CODES: &str = "Exit codes: 0 passed or done; 1 not passed; 2 wrong use or a bad file; 3 inconclusive; \
                              4 evidence invalid or damaged; 5 target unreachable, or it refuses to serve";

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the documents of a package, into it.
    Render(render::Render),
    /// Print the criteria and the decision; the exit code says which.
    Verdict(verdict::VerdictCommand),
    /// Check every digest and the chain, and compute every figure again from the raw rows.
    Verify(verify::Verify),
    /// Make a key to sign packages with.
    Keygen(sign::Keygen),
    /// Sign a package: its evidence, its verdict and its documents.
    Sign(sign::Sign),
    /// Write what other systems load: monitoring rules.
    Export(export::Export),
    /// Print completions for a shell, or the manual page.
    Manual(Manual),
}

/// A language on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Lang {
    /// 中文
    Zh,
    /// English
    En,
}

impl From<Lang> for Language {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::Zh => Self::Zh,
            Lang::En => Self::En,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    Md,
    Html,
    Pdf,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Md => Self::Markdown,
            FormatName::Html => Self::Html,
            FormatName::Pdf => Self::Pdf,
        }
    }
}

/// A command failed. The message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// What to end with.
    pub exit: Exit,
    /// What was wrong, where, and what to do.
    pub message: String,
}

impl CommandError {
    /// An error that ends with `exit`.
    pub fn new(exit: Exit, error: impl ToString) -> Self {
        Self { exit, message: error.to_string() }
    }
}

impl From<AssessError> for CommandError {
    fn from(error: AssessError) -> Self {
        Self::new(exit(error.is_damage()), error)
    }
}

impl From<DocumentError> for CommandError {
    fn from(error: DocumentError) -> Self {
        Self::new(exit(error.is_damage()), error)
    }
}

impl From<SettingsError> for CommandError {
    fn from(error: SettingsError) -> Self {
        Self::new(Exit::Evidence, error)
    }
}

impl From<TemplateFolderError> for CommandError {
    fn from(error: TemplateFolderError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

impl From<MetaError> for CommandError {
    fn from(error: MetaError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

impl From<CheckError> for CommandError {
    fn from(error: CheckError) -> Self {
        Self::new(exit(error.is_damage()), error)
    }
}

impl From<WorkloadError> for CommandError {
    fn from(error: WorkloadError) -> Self {
        Self::new(exit(error.is_damage()), error)
    }
}

fn exit(is_damage: bool) -> Exit {
    if is_damage { Exit::Evidence } else { Exit::Usage }
}

/// Does what the arguments ask, and prints it.
///
/// # Errors
/// With the message to print and the code to end with.
pub fn run(arguments: &Arguments) -> Result<Exit, CommandError> {
    match &arguments.command {
        Command::Render(render) => render.run(),
        Command::Verdict(verdict) => verdict.run(),
        Command::Verify(verify) => verify.run(),
        Command::Keygen(keygen) => keygen.run(),
        Command::Sign(sign) => sign.run(),
        Command::Export(export) => export.run(),
        Command::Manual(manual) => manual.print(Arguments::command()),
    }
}

/// Reads an agreement file, where one is named.
///
/// # Errors
/// Where the file cannot be read.
pub fn agreement_text(path: Option<&Path>) -> Result<Option<String>, CommandError> {
    path.map(|path| text_of("agreement", path)).transpose()
}

/// Reads a TOML file that an argument names.
fn text_of(what: &str, path: &Path) -> Result<String, CommandError> {
    foreign::read_text(path, 1 << 20).map_err(|error| {
        let path = path.display();
        CommandError::new(Exit::Usage, format!("read {what} {path}: {error} (name the TOML file)"))
    })
}

#[derive(Debug, clap::Args)]
struct PackArgument {
    /// The package: the folder that holds bagit.txt. Render, verify and sign take a profile's folder as well.
    #[arg(value_name = "PACK")]
    pack: PathBuf,
}
