//! An answer said token by token, and everything that may interrupt it.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::answer::{Left, next, pause};
use crate::connection::Flow;
use crate::engine::Ticket;
use crate::fault::{Cut, Interrupt};
use crate::http::Wire;
use crate::reply::{Reply, engine_died};
use crate::truth::{Ending, OpenTruth, TokenEvent};

impl Reply<'_> {
    pub(crate) async fn stream<IO: AsyncRead + AsyncWrite + Unpin>(
        mut self,
        wire: &mut Wire<IO>,
        mut truth: OpenTruth,
        mut ticket: Option<Ticket>,
    ) -> Result<Flow, Left> {
        let config = &self.inner.config;
        let keep_alive = self.keep_alive && !config.close_after_response;
        let announce = match (config.close_after_response, self.keep_alive) {
            (true, _) => "connection: keep-alive\r\n",
            (false, true) => "",
            (false, false) => "connection: close\r\n",
        };
        let cached = ticket.as_ref().map_or(0, |ticket| ticket.cached_tokens);
        let head = wire.begin_stream(announce).await?;
        truth.note(|truth| (truth.head_written, truth.status) = (Some(head), Some(200)));

        let (mut said, mut ready, mut garble) = (0, 0, false);
        loop {
            if let Some(strike) = self.interruption.take_if(|strike| strike.after_tokens == said) {
                self.spoilt = true;
                match strike.kind {
                    Interrupt::Stall(length) => pause(wire, length).await?,
                    Interrupt::Malformed => garble = true,
                    fatal => {
                        // What nobody will read is not computed.
                        drop(ticket.take());
                        return break_off(wire, truth, &fatal, keep_alive).await;
                    }
                }
            }
            if said == self.total {
                break;
            }
            if ready == 0 {
                let step = next(wire, ticket.as_mut()).await?;
                truth.note(|truth| truth.admitted = Some(step.admitted));
                ready = step.tokens;
            }
            let count = ready.min(self.stretch(said));
            if said == 0 {
                wire.event(&self.chunks.role()).await?;
            }
            let (field, text) = self.say(said, count);
            let last = said + count == self.total;
            let finish = last.then_some(self.finish.as_str());
            let running =
                (self.chat.continuous_usage && config.gives_usage).then(|| self.usage(said + count, cached));
            if std::mem::take(&mut garble) {
                wire.event(r#"{"choices":[{"index":0,"delta":{"content":"#).await?;
                if last {
                    wire.event(&self.chunks.delta("content", "", finish, running)).await?;
                }
                truth.note(|truth| truth.output_tokens += count);
            } else {
                let at = wire.event(&self.chunks.delta(field, &text, finish, running)).await?;
                let reasoning = said < self.reasoning;
                truth.note(|truth| {
                    truth.events.push(TokenEvent { at, tokens: count, reasoning });
                    truth.output_tokens += count;
                });
            }
            said += count;
            ready -= count;
        }
        if self.total == 0 {
            wire.event(&self.chunks.role()).await?;
            wire.event(&self.chunks.delta("content", "", Some(&self.finish), None)).await?;
        }
        if self.chat.usage && config.gives_usage {
            wire.event(&self.chunks.usage(self.usage(said, cached))).await?;
        }
        end_with_done(wire, truth, self.ending()).await?;
        Ok(Flow::keep(keep_alive))
    }

    /// How many tokens from `said` on may share an event: reasoning and answer do not, and an interruption parts them.
    fn stretch(&self, said: u64) -> u64 {
        let phase_end = if said < self.reasoning { self.reasoning } else { self.total };
        let strike = self.interruption.as_ref().map_or(u64::MAX, |strike| strike.after_tokens);
        phase_end.min(strike) - said
    }
}

/// Ends a stream by a fault that it does not survive.
async fn break_off<IO: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<IO>,
    truth: OpenTruth,
    fault: &Interrupt,
    keep_alive: bool,
) -> Result<Flow, Left> {
    match fault {
        Interrupt::Error => {
            wire.event(&engine_died().body).await?;
            end_with_done(wire, truth, Ending::Faulted).await?;
        }
        Interrupt::Cut(Cut::InventedDone) => end_with_done(wire, truth, Ending::Faulted).await?,
        Interrupt::Cut(Cut::CleanEnd) => {
            truth.settle(Ending::Faulted);
            wire.end_stream().await?;
        }
        Interrupt::Hang => {
            wire.gone().await;
            truth.settle(Ending::Faulted);
            return Ok(Flow::Close);
        }
        Interrupt::Cut(Cut::Close) | Interrupt::Stall(_) | Interrupt::Malformed => {
            truth.settle(Ending::Faulted);
            return Ok(Flow::Close);
        }
    }
    Ok(Flow::keep(keep_alive))
}

/// Writes `[DONE]` and the end of the body. The truth is entered between the two, before anything is awaited, so that
/// on one thread whoever has read `[DONE]` finds it.
async fn end_with_done<IO: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<IO>,
    mut truth: OpenTruth,
    ending: Ending,
) -> io::Result<()> {
    let done = wire.event("[DONE]").await?;
    truth.note(|truth| truth.done_written = Some(done));
    truth.settle(ending);
    wire.end_stream().await?;
    Ok(())
}
