//! The event-stream format itself: bytes in, events out.

use std::borrow::Cow;

use memchr::{memchr, memchr2};
use thiserror::Error;

/// Longest line, and longest event, that a [`Parser`] takes unless told otherwise: 16 MiB.
pub const DEFAULT_LIMIT: usize = 16 << 20;

/// An incremental parser of `text/event-stream`, after the WHATWG HTML standard, section 9.2.6.
///
/// It does no input or output of its own: feed it whatever the socket gave, in pieces of any size, and it calls
/// back with every event that has become whole. The events are the same for every way of cutting the stream. A
/// line ends **at** a carriage return; the line feed that may follow is skipped when it comes, so that an event is
/// never held back until the next read.
///
/// An event whose single `data` line lies in one chunk is handed out as a slice of that chunk.
///
/// ```
/// let mut parser = sse_client::Parser::new();
/// let mut seen = Vec::new();
/// for piece in [&b"data: hel"[..], b"lo\r", b"\n\r\n: still here\n"] {
///     parser.feed(piece, |event| seen.push(event.text().into_owned()))?;
/// }
/// assert_eq!(seen, ["hello"]);
/// assert_eq!(parser.comments(), 1);
/// # Ok::<(), sse_client::LimitExceeded>(())
/// ```
#[derive(Debug)]
pub struct Parser {
    limit: usize,
    /// The unfinished line that earlier chunks left behind.
    partial: Vec<u8>,
    /// The data of the event under way, as far as it could not stay a slice of its chunk.
    data: Vec<u8>,
    has_data: bool,
    name: Vec<u8>,
    id: Vec<u8>,
    retry_ms: Option<u64>,
    comments: u64,
    /// Whether the first line, the only one that may carry a byte order mark, has been seen.
    begun: bool,
    /// The chunk before ended in a carriage return: a line feed at the start of the next belongs to it.
    skip_line_feed: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }
}

impl Parser {
    /// A parser at the start of a stream, with [`DEFAULT_LIMIT`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser that takes no line and no event longer than `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            partial: Vec::new(),
            data: Vec::new(),
            has_data: false,
            name: Vec::new(),
            id: Vec::new(),
            retry_ms: None,
            comments: 0,
            begun: false,
            skip_line_feed: false,
        }
    }

    /// Takes the next bytes of the stream and calls `sink` for every event they complete. An empty chunk does
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`LimitExceeded`] where a line or an event is too long. The events before it have been handed out; the
    /// parser is not to be fed again.
    pub fn feed(&mut self, chunk: &[u8], sink: impl FnMut(Event<'_>)) -> Result<(), LimitExceeded> {
        self.feed_sink(chunk, &mut Events(sink))
    }

    /// Ends the stream leniently: a last event without its blank line, even without its line end, is handed out
    /// (the standard would drop it, but services and proxies do end like that). Says whether there was one. For
    /// the strict reading, do not call this.
    ///
    /// # Errors
    ///
    /// [`LimitExceeded`] as in [`feed`](Self::feed).
    pub fn finish(&mut self, sink: impl FnMut(Event<'_>)) -> Result<bool, LimitExceeded> {
        self.finish_sink(&mut Events(sink))
    }

    /// How many comment lines there were so far; keep-alives of waiting services are such.
    #[must_use]
    pub fn comments(&self) -> u64 {
        self.comments
    }

    /// The reconnection time that the stream asked for last, in milliseconds.
    #[must_use]
    pub fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    pub(crate) fn feed_sink(&mut self, chunk: &[u8], sink: &mut impl Sink) -> Result<(), LimitExceeded> {
        let mut rest = chunk;
        if self.skip_line_feed && !rest.is_empty() {
            self.skip_line_feed = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        let mut held = None;
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            let line = &rest[..end];
            rest = match &rest[end..] {
                [b'\r'] => {
                    self.skip_line_feed = true;
                    &[]
                }
                [b'\r', b'\n', ..] => &rest[end + 2..],
                _ => &rest[end + 1..],
            };
            if self.partial.is_empty() {
                self.check_line(line.len())?;
                self.line(line, &mut held, sink)?;
            } else {
                self.check_line(self.partial.len() + line.len())?;
                self.partial.extend_from_slice(line);
                self.partial_line(sink)?;
            }
        }
        // What is held is the value of the only data line so far, so the buffer is empty.
        if let Some(value) = held {
            self.data.extend_from_slice(value);
        }
        self.check_line(self.partial.len() + rest.len())?;
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    pub(crate) fn finish_sink(&mut self, sink: &mut impl Sink) -> Result<bool, LimitExceeded> {
        if !self.partial.is_empty() {
            self.partial_line(sink)?;
        }
        let flushed = self.has_data;
        self.dispatch(None, sink);
        Ok(flushed)
    }

    fn partial_line(&mut self, sink: &mut impl Sink) -> Result<(), LimitExceeded> {
        let mut line = std::mem::take(&mut self.partial);
        let mut held = None;
        self.line(&line, &mut held, sink)?;
        if let Some(value) = held {
            self.data.extend_from_slice(value);
        }
        line.clear();
        self.partial = line;
        Ok(())
    }

    fn line<'c>(
        &mut self,
        line: &'c [u8],
        held: &mut Option<&'c [u8]>,
        sink: &mut impl Sink,
    ) -> Result<(), LimitExceeded> {
        let line = if self.begun { line } else { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) };
        self.begun = true;
        match Field::of(line) {
            Field::Blank => self.dispatch(held.take(), sink),
            Field::Comment => self.comments += 1,
            Field::Data(value) if !self.has_data => {
                self.has_data = true;
                *held = Some(value);
            }
            Field::Data(value) => {
                if let Some(first) = held.take() {
                    self.data.extend_from_slice(first);
                }
                if self.data.len() + 1 + value.len() > self.limit {
                    return Err(LimitExceeded::Event { limit: self.limit });
                }
                self.data.push(b'\n');
                self.data.extend_from_slice(value);
            }
            Field::Event(value) => replace(&mut self.name, value),
            Field::Id(value) if memchr(0, value).is_none() => replace(&mut self.id, value),
            Field::Id(_) => {}
            Field::Retry(value) => {
                if !value.is_empty() && value.iter().all(u8::is_ascii_digit) {
                    let digits = value.iter().map(|digit| u64::from(digit - b'0'));
                    self.retry_ms =
                        Some(digits.fold(0, |sum: u64, digit| sum.saturating_mul(10).saturating_add(digit)));
                }
            }
            Field::Stray => sink.stray(line),
        }
        Ok(())
    }

    fn dispatch(&mut self, held: Option<&[u8]>, sink: &mut impl Sink) {
        if self.has_data {
            sink.event(Event { name: &self.name, data: held.unwrap_or(&self.data), id: &self.id });
        }
        self.has_data = false;
        self.data.clear();
        self.name.clear();
    }

    fn check_line(&self, length: usize) -> Result<(), LimitExceeded> {
        if length > self.limit { Err(LimitExceeded::Line { limit: self.limit }) } else { Ok(()) }
    }
}

