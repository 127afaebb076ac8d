//! A run of the standard sweep, row by row, with whatever a test changes in it.

use std::collections::BTreeMap;

use metrics_core::{
    CALIBRATION_VERSION, CalibratedHost, CalibratedTool, Calibration, Ceiling, ClientSample, Conditions,
    ConnectFault, Ended, Facts, Fault, FaultKind, Input, Limit, Micros, Over, Phase, PlannedCount, Record,
    RunFacts, Seconds, SuccessRule, TokenSource, Tokens, judge_limit, summarize,
};
use verdict_rules::{
    Agreement, Availability, Case, Criterion, CriterionId, Evidence, Judgement, RuleSet, SlaItem, Verdict,
};

/// One tier: concurrency, requests, median TTFT and end-to-end time in milliseconds.
pub(crate) type TierSpec = (u32, u64, u64, u64);

/// 180 requests of which nothing is wrong. Latency grows with load, up to C4 within what is bearable.
pub(crate) const SWEEP: [TierSpec; 5] = [
    (1, 20, 200, 1_000),
    (2, 20, 250, 1_150),
    (4, 20, 390, 1_400),
    (8, 40, 700, 1_800),
    (16, 80, 1_500, 2_600),
];

const TOKENS: u64 = 100;

#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) planned: Vec<PlannedCount>,
    pub(crate) records: Vec<Record>,
    pub(crate) client: Vec<ClientSample>,
    pub(crate) calibration: Option<Calibration>,
    pub(crate) availability: Availability,
    pub(crate) interrupted: bool,
}

impl Run {
    pub(crate) fn sweep() -> Self {
        Self::of(&SWEEP)
    }

    pub(crate) fn of(tiers: &[TierSpec]) -> Self {
        let availability =
            Availability { health_checks: 30, ready: 30, start_time_known: true, ..Availability::default() };
        let mut run = Self {
            planned: Vec::new(),
            records: Vec::new(),
            client: Vec::new(),
            availability,
            calibration: None,
            interrupted: false,
        };
        let mut start = 0;
        for spec in tiers {
            start = run.add(*spec, start) + 1_000_000;
        }
        run
    }

    /// Gives the end of the tier.
    fn add(&mut self, (tier, requests, ttft_ms, e2e_ms): TierSpec, start: u64) -> u64 {
        let stage = "sweep".to_owned();
        self.planned.push(PlannedCount {
            stage: stage.clone(),
            tier: Some(tier),
            group: "all".to_owned(),
            count: requests,
            origin: None,
            measured: true,
        });
        for index in 0..requests {
            let due = start + index / u64::from(tier) * e2e_ms * 1_000;
            self.records.push(Record {
                seq: self.records.len() as u64,
                stage: stage.clone(),
                tier: Some(tier),
                group: "all".to_owned(),
                sample: format!("s{index}"),
                attempt: 0,
                turn: None,
                origin: None,
                facts: whole_answer(due, ttft_ms * 1_000, e2e_ms * 1_000),
            });
        }
        let end = start + requests.div_ceil(u64::from(tier)) * e2e_ms * 1_000;
        self.client.extend((start / 1_000_000..end / 1_000_000).map(|second| ClientSample {
            at: Micros((second + 1) * 1_000_000),
            stage: Some(stage.clone()),
            tier: Some(tier),
            cpu: Some(0.1),
            timer_delay_us: vec![150; 100],
            run_delay_us: vec![20; 100],
            ..ClientSample::default()
        }));
        end
    }

    /// Every `nth` request of each tier is of another group.
    pub(crate) fn with_group(mut self, name: &str, nth: u64) -> Self {
        let mut planned = Vec::new();
        for count in &self.planned {
            let mut of_it = 0;
            let rows = self.records.iter_mut().filter(|record| record.tier == count.tier);
            for record in rows.step_by(nth as usize) {
                name.clone_into(&mut record.group);
                of_it += 1;
            }
            planned.push(PlannedCount { count: count.count - of_it, ..count.clone() });
            planned.push(PlannedCount { group: name.to_owned(), count: of_it, ..count.clone() });
        }
        self.planned = planned;
        self
    }

