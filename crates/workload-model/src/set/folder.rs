//! The two files of a sample set's folder.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use crate::{
    PlanError, SampleSet, SamplesError, SetFacts, SetFactsError, builtin, check_samples::check_order,
    sample::check_messages, samples_digest,
};

/// The texts of a set's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderTexts {
    /// Of `samples.jsonl`: its measured samples. Warm-ups send samples that every set has in common.
    pub samples: String,
    /// Of `sample-set.json`.
    pub facts: String,
}

/// A folder's files are no sample set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// `sample-set.json` cannot be read.
    #[error(transparent)]
    Facts(#[from] SetFactsError),
    /// `samples.jsonl` has a line that is no sample.
    #[error("read samples.jsonl: {0}")]
    Samples(#[from] SamplesError),
    /// The samples are not those that the facts are about.
    #[error(
        "read samples.jsonl: its SHA-256 is {found}, and sample-set.json says {stated} (one of the files was changed: draw the set again)"
    )]
    Digest {
        /// What `sample-set.json` says.
        stated: String,
        /// What the file has.
        found: String,
    },
    /// Its turns or arrivals are in no order.
    #[error("read samples.jsonl: {0}")]
    Order(#[from] PlanError),
    /// A group has another number of samples.
    #[error("read samples.jsonl: {found} samples of group {group:?}, where sample-set.json says {stated}")]
    Count {
        /// The group.
        group: String,
        /// What `sample-set.json` says.
        stated: u64,
        /// How many there are.
        found: u64,
    },
    /// A sample that cannot be in a set.
    #[error("read samples.jsonl: sample {id:?} {reason}")]
    Sample {
        /// Its id.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It holds somebody's own words, and nothing says until when, or no day.
    #[error(
        "read sample-set.json: retain_until is {stated:?}, and {recorded} samples are somebody's own words (state the day by which they are deleted, as YYYY-MM-DD)"
    )]
    Retention {
        /// What it says.
        stated: String,
        /// How many.
        recorded: u64,
    },
}

impl SampleSet {
    /// The texts of its files; `None` of a set of which nothing is known, such as a file of prompts.
    #[must_use]
    pub fn to_folder_texts(&self) -> Option<FolderTexts> {
        let facts = self.facts.as_ref()?;
        let samples: String = self.measured_lines().collect();
        let facts = SetFacts { samples_sha256: samples_digest(&samples), ..facts.clone() };
        Some(FolderTexts { samples, facts: facts.to_json() })
    }

    /// Reads a set from the texts of its files, and checks that they belong to each other. It has the built-in warm-up.
    ///
    /// # Errors
    /// Where a text is none of a set, or a newer version wrote it; where the samples are not those that the facts are about; and
    /// where they could not be sent as they stand: an id twice, a turn that is missing, an arrival before the one before, messages without
    /// a role or a text.
    pub fn from_folder_texts(samples_jsonl: &str, sample_set_json: &str) -> Result<Self, SetError> {
        let facts = SetFacts::from_json(sample_set_json)?;
        let found = samples_digest(samples_jsonl);
        if found != facts.samples_sha256 {
            return Err(SetError::Digest { stated: facts.samples_sha256, found });
        }
        let mut set = Self::from_jsonl(samples_jsonl)?;
        check_samples(&mut set)?;
        check_counts(&set, &facts)?;
        check_retention(&set, &facts)?;
        set.warm_up = builtin::warm_up();
        set.facts = Some(facts);
        Ok(set)
    }
}

fn check_samples(set: &mut SampleSet) -> Result<(), SetError> {
    let mut ids = BTreeSet::new();
    for sample in set.measured.iter_mut().chain(&mut set.warm_up) {
        let wrong = |reason: String| Err(SetError::Sample { id: sample.id.clone(), reason });
        if sample.warm_up {
            return wrong("is of a warm-up, of which a set has none of its own".to_owned());
        }
        if !ids.insert(sample.id.as_str()) {
            return wrong("is there twice".to_owned());
        }
        if let Err(reason) = check_messages(&mut sample.messages) {
            return wrong(format!("cannot be sent: {reason}"));
        }
    }
    Ok(check_order(&set.measured)?)
}

fn check_counts(set: &SampleSet, facts: &SetFacts) -> Result<(), SetError> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for sample in &set.measured {
        *counts.entry(sample.group.as_str()).or_default() += 1;
    }
    let stated = facts.groups.iter().map(|group| (group.name.as_str(), group.samples));
    let stated: BTreeMap<&str, u64> = stated.collect();
    let groups: BTreeSet<&str> = counts.keys().chain(stated.keys()).copied().collect();
    for group in groups {
        let of = |counts: &BTreeMap<&str, u64>| counts.get(group).copied().unwrap_or(0);
        let (stated, found) = (of(&stated), of(&counts));
        if stated != found {
            return Err(SetError::Count { group: group.to_owned(), stated, found });
        }
    }
    Ok(())
}

fn check_retention(set: &SampleSet, facts: &SetFacts) -> Result<(), SetError> {
    let recorded = set.recorded();
    let stated = facts.retain_until.as_deref();
    let is_day = stated.is_some_and(|day| day.parse::<Date>().is_ok());
    if is_day || stated.is_none() && recorded == 0 {
        return Ok(());
    }
    Err(SetError::Retention { stated: stated.unwrap_or_default().to_owned(), recorded })
}
