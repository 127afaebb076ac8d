//! Material from hand-made rows: nothing here was measured. Figures and verdict are those that the rows give.

use std::collections::BTreeMap;

use crate::{
    ArchiveEntry, Document, GeneratorSample, Language, Material, PlannedTier, Project, PromptSource, Prompts,
    Requests, Scope, Sending, TimeOuts, chart_names,
};
use metrics_core::{
    CALIBRATION_VERSION, CalibratedHost, CalibratedTool, Calibration, Ceiling, ClientSample, Conditions,
    ControlChange, Ended, Event, Facts, Input, Limit, LimitEvidence, Micros, Over, Percent, PlannedControl,
    PlannedCount, Record, RunFacts, Seconds, Spread, StreamsLimit, SuccessRule, Summary, Timing, TokenSource,
    Tokens, WriteSpeed, judge_limit, percentile, summarize,
};
use verdict_rules::{Agreement, Availability, Case, Evidence, RuleSet, SlaItem};
use workload_model::Output;

/// The evidence digest that all of them print.
pub const DIGEST: &str = "3f1a6c0de5b94782a1c07f9d2b8e4415606d7a9be0c3f25814d7e96ab03c5f21";

const STAGE: &str = "steps";

/// What a service of the sample does at one tier.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) concurrency: u32,
    pub(crate) requests: u64,
    pub(crate) ttft_ms: u64,
    pub(crate) tpot_us: u64,
}

pub(crate) const fn load(concurrency: u32, requests: u64, ttft_ms: u64, tpot_us: u64) -> Load {
    Load { concurrency, requests, ttft_ms, tpot_us }
}

/// The standard sweep on a sound service.
pub(crate) const SWEEP: [Load; 5] = [
    load(1, 20, 212, 11_140),
    load(2, 20, 238, 11_830),
    load(4, 20, 307, 13_560),
    load(8, 40, 583, 18_740),
    load(16, 80, 1_262, 30_250),
];

const AGREEMENT: &str = r#"
[acceptance]
output_tps = 400.0

[[sla]]
item = "首 Token 时延 P95"
metric = "ttft_s.p95"
tier = 4
limit = "<= 2.0"
source = "合同附件 3 §2"

[[sla]]
item = "成功率"
metric = "success_rate"
tier = 16
limit = ">= 0.95"
"#;

/// A sweep of five tiers that passed: the customer edition.
pub fn passed() -> Material {
    Run::of(&SWEEP).material(Some(AGREEMENT))
}

/// The rows of a run, and what stood around them.
pub(crate) struct Run {
    pub(crate) planned: Vec<PlannedTier>,
    pub(crate) controls: Vec<PlannedControl>,
    pub(crate) rules: BTreeMap<String, SuccessRule>,
    pub(crate) records: Vec<Record>,
    pub(crate) client: Vec<ClientSample>,
    pub(crate) events: Vec<Event>,
    pub(crate) calibration: Option<Calibration>,
    pub(crate) interrupted: bool,
    pub(crate) conditions: Conditions,
    pub(crate) availability: Availability,
    pub(crate) evidence: Evidence,
}

impl Run {
    /// Each tier keeps its slots full until its requests are through; a second passes between tiers.
    pub(crate) fn of(loads: &[Load]) -> Self {
        let mut run = Self {
            planned: Vec::new(),
            controls: Vec::new(),
            rules: BTreeMap::new(),
            records: Vec::new(),
            client: Vec::new(),
            events: Vec::new(),
            calibration: Some(calibration()),
            interrupted: false,
            conditions: Conditions { unique_prompts: true, ..Conditions::default() },
            availability: availability(),
            evidence: sound(),
        };
        loads.iter().for_each(|load| run.add(load, |_, _| {}));
        run
    }

    /// One more tier, a second after all before it. Each answer is changed, by its place in the tier, before its slot is
    /// free again.
    pub(crate) fn add(&mut self, load: &Load, change: impl Fn(u64, &mut Facts)) {
        let before = self.records.iter().filter_map(|record| record.facts.end).max();
        let start = Micros(before.unwrap_or(Micros(1_000_000)).0 + 1_000_000);
        self.planned.push(PlannedTier { concurrency: load.concurrency, requests: load.requests });
        let end = self.tier(load, start, change);
        self.sample(load.concurrency, start, end);
    }

