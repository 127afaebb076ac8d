//! Monitoring advice as a file that Prometheus loads: what to watch in production, against this run's figures.

mod engine;

use std::fmt::Write as _;

use metrics_core::{Seconds, Tier};
use verdict_rules::{Edition, Text};

use crate::{document::legible, material::Material, number};

use engine::{Signal, Signals};

pub use engine::{Engine, UnknownEngine};

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
    signal: Signal,
    metric: &'static str,
    baseline: Option<Seconds>,
    en: &'static str,
    zh: &'static str,
}

/// Prometheus rules with the figures of the recommended interactive tier as the baseline, for the metrics of one engine;
/// recording rules alone where no tier is recommended or a figure does not exist. What the engine does not tell is left
/// out, and said to be.
///
/// Where the run was not accepted, the rules say so: their baseline is then what was measured, and nothing that was
/// agreed on. The text is YAML, the same bytes for the same material.
#[must_use]
pub fn prometheus_rules(material: &Material, engine: Engine) -> String {
    let tier =
        material.verdict.advice.interactive.and_then(|interactive| {
            material.summary.tiers.iter().find(|tier| tier.concurrency == interactive)
        });
    let accepted = material.edition() == Edition::Customer && !material.scope.simulated;
    let signals = engine.signals();
    let (watched, recorded) = (watched(tier, &signals), recorded(&signals));
    let mut text = head(material, engine, tier, accepted);
    for (name, signal) in named(&watched, &recorded) {
        if let Signal::NotTold(en, zh) = signal {
            comment(&mut text, &format!("Left out: {}, since {en}. / 未生成：{}，{zh}。", name.en, name.zh));
        }
    }
    text.push_str("groups:\n  - name: acceptance_baseline\n    rules:\n");
    for (name, signal) in
        watched.iter().map(|figure| (figure.record, figure.signal)).chain(recorded.iter().map(|r| (r.0, r.1)))
    {
        if let Signal::Told(expr) = signal {
            record(&mut text, name, expr);
        }
    }
    for figure in &watched {
        if let (Signal::Told(_), Some(baseline)) = (figure.signal, figure.baseline) {
            let (exact, basis) = (number::plain(baseline.get()), basis(accepted));
            let seconds = number::of_metric(figure.metric, baseline.get());
            let expr = format!("{} > {LATENCY_FACTOR} * {exact}", figure.record);
            let en = format!("{} is above {LATENCY_FACTOR} times {} ({seconds} s)", figure.en, basis.en);
            let zh = format!("{}高于{}（{seconds} 秒）的 {LATENCY_FACTOR} 倍", figure.zh, basis.zh);
            alert(&mut text, figure.alert, &expr, &Text::new(en, zh));
        }
    }
    if let Some(tier) = tier {
        load_alerts(&mut text, tier, &signals, accepted);
    }
    text
}

/// What every signal is called, for whoever looks for one that is not there.
fn named(watched: &[Watched], recorded: &[Recorded]) -> Vec<(Text, Signal)> {
    let watched = watched.iter().map(|figure| (Text::new(figure.en, figure.zh.trim_end()), figure.signal));
    watched.chain(recorded.iter().map(|(_, signal, en, zh)| (Text::new(*en, *zh), *signal))).collect()
}

/// Share of requests that end well.
const SUCCESS: &str = "acceptance:success_share:rate5m";
/// Output tokens a second.
const OUTPUT: &str = "acceptance:output_tokens:rate5m";
/// Requests in flight.
const RUNNING: &str = "acceptance:requests_running:avg5m";
/// Requests that wait for a place.
const WAITING: &str = "acceptance:requests_waiting:avg5m";

/// Name of the rule, what it records, and what that is called in English and Chinese.
type Recorded = (&'static str, Signal, &'static str, &'static str);

/// What is recorded beside the latencies.
fn recorded(signals: &Signals) -> [Recorded; 5] {
    [
        (OUTPUT, signals.output_tps, "Output TPS", "Output TPS"),
        ("acceptance:requests:rate5m", signals.rps, "requests a second", "每秒请求数"),
        (SUCCESS, signals.success_share, "the success rate", "请求成功率"),
        (RUNNING, signals.running, "requests in flight", "在途请求数"),
        (WAITING, signals.waiting, "requests that wait", "排队请求数"),
    ]
}

/// What a figure is held against.
fn basis(accepted: bool) -> Text {
    if accepted {
        Text::new("its acceptance baseline", "验收基线")
    } else {
        Text::new("the figure of a run that was not accepted", "未通过验收的测试所得数值")
    }
}

/// What is watched of load, queue, output and success: the latencies above hold for the load of their tier only.
fn load_alerts(text: &mut String, tier: &Tier, signals: &Signals, accepted: bool) {
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
    if let (Signal::Told(_), Some(rate)) = (signals.success_share, figures.success_rate) {
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

fn head(material: &Material, engine: Engine, tier: Option<&Tier>, accepted: bool) -> String {
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
    let name = engine.name();
    lines.push(format!("Metric names are {name}'s. / 指标名取自 {name}。"));
    if Engine::of(material) != Some(engine) {
        lines.push("The package does not name this engine. For another: acceptreport export PACK --to prometheus-rules --engine vllm|sglang|llamacpp|tgi / 证据包中未写明使用该引擎；其他引擎请以 --engine 另行导出。".to_owned());
    }
    let mut text = String::new();
    for line in &lines {
        comment(&mut text, line);
    }
    text
}

fn comment(text: &mut String, line: &str) {
    let _ = writeln!(text, "# {}", legible(line));
}

fn watched(tier: Option<&Tier>, signals: &Signals) -> [Watched; 4] {
    let figures = tier.map(|tier| &tier.figures);
    [
        Watched {
            alert: "AcceptanceTTFTAboveBaseline",
            record: "acceptance:ttft_seconds:p95_5m",
            signal: signals.ttft_p95,
            metric: "ttft_s.p95",
            baseline: figures.and_then(|figures| figures.ttft_s.p95),
            en: "P95 time to first token",
            zh: "首 Token 时延 P95 ",
        },
        Watched {
            alert: "AcceptanceE2EP95AboveBaseline",
            record: "acceptance:e2e_seconds:p95_5m",
            signal: signals.e2e_p95,
            metric: "e2e_s.p95",
            baseline: figures.and_then(|figures| figures.e2e_s.p95),
            en: "P95 end-to-end latency",
            zh: "端到端时延 P95 ",
        },
        Watched {
            alert: "AcceptanceE2EP99AboveBaseline",
            record: "acceptance:e2e_seconds:p99_5m",
            signal: signals.e2e_p99,
            metric: "e2e_s.p99",
            baseline: figures.and_then(|figures| figures.e2e_s.p99),
            en: "P99 end-to-end latency",
            zh: "端到端时延 P99 ",
        },
        Watched {
            alert: "AcceptanceTPOTAboveBaseline",
            record: "acceptance:tpot_seconds:mean_5m",
            signal: signals.tpot_mean,
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
