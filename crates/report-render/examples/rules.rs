//! Writes the monitoring rules of every specimen for every engine, to be checked by `promtool`, and what they must say of a
//! service at its baseline and of one at twice its latencies: `rules [FOLDER]`.
//!
//! `promtool check rules FOLDER/*.yml && promtool test rules FOLDER/*.test`

use std::{error::Error, fmt::Write as _, fs, path::PathBuf};

use metrics_core::{Seconds, Tier};
use report_render::{Engine, prometheus_rules, specimens};

/// What fires where every latency is twice its baseline, as far as the engine tells it.
const LATENCY_ALERTS: [&str; 4] = [
    "AcceptanceE2EP95AboveBaseline",
    "AcceptanceE2EP99AboveBaseline",
    "AcceptanceTPOTAboveBaseline",
    "AcceptanceTTFTAboveBaseline",
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/rules"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    for (name, material) in specimens::all() {
        for engine in Engine::ALL {
            let file = format!("{name}.{}.yml", engine.code());
            fs::write(folder.join(file), prometheus_rules(&material, engine))?;
        }
    }
    let passed = specimens::passed();
    let recommended = passed.verdict.advice.interactive;
    let tier = passed.summary.tiers.iter().find(|tier| Some(tier.concurrency) == recommended);
    let tier = tier.ok_or("the run that passed has a recommended tier")?;
    for engine in Engine::ALL {
        let rules = prometheus_rules(&passed, engine);
        let mut test =
            format!("rule_files: [passed.{}.yml]\nevaluation_interval: 1m\ntests:\n", engine.code());
        for (times, fires) in [(1.0, &[][..]), (2.0, &LATENCY_ALERTS[..])] {
            let fires = fires.iter().filter(|alert| rules.contains(**alert));
            test += &case(tier, times, &fires.copied().collect::<Vec<_>>());
        }
        fs::write(folder.join(format!("passed.{}.test", engine.code())), test)?;
    }
    Ok(())
}

/// Forty minutes of a service whose latencies are `times` those of the tier, and what fires at their end.
fn case(tier: &Tier, times: f64, fires: &[&str]) -> String {
    let mut text = String::from("  - interval: 1m\n    input_series:\n");
    for (series, values) in series(tier, times) {
        let _ = writeln!(text, "      - series: '{series}'\n        values: '{values}'");
    }
    text += "    promql_expr_test:\n      - eval_time: 35m\n";
    text += "        expr: 'count by (alertname) (ALERTS{alertstate=\"firing\"})'\n        exp_samples:";
    text += if fires.is_empty() { " []\n" } else { "\n" };
    for alert in fires {
        let _ = writeln!(text, "          - labels: '{{alertname=\"{alert}\"}}'\n            value: 1");
    }
    text
}

/// What each engine would tell of it.
fn series(tier: &Tier, times: f64) -> Vec<(String, String)> {
    let figures = &tier.figures;
    let seconds = |value: Option<Seconds>| times * value.map_or(0.0, Seconds::get);
    let (ttft, e2e) = (seconds(figures.ttft_s.p95), (seconds(figures.e2e_s.p95), seconds(figures.e2e_s.p99)));
    let tpot = seconds(figures.tpot_s.mean);
    let tokens = figures.sustained_output_tps.or(figures.output_tps).unwrap_or(0.0) * 60.0;
    let mut all = Vec::new();
    let mut add = |name: &str, a_minute: f64| all.push((name.to_owned(), format!("0+{a_minute}x40")));
    for engine in ["vllm:", "sglang:"] {
        histogram(&format!("{engine}time_to_first_token_seconds"), (ttft, ttft), &mut add);
        histogram(&format!("{engine}e2e_request_latency_seconds"), e2e, &mut add);
        add(&format!("{engine}generation_tokens_total"), tokens);
    }
    histogram("tgi_request_duration", e2e, &mut add);
    for mean in ["vllm:request_time_per_output_token_seconds", "sglang:inter_token_latency_seconds"] {
        add(&format!("{mean}_sum"), 100.0 * tpot);
        add(&format!("{mean}_count"), 100.0);
    }
    add("llamacpp:tokens_predicted_total", tokens);
    add("llamacpp:tokens_predicted_seconds_total", tokens * tpot);
    add("tgi_request_generated_tokens_sum", tokens);
    add("vllm:request_success_total{finished_reason=\"stop\"}", 100.0);
    add("vllm:request_success_total{finished_reason=\"abort\"}", 0.0);
    for counter in ["sglang:num_requests_total", "tgi_request_count", "tgi_request_success"] {
        add(counter, 100.0);
    }
    let mut stay = |name: &str, value: u32| all.push((name.to_owned(), format!("{value}+0x40")));
    stay("vllm:num_requests_running", tier.concurrency);
    stay("sglang:num_running_reqs{tp_rank=\"0\"}", tier.concurrency);
    stay("sglang:num_running_reqs{tp_rank=\"1\"}", tier.concurrency);
    stay("llamacpp:requests_processing", tier.concurrency);
    stay("tgi_batch_current_size", tier.concurrency);
    for waiting in
        ["vllm:num_requests_waiting", "sglang:num_queue_reqs", "llamacpp:requests_deferred", "tgi_queue_size"]
    {
        stay(waiting, 0);
    }
    all
}

/// A hundred requests a minute, of which 95 end within the one limit and 99 within the other.
fn histogram(name: &str, (p95, p99): (f64, f64), add: &mut impl FnMut(&str, f64)) {
    for (limit, requests) in [(0.9 * p95, 0.0), (p95, 95.0), (p99 * 1.000_001, 99.0), (4.0 * p99, 100.0)] {
        add(&format!("{name}_bucket{{le=\"{limit}\"}}"), requests);
    }
    add(&format!("{name}_bucket{{le=\"+Inf\"}}"), 100.0);
}
