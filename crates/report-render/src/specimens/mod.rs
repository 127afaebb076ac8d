//! Materials of runs that never took place, for tests and for looking at pages: behind the feature `specimens`.
//!
//! Their rows are made by hand. Figures and verdicts are those that the rows give.

mod groups;
mod run;
mod traffic;
mod workload;

use metrics_core::{
    CalibrationDoubt, ConnectFault, ControlChange, Ended, Event, Facts, Fault, FaultKind, Happening, Micros,
    Outcome, Record,
};
use verdict_rules::Evidence;

use crate::material::{FailureExample, Material, Project};

use run::{Load, Run, SWEEP, load};

pub use groups::{assumed, groups};
pub use run::{DIGEST, passed};
pub use workload::{assumed_only, crowd, full, mooncake_like, nginx, one_row, profiles, workload_facts};

const HARD_TERMS: &str = r#"
[acceptance]
tiers = [1, 4, 8, 16]
output_tps = 400.0

[[sla]]
item = "E2E P95"
metric = "e2e_s.p95"
tier = 4
limit = "<= 8.0"
source = "Annex 3 §2"

[[sla]]
item = "RPS"
metric = "rps"
limit = ">= 0.1"

[[sla]]
item = "ITL P95"
metric = "inter_event_s.p95"
tier = 4
limit = "<= 0.05"

[[sla]]
item = "TTFT P95"
metric = "ttft_s.p95"
tier = 16
limit = "<= 5.0"

[advice]
interactive = 4
reason = "合同约定交互并发 4"
"#;

const LONG_TERMS: &str = r#"
[acceptance]
output_tps = 12345.678

[[sla]]
item = "高峰时段（工作日 9:00 至 11:30）面向一线坐席的首个可见字符等待时间第九十五百分位"
metric = "ttft_s.p95"
tier = 111
limit = "<= 0.25"
source = "《智能客服推理平台采购合同》附件三《性能与可用性指标》第 2 节第 4 款（2026 年 4 月 17 日修订）"

[[sla]]
item = "End-to-end time of an answer at the ninety-ninth percentile, all customer-facing channels"
metric = "e2e_s.p99"
limit = "<= 30"

[[sla]]
item = "TTFT mean"
metric = "ttft_s.mean"
tier = 12
limit = "<= 0.3"

[[sla]]
item = "TTFT P95"
metric = "ttft_s.p95"
tier = 12
limit = "<= 0.31"
"#;

/// A sweep that failed: one tier with some failures, one with nothing but failures, an agreed one that was not planned;
/// a generator that was short of CPU; evidence that was touched.
pub fn failed() -> Material {
    let mut run = Run::of(&[SWEEP[0], SWEEP[2], SWEEP[3]]);
    alter(&mut run, 4, |at, facts| match at {
        3 | 11 => fail(facts, 500, FaultKind::Http, "500 Internal Server Error: CUDA out of memory"),
        7 => cut_off(facts),
        _ => several_tokens_an_event(facts),
    });
    let down_at = run.records.iter().filter(|record| record.tier == Some(4)).filter_map(|row| row.facts.end);
    let down_at = down_at.max().expect("C4 ran").0 + 1_000_000;
    alter(&mut run, 8, |at, facts| refuse(facts, Micros(down_at + at * 1_200)));
    run.client.retain(|sample| sample.tier != Some(8));
    for (at, sample) in run.client.iter_mut().enumerate() {
        match sample.tier {
            Some(1) => sample.timer_delay_us.iter_mut().for_each(|delay| *delay += 3_300),
            _ => sample.cpu = Some(if at % 3 == 0 { 0.93 } else { 0.41 }),
        }
    }
    (run.conditions.co_located, run.conditions.unoptimised) = (true, true);
    run.availability.refusals_in_a_row = 40;
    (run.availability.ready, run.availability.unready, run.availability.unready_spells) = (62, 30, 1);
    run.availability.unanswered = 2;
    run.evidence.digests_match = Some(false);
    run.evidence.problems = vec!["raw/events.jsonl does not match its digest".to_owned()];
    let small = run.calibration.as_mut().expect("the sample is calibrated");
    (small.ceiling.events_per_s, small.doubts) =
        (Some(300.0), vec![CalibrationDoubt::LateTimers, CalibrationDoubt::Unoptimised]);
    let mut m = run.material(Some(HARD_TERMS));
    m.failures = vec![
        failure(23, 4, Outcome::HttpError, "500 Internal Server Error: CUDA out of memory"),
        failure(27, 4, Outcome::Truncated, "body ended without a finish reason"),
        failure(40, 8, Outcome::ConnectFailed, "connection refused (os error 111)"),
    ];
    m
}