    fn tier(&mut self, load: &Load, start: Micros, change: impl Fn(u64, &mut Facts)) -> Micros {
        let mut free = vec![start; load.concurrency as usize];
        for at in 0..load.requests {
            let slot = (0..free.len()).min_by_key(|slot| free[*slot]).expect("a tier has a slot");
            let mut record = answered(self.records.len() as u64, load, free[slot]);
            change(at, &mut record.facts);
            free[slot] = record.facts.end.expect("it was answered");
            self.records.push(record);
        }
        free.into_iter().max().expect("a tier has a slot")
    }

    /// The tier of `load` once more, ten seconds after all others, with what is different in a control.
    pub(crate) fn control(&mut self, stage: &str, change: ControlChange, load: &Load) {
        let (before, last) =
            (self.records.len(), self.records.iter().filter_map(|record| record.facts.end).max());
        let start = Micros(last.unwrap_or_default().0 + 10_000_000);
        let end = self.tier(load, start, |_, _| {});
        for record in &mut self.records[before..] {
            stage.clone_into(&mut record.stage);
        }
        let sampled = self.client.len();
        self.sample(load.concurrency, start, end);
        for sample in &mut self.client[sampled..] {
            sample.stage = Some(stage.to_owned());
        }
        self.controls.push(PlannedControl { stage: stage.to_owned(), tier: load.concurrency, change });
    }

    fn count_of(&self, control: &PlannedControl) -> PlannedCount {
        let rows = self.records.iter().filter(|record| record.stage == control.stage);
        PlannedCount {
            stage: control.stage.clone(),
            tier: Some(control.tier),
            group: "all".to_owned(),
            count: rows.count() as u64,
            origin: None,
            measured: false,
        }
    }

    /// As many requests of each group and origin as there are rows of it.
    fn counts(&self, tier: &PlannedTier) -> Vec<PlannedCount> {
        let mut counts: Vec<PlannedCount> = Vec::new();
        let of_tier = |record: &&Record| {
            record.stage == STAGE && record.tier == Some(tier.concurrency) && record.attempt == 0
        };
        for record in self.records.iter().filter(of_tier) {
            let same =
                |count: &&mut PlannedCount| (&count.group, count.origin) == (&record.group, record.origin);
            match counts.iter_mut().find(same) {
                Some(count) => count.count += 1,
                None => counts.push(PlannedCount {
                    stage: STAGE.to_owned(),
                    tier: Some(tier.concurrency),
                    group: record.group.clone(),
                    origin: record.origin,
                    count: 1,
                    measured: true,
                }),
            }
        }
        counts
    }

    /// The generator is calm: one sample a second.
    fn sample(&mut self, tier: u32, from: Micros, until: Micros) {
        for second in from.0 / 1_000_000..until.0 / 1_000_000 {
            self.client.push(ClientSample {
                at: Micros((second + 1) * 1_000_000),
                stage: Some(STAGE.to_owned()),
                tier: Some(tier),
                cpu: Some(0.004 + 0.003 * f64::from(tier) + (second % 5) as f64 * 0.002),
                host_cpu: Some(0.06 + (second % 7) as f64 * 0.007),
                run_delay_us: vec![20 + second % 60, 14],
                timer_delay_us: (0..100).map(|at| 90 + (second * 31 + at * 17) % 330).collect(),
                rss_bytes: Some(29_360_128 + second * 4_096),
                connections: u64::from(tier),
                sockets: Some(u64::from(tier) + 3),
                rx_bytes: Some(120_000),
                tx_bytes: Some(9_000),
                queue_depth: second % 4,
            });
        }
    }

    /// What a report of this run says, judged by an agreement or, without one, by the defaults.
    pub(crate) fn material(&self, agreement: Option<&str>) -> Material {
        let of_controls = self.controls.iter().map(|control| self.count_of(control));
        let planned: Vec<PlannedCount> =
            self.planned.iter().flat_map(|tier| self.counts(tier)).chain(of_controls).collect();
        let input = Input {
            run: RunFacts {
                id: "9f2c41d07be6".to_owned(),
                started_at: "2026-11-30T06:12:09.482Z".to_owned(),
                duration_s: None,
                interrupted: self.interrupted,
            },
            evidence_digest: DIGEST.to_owned(),
            planned: &planned,
            controls: &self.controls,
            rules: &self.rules,
            records: &self.records,
            client: &self.client,
            events: &self.events,
            calibration: self.calibration.as_ref(),
            conditions: self.conditions,
        };
        let summary = summarize(&input);
        let of_controls = self.records.iter().filter(|record| record.stage != STAGE).count() as u64;
        let terms = Agreement::parse(agreement.unwrap_or_default()).expect("the agreement is one");
        let tiers = self.planned.iter().map(|tier| tier.concurrency).collect();
        let mut case = Case::new(summary.clone(), terms, tiers);
        case.evidence = self.evidence.clone();
        case.availability = self.availability.clone();
        case.limits = limits(&case, &input);
        case.agreed = agreement.is_some();
        case.agreement_digest = "c81e728d9d4c2f636f067f89cc14862c0f5b3a2e1d4c6b7a8990a1b2c3d4e5f6".to_owned();
        let mut material = Material {
            verdict: RuleSet::standard().judge(&case),
            scope: Scope { control: of_controls, ..scope(&self.planned, &summary) },
            sample_set: None,
            failures: Vec::new(),
            archive: Vec::new(),
            availability: Some(self.availability.clone()),
            evidence: Some(self.evidence.clone()),
            calibration: self.calibration.clone(),
            generator: self.client.iter().map(second).collect(),
            requests: Requests::of(&input),
            summary,
        };
        material.archive = archive(&material);
        material
    }
}

