//! The figures of one request.
//!
//! Each says when it does not exist; a figure that does not exist is `None`, never 0.

use crate::{
    quantity::{Micros, Seconds},
    record::Facts,
};

impl Facts {
    /// Time to first token, from `due`. `None` without a token.
    #[must_use]
    pub fn ttft(&self) -> Option<Micros> {
        between(Some(self.due), self.first_token)
    }

    /// End-to-end time, from `due`. `None` where the service did not end the response itself.
    #[must_use]
    pub fn e2e(&self) -> Option<Micros> {
        between(Some(self.due), self.end_by_service())
    }

    /// Time to first token, from the first byte of the request.
    #[must_use]
    pub fn ttft_from_sent(&self) -> Option<Micros> {
        between(self.sent, self.first_token)
    }

    /// End-to-end time, from the first byte of the request.
    #[must_use]
    pub fn e2e_from_sent(&self) -> Option<Micros> {
        between(self.sent, self.end_by_service())
    }

    /// End-to-end time divided by output tokens. `None` without a positive count.
    #[must_use]
    pub fn e2e_per_token(&self) -> Option<Seconds> {
        let tokens = self.output_tokens.filter(|tokens| tokens.0 > 0)?;
        Some(Seconds::new(self.e2e()?.as_secs_f64() / tokens.0 as f64))
    }

    /// Output tokens that came after the first token-bearing read: n·(1 − m₁/E), with n output tokens in E
    /// token-bearing events, m₁ of them in the first read. `None` where n < 2, where everything came in one read,
    /// and where the reads were not recorded.
    #[must_use]
    pub fn tokens_after_first_read(&self) -> Option<f64> {
        if self.lacks_reads() {
            return None;
        }
        let tokens = self.output_tokens.filter(|tokens| tokens.0 >= 2)?.0;
        let in_first_read = u64::from(self.gap_events.first().copied().unwrap_or(1));
        let later = self.token_events.checked_sub(in_first_read).filter(|later| *later > 0)?;
        self.token_span()?;
        Some(tokens as f64 * later as f64 / self.token_events as f64)
    }

    /// Time per output token: from the first to the last token-bearing read, divided by
    /// [`tokens_after_first_read`](Self::tokens_after_first_read).
    #[must_use]
    pub fn tpot(&self) -> Option<Seconds> {
        Some(Seconds::new(self.token_span()?.as_secs_f64() / self.tokens_after_first_read()?))
    }

    /// The usual form, divided by n − 1; it exists where [`tpot`](Self::tpot) does.
    #[must_use]
    pub fn tpot_usual(&self) -> Option<Seconds> {
        self.tokens_after_first_read()?;
        let tokens = self.output_tokens?.0;
        Some(Seconds::new(self.token_span()?.as_secs_f64() / (tokens - 1) as f64))
    }

    /// The gap before every token-bearing event but the first, in order: 0 between events of one read. Empty
    /// with fewer than two events.
    pub fn inter_event_gaps(&self) -> impl Iterator<Item = Micros> + '_ {
        let mut before = None;
        self.token_reads().flat_map(move |(at, events)| {
            let lead = before.map(|earlier| at.since(earlier));
            before = Some(at);
            lead.into_iter().chain((1..events).map(|_| Micros(0)))
        })
    }

    /// Every token-bearing read, in order: when it came and how many token-bearing events it brought. Empty
    /// without a token, and where the reads were not recorded.
    pub fn token_reads(&self) -> impl Iterator<Item = (Micros, u32)> + '_ {
        let mut at = self.first_token.filter(|_| !self.lacks_reads());
        let gaps = std::iter::once(0).chain(self.gaps_us.iter().copied());
        gaps.enumerate().map_while(move |(read, gap)| {
            let arrived = Micros(at?.0.saturating_add(gap));
            at = Some(arrived);
            Some((arrived, self.gap_events.get(read).copied().unwrap_or(1)))
        })
    }

    /// There were several token events, and nothing tells in which reads: a row of reduced recording. One read that
    /// brought them all would be told by its number of events.
    fn lacks_reads(&self) -> bool {
        self.token_events > 1 && self.gaps_us.is_empty() && self.gap_events.is_empty()
    }

    fn end_by_service(&self) -> Option<Micros> {
        self.end.filter(|_| self.ended.by_service())
    }

    /// First to last token-bearing read; `None` where that is the same read.
    fn token_span(&self) -> Option<Micros> {
        between(self.first_token, self.last_token).filter(|span| span.0 > 0)
    }
}

