//! Writing a package: what is frozen first, then rows, each for good.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use metrics_core::{ClientSample, Event, Record};

use crate::{
    append::{AppendError, RowFile, Sink, to_json},
    bag::{self, SealError},
    environment::{Environment, EnvironmentError},
    failures::Failures,
    files::{self, FileError},
    layout::{self, FORMAT},
    pack::{OpenError, Pack},
    redact::Redactor,
    rows::{ClientRow, EventRow, RequestRow, decode},
};

/// What is fixed before the first request, and bound to every row by the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Frozen {
    /// Text of `plan.toml`, defaults written out.
    pub plan: String,
    /// Text of `samples.jsonl`.
    pub samples: String,
    /// Text of `sample-set.json`, where the samples are a set that was made.
    pub sample_set: Option<String>,
    /// Text of `schedule.jsonl`; without it, readers lay the schedule out from plan and samples.
    pub schedule: Option<String>,
    /// Content of `environment.json`.
    pub environment: Environment,
    /// Text of `agreement.toml`, where there is an agreement.
    pub agreement: Option<String>,
    /// Text of `calibration.json`, where the generator was calibrated.
    pub calibration: Option<String>,
}

/// The one writer of a package.
///
/// Every row is one `write` of one line. A row that could not be written whole spoils the writer: it takes no
/// further row, since a row after a hole would pretend that there is none. What is on the disk remains a package
/// that [`finalize`](crate::finalize()) completes.
#[derive(Debug)]
pub struct Writer<S: Sink = File> {
    dir: PathBuf,
    redactor: Redactor,
    requests: RowFile<S>,
    events: RowFile<S>,
    client: RowFile<S>,
    failures: Failures,
    spoiled: bool,
    // Held for as long as the writer lives, so that nobody finalizes under its hands.
    _lock: Option<File>,
}

/// A package cannot be begun.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// The folder holds something.
    #[error("create a package in {}: the folder is not empty (name another --out, or remove it)", .0.display())]
    NotEmpty(PathBuf),
    /// The path is taken by a file.
    #[error("create a package in {}: it is not a folder (name another --out)", .0.display())]
    NotAFolder(PathBuf),
    /// Samples of a set, which has a digest, cannot be kept as they are.
    #[error(
        "freeze the samples of a set: a secret stands in them, and without it they would be another set (use another key or header for this run)"
    )]
    SecretInSet,
    /// The environment is not fit to be frozen.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A package was not completed. What is there can be, with `acceptbench finalize`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FinishError {
    /// A row was lost, so that the writer cannot vouch for the whole.
    #[error("complete {}: rows were lost (complete what there is with `acceptbench finalize`)", .0.display())]
    Spoiled(PathBuf),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The manifests could not be written.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The finished package could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl Writer {
    /// Begins a package in a folder that is new or empty, and freezes what is given before any row can be written.
    ///
    /// Long secrets are taken out of the frozen texts as well.
    ///
    /// # Errors
    /// Where the folder holds something, the environment has no UTC start, or a file cannot be written.
    pub fn create(dir: impl AsRef<Path>, frozen: &Frozen, redactor: Redactor) -> Result<Self, CreateError> {
        Self::create_through(dir, frozen, redactor, |_, file| file)
    }
}

