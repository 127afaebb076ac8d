//! The rows as they stand in the files, apart from the live types so that either can change without the other.
//!
//! A row of `raw/requests.jsonl` is flat, and its keys come in the order in which a person reads a request. An
//! unknown key in it is damage: version 1 has these keys and no others, and a newer version says so in `v`.

use std::borrow::Cow;

use metrics_core::{ClientSample, Ended, Event, Facts, Fault, Micros, Origin, Record, TokenSource, Tokens};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::layout::FORMAT;

/// A row of `raw/requests.jsonl`. Instants are microseconds from the run's start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the keys are those of `Record` and `Facts`, which say what they mean")]
pub struct RequestRow<'r> {
    /// Version of the row, [`FORMAT`].
    pub v: u32,
    pub seq: u64,
    pub stage: Cow<'r, str>,
    pub tier: Option<u32>,
    pub group: Cow<'r, str>,
    pub sample: Cow<'r, str>,
    /// [`Record::attempt`].
    pub r#try: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    pub due: Micros,
    pub sent: Option<Micros>,
    pub first_byte: Option<Micros>,
    pub first_token: Option<Micros>,
    pub first_visible: Option<Micros>,
    pub last_token: Option<Micros>,
    pub end: Option<Micros>,
    pub reconnects: u32,
    pub connect_us: Option<Micros>,
    pub status: Option<u16>,
    pub ended: Ended,
    pub finish_reason: Option<Cow<'r, str>>,
    pub done: bool,
    pub error: Option<Cow<'r, Fault>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_input: Option<Tokens>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_output: Option<Tokens>,
    pub prompt_tokens: Option<Tokens>,
    pub output_tokens: Option<Tokens>,
    pub reasoning_tokens: Option<Tokens>,
    pub cached_tokens: Option<Tokens>,
    pub token_source: Option<TokenSource>,
    pub events: u64,
    pub token_events: u64,
    pub malformed: u64,
    pub comments: u64,
    pub bytes: u64,
    pub request_id: Option<Cow<'r, str>>,
    pub response_id: Option<Cow<'r, str>>,
    pub gaps_us: Cow<'r, [u64]>,
    /// Left out where every token-bearing read brought one token event.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub gap_events: Cow<'r, [u32]>,
    pub text_sha256: Option<Cow<'r, str>>,
    /// SHA-256 of the raw line before, without its newline; in the first row, of the genesis text.
    pub prev: Cow<'r, str>,
}

#[expect(clippy::ptr_arg, reason = "serde gives a reference to the field")]
fn is_empty(events: &Cow<'_, [u32]>) -> bool {
    events.is_empty()
}

impl<'r> RequestRow<'r> {
    /// The row of a record, chained to the line before it. Nothing is copied.
    #[must_use]
    pub fn new(record: &'r Record, prev: &'r str) -> Self {
        let facts = &record.facts;
        let text = |text: &'r Option<String>| text.as_deref().map(Cow::Borrowed);
        let all_one = facts.gap_events.iter().all(|events| *events == 1);
        Self {
            v: FORMAT,
            seq: record.seq,
            stage: Cow::Borrowed(&record.stage),
            tier: record.tier,
            group: Cow::Borrowed(&record.group),
            sample: Cow::Borrowed(&record.sample),
            r#try: record.attempt,
            turn: record.turn,
            origin: record.origin,
            due: facts.due,
            sent: facts.sent,
            first_byte: facts.first_byte,
            first_token: facts.first_token,
            first_visible: facts.first_visible,
            last_token: facts.last_token,
            end: facts.end,
            reconnects: facts.reconnects,
            connect_us: facts.connect,
            status: facts.status,
            ended: facts.ended,
            finish_reason: text(&facts.finish_reason),
            done: facts.done,
            error: facts.error.as_ref().map(Cow::Borrowed),
            asked_input: facts.asked_input,
            asked_output: facts.asked_output,
            prompt_tokens: facts.prompt_tokens,
            output_tokens: facts.output_tokens,
            reasoning_tokens: facts.reasoning_tokens,
            cached_tokens: facts.cached_tokens,
            token_source: facts.token_source,
            events: facts.events,
            token_events: facts.token_events,
            malformed: facts.malformed,
            comments: facts.comments,
            bytes: facts.bytes,
            request_id: text(&facts.request_id),
            response_id: text(&facts.response_id),
            gaps_us: Cow::Borrowed(&facts.gaps_us),
            gap_events: Cow::Borrowed(if all_one { &[] } else { &facts.gap_events }),
            text_sha256: text(&facts.text_sha256),
            prev: Cow::Borrowed(prev),
        }
    }
}

