//! Sample sets: drawn, written, read, and made ready for a run.

use std::path::{Path, PathBuf};

use evidence_pack::{ProfileFolder, ProfileFolderError, SampleFolder, SampleFolderError};
use jiff::{Timestamp, civil::Date, tz::Offset};
use workload_model::{
    Group, SampleSet, SetFacts,
    profile::{Profile, ProfileError, Terms, Way},
    sampling::{self, Account, Drawing, Drawn, SamplingError, Take},
    set::{FolderTexts, SetError},
    synthesis::{Ratios, Texts},
    traffic::Traffic,
};

use crate::profile::{KeptText, TOOL};

/// How often a request of a group that may be tried again is, where nobody says otherwise.
const RETRIES: u32 = 1;

/// Samples that are drawn where a profile is named in place of a set, at least.
const LEAST_DRAWN: u64 = 100;

/// A sample set that is to be drawn from the rows of a log.
pub struct SetJob {
    /// Its folder: new, or empty.
    pub out: PathBuf,
    /// Which rows.
    pub take: Take,
    /// What texts are drawn with.
    pub seed: u64,
    /// What texts are made with.
    pub texts: Texts,
    /// The words of those who wrote them are kept until this day; otherwise texts are made.
    pub keep_text_until: Option<Date>,
}

/// A sample set that was written.
#[derive(Debug, Clone, PartialEq)]
pub struct SetMade {
    /// Its folder.
    pub out: PathBuf,
    /// What is known of it.
    pub facts: SetFacts,
    /// What is to be known of the drawing.
    pub account: Account,
    /// Rows whose prompt cannot be sent again.
    pub unusable: u64,
}

