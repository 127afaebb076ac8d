//! 测试完整性: every agreed tier ran, and as many requests finished as were planned.

use crate::{
    case::Case,
    generator,
    rule::Rule,
    text::Text,
    verdict::{CriterionId, Finding, RuleId},
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
        let finding = if !gaps.is_empty() {
            Finding::fail(self.id(), incomplete(case, &gaps))
        } else if case.agreed_tiers().is_empty() || totals.planned == 0 {
            Finding::inconclusive(self.id(), nothing_planned())
        } else if case.evidence.chain_intact.is_none() {
            Finding::inconclusive(self.id(), counts(case).then(&unchecked()))
        } else {
            match case.summary.client.valid {
                Some(true) => Finding::pass(self.id(), counts(case)),
                Some(false) => Finding::inconclusive(self.id(), counts(case).then(&generator_limited(case))),
                None => Finding::inconclusive(self.id(), counts(case).then(&generator_unknown())),
            }
        };
        vec![finding.observed(totals.finished as f64).threshold(totals.planned as f64).n(totals.planned)]
    }
}

/// What is missing, item by item.
fn gaps(case: &Case) -> Vec<Text> {
    let mut gaps = Vec::new();
    let absent: Vec<u32> =
        case.agreed_tiers().iter().copied().filter(|tier| !ran(case, *tier)).collect::<Vec<_>>();
    if !absent.is_empty() {
        let tiers = words::tiers(&absent);
        gaps.push(Text::new(format!("{} did not run", tiers.en), format!("并发档位 {} 未执行", tiers.zh)));
    }
    for tier in case.ascending_tiers() {
        let (planned, finished) = (tier.figures.planned, tier.figures.finished);
        if planned != finished && !absent.contains(&tier.concurrency) {
            let tier = words::tier(tier.concurrency);
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

/// A tier of which not one request finished did not run.
fn ran(case: &Case, concurrency: u32) -> bool {
    case.tier(concurrency).is_some_and(|tier| tier.figures.finished > 0)
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
        "The raw rows have not been checked, so that these counts cannot be traced.",
        "原始记录尚未核验，上述计数无法追溯。",
    )
}

fn generator_limited(case: &Case) -> Text {
    let limits = generator::describe(&case.summary);
    Text::new(
        format!(
            "The load generator hit a limit of its own, so that the figures may be its own and the service is not blamed: {}.",
            limits.en
        ),
        format!("但压测客户端触及自身上限，测得的指标可能受其影响，不归责于被测服务：{}。", limits.zh),
    )
}

fn generator_unknown() -> Text {
    Text::new(
        "The load generator recorded no samples of itself, so that it cannot be excluded as the bottleneck.",
        "但压测客户端没有留下自身的采样，不能排除瓶颈在客户端。",
    )
}
