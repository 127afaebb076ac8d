//! 交付建议适配性: an interactive tier and a throughput boundary can be named.

use crate::{
    advice::{self, ByRule},
    case::Case,
    rule::Rule,
    text::Text,
    verdict::{CriterionId, Finding, RuleId},
    words,
};

pub(crate) struct DeliveryAdvice;

impl Rule for DeliveryAdvice {
    fn id(&self) -> RuleId {
        CriterionId::DeliveryAdvice.into()
    }

    fn judge(&self, case: &Case) -> Vec<Finding> {
        vec![judge(self.id(), case).n(case.summary.totals.planned)]
    }
}

fn judge(id: RuleId, case: &Case) -> Finding {
    if case.summary.totals.sent == 0 || case.summary.tiers.is_empty() {
        let text = Text::new(
            "No tier ran, so that nothing can be advised.",
            "没有执行任何并发档位，无法给出容量建议。",
        );
        return Finding::inconclusive(id, text);
    }
    let rule = ByRule::of(case);
    if let Some(why) = agreed_tier_fails(case) {
        return Finding::fail(id, why);
    }
    let interactive = case.agreement.advice.as_ref().map(|advice| advice.interactive).or(rule.interactive);
    match (interactive, rule.boundary) {
        (Some(_), Some(_)) if case.summary.tiers.len() == 1 => Finding::inconclusive(id, one_tier(case)),
        (Some(interactive), Some(boundary)) => Finding::pass(id, named(interactive, boundary)),
        (None, Some(_)) if rule.lacks_figures() => Finding::inconclusive(id, advice::advise(case).reason),
        _ => Finding::fail(id, advice::advise(case).reason),
    }
}

/// The agreement's own tier must have been tested, and must have met the success target.
fn agreed_tier_fails(case: &Case) -> Option<Text> {
    let agreed = case.agreement.advice.as_ref()?.interactive;
    let name = words::tier(agreed);
    match case.tier(agreed) {
        None => Some(Text::new(
            format!("The agreement sets {name} for interactive use, and {name} was not tested."),
            format!("约定的交互并发 {name} 未经测试。"),
        )),
        Some(tier) if !case.success_met(tier.figures.effective, tier.figures.planned) => {
            let (effective, planned) = (tier.figures.effective, tier.figures.planned);
            let target = words::percent_as_agreed(case.agreement.acceptance.success_rate);
            Some(Text::new(
                format!(
                    "The agreement sets {name} for interactive use, where {effective} of {} effective, which misses the target of {target} %.",
                    words::plural(planned, "planned request")
                ),
                format!(
                    "约定的交互并发 {name} 计划 {planned} 个请求，有效 {effective} 个，成功率未达目标 {target}%。"
                ),
            ))
        }
        Some(_) => None,
    }
}

fn named(interactive: u32, boundary: u32) -> Text {
    let (interactive, boundary) = (words::tier(interactive), words::tier(boundary));
    Text::new(
        format!("Recommended interactive concurrency {interactive}, throughput boundary {boundary}."),
        format!("推荐交互并发 {interactive}，吞吐边界 {boundary}。"),
    )
}

fn one_tier(case: &Case) -> Text {
    let text = Text::new(
        "Only one tier ran, so that nothing shows how latency and throughput change with load.",
        "仅执行了一个并发档位，看不出时延与吞吐量随负载的变化。",
    );
    text.then(&advice::beyond(case))
}