/// A sweep that was interrupted in its third tier, after output had collapsed in the second.
pub fn interrupted() -> Material {
    let slow = Load { ttft_ms: 4_100, tpot_us: 71_000, ..SWEEP[1] };
    let mut run = Run::of(&[SWEEP[0], slow, SWEEP[2], SWEEP[3], SWEEP[4]]);
    alter(&mut run, 4, |at, facts| if at < 4 { break_off(facts) } else { never_sent(facts) });
    for tier in [8, 16] {
        alter(&mut run, tier, |_, facts| never_sent(facts));
    }
    let ends = run.records.iter().filter_map(|record| record.facts.end);
    let end = ends.max().expect("something ran");
    run.client.retain(|sample| sample.at <= end);
    run.events = vec![Event { at: end, what: Happening::Stopped { by: "interrupt".to_owned() } }];
    run.interrupted = true;
    run.evidence.interrupted = true;
    run.material(None)
}

/// One tier, no agreement, nothing stated: what can be said is said, and the rest is said to be open.
pub fn one_tier() -> Material {
    let mut run = Run::of(&[SWEEP[2]]);
    (run.client, run.calibration) = (Vec::new(), None);
    run.conditions.output_capped = true;
    run.evidence = Evidence::default();
    run.availability = Default::default();
    let mut m = run.material(None);
    m.scope.project = Default::default();
    (m.scope.version_stated, m.scope.version_observed, m.scope.client_location) = (None, None, None);
    (m.scope.max_tokens, m.scope.temperature) = (Some(512), Some(0.6));
    m.archive = Vec::new();
    (m.evidence, m.availability) = (None, None);
    m
}

/// A customer edition on which nobody has written any name yet, of a demonstration.
pub fn demonstration() -> Material {
    let mut m = passed();
    m.scope.simulated = true;
    m.scope.version_observed = Some("0.32.0+sim".to_owned());
    m.scope.project = Default::default();
    m
}

/// A sweep of one tier and its controls, whose service takes `percent` of its time in the first of them.
pub fn controlled(percent: u64) -> Material {
    controlled_and(percent, |_| {})
}

fn controlled_and(percent: u64, change: impl Fn(&mut Run)) -> Material {
    let load = SWEEP[2];
    let mut run = Run::of(&[load]);
    let other = Load { ttft_ms: load.ttft_ms * percent / 100, tpot_us: load.tpot_us * percent / 100, ..load };
    let more_threads = ControlChange { io_threads: Some(2), reduced_recording: false };
    run.control("control_threads", more_threads, &other);
    let reduced = ControlChange { io_threads: None, reduced_recording: true };
    run.control("control_recording", reduced, &load);
    change(&mut run);
    run.material(None)
}

/// The second control was cut short, after a request of it had been refused.
pub fn control_cut_short() -> Material {
    controlled_and(100, |run| {
        let of_control = |record: &&mut Record| record.stage == "control_recording";
        for (at, record) in run.records.iter_mut().filter(of_control).enumerate() {
            match at {
                3 => fail(&mut record.facts, 503, FaultKind::Http, "overloaded"),
                15.. => never_sent(&mut record.facts),
                _ => {}
            }
        }
    })
}

/// Two of twenty requests of the second control were refused: too few pairs are left.
pub fn control_with_failures() -> Material {
    controlled_and(100, |run| {
        let of_control = |record: &&mut Record| record.stage == "control_recording";
        for record in run.records.iter_mut().filter(of_control).take(2) {
            fail(&mut record.facts, 503, FaultKind::Http, "overloaded");
        }
    })
}

/// Whatever is long, many or rare at once: twelve tiers, a model name of 120 characters, agreed items and reasons of
/// several lines, and names with characters that few fonts have.
pub fn extreme() -> Material {
    let loads: Vec<Load> = (0..12)
        .map(|at| load(1 + at * 11, 20 + 4 * u64::from(at), 200 + 90 * u64::from(at), 11_000))
        .collect();
    let mut run = Run::of(&loads);
    alter(&mut run, 111, |at, facts| {
        if at % 2 == 0 {
            fail(facts, 503, FaultKind::Http, &"上游网关返回 503：".repeat(9))
        }
    });
    let mut m = run.material(Some(LONG_TERMS));
    m.scope.model =
        "组织名/deepseek-r1-distill-qwen-32b-instruct-awq-int4-".chars().cycle().take(120).collect();
    m.scope.project = Project {
        name: Some(
            "𠮷林省龘鑫智能客服与知识问答一体化大模型推理平台（二期）扩容及国产化适配建设项目".to_owned(),
        ),
        customer: Some("𠮷野家（龘）喆镕玥堃昇祎瑄数据中心 🚀 <b>&amp;".to_owned()),
        supplier: Some("Ångström & Søn – Приложение 株式会社 الذكاء".to_owned()),
        contract: Some("HT-2026-".to_owned() + &"0417".repeat(20)),
        third_party: Some(
            "国家人工智能应用测试与质量监督检验中心（华东分中心）大模型推理服务性能实验室".to_owned(),
        ),
        ..Project::default()
    };
    m.scope.hardware = Some(
        "8 × NVIDIA H20 141 GB，2 × Intel Xeon Platinum 8480+，2 TB DDR5，4 × 400 Gb/s RoCE；".repeat(3),
    );
    let ids = (0..20).map(|seq| failure(200 + seq, 111, Outcome::HttpError, &"上游网关返回 503：".repeat(9)));
    m.failures = ids.collect();
    m
}