impl<S: Sink> Writer<S> {
    /// The same, with every file of rows wrapped in a sink of the caller's. `wrap` is given the path below `data/`.
    ///
    /// # Errors
    /// As [`Writer::create`].
    pub fn create_through(
        dir: impl AsRef<Path>,
        frozen: &Frozen,
        redactor: Redactor,
        mut wrap: impl FnMut(&'static str, File) -> S,
    ) -> Result<Self, CreateError> {
        let dir = dir.as_ref().to_owned();
        refuse_taken(&dir)?;
        if frozen.sample_set.is_some() && redactor.scrub_document(&frozen.samples) != frozen.samples {
            return Err(CreateError::SecretInSet);
        }
        let data = dir.join(layout::DATA);
        files::create_dir(&data.join(layout::FAILURES))?;
        let lock = lock(&dir);
        freeze(&data, frozen, &redactor)?;
        let genesis = bag::genesis(&dir)?;
        let mut open = |name| RowFile::create(&data, name, &genesis, &mut wrap);
        let (requests, events, client) =
            (open(layout::REQUESTS)?, open(layout::EVENTS)?, open(layout::CLIENT)?);
        // A folder becomes a package here, last: one without `bagit.txt` was cut short before it held anything.
        files::write_new(&dir.join(layout::BAGIT), layout::BAGIT_TEXT.as_bytes())?;
        for folder in [&data.join("raw"), &data, &dir] {
            files::sync_dir(folder)?;
        }
        let failures = Failures::new(data.join(layout::FAILURES));
        Ok(Self { dir, redactor, requests, events, client, failures, spoiled: false, _lock: lock })
    }

    /// The package's folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Writes the row of a request that has ended.
    ///
    /// # Errors
    /// Where it was not written; the writer takes no row after that.
    pub fn append_request(&mut self, record: &Record) -> Result<(), AppendError> {
        self.guarded(|writer| {
            writer.requests.append(&writer.redactor, |prev| to_json(&RequestRow::new(record, prev)))
        })
    }

    /// Writes the row of an event.
    ///
    /// # Errors
    /// Where it was not written, or would not come back (a number that is not finite).
    pub fn append_event(&mut self, event: &Event) -> Result<(), AppendError> {
        // Events carry numbers from outside, and JSON has no word for one that is not finite.
        let trial = EventRow { v: FORMAT, event: event.clone(), prev: String::new() };
        self.guarded(|writer| {
            decode::<EventRow>(to_json(&trial)?.as_bytes())
                .map_err(|error| AppendError::Unreadable(format!("{error:?}")))?;
            writer
                .events
                .append(&writer.redactor, |prev| to_json(&EventRow { prev: prev.to_owned(), ..trial }))
        })
    }

    /// Writes the row of one second of the generator's life.
    ///
    /// # Errors
    /// Where it was not written.
    pub fn append_client(&mut self, sample: &ClientSample) -> Result<(), AppendError> {
        let sample = sample.clone();
        self.guarded(|writer| {
            writer.client.append(&writer.redactor, |prev| {
                to_json(&ClientRow { v: FORMAT, sample, prev: prev.to_owned() })
            })
        })
    }

    /// Keeps the bytes of a failed response as `raw/failures/NAME`, secrets removed and cut at
    /// [`FAILURE_LIMIT`](crate::FAILURE_LIMIT) bytes. Says whether there was room within
    /// [`FAILURES_LIMIT`](crate::FAILURES_LIMIT).
    ///
    /// # Errors
    /// Where the name is not fit or taken (which spoils nothing), or the file was not written.
    pub fn keep_failure(&mut self, name: &str, bytes: &[u8]) -> Result<bool, AppendError> {
        if !self.failures.takes(name) || self.redactor.scrub(name) != name {
            return Err(AppendError::Name(name.to_owned()));
        }
        self.guarded(|writer| Ok(writer.failures.keep(name, &writer.redactor.scrub_bytes(bytes))?))
    }

    /// Waits until every row so far is on the disk, so that even a loss of power leaves it there.
    ///
    /// # Errors
    /// Where the system cannot say so.
    pub fn sync(&mut self) -> Result<(), AppendError> {
        self.guarded(|writer| {
            for file in [&mut writer.requests, &mut writer.events, &mut writer.client] {
                file.sync()?;
            }
            Ok(files::sync_dir(writer.failures.folder())?)
        })
    }

    /// Completes the package: digests of the evidence, then the manifests.
    ///
    /// # Errors
    /// Where a row was lost before, or a file cannot be written.
    pub fn finish(mut self) -> Result<Pack, FinishError> {
        if self.spoiled {
            return Err(FinishError::Spoiled(self.dir));
        }
        for file in [&mut self.requests, &mut self.events, &mut self.client] {
            file.sync()?;
        }
        files::sync_dir(self.failures.folder())?;
        bag::write_evidence(&self.dir)?;
        bag::seal(&self.dir)?;
        Ok(Pack::open(&self.dir)?)
    }

    fn guarded<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<T, AppendError>,
    ) -> Result<T, AppendError> {
        if self.spoiled {
            return Err(AppendError::Spoiled);
        }
        let written = write(self);
        self.spoiled = written.is_err();
        written
    }
}

fn refuse_taken(dir: &Path) -> Result<(), CreateError> {
    match fs::read_dir(dir) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err(CreateError::NotEmpty(dir.to_owned())),
            None => Ok(()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(CreateError::NotAFolder(dir.to_owned()))
        }
        Err(error) => Err(FileError::of("read", dir)(error).into()),
    }
}

fn freeze(data: &Path, frozen: &Frozen, redactor: &Redactor) -> Result<(), CreateError> {
    let write = |name: &str, text: &str| files::write_new(&data.join(name), text.as_bytes());
    write(layout::PLAN, &redactor.scrub_file(&frozen.plan))?;
    write(layout::SAMPLES, &redactor.scrub_document(&frozen.samples))?;
    if let Some(facts) = &frozen.sample_set {
        write(layout::SAMPLE_SET, &redactor.scrub_document(facts))?;
    }
    if let Some(schedule) = &frozen.schedule {
        write(layout::SCHEDULE, &redactor.scrub_document(schedule))?;
    }
    write(layout::ENVIRONMENT, &redactor.scrub_document(&frozen.environment.to_json()?))?;
    if let Some(agreement) = &frozen.agreement {
        write(layout::AGREEMENT, &redactor.scrub_file(agreement))?;
    }
    if let Some(calibration) = &frozen.calibration {
        write(layout::CALIBRATION, &redactor.scrub_document(calibration))?;
    }
    Ok(())
}

/// Marks the package as being written. Where the file system knows no locks, nothing is marked.
fn lock(dir: &Path) -> Option<File> {
    let folder = File::open(dir).ok()?;
    folder.try_lock().ok()?;
    Some(folder)
}