/// No sample set was made. The message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeSetError {
    /// Nothing can be drawn.
    #[error(transparent)]
    Sampling(#[from] SamplingError),
    /// The folder cannot be written.
    #[error(transparent)]
    Folder(#[from] SampleFolderError),
}

/// A set that was drawn and is not written yet.
pub(crate) struct DrawnSet {
    out: PathBuf,
    drawn: Drawn,
    unusable: u64,
}

impl SetJob {
    /// Draws the set; none where words are to be kept and the log holds none that can be sent again.
    pub(crate) fn draw(
        mut self,
        traffic: &Traffic,
        profile: &Profile,
        step_ns: u64,
        kept: Option<KeptText>,
    ) -> Result<Option<DrawnSet>, MakeSetError> {
        let drawing = Drawing {
            made_by: TOOL.to_owned(),
            seed: self.seed,
            take: self.take,
            step_ns,
            ..Drawing::new(profile.name.clone(), 0)
        };
        let kept = kept.unwrap_or_default();
        let drawn = match self.keep_text_until {
            Some(_) if kept.prompts.is_empty() => return Ok(None),
            Some(until) => sampling::from_texts(traffic, profile, &drawing, kept.prompts, until)?,
            None => sampling::from_rows(traffic, profile, &drawing, &mut self.texts)?,
        };
        Ok(Some(DrawnSet { out: self.out, drawn, unusable: kept.unusable }))
    }
}

impl DrawnSet {
    pub(crate) fn write(self) -> Result<SetMade, MakeSetError> {
        let Drawn { set, account } = self.drawn;
        let facts = write_set(&set, &self.out)?;
        Ok(SetMade { out: self.out, facts, account, unusable: self.unusable })
    }
}

/// Draws a set from a profile, and writes it.
///
/// # Errors
/// Where nothing can be drawn, or the folder cannot be written.
pub fn make_set(
    profile: &Profile,
    drawing: &Drawing,
    texts: &mut Texts,
    out: &Path,
) -> Result<SetMade, MakeSetError> {
    SampleFolder::check_vacant(out)?;
    let Drawn { set, account } = sampling::from_profile(profile, drawing, texts)?;
    let facts = write_set(&set, out)?;
    Ok(SetMade { out: out.to_owned(), facts, account, unusable: 0 })
}

/// A drawing of so many samples from a profile.
#[must_use]
pub fn drawing(profile: &Profile, requests: u64, seed: u64) -> Drawing {
    Drawing { made_by: TOOL.to_owned(), seed, ..Drawing::new(profile.name.clone(), requests) }
}

fn write_set(set: &SampleSet, out: &Path) -> Result<SetFacts, SampleFolderError> {
    let facts = set.facts.clone().expect("a set that was drawn has facts");
    let FolderTexts { samples, facts: text } = set.to_folder_texts().expect("it has facts");
    SampleFolder { samples, facts: text }.create(out)?;
    Ok(facts)
}

/// A sample set cannot be taken from a folder. The message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenSetError {
    /// There is neither a set nor a profile.
    #[error("take samples from {}: it holds neither a sample set nor a profile (name a folder that `acceptbench samples make` or `acceptbench profile` wrote)", .0.display())]
    Nothing(PathBuf),
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] SampleFolderError),
    /// Its files are no set.
    #[error("use the sample set {}: {error}", dir.display())]
    Set {
        /// The folder.
        dir: PathBuf,
        /// What is wrong with it.
        error: SetError,
    },
    /// The folder of the profile cannot be read.
    #[error(transparent)]
    ProfileFolder(#[from] ProfileFolderError),
    /// The profile is none.
    #[error("read {}: {error}", dir.display())]
    Profile {
        /// The folder.
        dir: PathBuf,
        /// What is wrong with it.
        error: ProfileError,
    },
    /// Nothing can be drawn from the profile.
    #[error(transparent)]
    Sampling(#[from] SamplingError),
    /// It holds somebody's own words, and the day by which they were to be deleted has passed.
    #[error("send the sample set {}: it holds somebody's own words, which were to be deleted by {until} (delete it; `acceptbench samples make` draws one of the same lengths without them)", dir.display())]
    Expired {
        /// The folder.
        dir: PathBuf,
        /// The day.
        until: String,
    },
}

/// The day by which the words of a set were to be deleted, where it has passed.
#[must_use]
pub fn expired(facts: &SetFacts) -> Option<&str> {
    let until = facts.retain_until.as_deref()?;
    let has_passed = |day: Date| day < Offset::UTC.to_datetime(Timestamp::now()).date();
    until.parse().is_ok_and(has_passed).then_some(until)
}

/// Reads a sample set.
///
/// # Errors
/// Where there is none, or its files do not fit each other.
pub fn open_set(dir: &Path) -> Result<SampleSet, OpenSetError> {
    let folder = SampleFolder::open(dir)?;
    SampleSet::from_folder_texts(&folder.samples, &folder.facts)
        .map_err(|error| OpenSetError::Set { dir: dir.to_owned(), error })
}

/// Reads a profile.
///
/// # Errors
/// Where there is none, or its counts do not add up.
pub fn open_profile(dir: &Path) -> Result<Profile, OpenSetError> {
    let folder = ProfileFolder::open(dir)?;
    let wrong = |error| OpenSetError::Profile { dir: dir.to_owned(), error };
    let text = std::str::from_utf8(folder.profile())
        .map_err(|error| wrong(ProfileError::Syntax(error.to_string())))?;
    Profile::from_json(text).map_err(wrong)
}

/// What a run sends: the set of a folder, or one drawn from the profile of a folder, of as many samples as the largest step
/// has requests, at least a hundred. Its warm-up is made of its own first samples.
///
/// # Errors
/// Where there is neither, it cannot be used, or it holds words that were to be deleted by now.
pub fn samples_of(dir: &Path, requests: u64, seed: u64) -> Result<SampleSet, OpenSetError> {
    let set = if SampleFolder::is_one(dir) {
        let set = open_set(dir)?;
        if let Some(until) = set.facts.as_ref().and_then(expired) {
            return Err(OpenSetError::Expired { dir: dir.to_owned(), until: until.to_owned() });
        }
        set
    } else if ProfileFolder::is_one(dir) {
        let profile = open_profile(dir)?;
        let mut texts = Texts::new(None, Ratios::default());
        sampling::from_profile(&profile, &drawing(&profile, requests.max(LEAST_DRAWN), seed), &mut texts)?.set
    } else {
        return Err(OpenSetError::Nothing(dir.to_owned()));
    };
    Ok(set.warmed_by_itself())
}

/// The groups of a set as a plan has them: with the limits that the business asks for, and another try where it accepts
/// that.
#[must_use]
pub fn groups_of(facts: &SetFacts) -> Vec<Group> {
    let group = |name: &str, terms: &Terms| Group {
        ttft_limit_s: terms.ttft_limit_s,
        deadline_s: terms.deadline_s,
        retries: if terms.failing == Some(Way::Retry) { RETRIES } else { 0 },
        ..Group::new(name)
    };
    let sent = facts.groups.iter().filter(|group| group.samples > 0);
    sent.map(|found| group(&found.name, &found.terms)).collect()
}