    /// The facts of the requests of a group in a tier, to be changed.
    pub(crate) fn group(&mut self, tier: u32, group: &str) -> impl Iterator<Item = &mut Facts> {
        let of_it = self.records.iter_mut().filter(move |record| record.tier == Some(tier));
        of_it.filter(move |record| record.group == group).map(|record| &mut record.facts)
    }

    /// The facts of the first `count` requests of a tier, to be changed.
    pub(crate) fn first(&mut self, tier: u32, count: usize) -> impl Iterator<Item = &mut Facts> {
        self.records
            .iter_mut()
            .filter(move |record| record.tier == Some(tier))
            .take(count)
            .map(|record| &mut record.facts)
    }

    /// Every request's facts.
    pub(crate) fn all(&mut self) -> impl Iterator<Item = &mut Facts> {
        self.records.iter_mut().map(|record| &mut record.facts)
    }

    /// The generator's timers are late in a tier: beyond what any of its figures bears.
    pub(crate) fn late_timers(&mut self, tier: u32) {
        for sample in self.client.iter_mut().filter(|sample| sample.tier == Some(tier)) {
            sample.timer_delay_us = vec![300_000; 100];
        }
    }

    /// The generator was calibrated, and at C16 its ceiling of token events is so many times the load.
    pub(crate) fn headroom(&mut self, at_c16: f64) {
        // 80 requests of 100 token events in five rounds of 2.6 s.
        let load = 80.0 * TOKENS as f64 / 13.0;
        self.calibration = Some(calibration(at_c16 * load));
    }

    /// The case that these rows make under an agreement, as the holder of a package fills it.
    pub(crate) fn case(&self, agreement: &str) -> Case {
        let given = Agreement::parse(agreement).unwrap();
        let rules = BTreeMap::from([("all".to_owned(), SuccessRule::default())]);
        let input = self.input(&rules);
        let limits = given.sla.iter().map(|item| evidence(&input, item)).collect();
        let planned_tiers = self.planned.iter().filter_map(|planned| planned.tier).collect();
        let mut case = Case::new(summarize(&input), given, planned_tiers);
        let scheduled: u64 = self.planned.iter().map(|planned| planned.count).sum();
        case.evidence = Evidence {
            chain_intact: Some(true),
            digests_match: Some(true),
            figures_match: Some(true),
            rows_missing: scheduled.saturating_sub(self.records.len() as u64),
            rows_unplanned: (self.records.len() as u64).saturating_sub(scheduled),
            interrupted: self.interrupted,
            problems: Vec::new(),
        };
        case.availability = self.availability.clone();
        case.limits = limits;
        case.agreed = !agreement.is_empty();
        case.agreement_digest = "a".repeat(64);
        case
    }

    fn input<'a>(&'a self, rules: &'a BTreeMap<String, SuccessRule>) -> Input<'a> {
        Input {
            run: RunFacts {
                id: "run".to_owned(),
                started_at: "2026-01-01T00:00:00Z".to_owned(),
                duration_s: None,
                interrupted: self.interrupted,
            },
            evidence_digest: "e".repeat(64),
            planned: &self.planned,
            controls: &[],
            rules,
            records: &self.records,
            client: &self.client,
            events: &[],
            calibration: self.calibration.as_ref(),
            conditions: Conditions { unique_prompts: true, ..Conditions::default() },
        }
    }
}

fn calibration(events_per_s: f64) -> Calibration {
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
            kernel: None,
            cpu_model: None,
            cpus: 2,
            cpus_allowed: 2,
            memory_bytes: None,
        },
        measured_at: "2026-03-01T07:00:00Z".to_owned(),
        took_s: Seconds::new(30.0),
        io_threads: 1,
        ceiling: Ceiling {
            streams: Some(4_000),
            streams_limited_by: None,
            events_per_s: Some(events_per_s),
            coalesced_events_per_s: None,
            requests_per_s: None,
        },
        timing: None,
        timer_delay_s: None,
        write: None,
        doubts: Vec::new(),
    }
}

