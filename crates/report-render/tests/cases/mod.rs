//! The materials that tests render.

use std::collections::BTreeMap;

use metrics_core::{
    ClientLimit, Distribution, FromSent, LimitHit, Outcome, Peak, Seconds, Support, Tier, Warning,
    WarningCode,
};
use report_render::{FailureExample, Material, PlannedTier};
use verdict_rules::{AdvisedBy, Cause, CriterionId, Edition, Judgement, SlaResult, Supplementary, Text};

use crate::sample;

/// A sweep that failed: one tier with some failures, one with nothing but failures, one that never ran.
pub(crate) fn failed() -> Material {
    let mut some = sample::tier(4, 20, 9.4, 0.9);
    some.figures.finished = 19;
    some.figures.effective = 16;
    some.figures.success_rate = Some(0.8);
    some.figures.success_rate_low = Some(0.599);
    some.figures.sustained_output_tps = None;
    some.figures.sustained_absent = Some("the tier was never full".to_owned());
    some.figures.inter_event_is_itl = false;
    some.figures.tokens_per_event = Some(3.87);
    some.figures.tpot_usual_s = Some(some.figures.tpot_s.clone());
    some.figures.outcomes = BTreeMap::from([
        (Outcome::Effective, 16),
        (Outcome::HttpError, 2),
        (Outcome::Truncated, 1),
        (Outcome::NotSent, 1),
    ]);
    let mut m = sample::passed();
    m.scope.tiers = [(1, 20), (4, 20), (8, 40), (16, 80)]
        .map(|(concurrency, requests)| PlannedTier { concurrency, requests })
        .to_vec();
    m.summary = sample::summary(vec![sample::tier(1, 20, 4.8, 0.21), some, all_failed(8, 40)]);
    let totals = &mut m.summary.totals;
    (totals.planned, totals.sent, totals.finished, totals.effective) = (160, 79, 79, 36);
    (totals.success_rate, totals.success_rate_low) = (Some(36.0 / 160.0), Some(0.172));
    totals.outcomes = BTreeMap::from([
        (Outcome::Effective, 36),
        (Outcome::ConnectFailed, 40),
        (Outcome::HttpError, 2),
        (Outcome::Truncated, 1),
        (Outcome::NotSent, 81),
    ]);
    m.summary.peak = Peak {
        output_tps: Some(175.3),
        output_tps_tier: Some(4),
        total_tps: Some(254.5),
        total_tps_tier: Some(4),
    };
    m.summary.run.interrupted = true;
    let client = &mut m.summary.client;
    (client.valid, client.co_located, client.unoptimised) = (Some(false), true, true);
    client.limits_hit = vec![
        LimitHit {
            limit: ClientLimit::Cpu,
            tier: Some(4),
            observed: 0.31,
            allowed: 0.1,
            inter_event_only: false,
        },
        LimitHit {
            limit: ClientLimit::TimerDelayPerToken,
            tier: Some(1),
            observed: 0.0021,
            allowed: 0.0005,
            inter_event_only: true,
        },
    ];
    m.summary.warnings = [
        (WarningCode::Interrupted, None, None),
        (WarningCode::UnoptimisedClient, None, None),
        (WarningCode::TokensPerEvent, Some(4), Some(3.87)),
        (WarningCode::FewValues, Some(1), Some(20.0)),
        (WarningCode::FewValues, Some(4), Some(16.0)),
        (WarningCode::CachedInput, Some(4), Some(0.123)),
    ]
    .map(|(code, tier, value)| Warning { code, tier, value, message: String::new() })
    .to_vec();
    judge_as_failed(&mut m);
    m.failures = vec![
        failure(23, 4, Outcome::HttpError, "500 Internal Server Error: CUDA out of memory"),
        failure(31, 4, Outcome::Truncated, "body ended without a finish reason"),
        failure(40, 8, Outcome::ConnectFailed, "connection refused (os error 111)"),
    ];
    let evidence = m.evidence.as_mut().expect("the sample has it");
    evidence.interrupted = true;
    evidence.rows_missing = 81;
    evidence.problems = vec!["raw/requests.jsonl: last line unterminated".to_owned()];
    m
}

