//! What a set is drawn with, and what comes of it.

use std::collections::BTreeMap;

use crate::{
    MAX_REQUESTS, SampleSet,
    profile::{STEP_NS, SegmentsError},
    random::DEFAULT_SEED,
    synthesis::{CountError, Tongue},
};

/// What a set is drawn with.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// What the set is called.
    pub name: String,
    /// Name and version of the tool that makes it.
    pub made_by: String,
    /// What everything is drawn with.
    pub seed: u64,
    /// How many samples are drawn from a profile; rows are taken by `take`.
    pub requests: u64,
    /// Which rows of a log are taken.
    pub take: Take,
    /// In which languages texts are made, with the weight of each, of groups of which the profile does not say it.
    pub tongues: Vec<(Tongue, u32)>,
    /// The largest backward step of the log's clock that is no jump, as the profile was made with
    /// ([`Segments::find`](crate::profile::Segments::find)).
    pub step_ns: u64,
}

/// Which rows of a log are taken, in the order of their arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// All of them, [`MAX_REQUESTS`] at most.
    All,
    /// The first so many. They keep their arrivals, prefixes and conversations whole, as a thinned sample would not; to take
    /// another stretch of the log, import that window of it.
    First(u64),
}

/// A set that was drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The set, with its facts.
    pub set: SampleSet,
    /// What is to be known of the drawing.
    pub account: Account,
}

/// What is to be known of a drawing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    /// Rows that could not be taken, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Groups of a profile of which nothing could be drawn, since no length of theirs is known or none of their calls is a
    /// chat or a completion.
    pub groups_left_out: Vec<String>,
    /// Groups that have other calls beside chats and completions: lengths of theirs are drawn from those of all their calls,
    /// which the profile does not tell apart.
    pub mixed_groups: Vec<String>,
    /// Groups that somebody assumed, where samples are made of rows: there are no rows of them. A set drawn from the profile
    /// has them.
    pub assumed_left_out: Vec<String>,
    /// Samples whose row has no input length; it was drawn from those of the group.
    pub lengths_drawn: u64,
    /// Requests whose text would be longer than any that is made
    /// ([`MOST_TEXT_TOKENS`](crate::synthesis::MOST_TEXT_TOKENS)); it is as long as that.
    pub shortened: u64,
    /// Requests whose input is longer than it was to be: what went before is longer than the whole, or opening, template and
    /// whole blocks leave too little for the request itself.
    pub lengthened: u64,
}

/// Why a row was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeftOut {
    /// It is no chat and no completion.
    OtherCall,
    /// Its input length is not known, nor that of any row of its group.
    NoLength,
    /// Its words were not kept.
    NoText,
}

/// A set cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SamplingError {
    /// A number of samples that no set has.
    #[error("draw {0} samples: a set has 1 to {MAX_REQUESTS}")]
    Requests(u64),
    /// More rows than a set can have samples.
    #[error(
        "draw from rows: {0} can be taken, and a set has at most {MAX_REQUESTS} samples (take the first ones: `Take::First`, on the command line `--samples N`; or import a shorter window)"
    )]
    TooManyRows(u64),
    /// No length is known.
    #[error(
        "draw samples: no chat or completion with a known input length is in the profile (import a log that counts tokens, or add an assumed group)"
    )]
    NothingToDraw,
    /// The rows are not those of the profile.
    #[error(
        "draw from rows: they are not those of the profile, {0} (import the same files, with the same card, window and grouping)"
    )]
    OtherLog(String),
    /// The rows are in no order.
    #[error(transparent)]
    Order(#[from] SegmentsError),
    /// Tokens could not be counted.
    #[error(transparent)]
    Count(#[from] CountError),
    /// A prompt that cannot be sent.
    #[error("draw from prompts: the one of row {row}, counted from 0, {reason}")]
    Prompt {
        /// The row.
        row: u64,
        /// What is wrong with it.
        reason: String,
    },
}

impl Drawing {
    /// Draws so many samples under the default seed, or takes all rows; half of the texts are Chinese and half English.
    #[must_use]
    pub fn new(name: impl Into<String>, requests: u64) -> Self {
        Self {
            name: name.into(),
            made_by: concat!("workload-model ", env!("CARGO_PKG_VERSION")).to_owned(),
            seed: DEFAULT_SEED,
            requests,
            take: Take::All,
            tongues: vec![(Tongue::Zh, 1), (Tongue::En, 1)],
            step_ns: STEP_NS,
        }
    }
}

impl LeftOut {
    /// The word that files use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OtherCall => "other_call",
            Self::NoLength => "no_length",
            Self::NoText => "no_text",
        }
    }
}
