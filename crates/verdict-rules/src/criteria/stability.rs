//! 稳定性: the success rate over all planned requests reaches the agreed one.

use metrics_core::Support;

use crate::{
    case::Case,
    generator, number,
    rule::Rule,
    terms,
    text::Text,
    verdict::{Cause, CriterionId, Finding, Judgement, RuleId},
    words,
};

pub(crate) struct Stability;

impl Rule for Stability {
    fn id(&self) -> RuleId {
        CriterionId::Stability.into()
    }

    fn judge(&self, case: &Case) -> Vec<Finding> {
        let totals = &case.summary.totals;
        let target = case.agreement.acceptance.success_rate;
        if totals.planned == 0 || totals.sent == 0 {
            let text = Text::new(
                "No request was sent, so there is no success rate.",
                "没有发出任何请求，成功率不存在。",
            );
            return vec![
                Finding::inconclusive(self.id(), text)
                    .cause(Cause::NothingSent)
                    .threshold(target)
                    .n(totals.planned),
            ];
        }
        let met = case.success_met(totals.effective, totals.planned);
        let text = rate(case);
        let finding = if met {
            Finding::pass(self.id(), text.then(&doubt(case)))
        } else if generator_may_be_why(case) {
            Finding::inconclusive(self.id(), text.then(&failures(case)).then(&not_blamed(case)))
                .cause(Cause::GeneratorLimited)
        } else {
            let cause = why_below(case);
            let said = if cause == Cause::Unfinished { so_far(case) } else { doubt(case) };
            Finding::fail(self.id(), text.then(&failures(case)).then(&said)).cause(cause)
        };
        let contract = if met { Judgement::Pass } else { Judgement::Fail };
        vec![
            finding
                .contract(contract)
                .support(support(case))
                .observed(totals.success_rate)
                .threshold(target)
                .n(totals.planned),
        ]
    }
}

/// Had every request that the run did not come to succeeded, the target would be met: then nothing speaks against the
/// service yet.
fn why_below(case: &Case) -> Cause {
    let totals = &case.summary.totals;
    let unfinished = totals.planned.saturating_sub(totals.finished);
    if !case.success_met(totals.effective + unfinished, totals.planned) {
        Cause::FailedRequests
    } else if case.rows_differ() {
        Cause::RowsDiffer
    } else {
        Cause::Unfinished
    }
}

/// Of a run that was cut short the bound would say more about the interrupt than about the service.
fn so_far(case: &Case) -> Text {
    let (finished, effective) = (case.summary.totals.finished, case.summary.totals.effective);
    Text::new(
        format!(
            "Of {finished} that finished {effective} are effective, so nothing is said against the service yet."
        ),
        format!("已完成的 {finished} 个请求中有效 {effective} 个，尚不能据此认定服务不稳定。"),
    )
}

/// None for a target of 100 %, which no sample can support.
fn support(case: &Case) -> Option<Support> {
    let totals = &case.summary.totals;
    let target = case.agreement.acceptance.success_rate;
    let missing = totals.planned.saturating_sub(totals.effective);
    (target < 1.0).then(|| metrics_core::support_share(totals.planned, missing, target))
}

/// The target would be met if every time-out in a tier in which the generator hit a limit were a success.
fn generator_may_be_why(case: &Case) -> bool {
    let doubtful: u64 = case.summary.tiers.iter().map(|tier| generator::excusable(&case.summary, tier)).sum();
    case.success_met(case.summary.totals.effective + doubtful, case.summary.totals.planned)
}

fn rate(case: &Case) -> Text {
    let totals = &case.summary.totals;
    let (effective, planned) = (totals.effective, totals.planned);
    let target = case.agreement.acceptance.success_rate;
    let share = number::percent_against(effective as f64 / planned as f64, target);
    let target = number::percent_as_agreed(target);
    Text::new(
        format!(
            "{effective} of {} effective: a success rate of {share}, against a target of {target}.",
            words::plural(planned, "planned request")
        ),
        format!("计划 {planned} 个请求，有效 {effective} 个，总成功率 {share}，目标 {target}。"),
    )
}

fn failures(case: &Case) -> Text {
    terms::failures(&case.summary.totals.outcomes).map_or_else(Text::default, |list| {
        Text::new(format!("Not effective: {}.", list.en), format!("未成功的请求：{}。", list.zh))
    })
}

/// What the number of requests says beyond itself.
fn doubt(case: &Case) -> Text {
    let totals = &case.summary.totals;
    let planned = totals.planned;
    let target = case.agreement.acceptance.success_rate;
    let said = match support(case) {
        None if case.success_met(totals.effective, planned) => {
            Text::new("No finite test proves 100%.", "有限次测试无法证明成功率恰为 100%。")
        }
        None => Text::default(),
        Some(Support::Supported) => Text::new(
            format!("{} support the target statistically.", words::requests(planned)),
            format!("{planned} 个请求的样本量在统计上支持该目标。"),
        ),
        Some(Support::Refuted) => Text::new(
            format!("{} refute the target statistically.", words::requests(planned)),
            format!("{planned} 个请求的结果在统计上否定该目标。"),
        ),
        Some(Support::Inconclusive) => Text::new(
            format!(
                "{} are too few to support or refute the target statistically.",
                words::requests(planned)
            ),
            format!("{planned} 个请求的样本量在统计上既不足以支持、也不足以否定该目标。"),
        ),
    };
    let bound = totals.success_rate_low.map_or_else(Text::default, |low| {
        let low = number::percent_against(low, target);
        Text::new(
            format!("This test shows a rate of at least {low} with 95% confidence."),
            format!("以 95% 置信度可以确认成功率不低于 {low}。"),
        )
    });
    said.then(&bound)
}

fn not_blamed(case: &Case) -> Text {
    let limits = generator::describe(&case.summary);
    Text::new(
        format!(
            "The load generator hit a limit of its own, and without its time-outs the target would be met: {}.",
            limits.en
        ),
        format!("测试端触及自身上限，若不计其间的超时则可达到目标，不归责于被测服务：{}。", limits.zh),
    )
}
