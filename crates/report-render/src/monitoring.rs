//! Monitoring advice as a file that Prometheus loads: what to watch in production, against this run's figures.

use std::fmt::Write as _;

use metrics_core::{Seconds, Tier};
use verdict_rules::{Edition, Text};

use crate::{document::legible, material::Material, number};

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
    metric: &'static str,
    baseline: Option<Seconds>,
    en: &'static str,
    zh: &'static str,
}

/// Prometheus rules with the figures of the recommended interactive tier as the baseline; recording rules alone where
/// no tier is recommended or a figure does not exist.
///
/// Where the run was not accepted, the rules say so: their baseline is then what was measured, and nothing that was
/// agreed on. Metric names are those of vLLM; for another backend, the expressions of the `record` rules are to be
/// changed, and nothing else. The text is YAML, the same bytes for the same material.
#[must_use]
pub fn prometheus_rules(material: &Material) -> String {
    let tier =
        material.verdict.advice.interactive.and_then(|interactive| {
            material.summary.tiers.iter().find(|tier| tier.concurrency == interactive)
        });
    let accepted = material.edition() == Edition::Customer && !material.scope.simulated;
    let mut text = head(material, tier, accepted);
    text.push_str("groups:\n  - name: acceptance_baseline\n    rules:\n");
    let watched = watched(tier);
    for figure in &watched {
        record(&mut text, figure.record, figure.expr);
    }
    for (name, expr) in RECORDED {
        record(&mut text, name, expr);
    }
    for figure in &watched {
        if let Some(baseline) = figure.baseline {
            let (exact, basis) = (number::plain(baseline.get()), basis(accepted));
            let seconds = number::of_metric(figure.metric, baseline.get());
            let expr = format!("{} > {LATENCY_FACTOR} * {exact}", figure.record);
            let en = format!("{} is above {LATENCY_FACTOR} times {} ({seconds} s)", figure.en, basis.en);
            let zh = format!("{}高于{}（{seconds} 秒）的 {LATENCY_FACTOR} 倍", figure.zh, basis.zh);
            alert(&mut text, figure.alert, &expr, &Text::new(en, zh));
        }
    }
    if let Some(tier) = tier {
        load_alerts(&mut text, tier, accepted);
    }
    text
}

/// Share of requests that end well.
const SUCCESS: &str = "acceptance:success_share:rate5m";
/// Output tokens a second.
const OUTPUT: &str = "acceptance:output_tokens:rate5m";
/// Requests in flight.
const RUNNING: &str = "acceptance:requests_running:avg5m";
/// Requests that wait for a place.
const WAITING: &str = "acceptance:requests_waiting:avg5m";

/// What is recorded beside the latencies.
const RECORDED: [(&str, &str); 5] = [
    (OUTPUT, "sum(rate(vllm:generation_tokens_total[5m]))"),
    ("acceptance:requests:rate5m", "sum(rate(vllm:request_success_total[5m]))"),
    (
        SUCCESS,
        "sum(rate(vllm:request_success_total{finished_reason=~\"stop|length\"}[5m])) / sum(rate(vllm:request_success_total[5m]))",
    ),
    (RUNNING, "sum(avg_over_time(vllm:num_requests_running[5m]))"),
    (WAITING, "sum(avg_over_time(vllm:num_requests_waiting[5m]))"),
];

/// What a figure is held against.
fn basis(accepted: bool) -> Text {
    if accepted {
        Text::new("its acceptance baseline", "验收基线")
    } else {
        Text::new("the figure of a run that was not accepted", "未通过验收的测试所得数值")
    }
}

/// What is watched of load, queue, output and success: the latencies above hold for the load of their tier only.
fn load_alerts(text: &mut String, tier: &Tier, accepted: bool) {
    let (c, figures, basis) = (tier.concurrency, &tier.figures, basis(accepted));
    alert(
        text,
        "AcceptanceRequestsWaiting",
        &format!("{WAITING} >= 1"),
        &Text::new("requests keep waiting for a place in the service", "服务端持续有请求排队等待"),
    );
    alert(
        text,
        "AcceptanceLoadAboveRecommendedTier",
        &format!("{RUNNING} > {c}"),
        &Text::new(
            format!(
                "more requests are in flight than the recommended tier C{c} has, for which the baseline holds"
            ),
            format!("在途请求数超过推荐档 C{c}，时延基线仅对该档成立"),
        ),
    );
    if let Some(rate) = figures.sustained_output_tps.or(figures.output_tps) {
        let (exact, rate) = (number::plain(rate), number::tokens_per_second(rate));
        alert(
            text,
            "AcceptanceOutputTPSBelowBaseline",
            &format!("{OUTPUT} < {exact} * 2 / 3 and {RUNNING} >= {c}"),
            &Text::new(
                format!(
                    "with C{c} or more in flight, Output TPS is below two thirds of {} ({rate} tok/s)",
                    basis.en
                ),
                format!("在途请求数达到 C{c} 时，Output TPS 低于{}（{rate} tok/s）的三分之二", basis.zh),
            ),
        );
    }
    if let Some(rate) = figures.success_rate {
        let (exact, rate) = (number::plain(rate), number::percent(rate));
        let points = number::plain(SUCCESS_MARGIN * 100.0);
        alert(
            text,
            "AcceptanceSuccessBelowBaseline",
            &format!("{SUCCESS} < {exact} - {SUCCESS_MARGIN}"),
            &Text::new(
                format!(
                    "the success rate is more than {points} percentage point below {} ({rate})",
                    basis.en
                ),
                format!("请求成功率较{}（{rate}）低 {points} 个百分点以上", basis.zh),
            ),
        );
    }
}