fn replace(buffer: &mut Vec<u8>, value: &[u8]) {
    buffer.clear();
    buffer.extend_from_slice(value);
}

/// One line, by its field name.
enum Field<'a> {
    Blank,
    Comment,
    Data(&'a [u8]),
    Event(&'a [u8]),
    Id(&'a [u8]),
    Retry(&'a [u8]),
    /// No field of the standard, which has such a line ignored.
    Stray,
}

impl<'a> Field<'a> {
    fn of(line: &'a [u8]) -> Self {
        // Nearly every line of a model's stream is data: it is asked for first.
        if let Some(value) = line.strip_prefix(b"data:") {
            return Self::Data(value.strip_prefix(b" ").unwrap_or(value));
        }
        let (name, value) = match memchr(b':', line) {
            None if line.is_empty() => return Self::Blank,
            None => (line, &line[line.len()..]),
            Some(0) => return Self::Comment,
            Some(colon) => (&line[..colon], &line[colon + 1..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => Self::Data(value),
            b"event" => Self::Event(value),
            b"id" => Self::Id(value),
            b"retry" => Self::Retry(value),
            _ => Self::Stray,
        }
    }
}

/// One event, borrowed from the chunk that completed it or from the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    name: &'a [u8],
    data: &'a [u8],
    id: &'a [u8],
}

impl<'a> Event<'a> {
    /// The event's type: `message` where the stream names none.
    #[must_use]
    pub fn kind(&self) -> Cow<'a, str> {
        if self.name.is_empty() { Cow::Borrowed("message") } else { String::from_utf8_lossy(self.name) }
    }

    /// Whether the stream names no type for it.
    pub(crate) fn is_message(&self) -> bool {
        self.name.is_empty()
    }

    /// The data as it came, several lines joined by line feeds. Empty for an event whose data are empty.
    #[must_use]
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The data as text, what is not UTF-8 replaced by U+FFFD as the standard has it.
    #[must_use]
    pub fn text(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.data)
    }

    /// The last event id in force; it stays until the stream gives another. Empty where there is none.
    #[must_use]
    pub fn last_id(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.id)
    }
}

/// What a parser hands its findings to, inside this crate.
pub(crate) trait Sink {
    fn event(&mut self, event: Event<'_>);
    /// A line that is no field of the format. Some services put their errors there.
    fn stray(&mut self, _line: &[u8]) {}
}

struct Events<F>(F);

impl<F: FnMut(Event<'_>)> Sink for Events<F> {
    fn event(&mut self, event: Event<'_>) {
        (self.0)(event);
    }
}

/// The stream holds a line or an event too long to be kept.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitExceeded {
    /// No line end within the limit.
    #[error("read a line of the event stream longer than {limit} bytes (is this an event stream?)")]
    Line {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The data lines of one event are longer together than the limit.
    #[error("read an event longer than {limit} bytes (its data lines never end in a blank line)")]
    Event {
        /// The limit, in bytes.
        limit: usize,
    },
}

/// Whether a `Content-Type` names an event stream: `text/event-stream` in any case, whatever parameters follow.
/// The character set is ignored, since the format is always UTF-8.
#[must_use]
pub fn is_event_stream(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("text/event-stream")
}