/// More requests in a tier than a drawing has rows for, behind a queue in the service that grows from one request to the
/// next until the first of them end; some fail.
pub fn crowded() -> Material {
    let mut run = Run::of(&[load(4, 20, 210, 9_000)]);
    run.add(&load(64, 640, 300, 12_000), |at, facts| {
        let queued = 40_000 * (64 - at.min(64)).min(at) + 9_000 * (at % 64);
        let later = |instant: &mut Option<Micros>| {
            if let Some(instant) = instant {
                instant.0 += queued;
            }
        };
        let Facts { first_byte, first_token, first_visible, last_token, end, .. } = facts;
        [first_byte, first_token, first_visible, last_token, end].into_iter().for_each(later);
        match at % 23 {
            11 => fail(facts, 503, FaultKind::Http, "overloaded"),
            19 => cut_off(facts),
            _ => {}
        }
    });
    run.material(None)
}

/// Nothing succeeded: the service refused every request.
pub fn nothing_effective() -> Material {
    let mut run = Run::of(&SWEEP[..3]);
    for tier in [1, 2, 4] {
        alter(&mut run, tier, |at, facts| refuse(facts, Micros(u64::from(tier) * 3_000_000 + at * 1_200)));
    }
    run.material(None)
}

/// Every specimen by name.
#[must_use]
pub fn all() -> Vec<(&'static str, Material)> {
    vec![
        ("passed", passed()),
        ("failed", failed()),
        ("interrupted", interrupted()),
        ("one-tier", one_tier()),
        ("demonstration", demonstration()),
        ("extreme", extreme()),
        ("nothing-effective", nothing_effective()),
        ("crowded", crowded()),
        ("groups", groups()),
        ("assumed", assumed()),
    ]
}

/// Changes the rows of a tier, by their place in it.
fn alter(run: &mut Run, tier: u32, change: impl Fn(u64, &mut Facts)) {
    let rows = run.records.iter_mut().filter(|record| record.tier == Some(tier));
    for (at, record) in (0..).zip(rows) {
        change(at, &mut record.facts);
    }
}

/// The answer ends before it has begun.
fn without_answer(facts: &mut Facts, ended: Ended, end: u64) {
    *facts = Facts {
        due: facts.due,
        sent: facts.sent,
        end: Some(Micros(end)),
        ended,
        request_id: facts.request_id.take(),
        ..Facts::default()
    };
}

fn fail(facts: &mut Facts, status: u16, kind: FaultKind, message: &str) {
    let end = facts.first_token.expect("it was answered").0;
    without_answer(facts, Ended::Eof, end);
    facts.status = Some(status);
    facts.error = Some(Fault { kind, message: message.to_owned() });
}

fn cut_off(facts: &mut Facts) {
    (facts.ended, facts.finish_reason, facts.done) = (Ended::Eof, None, false);
}

fn refuse(facts: &mut Facts, at: Micros) {
    facts.due = at;
    without_answer(facts, Ended::Connect(ConnectFault::Refused), at.0 + 900);
    facts.sent = None;
    let message = "connection refused (os error 111)".to_owned();
    facts.error = Some(Fault { kind: FaultKind::Connect, message });
}

fn break_off(facts: &mut Facts) {
    let end = facts.first_token.expect("it was answered").0 + 3_000_000;
    without_answer(facts, Ended::Cancelled, end);
    facts.error = Some(Fault { kind: FaultKind::Stopped, message: "the run was stopped".to_owned() });
}

fn never_sent(facts: &mut Facts) {
    *facts = Facts { ended: Ended::NotSent, ..Facts::default() };
}

/// The service sends four tokens in an event.
fn several_tokens_an_event(facts: &mut Facts) {
    facts.gaps_us = facts.gaps_us.chunks(4).map(|gaps| gaps.iter().sum()).collect();
    facts.token_events = facts.gaps_us.len() as u64 + 1;
    facts.events = facts.token_events + 3;
}

fn failure(seq: u64, tier: u32, outcome: Outcome, message: &str) -> FailureExample {
    FailureExample {
        seq,
        tier: Some(tier),
        outcome,
        request_id: Some(format!("ab-9f2c41d0-{seq:04}")),
        message: Some(message.to_owned()),
        at: Some("2026-11-30T06:14:31.007Z".to_owned()),
    }
}
