//! What readers found becomes rows.

use std::{collections::HashMap, fmt::Display};

use workload_model::traffic::{
    Dropped, Facets, Grouping, Note, Row, RowFacts, StampKind, StampSource, Traffic,
};

use super::block_numbers::BlockNumbers;
use super::{ImportError, ImportOptions, MaxBad};
use crate::{Blocks, Entry, Prompt, Secret, Sink, Stamp, StartError, audit::Class, secret::Named};

/// How many bad rows an error names.
const EXAMPLES: usize = 3;

/// So many bad rows without a good one, and there is no use in going on.
const HOPELESS: u64 = 1000;

/// Looks on while an import runs.
pub trait Watch {
    /// A bad row was dropped.
    fn bad(&mut self, row: &BadLine<'_>) {
        let _ = row;
    }

    /// A row was kept that tells what was asked. `at` is its place among those that were kept, from 0.
    fn prompt(&mut self, at: u64, prompt: &Prompt<'_>) {
        let _ = (at, prompt);
    }
}

impl Watch for () {}

/// A bad row. It has no text of the row.
#[derive(Clone, Copy)]
pub struct BadLine<'a> {
    /// Name of the file.
    pub file: &'a str,
    /// Line on which the row begins, from 1.
    pub line: u64,
    /// The reason under which it is counted.
    pub reason: Dropped,
    /// What is wrong.
    pub detail: &'a dyn Display,
}

impl Display for BadLine<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:{}: {} ({})", self.file, self.line, self.detail, self.reason.as_str())
    }
}

/// The traffic as far as it was read.
pub(super) struct Rows<'a> {
    options: &'a ImportOptions,
    secret: &'a Secret,
    grouping: &'a mut dyn Grouping,
    watch: &'a mut dyn Watch,
    traffic: Traffic,
    stamps: Vec<Stamp>,
    notes: [u64; Note::ALL.len()],
    kept: u64,
    dropped: u64,
    bad: u64,
    examples: Vec<String>,
    models: Models,
    blocks: BlockNumbers,
    file: File,
}

/// Names of models that came up, and whether each is one: groups may be called by it.
#[derive(Default)]
struct Models(HashMap<String, bool>);

/// How many names are remembered; a log has few, unless clients write anything into that field.
const MODELS: usize = 4096;

impl Models {
    /// It has nothing of the form of an address, a telephone number or a key.
    fn is_name(&mut self, model: &str) -> bool {
        if let Some(known) = self.0.get(model) {
            return *known;
        }
        let is_name = Class::ALL.iter().all(|class| class.find(model).is_empty());
        if self.0.len() < MODELS {
            self.0.insert(model.to_owned(), is_name);
        }
        is_name
    }
}

/// The file that is being read.
#[derive(Default)]
struct File {
    index: Option<u16>,
    name: String,
    format: String,
    looks_like: Option<String>,
    kept: u64,
    dropped: u64,
    bad: u64,
    /// There was no use in reading it to its end.
    stopped: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        options: &'a ImportOptions,
        secret: &'a Secret,
        grouping: &'a mut dyn Grouping,
        watch: &'a mut dyn Watch,
    ) -> Self {
        Self {
            options,
            secret,
            grouping,
            watch,
            traffic: Traffic::default(),
            stamps: Vec::new(),
            notes: [0; Note::ALL.len()],
            kept: 0,
            dropped: 0,
            bad: 0,
            examples: Vec::new(),
            models: Models::default(),
            blocks: BlockNumbers::default(),
            file: File::default(),
        }
    }

    pub(super) fn begin_file(&mut self, name: &str) -> Result<(), ImportError> {
        let index = match self.file.index {
            None => 0,
            Some(before) => before.checked_add(1).ok_or(ImportError::TooManyFiles)?,
        };
        self.file = File { index: Some(index), name: name.to_owned(), ..File::default() };
        Ok(())
    }

    pub(super) fn looks_like(&mut self, format: &str, other: Option<&str>) {
        self.file.format = format.to_owned();
        self.file.looks_like = other.map(str::to_owned);
    }

    pub(super) fn cannot_start(&self, fault: StartError) -> ImportError {
        ImportError::Start {
            file: self.file.name.clone(),
            format: self.file.format.clone(),
            fault,
            looks_like: self.file.looks_like.clone(),
        }
    }

    /// Rows of this file that were read.
    pub(super) fn read(&self) -> u64 {
        self.file.kept + self.file.dropped
    }

    /// Whether there is any use in reading on.
    pub(super) fn go_on(&mut self) -> bool {
        let go_on = match self.options.max_bad {
            MaxBad::Rows(most) => self.bad <= most,
            MaxBad::OnePercent => self.file.bad < HOPELESS || self.file.kept > 0,
        };
        self.file.stopped |= !go_on;
        go_on
    }

    /// Rows of the file that were read and kept.
    pub(super) fn end_file(&mut self) -> Result<(u64, u64), ImportError> {
        // A rotated log may hold little more than a line that was cut; more than that is another format's.
        let all_bad = self.file.kept == 0 && self.file.bad > 0 && self.file.bad == self.file.dropped;
        // A file that was not read to its end is never part of an import.
        let hopeless = self.file.stopped && matches!(self.options.max_bad, MaxBad::OnePercent);
        if hopeless || all_bad && (self.kept == 0 || self.file.bad > MaxBad::OnePercent.of(0)) {
            return Err(ImportError::NothingKept {
                file: self.file.name.clone(),
                format: self.file.format.clone(),
                read: self.read(),
                examples: std::mem::take(&mut self.examples),
                looks_like: self.file.looks_like.clone(),
            });
        }
        if matches!(self.options.max_bad, MaxBad::Rows(_)) {
            self.check_bad()?;
        }
        Ok((self.read(), self.file.kept))
    }

    fn check_bad(&mut self) -> Result<(), ImportError> {
        let read = self.kept + self.dropped;
        let allowed = self.options.max_bad.of(read);
        if self.bad <= allowed {
            return Ok(());
        }
        Err(ImportError::TooManyBad {
            bad: self.bad,
            read,
            allowed,
            examples: std::mem::take(&mut self.examples),
            looks_like: self.file.looks_like.clone(),
        })
    }

    pub(super) fn finish(mut self) -> Result<Traffic, ImportError> {
        self.check_bad()?;
        self.traffic.sources = self.stamps.iter().map(|stamp| source(*stamp)).collect();
        self.traffic.groups = self.grouping.names();
        let notes = Note::ALL.into_iter().zip(self.notes).filter(|(_, rows)| *rows > 0);
        self.traffic.notes.extend(notes);
        Ok(self.traffic)
    }

    /// Index of the way in which an arrival was found out; `None` where there are too many of them.
    fn source(&mut self, stamp: Stamp) -> Option<u8> {
        let stamp = Stamp { at_ns: 0, ..stamp };
        // The latest is the likeliest.
        let at = self.stamps.iter().rposition(|other| *other == stamp).unwrap_or_else(|| {
            self.stamps.push(stamp);
            self.stamps.len() - 1
        });
        u8::try_from(at).ok()
    }

    fn note(&mut self, note: Note) {
        let counts = Note::ALL.iter().zip(&mut self.notes);
        for (_, count) in counts.filter(|(other, _)| **other == note) {
            *count += 1;
        }
    }
}

