//! From business logs to a profile's folder.

mod beside;
mod kept;

use std::{
    io,
    path::{Path, PathBuf},
};

use acceptreport::{Format, ReportError, Settings, WorkloadReport};
use evidence_pack::{ProfileFolder, ProfileFolderError, SampleFolder};
use log_import::{
    BadLine, Choice, FileAccount, ImportError, ImportOptions, Imported, Importer, Input, Prompt, Secret,
    Watch, formats, import,
};
use report_render::Language;
use workload_model::{
    profile::{
        Binning, BuildError, Card, Facet, Groups, Profile, ProfileFacts, Segments, SegmentsError, assume,
        build,
    },
    traffic::write_rows,
};

use self::beside::{Beside, wrote};
pub(crate) use self::kept::KeptText;
use crate::samples::{DrawnSet, MakeSetError, SetJob, SetMade};

/// In whose name a profile is made.
pub(crate) const TOOL: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// Everything about an import.
pub struct ProfileJob {
    /// The logs. They are one traffic. Without any, the profile holds what the card assumes.
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
    /// The sample set that is drawn from the rows.
    pub samples: Option<SetJob>,
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
    /// The sample set that was drawn.
    pub samples: Option<SetMade>,
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
    /// No sample set can be drawn, or not be written.
    #[error(transparent)]
    Samples(#[from] MakeSetError),
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

/// Reads the logs, and writes profile and documents, and a sample set beside them where one was asked for. Without a log the
/// profile holds what the card assumes. Whatever fails, no folder is left that looks like a profile.
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
    if let Some(set) = &job.samples {
        SampleFolder::check_vacant(&set.out).map_err(MakeSetError::from)?;
    }
    if job.logs.is_empty() {
        let profile = assume(&job.card, "assumed", TOOL).map_err(BuildError::Card)?;
        return write(profile, &job.out, Vec::new(), None);
    }
    let mut rows = job.rows.as_deref().map(Beside::create).transpose()?;
    let mut groups =
        if job.card.has_groups() { Groups::of_card(&job.card) } else { Groups::of_facet(job.group_by) };
    let mut watching = Watching { on_bad, kept: job.options.read.keep_text.then(KeptText::default) };
    let inputs = job.logs.iter().map(|path| Input::file(path)).collect();
    let imported = import(inputs, choice, &job.options, &job.secret, &mut groups, &mut watching)?;
    refuse(&imported)?;
    let kept = watching.kept;
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
    let set = job.samples.map(|set| set.draw(&traffic, &profile, facts.step_ns, kept)).transpose()?;
    let samples = set.flatten().map(DrawnSet::write).transpose()?;
    let written = write(profile, &job.out, imported.files, imported.why).and_then(|made| {
        // What is not for everybody comes to stand under its name only where all else has.
        rows.map(Beside::finish).transpose()?;
        Ok(made)
    });
    match written {
        Ok(made) => Ok(Profiled { samples, ..made }),
        Err(error) => {
            // A set without its profile would only stand in the way of the next try.
            if let Some(set) = samples {
                let _ = std::fs::remove_dir_all(set.out);
            }
            Err(error)
        }
    }
}

/// Writes a profile's folder.
fn write(
    profile: Profile,
    out: &Path,
    files: Vec<FileAccount>,
    why: Option<String>,
) -> Result<Profiled, MakeProfileError> {
    let text = profile.to_json();
    let report = WorkloadReport::new(profile, text.as_bytes(), Settings::default());
    let mut documents = Vec::new();
    for language in Language::ALL {
        documents.extend(report.files(language, &[Format::Html, Format::Markdown])?);
    }
    let documents: Vec<(String, Vec<u8>)> =
        documents.into_iter().map(|file| (file.name, file.bytes)).collect();
    let folder = ProfileFolder::create(out, text.as_bytes(), &documents)?;
    Ok(Profiled {
        profile: report.profile().clone(),
        folder,
        documents: documents.into_iter().map(|(name, _)| name).collect(),
        why,
        files,
        samples: None,
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
    kept: Option<KeptText>,
}

impl Watch for Watching<'_> {
    fn bad(&mut self, row: &BadLine<'_>) {
        (self.on_bad)(row);
    }

    fn prompt(&mut self, at: u64, prompt: &Prompt<'_>) {
        if let Some(kept) = &mut self.kept {
            kept.put(at, prompt);
        }
    }
}
