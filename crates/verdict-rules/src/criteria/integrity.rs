//! 测试完整性: every agreed tier ran, and as many requests finished as were planned.

use metrics_core::{Outcome, Tier};

use crate::{
    case::Case,
    generator, number,
    rule::Rule,
    text::Text,
    verdict::{Cause, CriterionId, Finding, RuleId},
    words,
};

pub(crate) struct TestIntegrity;

impl Rule for TestIntegrity {
    fn id(&self) -> RuleId {
        CriterionId::TestIntegrity.into()
    }

    fn judge(&self, case: &Case) -> Vec<Finding> {
        let totals = &case.summary.totals;
        let gaps = gaps(case);
        let open = |text: Text, cause| Finding::inconclusive(self.id(), text).cause(cause);
        let finding = if !gaps.is_empty() {
            Finding::fail(self.id(), incomplete(case, &gaps)).cause(why_incomplete(case))
        } else if case.agreed_tiers().is_empty() || totals.planned == 0 {
            open(nothing_planned(), Cause::NotPlanned)
        } else if case.evidence.chain_intact.is_none() {
            open(counts(case).then(&unchecked()), Cause::EvidenceUnchecked)
        } else {
            match case.summary.client.valid {
                Some(true) => Finding::pass(self.id(), counts(case)),
                Some(false) => open(counts(case).then(&generator_limited(case)), Cause::GeneratorLimited),
                None => {
                    open(counts(case).then(&generator::unsampled(&case.summary)), Cause::GeneratorUnsampled)
                }
            }
        };
        vec![finding.observed(totals.finished as f64).threshold(totals.planned as f64).n(totals.planned)]
    }
}

fn why_incomplete(case: &Case) -> Cause {
    if case.rows_differ() {
        Cause::RowsDiffer
    } else if case.unfinished() {
        Cause::Unfinished
    } else {
        Cause::NotPlanned
    }
}

/// What is missing, item by item.
fn gaps(case: &Case) -> Vec<Text> {
    let mut gaps = Vec::new();
    let (mut absent, mut begun): (Vec<u32>, Vec<&Tier>) = (Vec::new(), Vec::new());
    for agreed in case.agreed_tiers() {
        match case.tier(*agreed) {
            Some(tier) if tier.figures.finished > 0 => {}
            Some(tier) if sent(tier) > 0 => begun.push(tier),
            _ => absent.push(*agreed),
        }
    }
    for tier in &begun {
        let (name, sent) = (number::tier(tier.concurrency), sent(tier));
        gaps.push(Text::new(
            format!("{name} did not finish ({sent} sent, 0 finished)"),
            format!("{name} 未完成（发出 {sent}，完成 0）"),
        ));
    }
    if !absent.is_empty() {
        let tiers = words::tiers(&absent);
        gaps.push(Text::new(format!("{} did not run", tiers.en), format!("并发档位 {} 未执行", tiers.zh)));
    }
    let named = |tier: u32| absent.contains(&tier) || begun.iter().any(|begun| begun.concurrency == tier);
    for tier in case.tiers_unfinished() {
        let (planned, finished) = (tier.figures.planned, tier.figures.finished);
        if !named(tier.concurrency) {
            let tier = number::tier(tier.concurrency);
            gaps.push(Text::new(
                format!("{tier} finished {finished} of {planned}"),
                format!("{tier} 计划 {planned} 个请求，完成 {finished} 个"),
            ));
        }
    }
    let totals = &case.summary.totals;
    if gaps.is_empty() && totals.planned != totals.finished {
        let (planned, finished) = (totals.planned, totals.finished);
        gaps.push(Text::new(
            format!("the run finished {finished} of {planned}"),
            format!("全程计划 {planned} 个请求，完成 {finished} 个"),
        ));
    }
    if case.evidence.rows_missing > 0 {
        let missing = case.evidence.rows_missing;
        gaps.push(Text::new(
            format!("{} of the frozen schedule missing", words::plural(missing, "row")),
            format!("对照冻结的计划缺少 {missing} 行原始记录"),
        ));
    }
    if case.evidence.rows_unplanned > 0 {
        let unplanned = case.evidence.rows_unplanned;
        gaps.push(Text::new(
            format!("{} that the schedule did not ask for", words::plural(unplanned, "row")),
            format!("出现 {unplanned} 行计划外或重复的原始记录"),
        ));
    }
    gaps
}

/// How many requests of a tier were sent, whatever became of them.
fn sent(tier: &Tier) -> u64 {
    let sent = |(outcome, count): (&Outcome, &u64)| if *outcome == Outcome::NotSent { 0 } else { *count };
    tier.figures.outcomes.iter().map(sent).sum()
}

fn incomplete(case: &Case, gaps: &[Text]) -> Text {
    let en: Vec<&str> = gaps.iter().map(|gap| gap.en.as_str()).collect();
    let zh: Vec<&str> = gaps.iter().map(|gap| gap.zh.as_str()).collect();
    let text = Text::new(
        format!("The test is not complete: {}.", en.join("; ")),
        format!("测试不完整：{}。", zh.join("；")),
    );
    if case.evidence.interrupted || case.summary.run.interrupted {
        text.then(&Text::new("The run was cut short.", "测试中途被中断。"))
    } else {
        text
    }
}

fn counts(case: &Case) -> Text {
    let tiers = words::tiers(case.agreed_tiers());
    let totals = &case.summary.totals;
    let (planned, finished) = (totals.planned, totals.finished);
    Text::new(
        format!(
            "Every agreed tier ran ({}), and {finished} of {} finished.",
            tiers.en,
            planned_requests(planned)
        ),
        format!("约定的并发档位（{}）全部执行，计划 {planned} 个请求，完成 {finished} 个。", tiers.zh),
    )
}

fn planned_requests(planned: u64) -> String {
    words::plural(planned, "planned request")
}

fn nothing_planned() -> Text {
    Text::new(
        "No tier was agreed or planned, so there is nothing to be complete.",
        "没有约定或计划任何并发档位，完整性无从判定。",
    )
}

fn unchecked() -> Text {
    Text::new(
        "The raw rows have not been checked, so these counts cannot be traced.",
        "原始记录尚未核验，上述计数无法追溯。",
    )
}

fn generator_limited(case: &Case) -> Text {
    let limits = generator::describe(&case.summary);
    Text::new(
        format!(
            "The load generator hit a limit of its own, so the figures may be its own and the service is not blamed: {}.",
            limits.en
        ),
        format!("但测试端触及自身上限，测得的指标可能受其影响，不归责于被测服务：{}。", limits.zh),
    )
}