fn evidence(input: &Input<'_>, item: &SlaItem) -> Option<metrics_core::LimitEvidence> {
    let ran = item.tier.is_none() || input.planned.iter().any(|planned| planned.tier == item.tier);
    let ran = ran
        && item
            .group
            .as_ref()
            .is_none_or(|group| input.planned.iter().any(|planned| planned.group == *group));
    let limit: Limit = item.limit.parse().unwrap();
    ran.then(|| {
        judge_limit(
            input,
            Over { tier: item.tier, group: item.group.as_deref() },
            &item.metric,
            limit.comparison,
            limit.value,
        )
        .unwrap()
    })
}

fn whole_answer(due: u64, ttft: u64, e2e: u64) -> Facts {
    let gap = (e2e - 1_000 - ttft) / (TOKENS - 1);
    Facts {
        due: Micros(due),
        sent: Some(Micros(due + 100)),
        first_byte: Some(Micros(due + ttft - 50)),
        first_token: Some(Micros(due + ttft)),
        first_visible: Some(Micros(due + ttft)),
        last_token: Some(Micros(due + ttft + gap * (TOKENS - 1))),
        end: Some(Micros(due + e2e)),
        status: Some(200),
        ended: Ended::Done,
        finish_reason: Some("stop".to_owned()),
        done: true,
        prompt_tokens: Some(Tokens(50)),
        output_tokens: Some(Tokens(TOKENS)),
        token_source: Some(TokenSource::Usage),
        events: TOKENS,
        token_events: TOKENS,
        gaps_us: vec![gap; TOKENS as usize - 1],
        ..Facts::default()
    }
}

/// The service answers 500.
pub(crate) fn http_error(facts: &mut Facts) {
    *facts = Facts {
        due: facts.due,
        sent: facts.sent,
        first_byte: facts.first_byte,
        end: facts.first_byte,
        status: Some(500),
        ended: Ended::Eof,
        error: Some(Fault { kind: FaultKind::Http, message: "internal error".to_owned() }),
        ..Facts::default()
    };
}

/// Nothing listens.
pub(crate) fn refused(facts: &mut Facts) {
    *facts = Facts {
        due: facts.due,
        end: facts.sent,
        ended: Ended::Connect(ConnectFault::Refused),
        error: Some(Fault { kind: FaultKind::Connect, message: "connection refused".to_owned() }),
        ..Facts::default()
    };
}

/// Silence from the beginning until the client gives up.
pub(crate) fn late(facts: &mut Facts) {
    *facts = Facts {
        due: facts.due,
        sent: facts.sent,
        end: facts.end,
        status: Some(200),
        ended: Ended::Timeout(Phase::FirstToken),
        ..Facts::default()
    };
}

/// Silence in mid-stream until the client gives up.
pub(crate) fn stalled(facts: &mut Facts) {
    facts.ended = Ended::Timeout(Phase::Stall);
    facts.finish_reason = None;
    facts.done = false;
}

/// The client was stopped before its turn.
pub(crate) fn not_sent(facts: &mut Facts) {
    *facts = Facts { due: facts.due, ..Facts::default() };
}

/// The client gave it up by itself, as an interrupt makes it.
pub(crate) fn cancelled(facts: &mut Facts) {
    *facts = Facts {
        due: facts.due,
        sent: facts.sent,
        end: facts.sent,
        ended: Ended::Cancelled,
        error: Some(Fault { kind: FaultKind::Stopped, message: "interrupted".to_owned() }),
        ..Facts::default()
    };
}

/// The service tells no usage: events are counted.
pub(crate) fn by_events(facts: &mut Facts) {
    facts.token_source = Some(TokenSource::Events);
}

/// Nobody counts tokens.
pub(crate) fn uncounted(facts: &mut Facts) {
    facts.output_tokens = None;
    facts.token_source = None;
}

pub(crate) fn judge(case: &Case) -> Verdict {
    RuleSet::standard().judge(case)
}

pub(crate) fn criterion(verdict: &Verdict, id: CriterionId) -> &Criterion {
    verdict.criteria.iter().find(|criterion| criterion.id == id).unwrap()
}

pub(crate) fn result(verdict: &Verdict, id: CriterionId) -> Judgement {
    criterion(verdict, id).result
}
