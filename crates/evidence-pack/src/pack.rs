//! Reading a package.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use metrics_core::{Calibration, ClientSample, Event, Happening, Record};
use workload_model::{Plan, PlanError, SampleSet, Schedule, ScheduleError, SetFacts, SetFactsError};

use crate::{
    bag,
    calibration::{CalibrationFileError, parse_calibration},
    chain::{ReadError, Rows},
    digest,
    environment::{Environment, EnvironmentError},
    files::{self, FileError},
    layout::{self, FORMAT},
    rows::{ClientRow, EventRow, RequestRow, Row, parse_version},
};

/// A package on the disk.
///
/// What it says of itself is read when asked for; nothing is kept in memory but a few digests.
#[derive(Debug, Clone)]
pub struct Pack {
    dir: PathBuf,
    genesis: String,
    // Digests by path below `data/`; none where the package was cut short.
    evidence: Option<BTreeMap<String, String>>,
    state: State,
}

/// How far the writing of a package came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Evidence digests and manifests are written.
    Complete,
    /// The writer was cut off before them; [`finalize`](crate::finalize()) writes them.
    CutShort,
}

/// A folder cannot be opened as a package.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such folder.
    #[error("open {} as a package: it is not a folder (name the folder that holds bagit.txt)", .0.display())]
    NotAFolder(PathBuf),
    /// The folder is empty.
    #[error("open {} as a package: the folder is empty (name the folder that holds bagit.txt)", .0.display())]
    Empty(PathBuf),
    /// The folder holds something else.
    #[error("open {} as a package: it has no bagit.txt, no manifest and no data/raw (name the folder that holds them)", .0.display())]
    NotAPackage(PathBuf),
    /// The package was written by a newer version of the tool.
    #[error("open {}: package of a newer format, {version}, where this version knows {FORMAT} (update the tool)", dir.display())]
    NewerFormat {
        /// The folder.
        dir: PathBuf,
        /// Its format.
        version: u32,
    },
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
}

impl OpenError {
    /// The package is damaged, rather than none, of a newer format, or out of reach.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::File(error) if error.is_damage())
    }
}

/// A text of the package cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is not UTF-8.
    #[error("read {}: it is not UTF-8 (the file is damaged)", .0.display())]
    NotText(PathBuf),
    /// The environment is not what it should be.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The plan is none that this version can read.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The calibration is none that this version can read.
    #[error(transparent)]
    Calibration(#[from] CalibrationFileError),
    /// What is known of the sample set cannot be read.
    #[error(transparent)]
    SampleSet(#[from] SetFactsError),
    /// The schedule is none that this version can read.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The samples are not those of the set that is named beside them.
    #[error(
        "read {}: its samples have the digest {found}, and sample-set.json names {named} (one of both files is damaged)",
        path.display()
    )]
    OtherSamples {
        /// The file.
        path: PathBuf,
        /// The digest named.
        named: String,
        /// That of the samples.
        found: String,
    },
    /// A line of the samples is none.
    #[error("read {}, line {line}: it is no sample: {reason} (the file is damaged)", path.display())]
    Sample {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// What the parser said.
        reason: String,
    },
}

impl TextError {
    /// The package is damaged, rather than of a newer format, or out of reach.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::File(error) => error.is_damage(),
            Self::Environment(error) => error.is_damage(),
            Self::Calibration(error) => error.is_damage(),
            Self::Plan(error) => !matches!(error, PlanError::NewerFormat { .. }),
            Self::SampleSet(error) => !matches!(error, SetFactsError::NewerFormat { .. }),
            Self::Schedule(error) => !matches!(error, ScheduleError::NewerFormat { .. }),
            Self::NotText(_) | Self::Sample { .. } | Self::OtherSamples { .. } => true,
        }
    }
}

