//! Turns the bytes of a body, as reads bring them, into instants and counts.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::chat::{ChatStream, Problem, Seen};
use crate::exchange::{Ended, Exchange, Failure, FailureKind};
use crate::kept::Kept;
use crate::parser::LimitExceeded;
use crate::stamp::ReadStamp;

/// How much of an answer is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recording {
    /// Everything that an [`Exchange`] holds.
    #[default]
    Full,
    /// Counts, the first and the last token, the end, and all that the service said about the answer. Neither the answer
    /// (`text`, `reasoning`, `refusal`, `tool_calls`, `cumulative`), nor single reads (`gaps_us`, `gap_events`), nor the
    /// bytes of a stream (`sample`) are kept: they stay empty. It costs less.
    Reduced,
}

/// Records one body into an [`Exchange`].
pub(crate) struct Recorder<'a> {
    exchange: &'a mut Exchange,
    kept: &'a mut Kept,
    stream: ChatStream,
    live_tokens: Option<&'a AtomicU64>,
    body_limit: u64,
    recording: Recording,
    /// The number of the last token-bearing read.
    token_read: u64,
    has_new_tokens: bool,
    last_data: ReadStamp,
    limit_met: Option<LimitExceeded>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(
        exchange: &'a mut Exchange,
        kept: &'a mut Kept,
        event_limit: usize,
        body_limit: u64,
        live_tokens: Option<&'a AtomicU64>,
        recording: Recording,
    ) -> Self {
        let stream = ChatStream::with_limit(event_limit);
        let stream = match recording {
            Recording::Full => {
                // Room for a short answer, so that it need not be made event by event.
                exchange.gaps_us.reserve(64);
                exchange.gap_events.reserve(64);
                stream
            }
            Recording::Reduced => stream.without_text(),
        };
        Self {
            exchange,
            kept,
            stream,
            live_tokens,
            body_limit,
            recording,
            token_read: 0,
            has_new_tokens: false,
            last_data: ReadStamp { number: 0, at_us: 0 },
            limit_met: None,
        }
    }

    /// Takes bytes of the body that the given read completed; none after the stream said that it is done.
    pub(crate) fn data(&mut self, data: &[u8], read: ReadStamp) {
        if data.is_empty() || self.is_over() {
            return;
        }
        match self.recording {
            Recording::Full => keep(self.exchange, self.kept, data, read),
            Recording::Reduced => count(self.exchange, data, read),
        }
        self.last_data = read;
        self.limit_met = self.stream.feed(data).err();
        // Events before a limit was met have been taken, and count.
        self.seen(self.stream.seen(), read);
    }

    /// The body has ended by itself. An event flushed now came with the last bytes.
    pub(crate) fn body_end(&mut self) {
        self.limit_met = self.stream.finish().err();
        self.seen(self.stream.seen(), self.last_data);
    }

    /// The limit that was met, which ends the recording.
    pub(crate) fn limit_met(&self) -> Option<LimitExceeded> {
        self.limit_met
    }

    /// Whether the stream said that it is done.
    pub(crate) fn is_done(&self) -> bool {
        self.stream.is_done()
    }

    /// Whether the body is longer than may be taken.
    pub(crate) fn is_too_long(&self) -> bool {
        self.exchange.bytes > self.body_limit
    }

    /// Whether nothing more is taken.
    pub(crate) fn is_over(&self) -> bool {
        self.is_done() || self.limit_met.is_some() || self.is_too_long()
    }

    /// Whether tokens came since this was last asked.
    pub(crate) fn take_tokens(&mut self) -> bool {
        std::mem::take(&mut self.has_new_tokens)
    }

    /// When the last bytes of the body came.
    pub(crate) fn last_data_us(&self) -> u64 {
        self.last_data.at_us
    }

    fn seen(&mut self, seen: Seen, read: ReadStamp) {
        let exchange = &mut *self.exchange;
        if seen.visible_events > 0 {
            exchange.first_visible.get_or_insert(read.at_us);
        }
        if seen.token_events == 0 {
            return;
        }
        if self.recording == Recording::Full {
            match (exchange.last_token, exchange.gap_events.last_mut()) {
                (Some(_), Some(events)) if self.token_read == read.number => *events += seen.token_events,
                (Some(before), _) => {
                    exchange.gaps_us.push(read.at_us.saturating_sub(before));
                    exchange.gap_events.push(seen.token_events);
                }
                (None, _) => exchange.gap_events.push(seen.token_events),
            }
        }
        self.has_new_tokens = true;
        exchange.first_token.get_or_insert(read.at_us);
        exchange.last_token = Some(read.at_us);
        self.token_read = read.number;
        if let Some(live) = self.live_tokens {
            live.fetch_add(seen.token_events.into(), Relaxed);
        }
    }

    /// Writes down what the stream said in all, and gives the exchange back.
    pub(crate) fn finish(self, ended: Ended) -> &'a mut Exchange {
        let (exchange, chat) = (self.exchange, self.stream.into_chat());
        exchange.ended = ended;
        if let Some(problem) = &chat.problem {
            let kind = match problem {
                Problem::ErrorObject(_) => FailureKind::ErrorObject,
                Problem::ErrorEvent(_) => FailureKind::ErrorEvent,
                Problem::NotEventStream(_) => FailureKind::NotEventStream,
            };
            exchange.error = Some(Failure { kind, message: problem.message().to_owned() });
        }
        exchange.terminal = Some(chat.terminal);
        exchange.finish_reason = chat.finish_reason;
        exchange.done = chat.done;
        exchange.usage = chat.usage;
        exchange.events = chat.events;
        exchange.token_events = chat.token_events;
        exchange.malformed = chat.malformed;
        exchange.replaced = chat.replaced;
        exchange.comments = chat.comments;
        exchange.text = chat.text;
        exchange.reasoning = chat.reasoning;
        exchange.refusal = chat.refusal;
        exchange.tool_calls = chat.tool_calls;
        exchange.cumulative = chat.cumulative;
        exchange.response_id = chat.response_id;
        exchange
    }
}

/// Counts bytes of a body, and keeps the first and the last of them.
pub(crate) fn keep(exchange: &mut Exchange, kept: &mut Kept, data: &[u8], read: ReadStamp) {
    count(exchange, data, read);
    kept.push(data);
}

fn count(exchange: &mut Exchange, data: &[u8], read: ReadStamp) {
    exchange.first_byte.get_or_insert(read.at_us);
    exchange.bytes += data.len() as u64;
}
