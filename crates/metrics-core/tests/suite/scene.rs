//! A small run to start from, and answers to put into it.

use std::collections::BTreeMap;

use metrics_core::{
    CALIBRATION_VERSION, CalibratedHost, CalibratedTool, Calibration, Ceiling, ClientSample, Conditions,
    Ended, Event, Facts, Figures, Happening, Input, Micros, PlannedControl, PlannedCount, Record, RunFacts,
    Seconds, StreamsLimit, SuccessRule, Summary, TokenSource, Tokens, summarize,
};

#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) planned: Vec<PlannedCount>,
    pub(crate) controls: Vec<PlannedControl>,
    pub(crate) rules: BTreeMap<String, SuccessRule>,
    pub(crate) records: Vec<Record>,
    pub(crate) client: Vec<ClientSample>,
    pub(crate) events: Vec<Event>,
    pub(crate) calibration: Option<Calibration>,
    pub(crate) conditions: Conditions,
    pub(crate) interrupted: bool,
}

/// Nothing was planned, on a generator with more than enough headroom.
impl Default for Scene {
    fn default() -> Self {
        Self {
            planned: Vec::new(),
            controls: Vec::new(),
            rules: BTreeMap::new(),
            records: Vec::new(),
            client: Vec::new(),
            events: Vec::new(),
            calibration: Some(calibration()),
            conditions: Conditions::default(),
            interrupted: false,
        }
    }
}

/// A machine that carries 1,000 streams, 100,000 events and 2,000 requests a second, measured a day before the scene.
pub(crate) fn calibration() -> Calibration {
    Calibration {
        v: CALIBRATION_VERSION,
        tool: CalibratedTool {
            name: "acceptbench".to_owned(),
            version: "0.1.0".to_owned(),
            profile: "release".to_owned(),
            optimised: true,
        },
        host: CalibratedHost {
            fingerprint: "ab".repeat(32),
            os: "linux".to_owned(),
            arch: "x86_64".to_owned(),
            kernel: Some("6.12.0".to_owned()),
            cpu_model: None,
            cpus: 8,
            cpus_allowed: 4,
            memory_bytes: Some(1 << 34),
        },
        measured_at: "2026-11-29T08:00:00Z".to_owned(),
        took_s: Seconds::new(31.5),
        io_threads: 1,
        ceiling: Ceiling {
            streams: Some(1_000),
            streams_limited_by: Some(StreamsLimit::Memory),
            events_per_s: Some(100_000.0),
            coalesced_events_per_s: Some(900_000.0),
            requests_per_s: Some(2_000.0),
        },
        timing: None,
        timer_delay_s: None,
        write: None,
        doubts: Vec::new(),
    }
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
            origin: None,
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
            controls: &self.controls,
            rules: &self.rules,
            records: &self.records,
            client: &self.client,
            events: &self.events,
            calibration: self.calibration.as_ref(),
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
        turn: None,
        origin: None,
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