impl Pack {
    /// Opens a package, complete or cut short. Damage is found when it is read, or by
    /// [`verify_bytes`](crate::verify_bytes): a folder of which anything is left that only a package has is one.
    ///
    /// # Errors
    /// Where the folder is missing, empty, something else, or of a newer format.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, OpenError> {
        let dir = dir.as_ref().to_owned();
        if !dir.is_dir() {
            return Err(OpenError::NotAFolder(dir));
        }
        if fs::read_dir(&dir).map_err(FileError::of("read", &dir))?.next().is_none() {
            return Err(OpenError::Empty(dir));
        }
        let data = dir.join(layout::DATA);
        let marks = [layout::BAGIT, layout::MANIFEST, layout::TAG_MANIFEST, "data/raw"];
        if marks.iter().all(|mark| !dir.join(mark).exists()) {
            return Err(OpenError::NotAPackage(dir));
        }
        let environment = files::read_if_any(&data.join(layout::ENVIRONMENT))?;
        if let Some(version) =
            environment.and_then(|json| parse_version(&json)).filter(|version| *version > FORMAT)
        {
            return Err(OpenError::NewerFormat { dir, version });
        }
        let genesis = bag::genesis(&dir)?;
        let evidence =
            files::read_if_any(&data.join(layout::EVIDENCE))?.map(|list| digest::parse_list(&list));
        let sealed = dir.join(layout::TAG_MANIFEST).exists();
        let state = if evidence.is_some() && sealed { State::Complete } else { State::CutShort };
        Ok(Self { dir, genesis, evidence, state })
    }

    /// The package's folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// How far its writing came.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// The measured requests, in the order in which they ended.
    ///
    /// # Errors
    /// Where the file cannot be opened; each item may be an error as well.
    pub fn requests(&self) -> Result<Rows<Record>, ReadError> {
        self.rows::<RequestRow>(layout::REQUESTS)
    }

    /// The course of the run.
    ///
    /// # Errors
    /// As [`Pack::requests`].
    pub fn events(&self) -> Result<Rows<Event>, ReadError> {
        self.rows::<EventRow>(layout::EVENTS)
    }

    /// The generator's own life.
    ///
    /// # Errors
    /// As [`Pack::requests`].
    pub fn client(&self) -> Result<Rows<ClientSample>, ReadError> {
        self.rows::<ClientRow>(layout::CLIENT)
    }

    /// The plan, as frozen before the first request.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn plan_text(&self) -> Result<String, TextError> {
        self.text(layout::PLAN)
    }

    /// The plan, read.
    ///
    /// # Errors
    /// Where it cannot be read, or is no plan.
    pub fn plan(&self) -> Result<Plan, TextError> {
        Ok(Plan::parse(&self.plan_text()?)?)
    }

    /// What was sent, by sample id, with what is known of the set where it was made.
    ///
    /// # Errors
    /// Where it cannot be read, a line is no sample, or the samples are not those of the set.
    pub fn samples(&self) -> Result<SampleSet, TextError> {
        let set = SampleSet::from_jsonl(&self.samples_text()?).map_err(|error| TextError::Sample {
            path: self.data(layout::SAMPLES),
            line: error.line as u64,
            reason: error.reason,
        })?;
        let facts = self.text_if_any(layout::SAMPLE_SET)?;
        let facts = facts.as_deref().map(SetFacts::from_json).transpose()?;
        if let Some(SetFacts { samples_sha256: named, .. }) = &facts {
            let found = set.digest();
            if found != *named {
                let (path, named) = (self.data(layout::SAMPLES), named.clone());
                return Err(TextError::OtherSamples { path, named, found });
            }
        }
        Ok(SampleSet { facts, ..set })
    }

    /// The frozen schedule. An older package has none on its own, and its schedule follows from plan and samples.
    ///
    /// # Errors
    /// As [`Pack::plan`] and [`Pack::samples`], and where the schedule cannot be read.
    pub fn schedule(&self) -> Result<Schedule, TextError> {
        self.schedule_of(&self.plan()?, &self.samples()?)
    }

    /// The same, of the package's plan and samples where they were read already.
    ///
    /// # Errors
    /// Where the schedule cannot be read.
    pub fn schedule_of(&self, plan: &Plan, samples: &SampleSet) -> Result<Schedule, TextError> {
        match self.text_if_any(layout::SCHEDULE)? {
            Some(text) => Ok(Schedule::from_jsonl(&text, samples)?),
            None => Ok(Schedule::new(plan, samples)),
        }
    }

    /// Whether this version lays out, from plan and samples, the very schedule that was frozen; `None` where none stands in
    /// the package. Another version may draw otherwise: what was frozen is what counts.
    ///
    /// # Errors
    /// As [`Pack::schedule`].
    pub fn lays_out_the_same(&self) -> Result<Option<bool>, TextError> {
        let Some(text) = self.text_if_any(layout::SCHEDULE)? else { return Ok(None) };
        let (plan, samples) = (self.plan()?, self.samples()?);
        Ok(Some(Schedule::new(&plan, &samples).to_jsonl(&samples)? == text))
    }

    /// The text of the samples, as JSON Lines.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn samples_text(&self) -> Result<String, TextError> {
        self.text(layout::SAMPLES)
    }

    /// The agreement under which the run was made; `None` where there was none.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn agreement_text(&self) -> Result<Option<String>, TextError> {
        self.text_if_any(layout::AGREEMENT)
    }

    /// The generator's limits on its host; `None` where it was not calibrated.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn calibration_text(&self) -> Result<Option<String>, TextError> {
        self.text_if_any(layout::CALIBRATION)
    }

    /// The same, read.
    ///
    /// # Errors
    /// Where it cannot be read, or is no calibration.
    pub fn calibration(&self) -> Result<Option<Calibration>, TextError> {
        Ok(self.calibration_text()?.as_deref().map(parse_calibration).transpose()?)
    }

    /// What [`finalize`](crate::finalize()) left as evidence that the writer was cut off; `None` where it was not.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn finalized_text(&self) -> Result<Option<String>, TextError> {
        self.text_if_any(layout::FINALIZED)
    }

    /// Every figure, as computed last; `None` where that was not done yet.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn summary_text(&self) -> Result<Option<String>, TextError> {
        self.text_if_any(layout::SUMMARY)
    }

    /// Findings and decision under the run's agreement, as computed last; `None` where that was not done yet.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn verdict_text(&self) -> Result<Option<String>, TextError> {
        self.text_if_any(layout::VERDICT)
    }

    /// Name and version of the program that made figures, verdict and documents; `None` where there are none yet.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn made_by(&self) -> Result<Option<String>, TextError> {
        Ok(self.text_if_any(layout::MADE_BY)?.map(|text| text.trim_end().to_owned()))
    }

    /// What stood around the run.
    ///
    /// # Errors
    /// Where it cannot be read or is not what it should be.
    pub fn environment(&self) -> Result<Environment, TextError> {
        Ok(Environment::parse(&self.text(layout::ENVIRONMENT)?)?)
    }

    /// SHA-256 of `data/evidence-sha256.txt`: the one figure that stands for all the evidence, printed in every
    /// document and signed. `None` where the package was cut short.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn evidence_digest(&self) -> Result<Option<String>, FileError> {
        let list = files::read_if_any(&self.data(layout::EVIDENCE))?;
        Ok(list.map(|list| digest::sha256_hex(&list)))
    }

    /// What `evidence-sha256.txt` lists: digests by path below `data/`. Empty where the package was cut short.
    #[must_use]
    pub fn evidence_list(&self) -> &BTreeMap<String, String> {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        self.evidence.as_ref().unwrap_or(&NONE)
    }

    /// The same as the text of that file, whose digest is the evidence digest.
    #[must_use]
    pub fn evidence_text(&self) -> String {
        let listed = self.evidence_list().iter();
        digest::list(listed.map(|(path, digest)| (path.as_str(), digest.as_str())))
    }

    /// The last line of a file of rows has no end: the writer was cut off within it.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn torn(&self) -> Result<bool, FileError> {
        for name in layout::ROWS {
            if unterminated(&self.data(name))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The run did not do all of its plan, or cannot vouch that it did: it was stopped, or cut off before its evidence
    /// was listed.
    ///
    /// # Errors
    /// Where the events cannot be read.
    pub fn interrupted(&self) -> Result<bool, ReadError> {
        if self.data(layout::FINALIZED).exists() {
            return Ok(true);
        }
        let mut ended = false;
        for event in self.events()? {
            match event?.what {
                Happening::Stopped { .. } => return Ok(true),
                Happening::RunEnded => ended = true,
                _ => {}
            }
        }
        Ok(!ended || self.torn()?)
    }

    fn rows<R: Row>(&self, name: &str) -> Result<Rows<R::Live>, ReadError> {
        // A file of rows that the list does not name matches no digest.
        let expected = self.evidence.as_ref().map(|list| list.get(name).cloned().unwrap_or_default());
        Rows::open::<R>(&self.data(name), &self.genesis, expected)
    }

    /// A path below `data/` as one of the file system.
    pub(crate) fn data(&self, path: &str) -> PathBuf {
        self.dir.join(layout::DATA).join(path)
    }

    fn text(&self, name: &str) -> Result<String, TextError> {
        let path = self.data(name);
        let bytes = fs::read(&path).map_err(FileError::of("read", &path))?;
        String::from_utf8(bytes).map_err(|_| TextError::NotText(path))
    }

    fn text_if_any(&self, name: &str) -> Result<Option<String>, TextError> {
        if self.data(name).exists() { self.text(name).map(Some) } else { Ok(None) }
    }
}

fn unterminated(path: &Path) -> Result<bool, FileError> {
    let last_byte = || -> std::io::Result<Option<u8>> {
        let mut file = fs::File::open(path)?;
        if file.seek(SeekFrom::End(0))? == 0 {
            return Ok(None);
        }
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        Ok(Some(last[0]))
    };
    Ok(last_byte().map_err(FileError::of("read", path))?.is_some_and(|byte| byte != b'\n'))
}
