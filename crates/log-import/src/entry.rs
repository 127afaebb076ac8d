//! A request as its log tells of it.

use std::borrow::Cow;

use metrics_core::Micros;
use workload_model::traffic::{Call, Ending, Note, StampKind};

/// A request as its log tells of it. Whatever it borrows names somebody or may do so, and goes no further than the import.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a> {
    /// The instant that the log writes down.
    pub stamp: Stamp,
    /// What was asked for.
    pub call: Call,
    /// How it ended.
    pub ending: Ending,
    /// It was streamed.
    pub stream: Option<bool>,
    /// Tokens of input.
    pub input_tokens: Option<u32>,
    /// Tokens of output.
    pub output_tokens: Option<u32>,
    /// The output was cut short: its length is the least that was wanted.
    pub output_cut: bool,
    /// From arrival to the first token.
    pub ttft: Option<Micros>,
    /// From arrival to the end.
    pub duration: Option<Micros>,
    /// Name of the model that was asked for.
    pub model: Option<Cow<'a, str>>,
    /// Path of the request, without its query.
    pub path: Option<Cow<'a, str>>,
    /// A label of the log's own: a tenant, a route, a user group.
    pub label: Option<Cow<'a, str>>,
    /// Who called.
    pub caller: Option<Cow<'a, str>>,
    /// Which conversation it belongs to.
    pub session: Option<Cow<'a, str>>,
    /// Of which blocks its input is made, where the log tells.
    pub blocks: Option<Blocks>,
    /// What was asked, only where [`ReadOptions::keep_text`](crate::ReadOptions::keep_text) wants it.
    pub prompt: Option<Prompt<'a>>,
    /// What is to be known of it.
    pub notes: Notes,
}

/// An instant as a log writes it down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Nanoseconds from 1970-01-01T00:00:00Z; from an instant that nobody knows where `relative`.
    pub at_ns: i64,
    /// Resolution of the log's clock in nanoseconds.
    pub resolution_ns: u64,
    /// Which instant of the request it is.
    pub kind: StampKind,
    /// The log's clock counts from an instant that nobody knows.
    pub relative: bool,
    /// How the arrival follows from the row, in the log's own names: `startTime`, `created_at - use_time`.
    pub words: &'static str,
}

/// The blocks of an input. Requests that begin with the same ones share a prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    /// Ids, in the order of the input. They go no further than the import: rows have numbers in the order in which ids came up.
    pub ids: Vec<u64>,
    /// Tokens of each but the last, which may have fewer; `None` where nobody knows.
    pub tokens: Option<u32>,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt<'a> {
    /// A JSON list of chat messages.
    Messages(Cow<'a, str>),
    /// A text, asked as a user's one message.
    Text(Cow<'a, str>),
}

/// A set of [`Note`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Notes(u16);

impl<'a> Entry<'a> {
    /// A chat request of which nothing is known but its instant.
    #[must_use]
    pub fn at(stamp: Stamp) -> Self {
        Self {
            stamp,
            call: Call::Chat,
            ending: Ending::Unknown,
            stream: None,
            input_tokens: None,
            output_tokens: None,
            output_cut: false,
            ttft: None,
            duration: None,
            model: None,
            path: None,
            label: None,
            caller: None,
            session: None,
            blocks: None,
            prompt: None,
            notes: Notes::default(),
        }
    }

    /// The same with all that it borrows copied, for a reader that holds a request over several lines.
    #[must_use]
    pub fn into_owned(self) -> Entry<'static> {
        let owned = |text: Option<Cow<'a, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Entry {
            model: owned(self.model),
            path: owned(self.path),
            label: owned(self.label),
            caller: owned(self.caller),
            session: owned(self.session),
            prompt: self.prompt.map(Prompt::into_owned),
            ..self
        }
    }
}

impl Prompt<'_> {
    /// The same with its text copied.
    #[must_use]
    pub fn into_owned(self) -> Prompt<'static> {
        match self {
            Self::Messages(json) => Prompt::Messages(json.into_owned().into()),
            Self::Text(text) => Prompt::Text(text.into_owned().into()),
        }
    }
}

impl Notes {
    /// Adds a note.
    pub fn add(&mut self, note: Note) {
        self.0 |= Self::bit(note);
    }

    /// Whether it holds the note.
    #[must_use]
    pub fn has(self, note: Note) -> bool {
        self.0 & Self::bit(note) != 0
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The notes that it holds.
    pub fn iter(self) -> impl Iterator<Item = Note> {
        Note::ALL.into_iter().filter(move |note| self.has(*note))
    }

    fn bit(note: Note) -> u16 {
        Note::ALL.iter().position(|other| *other == note).map_or(0, |at| 1 << at)
    }
}
