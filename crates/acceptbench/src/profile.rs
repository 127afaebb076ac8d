//! From business logs to a profile's folder.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use acceptreport::{Format, ReportError, Settings, WorkloadReport};
use evidence_pack::{ProfileFolder, ProfileFolderError};
use log_import::{
    BadLine, Choice, FileAccount, ImportError, ImportOptions, Imported, Importer, Input, Prompt, Secret,
    Watch, formats, import,
};
use report_render::Language;
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use workload_model::{
    SampleSet,
    profile::{
        Binning, BuildError, Card, Facet, Groups, Profile, ProfileFacts, Segments, SegmentsError, build,
    },
    traffic::write_rows,
};

/// In whose name a profile is made.
const TOOL: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// Everything about an import.
#[derive(Debug)]
pub struct ProfileJob {
    /// The logs. They are one traffic.
    pub logs: Vec<PathBuf>,
    /// Name of their format; `None` for whichever recognises them.
    pub format: Option<String>,
    /// How they are read.
    pub options: ImportOptions,
    /// What the operator wrote.
    pub card: Card,
    /// What requests are grouped by, where the card has no rules.
    pub group_by: Facet,
    /// Fewest rows of a label that stands for itself.
    pub least_rows: u64,
    /// What the pseudonyms are made with.
    pub secret: Secret,
    /// That secret is kept.
    pub key_kept: bool,
    /// The window, as it was asked for.
    pub window: Option<String>,
    /// How much the zone of days and hours is before UTC, in seconds.
    pub zone_s: i32,
    /// How lengths and arrivals are rounded.
    pub binning: Binning,
    /// The largest backward step of the log's clock that is no jump, in nanoseconds.
    pub step_ns: u64,
    /// Where rows go, for the operator's own checking.
    pub rows: Option<PathBuf>,
    /// Where prompts go, word for word.
    pub prompts: Option<PathBuf>,
    /// The profile's folder.
    pub out: PathBuf,
}

/// What was made.
#[derive(Debug)]
pub struct Profiled {
    /// The profile.
    pub profile: Profile,
    /// The folder that holds it.
    pub folder: ProfileFolder,
    /// The documents in it, by name.
    pub documents: Vec<String>,
    /// Why the logs were taken for their format, where nobody named it.
    pub why: Option<String>,
    /// The logs.
    pub files: Vec<FileAccount>,
    /// How many prompts were written, and how many rows had none that can be sent again.
    pub prompts: Option<(u64, u64)>,
}

/// No profile was made. The message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeProfileError {
    /// There is no format of this name.
    #[error("find the format {0:?}: there are {known}", known = format_names().join(", "))]
    Format(String),
    /// A log cannot be read.
    #[error("import: {0}")]
    Import(#[from] ImportError),
    /// A log is of another format than that it was named to be.
    #[error("read {file} as {format}: it looks like {looks_like} (name that format, or leave --format out)")]
    OtherFormat {
        /// The log.
        file: String,
        /// The format that was named.
        format: String,
        /// What it looks like, and why.
        looks_like: String,
    },
    /// A log was named twice, or a copy of it.
    #[error(
        "import {file}: it holds the same bytes as {twin}, so that its requests would count twice (name it once)"
    )]
    Twice {
        /// The log.
        file: String,
        /// The one before.
        twin: String,
    },
    /// There is no row.
    #[error("make a profile of no row: {read} were read and none was kept{}", if reasons.is_empty() { String::new() } else { format!(" (dropped: {reasons})") })]
    NothingKept {
        /// Rows that were read.
        read: u64,
        /// Why they were dropped, with how many each.
        reasons: String,
    },
    /// The rows give no profile.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The rows are in no order.
    #[error(transparent)]
    Order(#[from] SegmentsError),
    /// The folder cannot be made.
    #[error(transparent)]
    Folder(#[from] ProfileFolderError),
    /// A document cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A file that is to stand beside the folder is there already.
    #[error("write {}: it is there already and not empty (name another file, or remove this one)", .0.display())]
    Standing(PathBuf),
    /// A file beside the folder cannot be written.
    #[error("write {}: {error} (name another file, or free some space)", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Names of all formats, as `--format` takes them.
#[must_use]
pub fn format_names() -> Vec<&'static str> {
    formats::all().iter().map(|importer| importer.name()).collect()
}

/// The format of this name.
///
/// # Errors
/// Where there is none.
pub fn format_named(name: &str) -> Result<&'static dyn Importer, MakeProfileError> {
    let found = formats::all().iter().find(|importer| importer.name() == name);
    found.copied().ok_or_else(|| MakeProfileError::Format(name.to_owned()))
}

