//! 交付建议适配性: an interactive tier and a throughput boundary can be named.

use crate::{
    advice::{self, ByRule, DEFAULT_TIER},
    advice_text,
    case::Case,
    decision, generator, number,
    rule::Rule,
    text::Text,
    verdict::{Cause, CriterionId, Finding, RuleId},
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
    if case.tiers_run().is_empty() {
        let cause = match case.summary.totals.sent {
            0 => Cause::NothingSent,
            _ => Cause::Unfinished,
        };
        return Finding::inconclusive(id, advice_text::none_ran()).cause(cause);
    }
    let rule = ByRule::of(case);
    if let Some(agreed) = case.agreement.advice.as_ref().map(|advice| advice.interactive)
        && let Some(finding) = agreed_tier_unfit(&id, case, agreed)
    {
        return finding;
    }
    let interactive = case.agreement.advice.as_ref().map(|advice| advice.interactive).or(rule.interactive);
    let reason = || advice::advise(case).reason;
    // Latencies that a limited generator measured are not held against the service, nor are its time-outs; other
    // failed requests are.
    let latency_alone = || {
        case.tiers_run().iter().all(|tier| {
            case.tier_met_if(tier, |part| part.effective + generator::excusable_of(&case.summary, tier, part))
        })
    };
    let unsuitable = |generator_invalid: bool| {
        if generator_invalid && latency_alone() {
            let text = reason().then(&generator::not_blamed(&case.summary));
            Finding::inconclusive(id.clone(), text).cause(Cause::GeneratorLimited)
        } else {
            Finding::fail(id.clone(), reason()).cause(Cause::NoTierSuits)
        }
    };
    match (interactive, rule.boundary) {
        (Some(_), Some(_)) if case.tiers_run().len() == 1 => {
            Finding::inconclusive(id, one_tier(case)).cause(why_open(case, Cause::TooFewTiers))
        }
        (Some(interactive), Some(boundary)) => Finding::pass(id, named(interactive, boundary)),
        (None, _) if !rule.interactive_is_open() => unsuitable(limited_for_interactive_use(case)),
        (_, None) if !rule.boundary_is_open() => unsuitable(generator::invalid(&case.summary)),
        _ => {
            let low = case.tiers_run().iter().any(|tier| tier.concurrency <= DEFAULT_TIER);
            let cause = if low { Cause::NoTokenCounts } else { Cause::TooFewTiers };
            Finding::inconclusive(id, reason()).cause(why_open(case, cause))
        }
    }
}

/// The generator hit a limit in a tier from which the interactive one is taken by default: what it measured in higher
/// tiers is no reason why none of these suits.
fn limited_for_interactive_use(case: &Case) -> bool {
    let tiers = case.tiers_run();
    let mut asked = tiers.iter().map(|tier| tier.concurrency).filter(|tier| *tier <= DEFAULT_TIER);
    asked.any(|tier| generator::invalid_in(&case.summary, tier))
}

/// A run that did not finish explains more than what it lacks.
fn why_open(case: &Case, otherwise: Cause) -> Cause {
    decision::cap(case).unwrap_or(otherwise)
}

/// The agreement's own tier must have been tested, and must have met the success target.
fn agreed_tier_unfit(id: &RuleId, case: &Case, agreed: u32) -> Option<Finding> {
    let name = number::tier(agreed);
    let Some(tier) = case.tier(agreed) else {
        let text = Text::new(
            format!("The agreement sets {name} for interactive use, and {name} was not tested."),
            format!("约定的交互并发 {name} 未经测试。"),
        );
        return Some(Finding::fail(id.clone(), text).cause(Cause::NotPlanned));
    };
    let (effective, finished, planned) =
        (tier.figures.effective, tier.figures.finished, tier.figures.planned);
    if case.tier_met(tier) {
        return None;
    }
    if case.tier_met_if(tier, advice::at_best) {
        let text = Text::new(
            format!(
                "The agreement sets {name} for interactive use, and {name} was not finished ({finished} of {planned})."
            ),
            format!("约定的交互并发 {name} 未完成（完成 {finished} / {planned}）。"),
        );
        return Some(Finding::inconclusive(id.clone(), text).cause(why_open(case, Cause::Unfinished)));
    }
    let target = number::percent_as_agreed(case.success_target());
    let below = case.groups_below(tier, |part| part.effective);
    let text = if below.is_empty() {
        Text::new(
            format!(
                "The agreement sets {name} for interactive use, where {effective} of {} effective, which misses the target of {target}.",
                words::plural(planned, "planned request")
            ),
            format!(
                "约定的交互并发 {name} 计划 {planned} 个请求，有效 {effective} 个，成功率未达目标 {target}。"
            ),
        )
    } else {
        let missed = advice_text::missed(&name, &below);
        Text::new(
            format!("The agreement sets {name} for interactive use, and {}.", missed.en),
            format!("约定的交互并发为 {name}，而 {}。", missed.zh),
        )
    };
    if case.tier_met_if(tier, |part| part.effective + generator::excusable_of(&case.summary, tier, part)) {
        let text = text.then(&generator::not_blamed(&case.summary));
        return Some(Finding::inconclusive(id.clone(), text).cause(Cause::GeneratorLimited));
    }
    Some(Finding::fail(id.clone(), text).cause(Cause::NoTierSuits))
}

fn named(interactive: u32, boundary: u32) -> Text {
    let (interactive, boundary) = (number::tier(interactive), number::tier(boundary));
    Text::new(
        format!("Recommended interactive concurrency {interactive}, throughput boundary {boundary}."),
        format!("推荐交互并发 {interactive}，吞吐边界 {boundary}。"),
    )
}

fn one_tier(case: &Case) -> Text {
    let text = Text::new(
        "Only one tier ran, so nothing shows how latency and throughput change with load.",
        "仅执行了一个并发档位，看不出时延与吞吐量随负载的变化。",
    );
    text.then(&advice_text::beyond(case))
}
