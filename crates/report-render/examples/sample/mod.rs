//! Hand-made material: nothing here was measured.

use std::collections::BTreeMap;

use metrics_core::{
    Bound, Bounds, ClientFigures, Distribution, Figures, FromSent, Outcome, Peak, RunFacts, SUMMARY_SCHEMA,
    Seconds, Summary, Support, Tier, TokenSource, Totals,
};
use report_render::{ArchiveEntry, Material, PlannedTier, Project, PromptSource, Prompts, Scope, TimeOuts};
use verdict_rules::{
    Advice, AdvisedBy, Availability, Criterion, CriterionId, Edition, Evidence, Judgement, SlaResult, Text,
    VERDICT_SCHEMA, Verdict,
};

const DIGEST: &str = "3f1a6c0de5b94782a1c07f9d2b8e4415606d7a9be0c3f25814d7e96ab03c5f21";

/// A sweep of five tiers that passed: the customer edition.
pub(crate) fn passed() -> Material {
    let summary = summary(vec![
        tier(1, 20, 4.8, 0.21),
        tier(2, 20, 5.1, 0.24),
        tier(4, 20, 5.9, 0.31),
        tier(8, 40, 8.3, 0.58),
        tier(16, 80, 13.7, 1.26),
    ]);
    let verdict = verdict(&summary);
    Material {
        verdict,
        scope: scope(&summary),
        failures: Vec::new(),
        archive: archive(),
        availability: Some(Availability {
            health_checks: 94,
            ready: 94,
            unready: 0,
            unanswered: 0,
            unready_spells: 0,
            refusals_in_a_row: 0,
            restarts: 0,
            start_time_known: true,
        }),
        evidence: Some(Evidence {
            chain_intact: Some(true),
            digests_match: Some(true),
            ..Evidence::default()
        }),
        summary,
    }
}

/// The figures of a run with these tiers.
pub(crate) fn summary(tiers: Vec<Tier>) -> Summary {
    let planned = tiers.iter().map(|tier| tier.figures.planned).sum();
    let effective = tiers.iter().map(|tier| tier.figures.effective).sum();
    let last = tiers.last().map(|tier| (tier.concurrency, tier.figures.clone()));
    Summary {
        schema: SUMMARY_SCHEMA.to_owned(),
        evidence_digest: DIGEST.to_owned(),
        run: RunFacts {
            id: "9f2c41d07be6".to_owned(),
            started_at: "2026-11-30T06:12:09.482Z".to_owned(),
            duration_s: Some(Seconds::new(371.25)),
            interrupted: false,
        },
        totals: Totals {
            planned,
            sent: planned,
            finished: planned,
            effective,
            success_rate: Some(effective as f64 / planned as f64),
            success_rate_low: Some(0.983_495),
            outcomes: BTreeMap::from([(Outcome::Effective, effective)]),
        },
        groups: Vec::new(),
        peak: last.map_or_else(Peak::default, |(tier, figures)| Peak {
            output_tps: figures.output_tps,
            output_tps_tier: Some(tier),
            total_tps: figures.total_tps,
            total_tps_tier: Some(tier),
        }),
        tiers,
        client: ClientFigures {
            valid: Some(true),
            limits_hit: Vec::new(),
            co_located: false,
            unoptimised: false,
            samples: 372,
            cpu_mean: Some(0.021),
            cpu_max: Some(0.064),
            host_cpu_max: Some(0.11),
            timer_delay_p99_s: Some(Seconds::new(0.000_42)),
            run_delay_p99_s: Some(Seconds::new(0.000_09)),
            rss_max_bytes: Some(31_457_280),
            connections_max: Some(16),
            queue_depth_max: Some(3),
        },
        warnings: Vec::new(),
    }
}

/// A tier of which every request was effective.
pub(crate) fn tier(concurrency: u32, requests: u64, e2e: f64, ttft: f64) -> Tier {
    let tokens = 412.0;
    let window = e2e * requests as f64 / f64::from(concurrency);
    let rate = requests as f64 / window;
    Tier {
        concurrency,
        figures: Figures {
            planned: requests,
            finished: requests,
            effective: requests,
            success_rate: Some(1.0),
            success_rate_low: Some(0.05f64.powf(1.0 / requests as f64)),
            window_s: Some(Seconds::new(window)),
            outcomes: BTreeMap::from([(Outcome::Effective, requests)]),
            e2e_s: spread(e2e, requests),
            ttft_s: spread(ttft, requests),
            tpot_s: spread((e2e - ttft) / (tokens - 1.0), requests),
            tpot_usual_s: None,
            inter_event_s: spread((e2e - ttft) / tokens, requests * 411),
            inter_event_is_itl: true,
            e2e_per_token_s: spread(e2e / tokens, requests),
            from_sent: FromSent {
                e2e_s: spread(e2e - 0.004, requests),
                ttft_s: spread(ttft - 0.004, requests),
            },
            tokens_per_event: Some(1.0),
            output_tps: Some(rate * tokens),
            total_tps: Some(rate * (tokens + 186.0)),
            rps: Some(rate),
            sustained_output_tps: Some(rate * tokens * 1.04),
            sustained_absent: None,
            attainment: Some(1.0),
            goodput_rps: Some(rate),
            input_tokens: Some(requests * 186),
            output_tokens: Some(requests * 412),
            cached_input_share: Some(0.0),
            token_source: Some("usage".to_owned()),
            reconnects: 0,
        },
    }
}

