//! Turns the bytes of a body, as reads bring them, into instants and counts.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::chat::{ChatStream, Problem, Seen};
use crate::exchange::{Ended, Exchange, Failure, FailureKind};
use crate::kept::Kept;
use crate::parser::LimitExceeded;
use crate::stamp::ReadStamp;

/// Records one body into an [`Exchange`].
pub(crate) struct Recorder<'a> {
    exchange: &'a mut Exchange,
    kept: &'a mut Kept,
    stream: ChatStream,
    live_tokens: Option<&'a AtomicU64>,
    /// The number of the last token-bearing read.
    token_read: u64,
    last_data: ReadStamp,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(
        exchange: &'a mut Exchange,
        kept: &'a mut Kept,
        limit: usize,
        live_tokens: Option<&'a AtomicU64>,
    ) -> Self {
        let stream = ChatStream::with_limit(limit);
        Self {
            exchange,
            kept,
            stream,
            live_tokens,
            token_read: 0,
            last_data: ReadStamp { number: 0, at_us: 0 },
        }
    }

    /// Takes bytes of the body that the given read completed.
    pub(crate) fn data(&mut self, data: &[u8], read: ReadStamp) -> Result<Seen, LimitExceeded> {
        if data.is_empty() {
            return Ok(Seen::default());
        }
        keep(self.exchange, self.kept, data, read);
        self.last_data = read;
        let fed = self.stream.feed(data);
        // Events before a limit was met have been taken, and count.
        self.seen(self.stream.seen(), read);
        fed
    }

    /// The body has ended by itself. An event flushed now came with the last bytes. Says whether it was `[DONE]`.
    pub(crate) fn body_end(&mut self) -> Result<bool, LimitExceeded> {
        let seen = self.stream.finish()?;
        self.seen(seen, self.last_data);
        Ok(seen.done)
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
        match (exchange.last_token, exchange.gap_events.last_mut()) {
            (Some(_), Some(events)) if self.token_read == read.number => *events += seen.token_events,
            (Some(before), _) => {
                exchange.gaps_us.push(read.at_us.saturating_sub(before));
                exchange.gap_events.push(seen.token_events);
            }
            (None, _) => exchange.gap_events.push(seen.token_events),
        }
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

    pub(crate) fn exchange(&mut self) -> &mut Exchange {
        self.exchange
    }
}

/// Counts bytes of a body, and keeps the first and the last of them.
pub(crate) fn keep(exchange: &mut Exchange, kept: &mut Kept, data: &[u8], read: ReadStamp) {
    exchange.first_byte.get_or_insert(read.at_us);
    exchange.bytes += data.len() as u64;
    kept.push(data);
}
