//! Monitoring advice as a file that Prometheus loads: what to watch in production, against this run's figures.

use std::fmt::Write as _;

use metrics_core::{Seconds, Tier};

use crate::material::Material;

/// An alert fires when a figure stays this many times above its baseline.
const LATENCY_FACTOR: f64 = 1.5;

/// How long it must stay there.
const WAIT: &str = "10m";

/// The share of requests that end well may be this much below its baseline.
const SUCCESS_MARGIN: f64 = 0.01;

/// One figure that is watched.
struct Watched {
    alert: &'static str,
    record: &'static str,
    expr: &'static str,
    baseline: Option<Seconds>,
    en: &'static str,
    zh: &'static str,
}

/// Prometheus rules with the figures of the recommended interactive tier as the baseline; recording rules alone where
/// no tier is recommended or a figure does not exist.
///
/// Metric names are those of vLLM; for another backend, the expressions of the `record` rules are to be changed, and
/// nothing else. The text is YAML, the same bytes for the same material.
#[must_use]
pub fn prometheus_rules(material: &Material) -> String {
    let tier =
        material.verdict.advice.interactive.and_then(|interactive| {
            material.summary.tiers.iter().find(|tier| tier.concurrency == interactive)
        });
    let mut text = head(material, tier);
    text.push_str("groups:\n  - name: acceptance_baseline\n    rules:\n");
    let watched = watched(tier);
    for figure in &watched {
        let _ = writeln!(text, "      - record: {}", figure.record);
        let _ = writeln!(text, "        expr: {}", quoted(figure.expr));
    }
    let _ = writeln!(text, "      - record: acceptance:output_tokens:rate5m");
    let _ = writeln!(text, "        expr: {}", quoted("sum(rate(vllm:generation_tokens_total[5m]))"));
    let _ = writeln!(text, "      - record: acceptance:requests:rate5m");
    let _ = writeln!(text, "        expr: {}", quoted("sum(rate(vllm:request_success_total[5m]))"));
    let _ = writeln!(text, "      - record: {SUCCESS}");
    let ended_well = "sum(rate(vllm:request_success_total{finished_reason=~\"stop|length\"}[5m]))";
    let _ = writeln!(
        text,
        "        expr: {}",
        quoted(&format!("{ended_well} / sum(rate(vllm:request_success_total[5m]))"))
    );
    for figure in &watched {
        if let Some(baseline) = figure.baseline {
            let baseline = baseline.get();
            let expr = format!("{} > {LATENCY_FACTOR} * {baseline}", figure.record);
            let (en, zh) =
                (format!("{} ({baseline} s)", figure.en), format!("{}（{baseline} 秒）", figure.zh));
            alert(&mut text, figure.alert, &expr, &en, &zh);
        }
    }
    if let Some(rate) = tier.and_then(|tier| tier.figures.success_rate) {
        let expr = format!("{SUCCESS} < {rate} - {SUCCESS_MARGIN}");
        let en = format!("share of requests that end well is below its acceptance baseline ({rate})");
        let zh = format!("请求成功率低于验收基线（{rate}）");
        alert(&mut text, "AcceptanceSuccessBelowBaseline", &expr, &en, &zh);
    }
    text
}

/// Share of requests that end well.
const SUCCESS: &str = "acceptance:success_share:rate5m";

fn head(material: &Material, tier: Option<&Tier>) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "# Monitoring rules from an acceptance run / 验收测试生成的监控规则");
    let _ =
        writeln!(text, "# run {}, evidence {}", material.summary.run.id, material.summary.evidence_digest);
    match tier {
        Some(tier) => {
            let _ = writeln!(
                text,
                "# Baseline: tier C{0}. An alert fires above {1} times its figure for {WAIT}. / 基线：C{0} 档；高于基线 {1} 倍并持续 {WAIT} 时告警。",
                tier.concurrency, LATENCY_FACTOR
            );
        }
        None => {
            let _ = writeln!(
                text,
                "# No tier was recommended: figures are recorded, and nothing is alerted on. / 未给出推荐档位：仅记录指标，不设告警。"
            );
        }
    }
    let _ = writeln!(
        text,
        "# Metric names are vLLM's; for another backend change the expressions of the record rules. / 指标名取自 vLLM，其他后端请修改 record 规则中的表达式。"
    );
    text
}

fn watched(tier: Option<&Tier>) -> [Watched; 4] {
    let figures = tier.map(|tier| &tier.figures);
    [
        Watched {
            alert: "AcceptanceTTFTAboveBaseline",
            record: "acceptance:ttft_seconds:p95_5m",
            expr: "histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))",
            baseline: figures.and_then(|figures| figures.ttft_s.p95),
            en: "P95 time to first token is above its acceptance baseline",
            zh: "首 Token 时延 P95 高于验收基线",
        },
        Watched {
            alert: "AcceptanceE2EP95AboveBaseline",
            record: "acceptance:e2e_seconds:p95_5m",
            expr: "histogram_quantile(0.95, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m])))",
            baseline: figures.and_then(|figures| figures.e2e_s.p95),
            en: "P95 end-to-end latency is above its acceptance baseline",
            zh: "端到端时延 P95 高于验收基线",
        },
        Watched {
            alert: "AcceptanceE2EP99AboveBaseline",
            record: "acceptance:e2e_seconds:p99_5m",
            expr: "histogram_quantile(0.99, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m])))",
            baseline: figures.and_then(|figures| figures.e2e_s.p99),
            en: "P99 end-to-end latency is above its acceptance baseline",
            zh: "端到端时延 P99 高于验收基线",
        },
        Watched {
            alert: "AcceptanceTPOTAboveBaseline",
            record: "acceptance:tpot_seconds:mean_5m",
            expr: "sum(rate(vllm:request_time_per_output_token_seconds_sum[5m])) / sum(rate(vllm:request_time_per_output_token_seconds_count[5m]))",
            baseline: figures.and_then(|figures| figures.tpot_s.mean),
            en: "mean time per output token is above its acceptance baseline",
            zh: "每输出 Token 时间均值高于验收基线",
        },
    ]
}

fn alert(text: &mut String, name: &str, expr: &str, en: &str, zh: &str) {
    let _ = writeln!(text, "      - alert: {name}");
    let _ = writeln!(text, "        expr: {}", quoted(expr));
    let _ = writeln!(text, "        for: {WAIT}");
    let _ = writeln!(text, "        labels:\n          severity: warning");
    let _ = writeln!(text, "        annotations:");
    let _ = writeln!(text, "          summary: {}", quoted(en));
    let _ = writeln!(text, "          summary_zh: {}", quoted(zh));
}

/// A YAML string in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