/// Reads the logs, and writes profile and documents. Whatever fails, no folder is left that looks like a profile.
///
/// # Errors
/// Where a log cannot be read, too many of its rows are bad, or a file cannot be written.
pub fn make_profile(
    job: ProfileJob,
    on_bad: &mut dyn FnMut(&BadLine<'_>),
) -> Result<Profiled, MakeProfileError> {
    let choice = match &job.format {
        Some(name) => Choice::Named(format_named(name)?),
        None => Choice::Auto(formats::all()),
    };
    ProfileFolder::check_vacant(&job.out)?;
    let mut rows = job.rows.as_deref().map(Beside::create).transpose()?;
    let mut groups =
        if job.card.has_groups() { Groups::of_card(&job.card) } else { Groups::of_facet(job.group_by) };
    let prompts = job.prompts.as_deref().map(Prompts::create).transpose()?;
    let mut watching = Watching { on_bad, prompts };
    let inputs = job.logs.iter().map(|path| Input::file(path)).collect();
    let imported = import(inputs, choice, &job.options, &job.secret, &mut groups, &mut watching)?;
    refuse(&imported)?;
    let mut traffic = imported.traffic;
    let grouped = groups.settle(&mut traffic, job.least_rows);
    let facts = ProfileFacts {
        made_by: TOOL.to_owned(),
        card: job.card,
        files_sha256: imported.files.iter().map(|file| file.sha256.clone()).collect(),
        window: job.window,
        zone_s: job.zone_s,
        key_kept: job.key_kept,
        binning: job.binning,
        step_ns: job.step_ns,
        ..ProfileFacts::new(grouped, imported.format)
    };
    let profile = build(&traffic, &facts)?;
    if let Some(rows) = &mut rows {
        let segments = Segments::find(&traffic, facts.step_ns)?;
        write_rows(&traffic, &segments, &mut rows.out).map_err(wrote(&rows.path))?;
    }
    let text = profile.to_json();
    let report = WorkloadReport::new(profile, text.as_bytes(), Settings::default());
    let mut documents = Vec::new();
    for language in Language::ALL {
        documents.extend(report.files(language, &[Format::Html, Format::Markdown])?);
    }
    let documents: Vec<(String, Vec<u8>)> =
        documents.into_iter().map(|file| (file.name, file.bytes)).collect();
    let folder = ProfileFolder::create(&job.out, text.as_bytes(), &documents)?;
    // What is not for everybody comes to stand under its name only where all else has.
    rows.map(Beside::finish).transpose()?;
    let prompts = watching.prompts.map(Prompts::finish).transpose()?;
    Ok(Profiled {
        profile: report.profile().clone(),
        folder,
        documents: documents.into_iter().map(|(name, _)| name).collect(),
        why: imported.why,
        files: imported.files,
        prompts,
    })
}

/// What is read, and is no traffic of this format.
fn refuse(imported: &Imported) -> Result<(), MakeProfileError> {
    for (at, file) in imported.files.iter().enumerate() {
        if let Some(looks_like) = &file.doubt {
            return Err(MakeProfileError::OtherFormat {
                file: file.name.clone(),
                format: imported.format.clone(),
                looks_like: looks_like.clone(),
            });
        }
        let twin = imported.files.iter().take(at).find(|other| other.sha256 == file.sha256);
        if let Some(twin) = twin {
            return Err(MakeProfileError::Twice { file: file.name.clone(), twin: twin.name.clone() });
        }
    }
    let traffic = &imported.traffic;
    if traffic.kept() == 0 {
        let reasons = traffic.dropped.iter().map(|(reason, rows)| format!("{} {rows}", reason.as_str()));
        return Err(MakeProfileError::NothingKept {
            read: traffic.read(),
            reasons: reasons.collect::<Vec<_>>().join(", "),
        });
    }
    Ok(())
}

struct Watching<'a> {
    on_bad: &'a mut dyn FnMut(&BadLine<'_>),
    prompts: Option<Prompts>,
}

