//! What is known of a sample set: `sample-set.json`, beside its `samples.jsonl`.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::profile::{Origin, Terms};

/// The version of a sample set's format that this version writes and reads.
pub const SET_FORMAT: u32 = 1;

/// Name of the file with the samples of a set, one a line.
pub const SAMPLES_FILE: &str = "samples.jsonl";

/// Name of the file with what is known of a set.
pub const SET_FILE: &str = "sample-set.json";

/// What is known of a sample set.
///
/// The set's digest is that of its samples. Which of them a run sends, how often, and which share an opening follows from the
/// plan, and from the shares and `openings` here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetFacts {
    /// [`SET_FORMAT`].
    pub format: u32,
    /// Name and version of the tool that made it.
    pub made_by: String,
    /// Version of the way in which texts are made ([`crate::synthesis::VERSION`]); `None` where nothing was made.
    pub synthesis: Option<u32>,
    /// What it is called.
    pub name: String,
    /// SHA-256 of `samples.jsonl`.
    pub samples_sha256: String,
    /// What it was drawn with.
    pub seed: u64,
    /// What it was made from.
    pub source: SetSource,
    /// How texts were brought to their lengths.
    pub sizing: Sizing,
    /// Which requests may share the opening of a prompt.
    pub openings: Openings,
    /// Whoever keeps it deletes it by this day (`YYYY-MM-DD`). Sets that hold somebody's own words have one.
    pub retain_until: Option<String>,
    /// Its groups, in the order of the profile; without those that somebody assumed where samples were made of rows.
    pub groups: Vec<SetGroup>,
}

/// What a sample set was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetSource {
    /// How.
    pub drawn_from: DrawnFrom,
    /// SHA-256 of `profile.json`.
    pub profile_sha256: String,
    /// What the profile is called.
    pub profile: String,
    /// First arrival of the log (RFC 3339, UTC); `None` where no log was read.
    pub from: Option<String>,
    /// Last arrival.
    pub until: Option<String>,
    /// Rows of the log that could have been drawn; 0 where no log was read.
    pub rows: u64,
}

/// What samples were drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawnFrom {
    /// The distributions of a profile.
    Profile,
    /// The rows of a log, which keep their arrivals, conversations and shared prefixes.
    Rows,
    /// The rows of a log with the words of those who wrote them.
    Text,
}

/// How texts were brought to their lengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizing {
    /// Who counted.
    pub by: SizedBy,
    /// Name of the tokenizer's file, or of the model whose service was asked; `None` where nobody counted.
    pub counter: Option<String>,
    /// SHA-256 of the tokenizer's file.
    pub sha256: Option<String>,
    /// Tokens that the service adds to every request (its chat template), as far as they were found out; they are part of the
    /// lengths asked for.
    pub added_tokens: u64,
    /// Of how many texts the whole was counted after it was made.
    pub counted: u64,
    /// Largest difference between the length asked for and that counted, in tokens; `None` where none was counted.
    pub worst_error: Option<u64>,
}

/// Who counted tokens when texts were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizedBy {
    /// Nobody: so many characters to a token, by language.
    Estimate,
    /// A tokenizer (`tokenizer.json`).
    Tokenizer,
    /// The service's own `/tokenize`.
    Service,
    /// The service's `usage.prompt_tokens` of a few requests.
    Usage,
    /// Nothing was made to a length.
    Nothing,
}

/// Which requests may share the opening of a prompt, and with it an entry of the service's prefix cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Openings {
    /// None but the turns of one conversation.
    Unique,
    /// All of one round through the set: prefixes are shared as in the log, and never between rounds, tiers or runs.
    Shared,
}

/// A group of a sample set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetGroup {
    /// Its name.
    pub name: String,
    /// Whether its shape was measured.
    pub origin: Origin,
    /// What puts a request into it, in the operator's terms.
    pub rule: String,
    /// Samples of it.
    pub samples: u64,
    /// Its share of what can be sent of the traffic, its chats and completions, from 0 to 1. Runs send groups in these
    /// proportions, whatever the numbers of their samples are.
    pub share: f64,
    /// Who assumed it; `None` where it was measured.
    pub by: Option<String>,
    /// Why.
    pub basis: Option<String>,
    /// What the business asks of it.
    pub terms: Terms,
}

/// A `sample-set.json` cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetFactsError {
    /// No JSON, or not the keys of a set.
    #[error("read sample-set.json: {0} (the file is damaged)")]
    Syntax(String),
    /// Written by a newer version.
    #[error(
        "read sample-set.json: its format is {found}, and this version knows up to {SET_FORMAT} (update the tool)"
    )]
    NewerFormat {
        /// The format it states.
        found: u32,
    },
}

impl SetFacts {
    /// Reads a `sample-set.json`.
    ///
    /// # Errors
    /// Where it is none, or of a newer format.
    pub fn from_json(text: &str) -> Result<Self, SetFactsError> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let syntax = |error: serde_json::Error| SetFactsError::Syntax(error.to_string());
        let Head { format: found } = serde_json::from_str(text).map_err(syntax)?;
        if found > SET_FORMAT {
            return Err(SetFactsError::NewerFormat { found });
        }
        serde_json::from_str(text).map_err(syntax)
    }

    /// The text of `sample-set.json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("facts are JSON") + "\n"
    }
}

/// SHA-256 of the text of a `samples.jsonl`, in hexadecimal.
#[must_use]
pub fn samples_digest(samples_jsonl: &str) -> String {
    hex::encode(Sha256::digest(samples_jsonl.as_bytes()))
}
