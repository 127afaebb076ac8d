//! A small run to start from, and answers to put into it.

use std::collections::BTreeMap;

use metrics_core::{
    ClientSample, Conditions, Ended, Event, Facts, Figures, Happening, Input, Micros, PlannedCount, Record,
    RunFacts, SuccessRule, Summary, TokenSource, Tokens, summarize,
};

#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    pub(crate) planned: Vec<PlannedCount>,
    pub(crate) rules: BTreeMap<String, SuccessRule>,
    pub(crate) records: Vec<Record>,
    pub(crate) client: Vec<ClientSample>,
    pub(crate) events: Vec<Event>,
    pub(crate) conditions: Conditions,
    pub(crate) interrupted: bool,
}

impl Scene {
    /// One tier in stage "steps" and group "all", with these answers, all of them planned.
    pub(crate) fn tier(concurrency: u32, answers: impl IntoIterator<Item = Facts>) -> Self {
        Self::default().and_tier(concurrency, answers)
    }

    pub(crate) fn and_tier(mut self, concurrency: u32, answers: impl IntoIterator<Item = Facts>) -> Self {
        self.place("steps", Some(concurrency), true, answers);
        self
    }

    pub(crate) fn place(
        &mut self,
        stage: &str,
        tier: Option<u32>,
        measured: bool,
        answers: impl IntoIterator<Item = Facts>,
    ) {
        let before = self.records.len();
        for facts in answers {
            self.records.push(record(self.records.len() as u64, stage, tier, facts));
        }
        self.planned.push(PlannedCount {
            stage: stage.to_owned(),
            tier,
            group: "all".to_owned(),
            count: (self.records.len() - before) as u64,
            measured,
        });
    }

    pub(crate) fn happened(mut self, at_s: u64, what: Happening) -> Self {
        self.events.push(Event { at: Micros(at_s * 1_000_000), what });
        self
    }

    pub(crate) fn input(&self) -> Input<'_> {
        Input {
            run: RunFacts {
                id: "0123456789abcdef".to_owned(),
                started_at: "2026-11-30T08:00:00Z".to_owned(),
                duration_s: None,
                interrupted: self.interrupted,
            },
            evidence_digest: "00".repeat(32),
            planned: &self.planned,
            rules: &self.rules,
            records: &self.records,
            client: &self.client,
            events: &self.events,
            conditions: self.conditions,
        }
    }

    pub(crate) fn summary(&self) -> Summary {
        summarize(&self.input())
    }

    /// The figures of the only tier.
    pub(crate) fn figures(&self) -> Figures {
        let tiers = self.summary().tiers;
        assert_eq!(tiers.len(), 1);
        tiers.into_iter().next().unwrap().figures
    }
}

pub(crate) fn record(seq: u64, stage: &str, tier: Option<u32>, facts: Facts) -> Record {
    Record {
        seq,
        stage: stage.to_owned(),
        tier,
        group: "all".to_owned(),
        sample: format!("s{seq}"),
        attempt: 0,
        facts,
    }
}

/// An effective answer: due at `due_ms`, first token after 200 ms, then a token every 20 ms, one an event and
/// one a read.
pub(crate) fn answer(due_ms: u64, tokens: u64) -> Facts {
    let due = Micros(due_ms * 1_000);
    let first = Micros(due.0 + 200_000);
    let last = Micros(first.0 + 20_000 * (tokens - 1));
    Facts {
        due,
        sent: Some(Micros(due.0 + 1_000)),
        first_byte: Some(Micros(due.0 + 190_000)),
        first_token: Some(first),
        first_visible: Some(first),
        last_token: Some(last),
        end: Some(Micros(last.0 + 5_000)),
        status: Some(200),
        ended: Ended::Done,
        finish_reason: Some("stop".to_owned()),
        done: true,
        prompt_tokens: Some(Tokens(100)),
        output_tokens: Some(Tokens(tokens)),
        token_source: Some(TokenSource::Usage),
        events: tokens + 2,
        token_events: tokens,
        gaps_us: vec![20_000; tokens as usize - 1],
        ..Facts::default()
    }
}

/// An answer of 503 after 10 ms.
pub(crate) fn refusal(due_ms: u64) -> Facts {
    let due = Micros(due_ms * 1_000);
    Facts {
        due,
        sent: Some(Micros(due.0 + 1_000)),
        first_byte: Some(Micros(due.0 + 9_000)),
        end: Some(Micros(due.0 + 10_000)),
        status: Some(503),
        ended: Ended::Eof,
        ..Facts::default()
    }
}
