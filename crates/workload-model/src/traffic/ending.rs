//! What kind of call a row was, and how it ended.

use serde::{Deserialize, Serialize};

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// A chat completion (`/v1/chat/completions`, `/v1/messages`, `/v1/responses`).
    Chat,
    /// A completion of a text (`/v1/completions`).
    Completion,
    /// Embeddings.
    Embeddings,
    /// A ranking of documents.
    Rerank,
    /// Pictures, sound or video.
    Media,
    /// Any other call of a model.
    Other,
}

/// How a request ended, as far as its log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// With an answer.
    Ok,
    /// The caller went away before the end.
    ClientGone,
    /// A time limit struck.
    Timeout,
    /// The service or the gateway turned it away (429, or 503 before any work).
    Rejected,
    /// In any other error.
    Error,
    /// It was answered from a cache and reached no model.
    CacheHit,
    /// The log does not tell.
    Unknown,
}

impl Call {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Chat, Self::Completion, Self::Embeddings, Self::Rerank, Self::Media, Self::Other];

    /// The word that files use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Completion => "completion",
            Self::Embeddings => "embeddings",
            Self::Rerank => "rerank",
            Self::Media => "media",
            Self::Other => "other",
        }
    }
}

impl Ending {
    /// Every ending, in the order in which they are listed.
    pub const ALL: [Self; 7] = [
        Self::Ok,
        Self::ClientGone,
        Self::Timeout,
        Self::Rejected,
        Self::Error,
        Self::CacheHit,
        Self::Unknown,
    ];

    /// The word that files use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ClientGone => "client_gone",
            Self::Timeout => "timeout",
            Self::Rejected => "rejected",
            Self::Error => "error",
            Self::CacheHit => "cache_hit",
            Self::Unknown => "unknown",
        }
    }
}
