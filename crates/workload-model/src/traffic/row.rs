//! One request of a log, without anything that names a person or a text.

use metrics_core::Micros;

use super::{Call, Ending};

/// A caller or a session under a name that only whoever holds the secret can make again: the first 64 bits of an HMAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pseudonym(pub u64);

impl std::fmt::Display for Pseudonym {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

/// Which instant of a request its log writes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StampKind {
    /// Its arrival.
    Arrival,
    /// Its end; the arrival is the end minus the duration, where that is known.
    End,
}

/// How an arrival was found out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StampSource {
    /// In words: `startTime`, `created_at - use_time`.
    pub words: String,
    /// Which instant the log writes down.
    pub kind: StampKind,
    /// Resolution of the log's clock in nanoseconds.
    pub resolution_ns: u64,
    /// The log's clock counts from an instant that nobody knows; arrivals then count from 1970-01-01.
    pub relative: bool,
}

/// What a row is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowFacts {
    /// Instant of arrival in nanoseconds from 1970-01-01T00:00:00Z.
    pub arrival_ns: i64,
    /// Index of its [`StampSource`].
    pub source: u8,
    /// Index of its file.
    pub file: u16,
    /// Line of the file on which it begins, from 1.
    pub line: u64,
    /// Index of its group.
    pub group: u16,
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
    /// The output was cut short, so that its length is the least that was wanted.
    pub output_cut: bool,
    /// From arrival to the first token.
    pub ttft: Option<Micros>,
    /// From arrival to the end.
    pub duration: Option<Micros>,
    /// Who called.
    pub caller: Option<Pseudonym>,
    /// Which conversation it belongs to.
    pub session: Option<Pseudonym>,
}

/// One request of a log. It has no field that could hold a name or a text, and takes 56 bytes, so that tens of millions
/// fit into memory.
///
/// Counts above 4,294,967,294 and lines above 4,294,967,295 are held as these. Durations are exact to the microsecond up
/// to 35 minutes and to the millisecond above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    arrival_ns: i64,
    // Pseudonyms of 0 stand for none; a pseudonym that is 0 becomes 1.
    caller: u64,
    session: u64,
    line: u32,
    input_tokens: u32,
    output_tokens: u32,
    ttft: u32,
    duration: u32,
    file: u16,
    group: u16,
    source: u8,
    call: Call,
    ending: Ending,
    stream: Option<bool>,
    output_cut: bool,
}

/// Marks a count or a duration that is not known.
const NONE: u32 = u32::MAX;

/// From here a duration is held in milliseconds.
const COARSE: u32 = 1 << 31;

impl Row {
    /// Holds these facts.
    #[must_use]
    pub fn new(facts: RowFacts) -> Self {
        let count = |count: Option<u32>| count.map_or(NONE, |count| count.min(NONE - 1));
        let pseudonym = |name: Option<Pseudonym>| name.map_or(0, |name| name.0.max(1));
        Self {
            arrival_ns: facts.arrival_ns,
            caller: pseudonym(facts.caller),
            session: pseudonym(facts.session),
            line: u32::try_from(facts.line).unwrap_or(u32::MAX),
            input_tokens: count(facts.input_tokens),
            output_tokens: count(facts.output_tokens),
            ttft: facts.ttft.map_or(NONE, |ttft| PackedMicros::new(ttft).0),
            duration: facts.duration.map_or(NONE, |duration| PackedMicros::new(duration).0),
            file: facts.file,
            group: facts.group,
            source: facts.source,
            call: facts.call,
            ending: facts.ending,
            stream: facts.stream,
            output_cut: facts.output_cut,
        }
    }

    /// What it holds.
    #[must_use]
    pub fn facts(&self) -> RowFacts {
        let count = |count: u32| (count != NONE).then_some(count);
        let pseudonym = |name: u64| (name != 0).then_some(Pseudonym(name));
        RowFacts {
            arrival_ns: self.arrival_ns,
            source: self.source,
            file: self.file,
            line: u64::from(self.line),
            group: self.group,
            call: self.call,
            ending: self.ending,
            stream: self.stream,
            input_tokens: count(self.input_tokens),
            output_tokens: count(self.output_tokens),
            output_cut: self.output_cut,
            ttft: self.packed_ttft().map(PackedMicros::micros),
            duration: self.duration(),
            caller: pseudonym(self.caller),
            session: pseudonym(self.session),
        }
    }

    /// Instant of arrival in nanoseconds from 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn arrival_ns(&self) -> i64 {
        self.arrival_ns
    }

    /// Index of its [`StampSource`].
    #[must_use]
    pub fn source(&self) -> u8 {
        self.source
    }

    /// Index of its file.
    #[must_use]
    pub fn file(&self) -> u16 {
        self.file
    }

    /// Index of its group.
    #[must_use]
    pub fn group(&self) -> u16 {
        self.group
    }

    /// Which conversation it belongs to.
    #[must_use]
    pub fn session(&self) -> Option<Pseudonym> {
        (self.session != 0).then_some(Pseudonym(self.session))
    }

    /// From arrival to the end.
    #[must_use]
    pub fn duration(&self) -> Option<Micros> {
        self.packed_duration().map(PackedMicros::micros)
    }

    pub(crate) fn packed_duration(&self) -> Option<PackedMicros> {
        (self.duration != NONE).then_some(PackedMicros(self.duration))
    }

    pub(crate) fn packed_ttft(&self) -> Option<PackedMicros> {
        (self.ttft != NONE).then_some(PackedMicros(self.ttft))
    }

    /// The same row in another group.
    #[must_use]
    pub fn in_group(self, group: u16) -> Self {
        Self { group, ..self }
    }
}

/// A duration in 4 bytes: exact to the microsecond up to 35 minutes and to the millisecond above. Longer ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackedMicros(u32);

impl PackedMicros {
    pub(crate) fn new(duration: Micros) -> Self {
        Self(match u32::try_from(duration.0) {
            Ok(micros) if micros < COARSE => micros,
            _ => u32::try_from(duration.0 / 1000).map_or(NONE - 1, |millis| (millis | COARSE).min(NONE - 1)),
        })
    }

    pub(crate) fn micros(self) -> Micros {
        let Self(packed) = self;
        Micros(if packed < COARSE { u64::from(packed) } else { u64::from(packed & !COARSE) * 1000 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> RowFacts {
        RowFacts {
            arrival_ns: 1_795_050_000_123_456_789,
            source: 1,
            file: 2,
            line: 3,
            group: 4,
            call: Call::Chat,
            ending: Ending::Ok,
            stream: Some(true),
            input_tokens: Some(0),
            output_tokens: None,
            output_cut: true,
            ttft: Some(Micros(412_001)),
            duration: None,
            caller: Some(Pseudonym(7)),
            session: None,
        }
    }

    #[test]
    fn a_row_gives_back_what_it_holds_within_its_56_bytes() {
        assert_eq!(Row::new(facts()).facts(), facts());
        assert_eq!(size_of::<Row>(), 56);
    }

    #[test]
    fn long_durations_are_held_to_the_millisecond() {
        let held = |duration| Row::new(RowFacts { duration: Some(duration), ..facts() }).facts().duration;
        assert_eq!(held(Micros(u64::from(COARSE) - 1)), Some(Micros(u64::from(COARSE) - 1)));
        assert_eq!(held(Micros(7_200_000_999)), Some(Micros(7_200_000_000)));
        let longest = held(Micros(u64::MAX));
        assert!(longest.is_some_and(|longest| longest.0 > 24 * 86_400_000_000), "{longest:?}");
    }
}