impl Watch for Watching<'_> {
    fn bad(&mut self, row: &BadLine<'_>) {
        (self.on_bad)(row);
    }

    fn prompt(&mut self, _: u64, prompt: &Prompt<'_>) {
        if let Some(prompts) = &mut self.prompts {
            prompts.put(prompt);
        }
    }
}

/// The file of prompts: what `sweep --prompts` reads, each line marked as of real use.
struct Prompts {
    file: Beside,
    written: u64,
    unusable: u64,
    failed: Option<io::Error>,
}

impl Prompts {
    fn create(path: &Path) -> Result<Self, MakeProfileError> {
        Ok(Self { file: Beside::create(path)?, written: 0, unusable: 0, failed: None })
    }

    fn put(&mut self, prompt: &Prompt<'_>) {
        let messages = match prompt {
            Prompt::Messages(messages) => serde_json::from_str::<Value>(messages).ok(),
            Prompt::Text(text) => Some(json!([{ "role": "user", "content": text }])),
        };
        let line = messages.map(|messages| json!({ "messages": messages, "origin": "recorded" }).to_string());
        match line.filter(|line| SampleSet::from_prompts(line).is_ok()) {
            None => self.unusable += 1,
            Some(line) if self.failed.is_none() => {
                self.failed = writeln!(self.file.out, "{line}").err();
                self.written += 1;
            }
            Some(_) => {}
        }
    }

    fn finish(self) -> Result<(u64, u64), MakeProfileError> {
        if let Some(error) = self.failed {
            return Err(wrote(&self.file.path)(error));
        }
        self.file.finish()?;
        Ok((self.written, self.unusable))
    }
}

/// A file beside the profile that its owner alone reads. It stands under its name only once it is whole, and in place of
/// nothing but an empty file; what is no plain file, such as a pipe, is written to as it is.
struct Beside {
    path: PathBuf,
    out: BufWriter<Out>,
}

enum Out {
    New(NamedTempFile),
    Standing(File),
}

impl Beside {
    fn create(path: &Path) -> Result<Self, MakeProfileError> {
        let standing = std::fs::metadata(path).ok();
        if standing.as_ref().is_some_and(|standing| standing.is_file() && standing.len() > 0) {
            return Err(MakeProfileError::Standing(path.to_owned()));
        }
        let out = if standing.is_some_and(|standing| !standing.is_file()) {
            OpenOptions::new().write(true).open(path).map(Out::Standing)
        } else {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            // Should the program be stopped meanwhile, its name says what it is.
            let name = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
            let mut builder = tempfile::Builder::new();
            builder
                .prefix(&name)
                .suffix(".partial")
                .tempfile_in(folder.unwrap_or(Path::new(".")))
                .map(Out::New)
        };
        Ok(Self { path: path.to_owned(), out: BufWriter::new(out.map_err(wrote(path))?) })
    }

    fn finish(self) -> Result<(), MakeProfileError> {
        let Self { path, out } = self;
        let done = out.into_inner().map_err(io::IntoInnerError::into_error).and_then(|out| match out {
            Out::New(file) => file.persist(&path).map(drop).map_err(|error| error.error),
            Out::Standing(_) => Ok(()),
        });
        done.map_err(wrote(&path))
    }
}

impl io::Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::New(file) => file.write(bytes),
            Self::Standing(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::New(file) => file.flush(),
            Self::Standing(file) => file.flush(),
        }
    }
}

fn wrote(path: &Path) -> impl FnOnce(io::Error) -> MakeProfileError {
    move |error| MakeProfileError::Write { path: path.to_owned(), error }
}
