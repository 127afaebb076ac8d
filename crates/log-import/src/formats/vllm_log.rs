//! Log of vLLM's server, with requests logged (`--enable-log-requests`).
//!
//! A request stands on several lines: that it was received, and in some configurations that it was answered or aborted.
//! Requests are handed on in the order of their arrival, so that those that are not over hold up the ones behind them, up
//! to a bound.

mod line;

use std::collections::{BTreeMap, VecDeque};

use workload_model::traffic::{Dropped, Ending, Note, StampKind};

use self::line::{Answer, Line, Received, Telling};
use super::request::{OfField, request_at, set_cut, set_ending, set_tokens};
use super::rows::{Reading, hand_on};
use crate::value::{RowFault, time};
use crate::{Entry, Framing, Importer, Opening, RowReader, Sink, Start, StartError, Unit};

/// vLLM's log.
#[derive(Debug, Clone, Copy)]
pub(super) struct VllmLog;

/// Words that the server itself writes. Its lines have no fields, so that every other word is one that may name somebody.
const OWN_WORDS: [&str; 64] = [
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/embeddings",
    "INFO",
    "DEBUG",
    "WARNING",
    "ERROR",
    "Received",
    "Added",
    "Generated",
    "Aborted",
    "Request",
    "request",
    "requests",
    "response",
    "aborted",
    "streaming",
    "streaming_complete",
    "complete",
    "delta",
    "prompt",
    "prompt_token_ids",
    "prompt_embeds",
    "shape",
    "params",
    "SamplingParams",
    "PoolingParams",
    "max_tokens",
    "min_tokens",
    "temperature",
    "lora_request",
    "output",
    "output_token_ids",
    "finish_reason",
    "stop",
    "length",
    "abort",
    "None",
    "True",
    "False",
    "Engine",
    "Avg",
    "throughput",
    "tokens/s",
    "generation",
    "Running",
    "reqs",
    "Waiting",
    "GPU",
    "cache",
    "usage",
    "Prefix",
    "hit",
    "rate",
    "GET",
    "POST",
    "HTTP/1.1",
    "OK",
    "Bad",
    "Not",
    "Found",
    "Internal",
    "Server",
    "Error",
];

impl Importer for VllmLog {
    fn name(&self) -> &'static str {
        "vllm-log"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Lines
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let received = |line: &str| matches!(Line::read(line).telling, Telling::Received(_));
        opening
            .text
            .lines()
            .any(received)
            .then(|| "its lines say \"Received request …\" with parameters of vLLM".into())
    }

    fn open_fields(&self) -> &[&str] {
        &OWN_WORDS
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        let reading = Reading::from(start.options);
        let Some(year) = reading.clock.year else {
            return Err(StartError {
                reason: "its times have no year".into(),
                hint: "say it with --year, and the zone with --zone".into(),
            });
        };
        Ok(Box::new(Server {
            reading,
            year,
            month: 0,
            waiting: VecDeque::new(),
            passed: 0,
            by_id: BTreeMap::new(),
        }))
    }
}

/// Requests that may be open at once. Beyond it the oldest is handed on as one whose end is not known.
const MOST_WAITING: usize = 10_000;

struct Server {
    reading: Reading,
    year: i16,
    /// Month of the line before.
    month: u8,
    waiting: VecDeque<Waiting>,
    /// Requests that were handed on, so that those that wait are known by their number among all.
    passed: u64,
    by_id: BTreeMap<String, u64>,
}

/// A request that was received.
struct Waiting {
    line: u64,
    id: String,
    entry: Entry<'static>,
    over: bool,
}

