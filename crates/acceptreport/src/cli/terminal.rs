//! Verdicts as lines on a terminal.

use std::fmt::Write as _;

use report_render::Language;
use verdict_rules::{CriterionId, Edition, Judgement, Text, Verdict};

/// Prints a text to stdout; a reader that has gone away is no error.
pub fn print(text: &str) {
    use std::io::Write as _;
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Prints a line to stderr.
pub(crate) fn warn(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints a value as JSON to stdout.
pub fn print_json(value: &impl serde::Serialize) {
    print(&crate::assess::json_text(value));
}

/// Criteria, limits and decision, one line each.
#[must_use]
pub fn verdict_lines(verdict: &Verdict, language: Language) -> Vec<String> {
    let mut lines = Vec::new();
    for criterion in &verdict.criteria {
        let name = language.say(criterion_en(criterion.id), criterion_zh(criterion.id));
        let explanation = say(language, &criterion.explanation);
        lines.push(format!("{}  {name}: {explanation}", judgement(criterion.result, language)));
    }
    for item in &verdict.sla {
        let tier = item.tier.map_or_else(String::new, |tier| format!(" C{tier}"));
        let observed = item.observed.map_or_else(|| "—".to_owned(), |value| value.to_string());
        lines.push(format!(
            "{}  SLA {}{tier}: {} {}, {} {observed}",
            judgement(item.contract, language),
            item.item,
            item.metric,
            item.limit,
            language.say("observed", "实测"),
        ));
    }
    lines.push(say(language, &verdict.advice.reason).to_owned());
    let edition = match verdict.edition {
        Edition::Customer => language.say("customer edition", "客户提交版"),
        Edition::Internal => language.say("internal edition", "内部版"),
    };
    let decision = language.say("Decision", "结论");
    lines.push(format!("{decision}: {} ({edition})", judgement(verdict.decision, language)));
    lines
}

/// The same as one text.
#[must_use]
pub fn verdict_text(verdict: &Verdict, language: Language) -> String {
    verdict_lines(verdict, language).iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    })
}

fn say(language: Language, text: &Text) -> &str {
    language.text(text)
}

fn judgement(judgement: Judgement, language: Language) -> &'static str {
    match judgement {
        Judgement::Pass => language.say("PASS        ", "【通过】"),
        Judgement::Fail => language.say("FAIL        ", "【不通过】"),
        Judgement::Inconclusive => language.say("INCONCLUSIVE", "【无法判定】"),
    }
}

fn criterion_en(id: CriterionId) -> &'static str {
    match id {
        CriterionId::TestIntegrity => "test integrity",
        CriterionId::ServiceAvailability => "service availability",
        CriterionId::Stability => "stability",
        CriterionId::PeakThroughput => "peak throughput",
        CriterionId::DeliveryAdvice => "delivery advice",
        CriterionId::DataTraceability => "data traceability",
    }
}

fn criterion_zh(id: CriterionId) -> &'static str {
    match id {
        CriterionId::TestIntegrity => "测试完整性",
        CriterionId::ServiceAvailability => "服务可用性",
        CriterionId::Stability => "稳定性",
        CriterionId::PeakThroughput => "峰值吞吐量",
        CriterionId::DeliveryAdvice => "交付建议适配性",
        CriterionId::DataTraceability => "数据可追溯性",
    }
}
