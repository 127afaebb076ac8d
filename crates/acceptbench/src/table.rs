//! The tier table on a terminal.

use metrics_core::{Seconds, Summary, Tier};
use report_render::Language;
use verdict_rules::Advice;

/// Header and one line a tier; what does not exist is a dash.
pub(crate) fn table(summary: &Summary, advice: &Advice, language: Language) -> Vec<String> {
    let header = ["C", "n", "ok %", "E2E s", "E2E P95 s", "TTFT s", "TPOT ms", "out tok/s", "tok/s", "req/s"];
    let mut lines = vec![row(&header.map(str::to_owned), "")];
    lines.extend(summary.tiers.iter().map(|tier| row(&cells(tier), mark(tier, advice, language))));
    lines
}

fn cells(tier: &Tier) -> [String; 10] {
    let figures = &tier.figures;
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "—".to_owned(), |value| format!("{value:.digits$}"))
    };
    let seconds = |value: Option<Seconds>, digits| number(value.map(Seconds::get), digits);
    [
        tier.concurrency.to_string(),
        figures.finished.to_string(),
        number(figures.success_rate.map(|rate| rate * 100.0), 1),
        seconds(figures.e2e_s.mean, 2),
        seconds(figures.e2e_s.p95, 2),
        seconds(figures.ttft_s.mean, 3),
        number(figures.tpot_s.mean.map(|mean| mean.get() * 1e3), 1),
        number(figures.output_tps, 1),
        number(figures.total_tps, 1),
        number(figures.rps, 2),
    ]
}

fn row(cells: &[String; 10], mark: &str) -> String {
    let line = cells.iter().map(|cell| format!("{cell:>10}")).collect::<String>();
    format!("{line}  {mark}").trim_end().to_owned()
}

fn mark(tier: &Tier, advice: &Advice, language: Language) -> &'static str {
    let here = Some(tier.concurrency);
    match (advice.interactive == here, advice.boundary == here) {
        (true, true) => language.say("recommended, boundary", "推荐 边界"),
        (true, false) => language.say("recommended", "推荐"),
        (false, true) => language.say("boundary", "边界"),
        (false, false) => "",
    }
}
