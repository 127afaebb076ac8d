//! A vendor's rule beside the six: energy per thousand output tokens, from the vendor's own meter.
//!
//! `cargo run -p verdict-rules --example energy -- 5200` judges the sweep of `summary.json` with 5,200 J on the meter.

use std::{
    error::Error,
    io::{self, Write},
};

use verdict_rules::{Agreement, Case, Evidence, Finding, Rule, RuleId, RuleSet, Text};

/// What the meter showed over the run, and what was agreed. A rule brings its own figures: a case holds none of these.
struct Energy {
    /// `None` where there was no meter.
    joules: Option<f64>,
    joules_per_thousand_tokens: f64,
}

impl Rule for Energy {
    fn id(&self) -> RuleId {
        "vendor.energy".into()
    }

    fn judge(&self, case: &Case) -> Vec<Finding> {
        let limit = self.joules_per_thousand_tokens;
        // A tier without a count makes the sum meaningless: then there is no figure, and no figure is no pass.
        let tokens: Option<u64> = case.summary.tiers.iter().map(|tier| tier.figures.output_tokens).sum();
        let (Some(joules), Some(tokens @ 1..)) = (self.joules, tokens) else {
            let text =
                Text::new("There is no meter reading or no token count.", "缺少电表读数或 Token 计数。");
            return vec![Finding::inconclusive(self.id(), text).threshold(limit)];
        };
        let observed = joules / tokens as f64 * 1e3;
        let text = Text::new(
            format!("{observed:.1} J per thousand output tokens; {limit:.1} J agreed."),
            format!("每千输出 Token 耗能 {observed:.1} J，约定上限 {limit:.1} J。"),
        );
        let finding =
            if observed <= limit { Finding::pass(self.id(), text) } else { Finding::fail(self.id(), text) };
        vec![finding.observed(observed).threshold(limit).n(case.summary.totals.effective)]
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let joules = std::env::args().nth(1).map(|argument| argument.parse()).transpose()?;
    let rules = RuleSet::standard().with(Energy { joules, joules_per_thousand_tokens: 400.0 });
    let verdict = rules.judge(&case()?);

    let mut out = io::stdout().lock();
    for finding in &verdict.findings {
        writeln!(out, "{:<22} {:?}: {}", finding.rule.0, finding.result, finding.explanation.en)?;
    }
    writeln!(out, "decision: {:?}", verdict.decision)?;
    for item in &verdict.supplementary {
        writeln!(out, "to be tested again: {}", item.condition.en)?;
    }
    Ok(())
}

/// As whoever holds a package fills it, here with evidence that was found to be whole.
fn case() -> Result<Case, Box<dyn Error>> {
    let summary = serde_json::from_str(include_str!("summary.json"))?;
    let agreement = Agreement::parse("[acceptance]\noutput_tps = 120.0\n")?;
    let mut case = Case::new(summary, agreement, vec![1, 2, 4, 8, 16]);
    case.agreed = true;
    case.evidence = Evidence {
        chain_intact: Some(true),
        digests_match: Some(true),
        figures_match: Some(true),
        ..Evidence::default()
    };
    Ok(case)
}