fn head(material: &Material, tier: Option<&Tier>, accepted: bool) -> String {
    let mut lines = vec![
        "Monitoring rules from an acceptance run / 验收测试生成的监控规则".to_owned(),
        format!("run {}, evidence {}", material.summary.run.id, material.summary.evidence_digest),
    ];
    if material.scope.simulated {
        lines.push("Demonstration: the service was a built-in simulator, so these figures are no baseline of any service. / 演示：被测对象为内置模拟服务，数值不可作为任何服务的基线。".to_owned());
    }
    if material.summary.run.interrupted {
        lines.push("The run was cut short. / 测试提前中止。".to_owned());
    }
    if !accepted && !material.scope.simulated {
        lines.push("The run was NOT accepted: the figures are what was measured, no agreed baseline. Make the rules again from an accepted run. / 本次测试未通过验收：以下为实测数值，并非验收基线；验收通过后请重新生成。".to_owned());
    }
    lines.push(match tier {
        Some(tier) => format!(
            "Baseline: tier C{0}. A latency alert fires above {1} times its figure for {WAIT}. / 基线：C{0} 档；时延高于基线 {1} 倍并持续 {WAIT} 时告警。",
            tier.concurrency, LATENCY_FACTOR
        ),
        None => "No tier was recommended: figures are recorded, and nothing is alerted on. / 未给出推荐档位：仅记录指标，不设告警。".to_owned(),
    });
    lines.push("Metric names are vLLM's; for another backend change the expressions of the record rules. / 指标名取自 vLLM，其他后端请修改 record 规则中的表达式。".to_owned());
    lines.iter().map(|line| format!("# {}\n", legible(line))).collect()
}

fn watched(tier: Option<&Tier>) -> [Watched; 4] {
    let figures = tier.map(|tier| &tier.figures);
    [
        Watched {
            alert: "AcceptanceTTFTAboveBaseline",
            record: "acceptance:ttft_seconds:p95_5m",
            expr: "histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))",
            metric: "ttft_s.p95",
            baseline: figures.and_then(|figures| figures.ttft_s.p95),
            en: "P95 time to first token",
            zh: "首 Token 时延 P95 ",
        },
        Watched {
            alert: "AcceptanceE2EP95AboveBaseline",
            record: "acceptance:e2e_seconds:p95_5m",
            expr: "histogram_quantile(0.95, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m])))",
            metric: "e2e_s.p95",
            baseline: figures.and_then(|figures| figures.e2e_s.p95),
            en: "P95 end-to-end latency",
            zh: "端到端时延 P95 ",
        },
        Watched {
            alert: "AcceptanceE2EP99AboveBaseline",
            record: "acceptance:e2e_seconds:p99_5m",
            expr: "histogram_quantile(0.99, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m])))",
            metric: "e2e_s.p99",
            baseline: figures.and_then(|figures| figures.e2e_s.p99),
            en: "P99 end-to-end latency",
            zh: "端到端时延 P99 ",
        },
        Watched {
            alert: "AcceptanceTPOTAboveBaseline",
            record: "acceptance:tpot_seconds:mean_5m",
            expr: "sum(rate(vllm:request_time_per_output_token_seconds_sum[5m])) / sum(rate(vllm:request_time_per_output_token_seconds_count[5m]))",
            metric: "tpot_s.mean",
            baseline: figures.and_then(|figures| figures.tpot_s.mean),
            en: "mean time per output token",
            zh: "每输出 Token 时间均值",
        },
    ]
}

fn record(text: &mut String, name: &str, expr: &str) {
    let _ = writeln!(text, "      - record: {name}");
    let _ = writeln!(text, "        expr: {}", quoted(expr));
}

fn alert(text: &mut String, name: &str, expr: &str, summary: &Text) {
    let _ = writeln!(text, "      - alert: {name}");
    let _ = writeln!(text, "        expr: {}", quoted(expr));
    let _ = writeln!(text, "        for: {WAIT}");
    let _ = writeln!(text, "        labels:\n          severity: warning");
    let _ = writeln!(text, "        annotations:");
    let _ = writeln!(text, "          summary: {}", quoted(&summary.en));
    let _ = writeln!(text, "          summary_zh: {}", quoted(&summary.zh));
}

/// A YAML string in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