fn source(stamp: Stamp) -> StampSource {
    StampSource {
        words: stamp.words.to_owned(),
        kind: stamp.kind,
        resolution_ns: stamp.resolution_ns,
        relative: stamp.relative,
    }
}

impl Sink for Rows<'_> {
    fn keep(&mut self, line: u64, entry: &Entry<'_>) {
        let mut notes = entry.notes;
        let arrival_ns = match (entry.stamp.kind, entry.duration) {
            (StampKind::Arrival, _) => Some(entry.stamp.at_ns),
            (StampKind::End, Some(duration)) => i64::try_from(duration.0)
                .ok()
                .and_then(|micros| micros.checked_mul(1000))
                .and_then(|nanos| entry.stamp.at_ns.checked_sub(nanos)),
            (StampKind::End, None) => {
                notes.add(Note::ArrivalIsEnd);
                Some(entry.stamp.at_ns)
            }
        };
        let Some(arrival_ns) = arrival_ns else {
            return self.drop(line, Dropped::BadNumber, &"the duration is too large");
        };
        if !self.options.window.holds(arrival_ns) {
            return self.drop(line, Dropped::OutsideWindow, &"outside the window");
        }
        let Some(source) = self.source(entry.stamp) else {
            return self.drop(line, Dropped::BadRow, &"arrivals are found out in more than 256 ways");
        };
        let name = |kind, name: &Option<_>| name.as_deref().map(|name| self.secret.pseudonym(kind, name));
        let caller = name(Named::Caller, &entry.caller);
        let session = name(Named::Session, &entry.session);
        let model = entry.model.as_deref().filter(|model| self.models.is_name(model));
        let group = self.grouping.group_of(&Facets {
            call: entry.call,
            model,
            path: entry.path.as_deref(),
            label: entry.label.as_deref(),
            label_pseudonym: name(Named::Label, &entry.label),
            caller: entry.caller.as_deref(),
            caller_pseudonym: caller,
            input_tokens: entry.input_tokens,
            output_tokens: entry.output_tokens,
            stream: entry.stream,
        });
        let row = Row::new(RowFacts {
            arrival_ns,
            source,
            file: self.file.index.unwrap_or(0),
            line,
            group,
            call: entry.call,
            ending: entry.ending,
            stream: entry.stream,
            input_tokens: entry.input_tokens,
            output_tokens: entry.output_tokens,
            output_cut: entry.output_cut,
            ttft: entry.ttft,
            duration: entry.duration,
            caller,
            session,
        });
        match &entry.blocks {
            Some(Blocks { ids, tokens }) => {
                self.traffic.block_tokens = *tokens;
                let file = self.file.index.unwrap_or(0);
                self.traffic.push_with_blocks(row, self.blocks.of(file, ids));
            }
            None => self.traffic.push(row),
        }
        if !notes.is_empty() {
            notes.iter().for_each(|note| self.note(note));
        }
        if let Some(prompt) = entry.prompt.as_ref().filter(|_| self.options.read.keep_text) {
            self.watch.prompt(self.kept, prompt);
        }
        self.kept += 1;
        self.file.kept += 1;
    }

    fn drop(&mut self, line: u64, reason: Dropped, detail: &dyn Display) {
        *self.traffic.dropped.entry(reason).or_default() += 1;
        self.dropped += 1;
        self.file.dropped += 1;
        if !reason.is_bad() {
            return;
        }
        self.bad += 1;
        self.file.bad += 1;
        let row = BadLine { file: &self.file.name, line, reason, detail };
        if self.examples.len() < EXAMPLES {
            self.examples.push(row.to_string());
        }
        self.watch.bad(&row);
    }
}