impl From<RequestRow<'_>> for Record {
    fn from(row: RequestRow<'_>) -> Self {
        let text = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
        Self {
            seq: row.seq,
            stage: row.stage.into_owned(),
            tier: row.tier,
            group: row.group.into_owned(),
            sample: row.sample.into_owned(),
            attempt: row.r#try,
            turn: row.turn,
            origin: row.origin,
            facts: Facts {
                due: row.due,
                sent: row.sent,
                first_byte: row.first_byte,
                first_token: row.first_token,
                first_visible: row.first_visible,
                last_token: row.last_token,
                end: row.end,
                reconnects: row.reconnects,
                connect: row.connect_us,
                status: row.status,
                ended: row.ended,
                finish_reason: text(row.finish_reason),
                done: row.done,
                error: row.error.map(Cow::into_owned),
                asked_input: row.asked_input,
                asked_output: row.asked_output,
                prompt_tokens: row.prompt_tokens,
                output_tokens: row.output_tokens,
                reasoning_tokens: row.reasoning_tokens,
                cached_tokens: row.cached_tokens,
                token_source: row.token_source,
                events: row.events,
                token_events: row.token_events,
                malformed: row.malformed,
                comments: row.comments,
                bytes: row.bytes,
                request_id: text(row.request_id),
                response_id: text(row.response_id),
                gaps_us: row.gaps_us.into_owned(),
                gap_events: row.gap_events.into_owned(),
                text_sha256: text(row.text_sha256),
            },
        }
    }
}

/// A row of `raw/events.jsonl`: an event's own keys between `v` and `prev`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// Version of the row.
    pub v: u32,
    /// `at`, `kind` and what belongs to the kind.
    #[serde(flatten)]
    pub event: Event,
    /// As in [`RequestRow`].
    pub prev: String,
}

/// A row of `raw/client.jsonl`: a sample's own keys between `v` and `prev`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientRow {
    /// Version of the row.
    pub v: u32,
    /// The sampled second.
    #[serde(flatten)]
    pub sample: ClientSample,
    /// As in [`RequestRow`].
    pub prev: String,
}

/// What the readers need of a row, whatever its kind.
pub(crate) trait Row: DeserializeOwned {
    type Live;
    fn version(&self) -> u32;
    fn prev(&self) -> &str;
    fn into_live(self) -> Self::Live;
}

impl Row for RequestRow<'static> {
    type Live = Record;

    fn version(&self) -> u32 {
        self.v
    }

    fn prev(&self) -> &str {
        &self.prev
    }

    fn into_live(self) -> Record {
        self.into()
    }
}

impl Row for EventRow {
    type Live = Event;

    fn version(&self) -> u32 {
        self.v
    }

    fn prev(&self) -> &str {
        &self.prev
    }

    fn into_live(self) -> Event {
        self.event
    }
}

impl Row for ClientRow {
    type Live = ClientSample;

    fn version(&self) -> u32 {
        self.v
    }

    fn prev(&self) -> &str {
        &self.prev
    }

    fn into_live(self) -> ClientSample {
        self.sample
    }
}

/// Why a line is no row.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// Written in a format newer than [`FORMAT`].
    Newer(u32),
    /// Anything else, in words.
    Malformed(String),
}

/// Only the version, so that a newer row is told from a damaged one.
#[derive(Deserialize)]
struct Version {
    v: u32,
}

/// Reads a line, and tells what it is chained to.
pub(crate) fn decode<R: Row>(line: &[u8]) -> Result<(String, R::Live), Unreadable> {
    match serde_json::from_slice::<R>(line) {
        Ok(row) if row.version() == FORMAT => Ok((row.prev().to_owned(), row.into_live())),
        parsed => match (parse_version(line), parsed) {
            (Some(newer), _) if newer > FORMAT => Err(Unreadable::Newer(newer)),
            (Some(version), Ok(_)) => Err(Unreadable::Malformed(format!("there is no version {version}"))),
            (_, Err(error)) => Err(Unreadable::Malformed(error.to_string())),
            (None, Ok(_)) => Err(Unreadable::Malformed("it has no version".to_owned())),
        },
    }
}

/// The `v` of a JSON object, where there is one.
pub(crate) fn parse_version(json: &[u8]) -> Option<u32> {
    serde_json::from_slice::<Version>(json).ok().map(|version| version.v)
}