fn judge_as_failed(m: &mut Material) {
    m.verdict.decision = Judgement::Fail;
    m.verdict.edition = Edition::Internal;
    for found in &mut m.verdict.criteria {
        let (result, observed, threshold, words) = match found.id {
            CriterionId::TestIntegrity => (
                Judgement::Fail,
                Some(79.0),
                Some(160.0),
                Text::new(
                    "79 of 160 planned requests finished; C16 did not run",
                    "计划 160 个请求，完成 79 个；C16 未执行",
                ),
            ),
            CriterionId::ServiceAvailability => (
                Judgement::Fail,
                Some(40.0),
                Some(3.0),
                Text::new("40 connections in a row were refused.", "连续 40 次连接被拒绝。"),
            ),
            CriterionId::Stability => (
                Judgement::Fail,
                Some(36.0 / 160.0),
                Some(1.0),
                Text::new("The success rate is below the target.", "成功率低于目标。"),
            ),
            CriterionId::PeakThroughput => (
                Judgement::Fail,
                Some(175.3),
                Some(400.0),
                Text::new("The peak is below the demand.", "峰值低于部署需求。"),
            ),
            CriterionId::DeliveryAdvice => (
                Judgement::Inconclusive,
                None,
                None,
                Text::new("Only C1 meets the success target.", "仅 C1 达到成功率目标。"),
            ),
            CriterionId::DataTraceability => continue,
        };
        (found.result, found.observed, found.threshold, found.explanation) =
            (result, observed, threshold, words);
        found.support = (found.id == CriterionId::Stability).then_some(Support::Refuted);
    }
    let advice = &mut m.verdict.advice;
    (advice.interactive, advice.boundary, advice.by_rule) = (Some(4), None, Some(1));
    (advice.by, advice.supported_up_to, advice.levelled_off_at) = (AdvisedBy::Agreement, None, Some(4));
    advice.reason = Text::verbatim("合同约定交互并发 4");
    m.verdict.sla = vec![
        SlaResult {
            item: "E2E P95".to_owned(),
            metric: "e2e_s.p95".to_owned(),
            tier: Some(4),
            limit: "<= 8.0".to_owned(),
            source: Some("Annex 3 §2".to_owned()),
            contract: Judgement::Fail,
            cause: Some(Cause::LimitMissed),
            support: Some(Support::Refuted),
            further: None,
            observed: None,
            n: 20,
            exceeding: Some(4),
        },
        SlaResult {
            item: "RPS".to_owned(),
            metric: "rps".to_owned(),
            tier: None,
            limit: ">= 0.2".to_owned(),
            source: None,
            contract: Judgement::Pass,
            cause: None,
            support: None,
            further: None,
            observed: Some(0.2083),
            n: 160,
            exceeding: None,
        },
    ];
    m.verdict.supplementary = vec![Supplementary {
        id: "client-capacity".to_owned(),
        condition: Text::new(
            "Repeat C4 from a calmer host, without a limit being hit.",
            "换用负载更低的主机复测 C4，测试端不触及极限。",
        ),
        owner: Some("张工".to_owned()),
        environment: None,
        due: Some("2026-12-31".to_owned()),
        state: "open".to_owned(),
    }];
}

/// A tier in which no request succeeded: it has counts, and no figure else.
pub(crate) fn all_failed(concurrency: u32, requests: u64) -> Tier {
    let mut tier = sample::tier(concurrency, requests, 1.0, 0.1);
    let f = &mut tier.figures;
    let none = Distribution {
        mean: None,
        p50: None,
        p90: None,
        p95: None,
        p99: None,
        min: None,
        max: None,
        n: 0,
        left_out: requests,
        bounds: Default::default(),
    };
    (f.effective, f.success_rate, f.success_rate_low) = (0, Some(0.0), Some(0.0));
    f.window_s = Some(Seconds::new(0.21));
    f.outcomes = BTreeMap::from([(Outcome::ConnectFailed, requests)]);
    (f.e2e_s, f.ttft_s, f.tpot_s) = (none.clone(), none.clone(), none.clone());
    (f.inter_event_s, f.e2e_per_token_s) = (none.clone(), none.clone());
    f.from_sent = FromSent { e2e_s: none.clone(), ttft_s: none };
    f.inter_event_is_itl = false;
    (f.tokens_per_event, f.output_tps, f.total_tps, f.rps) = (None, None, None, None);
    (f.sustained_output_tps, f.sustained_absent) = (None, Some("no request was effective".to_owned()));
    (f.attainment, f.goodput_rps) = (Some(0.0), None);
    (f.input_tokens, f.output_tokens, f.cached_input_share, f.token_source) = (None, None, None, None);
    tier
}

/// One tier, no agreement, nothing stated: what can be said is said, and the rest is said to be open.
pub(crate) fn one_tier() -> Material {
    let mut m = sample::passed();
    m.summary = sample::summary(vec![sample::tier(4, 20, 5.9, 0.31)]);
    m.scope.tiers = vec![PlannedTier { concurrency: 4, requests: 20 }];
    m.scope.project = Default::default();
    (m.scope.version_stated, m.scope.version_observed, m.scope.client_location) = (None, None, None);
    (m.scope.max_tokens, m.scope.temperature) = (Some(256), Some(0.6));
    m.verdict.agreed = false;
    m.verdict.agreement_digest = String::new();
    m.verdict.decision = Judgement::Inconclusive;
    m.verdict.edition = Edition::Internal;
    m.verdict.sla = Vec::new();
    for found in &mut m.verdict.criteria {
        if found.id == CriterionId::DeliveryAdvice {
            found.result = Judgement::Inconclusive;
            found.explanation =
                Text::new("With one tier no advice can be formed.", "仅一个档位，无法形成容量建议。");
        }
        if found.id == CriterionId::PeakThroughput {
            found.threshold = None;
        }
    }
    (m.verdict.advice.interactive, m.verdict.advice.boundary) = (None, Some(4));
    (m.verdict.advice.supported_up_to, m.verdict.advice.by_rule) = (None, None);
    m.verdict.advice.reason = Text::default();
    m.archive = Vec::new();
    (m.evidence, m.availability) = (None, None);
    m.summary.client.valid = None;
    m.summary.client.samples = 0;
    m
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