fn second(sample: &ClientSample) -> GeneratorSample {
    let mut delays = sample.timer_delay_us.clone();
    delays.sort_unstable();
    GeneratorSample {
        at: sample.at.into(),
        tier: sample.tier,
        warm_up: false,
        control: sample.stage.as_deref().is_some_and(|stage| stage != STAGE),
        cpu: sample.cpu,
        host_cpu: sample.host_cpu,
        timer_delay_p99: percentile(&delays, Percent::P99).map(|delay| Micros(delay).into()),
        connections: sample.connections,
        queue_depth: sample.queue_depth,
    }
}

/// What a small machine can do, measured two days before the sample.
pub(crate) fn calibration() -> Calibration {
    let spread = |p50: f64, n| {
        let ms = |factor: f64| Seconds::new(p50 * factor / 1e3);
        Spread { p50: ms(1.0), p95: ms(2.0), p99: ms(3.5), max: ms(9.0), n }
    };
    Calibration {
        v: CALIBRATION_VERSION,
        tool: CalibratedTool {
            name: "acceptbench".to_owned(),
            version: "0.1.0".to_owned(),
            profile: "release".to_owned(),
            optimised: true,
        },
        host: CalibratedHost {
            fingerprint: "5a0c".repeat(16),
            os: "linux".to_owned(),
            arch: "x86_64".to_owned(),
            kernel: Some("6.12.43".to_owned()),
            cpu_model: Some("a processor".to_owned()),
            cpus: 8,
            cpus_allowed: 8,
            memory_bytes: Some(33_425_588_224),
        },
        measured_at: "2026-11-28T09:40:00Z".to_owned(),
        took_s: Seconds::new(34.218),
        io_threads: 1,
        ceiling: Ceiling {
            streams: Some(956),
            streams_limited_by: Some(StreamsLimit::Memory),
            events_per_s: Some(128_400.0),
            coalesced_events_per_s: Some(911_250.0),
            requests_per_s: Some(6_310.0),
        },
        timing: Some(Timing {
            streams: 16,
            ttft_error_s: Some(spread(0.071, 160)),
            gap_error_s: Some(spread(0.012, 31_840)),
        }),
        timer_delay_s: Some(spread(0.18, 1_000)),
        write: Some(WriteSpeed { rows_per_s: 21_480.0, bytes_per_s: 24_700_000.0 }),
        doubts: Vec::new(),
    }
}

fn limits(case: &Case, input: &Input<'_>) -> Vec<Option<LimitEvidence>> {
    let judge = |item: &SlaItem| {
        case.planned_and_finished(item.tier, item.group.as_deref())?;
        let limit: Limit = item.limit.parse().ok()?;
        judge_limit(
            input,
            Over { tier: item.tier, group: item.group.as_deref() },
            &item.metric,
            limit.comparison,
            limit.value,
        )
        .ok()
    };
    case.agreement.sla.iter().map(judge).collect()
}