/// Values around a mean. A percentile has bounds only where their number allows it.
fn spread(mean: f64, n: u64) -> Distribution {
    let at = |share: f64| Some(Seconds::new(mean * share));
    let when = |enough: bool, share: f64| if enough { at(share) } else { None };
    Distribution {
        mean: at(1.0),
        p50: at(0.98),
        p90: at(1.16),
        p95: at(1.24),
        p99: at(1.37),
        min: at(0.81),
        max: at(1.37),
        n,
        left_out: 0,
        bounds: Bounds {
            p50: Bound(at(0.93), at(1.03)),
            p90: Bound(at(1.05), when(n > 35, 1.3)),
            p95: Bound(at(1.12), when(n > 71, 1.36)),
            p99: Bound(when(n > 30, 1.2), when(n > 400, 1.37)),
        },
    }
}

fn verdict(summary: &Summary) -> Verdict {
    let n = Some(summary.totals.planned);
    let found = |id, observed, threshold, en: &str, zh: &str| Criterion {
        id,
        result: Judgement::Pass,
        cause: None,
        contract: None,
        support: None,
        observed,
        threshold,
        n,
        explanation: Text::new(en, zh),
    };
    let criteria = vec![
        found(
            CriterionId::TestIntegrity,
            n.map(|n| n as f64),
            n.map(|n| n as f64),
            "Every agreed tier ran, and every planned request finished.",
            "约定档位全部执行，计划请求全部完成，请求数与时长可追溯。",
        ),
        found(
            CriterionId::ServiceAvailability,
            None,
            None,
            "The service was reachable and ready all through; no restart was seen.",
            "测试期间服务响应正常，未见重启或不可用。",
        ),
        found(
            CriterionId::Stability,
            Some(1.0),
            Some(1.0),
            "No request failed.",
            "目标成功率 100%，无失败请求。",
        ),
        found(
            CriterionId::PeakThroughput,
            summary.peak.output_tps,
            Some(400.0),
            "The peak meets the demand of the deployment.",
            "峰值 Output TPS 满足部署需求。",
        ),
        found(
            CriterionId::DeliveryAdvice,
            None,
            None,
            "An interactive tier and a boundary are named.",
            "已给出推荐交互并发与吞吐边界。",
        ),
        found(
            CriterionId::DataTraceability,
            None,
            None,
            "Raw rows are complete, digests match, and the figures recompute.",
            "原始记录完整，摘要一致，数值可重新计算。",
        ),
    ];
    Verdict {
        schema: VERDICT_SCHEMA.to_owned(),
        evidence_digest: DIGEST.to_owned(),
        agreement_digest: "c81e728d9d4c2f636f067f89cc14862c0f5b3a2e1d4c6b7a8990a1b2c3d4e5f6".to_owned(),
        agreed: true,
        decision: Judgement::Pass,
        edition: Edition::Customer,
        advice: Advice {
            interactive: Some(4),
            boundary: Some(16),
            reason: Text::new(
                "At C4 the median TTFT is 1.5 times that of C1 and the success target holds; C16 is the highest tier tested that meets it.",
                "C4 的 TTFT 中位数为 C1 的 1.5 倍，且成功率达标；C16 为达标的最高测试档。",
            ),
            supported_up_to: Some(8),
            levelled_off_at: None,
            levelled_off: Vec::new(),
            by_rule: Some(4),
            by: AdvisedBy::Rule,
        },
        criteria,
        sla: vec![
            SlaResult {
                item: "首 Token 时延 P95".to_owned(),
                metric: "ttft_s.p95".to_owned(),
                tier: Some(4),
                limit: "<= 2.0".to_owned(),
                source: Some("合同附件 3 §2".to_owned()),
                contract: Judgement::Pass,
                cause: None,
                support: Some(Support::Inconclusive),
                further: Some(39),
                observed: Some(0.3844),
                n: 20,
                exceeding: Some(0),
            },
            SlaResult {
                item: "端到端时延 P95".to_owned(),
                metric: "e2e_s.p95".to_owned(),
                tier: Some(16),
                limit: "<= 20".to_owned(),
                source: None,
                contract: Judgement::Pass,
                cause: None,
                support: Some(Support::Supported),
                further: None,
                observed: Some(16.988),
                n: 80,
                exceeding: Some(0),
            },
        ],
        findings: Vec::new(),
        supplementary: Vec::new(),
    }
}

fn scope(summary: &Summary) -> Scope {
    let tiers = summary.tiers.iter();
    Scope {
        project: Project {
            name: Some("智能客服推理平台".to_owned()),
            customer: Some("某市政务数据中心".to_owned()),
            supplier: Some("元枢科技".to_owned()),
            contract: Some("HT-2026-0417".to_owned()),
        },
        model: "deepseek-r1-distill-qwen-32b".to_owned(),
        endpoint: "http://10.0.0.5:8000/v1/chat/completions".to_owned(),
        tiers: tiers
            .map(|tier| PlannedTier { concurrency: tier.concurrency, requests: tier.figures.planned })
            .collect(),
        warm_up: 16,
        streaming: true,
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
        },
        token_source: Some(TokenSource::Usage),
        tokenizer: None,
        time_outs: TimeOuts::default(),
        client_location: Some("客户内网，与服务同一机房".to_owned()),
        client_host: Some("load-01".to_owned()),
        tool_version: "acceptbench 0.1.0".to_owned(),
        build_profile: "release".to_owned(),
    }
}

fn archive() -> Vec<ArchiveEntry> {
    let paths = [
        "data/evidence-sha256.txt",
        "data/plan.toml",
        "data/environment.json",
        "data/raw/requests.jsonl",
        "data/analysis/summary.json",
        "data/analysis/verdict.json",
        "data/reports/trend.zh.svg",
    ];
    let entry = |path: &str| ArchiveEntry { path: path.to_owned(), sha256: DIGEST.to_owned(), what: None };
    paths.into_iter().map(entry).collect()
}