impl RowReader for Server {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        let Unit::Text { line, text } = unit else {
            let fault = RowFault::new(Dropped::BadRow, "a record of a table, where a line of a log is due");
            return hand_on(unit.line(), Err(fault), sink);
        };
        let plain = line::without_colours(text);
        let read = Line::read(&plain);
        self.turn_of_the_year(read.time);
        let part = |detail: &str| Some(RowFault::new(Dropped::PartOfAnother, detail));
        let none = |detail: &str| Some(RowFault::new(Dropped::NoRequest, detail));
        let dropped = match read.telling {
            Telling::Received(received) => self.received(line, read.time, &received).err(),
            Telling::Answered { id, answer } => {
                self.answered(id, answer);
                part("the answer of a request that was received on a line before")
            }
            Telling::Aborted { ids } => {
                for id in ids.split(',').map(|id| id.trim().trim_end_matches('.')) {
                    self.end(id, |entry| set_ending(entry, Ending::ClientGone));
                }
                part("the end of a request that was received on a line before")
            }
            Telling::PartOfRequest => part("a further line of a request"),
            Telling::Access { of_a_model: true } => {
                part("a line of access, without a time and an id of its request")
            }
            Telling::Access { of_a_model: false } => none("a line of access to no model"),
            Telling::CutShort => Some(RowFault::new(Dropped::BadRow, "a received request that is cut short")),
            Telling::Nothing => none("a statistic or a message of the server"),
        };
        if let Some(fault) = dropped {
            hand_on(line, Err(fault), sink);
        }
        self.hand_on_what_is_over(sink);
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        for waiting in self.waiting.drain(..) {
            sink.keep(waiting.line, &waiting.entry);
        }
    }
}

impl Server {
    /// A month of January behind one of December is that of the next year.
    fn turn_of_the_year(&mut self, time: Option<&str>) {
        let month =
            time.and_then(|time| time.get(..2)).and_then(|month| month.parse().ok()).unwrap_or(self.month);
        if (self.month, month) == (12, 1) {
            self.year = self.year.saturating_add(1);
        }
        self.month = month;
    }

    fn received(&mut self, line: u64, at: Option<&str>, received: &Received<'_>) -> Result<(), RowFault> {
        let clock = crate::value::Clock { year: Some(self.year), ..self.reading.clock };
        let at = at.ok_or_else(|| RowFault::no_time("the line"))?;
        let at = time(at, clock).of("the line")?.ok_or_else(|| RowFault::no_time("the line"))?;
        let mut entry = request_at(at, StampKind::Arrival, "the line on which it was received");
        entry.call = received.call();
        set_tokens(&mut entry, received.prompt_tokens(), None);
        if self.reading.keep_text {
            entry.prompt = received.prompt();
        }
        let id = received.id.to_owned();
        // An id that comes twice names its last request.
        self.by_id.insert(id.clone(), self.passed + self.waiting.len() as u64);
        self.waiting.push_back(Waiting { line, id, entry, over: false });
        Ok(())
    }

    fn answered(&mut self, id: &str, answer: Answer) {
        self.end(id, |entry| {
            if answer.delta {
                return;
            }
            set_ending(entry, Ending::Ok);
            entry.stream = Some(answer.stream);
            entry.notes.add(Note::StreamInferred);
            entry.output_tokens = answer.output_tokens;
            if answer.cut {
                set_cut(entry);
            }
        });
    }

    /// Changes a request that waits, and lets it go.
    fn end(&mut self, id: &str, change: impl FnOnce(&mut Entry<'static>)) {
        let at = self.by_id.get(id).and_then(|number| usize::try_from(number.checked_sub(self.passed)?).ok());
        if let Some(waiting) = at.and_then(|at| self.waiting.get_mut(at)) {
            change(&mut waiting.entry);
            waiting.over = waiting.entry.ending != Ending::Unknown;
        }
    }

    fn hand_on_what_is_over(&mut self, sink: &mut dyn Sink) {
        while self.waiting.len() > MOST_WAITING || self.waiting.front().is_some_and(|first| first.over) {
            let Some(first) = self.waiting.pop_front() else { return };
            sink.keep(first.line, &first.entry);
            if self.by_id.get(&first.id) == Some(&self.passed) {
                self.by_id.remove(&first.id);
            }
            self.passed += 1;
        }
    }
}