/// A whole answer, its length and pace a little different from the one before.
fn answered(seq: u64, load: &Load, due: Micros) -> Record {
    let tokens = 372 + seq * 37 % 81;
    let connect = 1_900 + seq * 131 % 700;
    let ttft = load.ttft_ms * (880 + seq * 53 % 251);
    let pace = load.tpot_us * (962 + seq * 23 % 77) / 1_000;
    let gap = |at: u64| pace * (940 + (at * 29 + seq * 61) % 121) / 1_000;
    let gaps_us: Vec<u64> = (1..tokens).map(gap).collect();
    let first = Micros(due.0 + ttft);
    let last = Micros(first.0 + gaps_us.iter().sum::<u64>());
    Record {
        seq,
        stage: STAGE.to_owned(),
        tier: Some(load.concurrency),
        group: "all".to_owned(),
        sample: format!("builtin-{:02}", seq % 20),
        attempt: 0,
        turn: None,
        origin: None,
        facts: Facts {
            due,
            sent: Some(Micros(due.0 + connect)),
            first_byte: Some(Micros(first.0 - 700)),
            first_token: Some(first),
            first_visible: Some(first),
            last_token: Some(last),
            end: Some(Micros(last.0 + 450)),
            connect: Some(Micros(connect)),
            status: Some(200),
            ended: Ended::Done,
            finish_reason: Some("stop".to_owned()),
            done: true,
            prompt_tokens: Some(Tokens(172 + seq % 29)),
            output_tokens: Some(Tokens(tokens)),
            cached_tokens: Some(Tokens(0)),
            token_source: Some(TokenSource::Usage),
            events: tokens + 3,
            token_events: tokens,
            bytes: tokens * 214,
            request_id: Some(format!("ab-9f2c41d0-{seq:04}")),
            response_id: Some(format!("chatcmpl-{seq:04}")),
            gaps_us,
            ..Facts::default()
        },
    }
}

fn availability() -> Availability {
    let mut seen = Availability::default();
    (seen.health_checks, seen.ready, seen.start_time_known) = (94, 94, true);
    seen
}

fn sound() -> Evidence {
    Evidence {
        chain_intact: Some(true),
        digests_match: Some(true),
        figures_match: Some(true),
        ..Evidence::default()
    }
}

fn scope(planned: &[PlannedTier], summary: &Summary) -> Scope {
    Scope {
        project: Project {
            name: Some("智能客服推理平台".to_owned()),
            customer: Some("某市政务数据中心".to_owned()),
            supplier: Some("元枢科技".to_owned()),
            contract: Some("HT-2026-0417".to_owned()),
            third_party: Some(String::new()),
            number: Some("AR-2026-0417-01".to_owned()),
            issued: Some("2026-12-01".to_owned()),
        },
        model: "deepseek-r1-distill-qwen-32b".to_owned(),
        endpoint: "http://10.0.0.5:8000/v1/chat/completions".to_owned(),
        tiers: planned.to_vec(),
        groups: Vec::new(),
        sending: Sending::default(),
        warm_up: 16,
        control: 0,
        streaming: true,
        output: Output::Natural,
        max_tokens: None,
        temperature: None,
        backend: Some("vLLM".to_owned()),
        quantisation: Some(String::new()),
        hardware: None,
        version_stated: Some("vLLM 0.32.0".to_owned()),
        version_observed: Some("0.32.0".to_owned()),
        prompts: Prompts {
            source: PromptSource::BuiltIn { set: "builtin/1".to_owned() },
            unique_opening: true,
            recorded: 0,
        },
        token_source: Some(TokenSource::Usage),
        tokenizer: None,
        time_outs: TimeOuts::default(),
        client_location: Some("客户内网，与服务同一机房".to_owned()),
        transport: None,
        headers: Vec::new(),
        client_host: Some("load-01".to_owned()),
        tool_version: "acceptbench 0.1.0".to_owned(),
        build_profile: if summary.client.unoptimised { "dev" } else { "release" }.to_owned(),
        simulated: false,
    }
}

fn archive(material: &Material) -> Vec<ArchiveEntry> {
    let sealed = [
        "data/evidence-sha256.txt",
        "data/calibration.json",
        "data/environment.json",
        "data/plan.toml",
        "data/raw/client.jsonl",
        "data/raw/events.jsonl",
        "data/raw/requests.jsonl",
        "data/samples.jsonl",
        "data/analysis/summary.json",
        "data/analysis/verdict.json",
    ];
    let entry = |path: &str, sha256: Option<&str>| ArchiveEntry {
        path: path.to_owned(),
        sha256: sha256.map(str::to_owned),
        what: None,
        language: None,
    };
    let of_reports = |name: &str| entry(&format!("data/reports/{name}"), None);
    let mut entries: Vec<ArchiveEntry> = sealed.iter().map(|path| entry(path, Some(DIGEST))).collect();
    for language in Language::ALL {
        let documents = ["html", "md"].map(|ending| (format!("report.{}.{ending}", language.code()), None));
        let charts = chart_names(&Document::new(material, language));
        let charts = charts.into_iter().map(|(name, title)| (name, Some(title)));
        entries.extend(documents.into_iter().chain(charts).map(|(name, what)| ArchiveEntry {
            what,
            language: Some(language),
            ..of_reports(&name)
        }));
    }
    entries.push(of_reports("prometheus-rules.yml"));
    entries
}