/// `None` where either is missing, or where the order is impossible: a clock that ran backwards gives no
/// figure.
fn between(from: Option<Micros>, to: Option<Micros>) -> Option<Micros> {
    to?.0.checked_sub(from?.0).map(Micros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{quantity::Tokens, record::Ended};

    fn streamed(tokens: u64, gaps_us: &[u64], gap_events: &[u32]) -> Facts {
        let events = if gap_events.is_empty() {
            gaps_us.len() as u64 + 1
        } else {
            gap_events.iter().map(|e| u64::from(*e)).sum()
        };
        Facts {
            due: Micros(1_000),
            sent: Some(Micros(3_000)),
            first_token: Some(Micros(101_000)),
            last_token: Some(Micros(101_000 + gaps_us.iter().sum::<u64>())),
            end: Some(Micros(900_000)),
            ended: Ended::Done,
            output_tokens: Some(Tokens(tokens)),
            token_events: events,
            gaps_us: gaps_us.to_vec(),
            gap_events: gap_events.to_vec(),
            ..Facts::default()
        }
    }

    #[test]
    fn one_token_an_event_gives_the_usual_form() {
        let facts = streamed(5, &[10_000, 20_000, 30_000, 40_000], &[]);
        assert_eq!(facts.tokens_after_first_read(), Some(4.0));
        assert_eq!(facts.tpot(), Some(Seconds::new(0.025)));
        assert_eq!(facts.tpot_usual(), facts.tpot());
    }

    #[test]
    fn thirty_two_tokens_in_eight_events_flatter_by_ten_percent() {
        let facts = streamed(32, &[40_000; 7], &[]);
        assert_eq!(facts.tpot(), Some(Seconds::new(0.28 / 28.0)));
        let flattery = facts.tpot().unwrap().get() / facts.tpot_usual().unwrap().get();
        assert!((flattery - 31.0 / 28.0).abs() < 1e-6);
    }

    #[test]
    fn several_events_in_the_first_read_are_no_time_spent() {
        let facts = streamed(8, &[10_000, 10_000], &[4, 2, 2]);
        assert_eq!(facts.tokens_after_first_read(), Some(4.0));
        assert_eq!(facts.tpot(), Some(Seconds::new(0.005)));
        let gaps: Vec<u64> = facts.inter_event_gaps().map(|gap| gap.0).collect();
        assert_eq!(gaps, [0, 0, 0, 10_000, 0, 10_000, 0]);
        let reads: Vec<_> = facts.token_reads().map(|(at, events)| (at.0, events)).collect();
        assert_eq!(reads, [(101_000, 4), (111_000, 2), (121_000, 2)]);
    }

    #[test]
    fn a_row_without_its_reads_has_no_figure_that_needs_them() {
        let told = streamed(9, &[10_000; 8], &[]);
        let reduced = Facts { gaps_us: Vec::new(), ..told.clone() };
        assert_eq!(
            (reduced.tokens_after_first_read(), reduced.tpot(), reduced.tpot_usual()),
            (None, None, None)
        );
        assert_eq!((reduced.inter_event_gaps().count(), reduced.token_reads().count()), (0, 0));
        assert_eq!((reduced.ttft(), reduced.e2e()), (told.ttft(), told.e2e()));
    }

    #[test]
    fn what_does_not_exist_is_none() {
        assert_eq!(streamed(1, &[], &[]).tpot(), None, "one token");
        assert_eq!(streamed(9, &[], &[9]).tpot(), None, "everything in one read");
        assert_eq!(streamed(9, &[], &[9]).inter_event_gaps().count(), 8);
        assert_eq!(streamed(1, &[], &[]).inter_event_gaps().count(), 0);
        let nothing = Facts::default();
        assert_eq!((nothing.ttft(), nothing.e2e(), nothing.e2e_per_token()), (None, None, None));
        assert_eq!(nothing.token_reads().count(), 0);
        let given_up = Facts { ended: Ended::Cancelled, ..streamed(3, &[1, 1], &[]) };
        assert_eq!(given_up.e2e(), None, "not ended by the service");
        assert_eq!(given_up.ttft(), Some(Micros(100_000)));
        assert_eq!(given_up.ttft_from_sent(), Some(Micros(98_000)));
    }

    /// sglang#6177, model_server PR#1260: wall clocks in durations gave negative latencies.
    #[test]
    fn an_impossible_order_gives_no_latency() {
        let facts = Facts { first_token: Some(Micros(500)), ..streamed(3, &[1, 1], &[]) };
        assert_eq!(facts.ttft(), None);
    }
}
