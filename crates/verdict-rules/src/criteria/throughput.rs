//! 峰值吞吐量: the highest output rate of any tier, against the demand where one was agreed.

use crate::{
    case::Case,
    generator, number,
    rule::Rule,
    text::Text,
    verdict::{Cause, CriterionId, Finding, Judgement, RuleId},
    words,
};

pub(crate) struct PeakThroughput;

impl Rule for PeakThroughput {
    fn id(&self) -> RuleId {
        CriterionId::PeakThroughput.into()
    }

    fn judge(&self, case: &Case) -> Vec<Finding> {
        let demand = case.agreement.acceptance.output_tps;
        let Some(peak) = case.summary.peak.output_tps else {
            let text = Text::new(
                "There is no output rate: no effective request with a token count.",
                "没有带 Token 计数的有效请求，无法给出 Output TPS。",
            );
            return vec![Finding::inconclusive(self.id(), text).cause(why_none(case)).threshold(demand)];
        };
        let text = recorded(case, peak, demand);
        let count = peak_count(case);
        let finding = match (demand, count) {
            (None, PeakCount::Counted) => Finding::pass(self.id(), text.then(&no_demand())),
            (None, PeakCount::Estimated) => {
                Finding::pass(self.id(), text.then(&estimate()).then(&no_demand()))
            }
            (Some(demand), PeakCount::Estimated) => {
                Finding::inconclusive(self.id(), text.then(&against(demand)).then(&estimate()))
                    .cause(Cause::TokensEstimated)
            }
            (Some(demand), PeakCount::Counted) => counted(self.id(), case, peak, demand, text),
        };
        let n = case.summary.peak.output_tps_tier.and_then(|tier| case.tier(tier));
        vec![finding.observed(peak).threshold(demand).n(n.map(|tier| tier.figures.effective))]
    }
}

/// How the tokens of the peak tier were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PeakCount {
    /// By the service's usage, or by the plan's tokenizer.
    Counted,
    /// By events, wholly or in part, or nobody says by what.
    Estimated,
}

fn peak_count(case: &Case) -> PeakCount {
    let tier = case.summary.peak.output_tps_tier.and_then(|tier| case.tier(tier));
    match tier.and_then(|tier| tier.figures.token_source.as_deref()) {
        Some("usage" | "tokenizer") => PeakCount::Counted,
        _ => PeakCount::Estimated,
    }
}

fn why_none(case: &Case) -> Cause {
    let totals = &case.summary.totals;
    if totals.sent == 0 {
        Cause::NothingSent
    } else if totals.effective > 0 {
        Cause::NoTokenCounts
    } else if totals.finished < totals.planned {
        Cause::Unfinished
    } else {
        Cause::FailedRequests
    }
}

fn counted(id: RuleId, case: &Case, peak: f64, demand: f64, text: Text) -> Finding {
    let text = text.then(&against(demand));
    if peak >= demand {
        return Finding::pass(id, text).contract(Judgement::Pass);
    }
    // Any tier could have given the higher peak, had the generator kept up there, or had it been finished.
    let finding = if generator::invalid(&case.summary) {
        Finding::inconclusive(id, text.then(&generator::not_blamed(&case.summary)))
            .cause(Cause::GeneratorLimited)
    } else if case.unfinished() && !case.rows_differ() {
        let tiers: Vec<u32> = case.tiers_unfinished().iter().map(|tier| tier.concurrency).collect();
        let names = words::tiers(&tiers);
        let not_known = Text::new(
            format!("{} {} not finished and may have given more.", names.en, words::was(tiers.len())),
            format!("但 {} 档未完成，峰值尚不能确定。", names.zh),
        );
        Finding::inconclusive(id, text.then(&not_known)).cause(Cause::Unfinished)
    } else {
        Finding::fail(id, text).cause(Cause::LimitMissed)
    };
    finding.contract(Judgement::Fail)
}

fn recorded(case: &Case, peak: f64, demand: Option<f64>) -> Text {
    let rate = match demand {
        Some(demand) => number::of_metric_against("output_tps", peak, demand),
        None => number::tokens_per_second(peak),
    };
    match case.summary.peak.output_tps_tier {
        Some(tier) => Text::new(
            format!("Peak Output TPS {rate} tok/s at {}.", number::tier(tier)),
            format!("峰值 Output TPS 为 {rate} tok/s，出现在 {} 档。", number::tier(tier)),
        ),
        None => {
            Text::new(format!("Peak Output TPS {rate} tok/s."), format!("峰值 Output TPS 为 {rate} tok/s。"))
        }
    }
}

fn no_demand() -> Text {
    Text::new("It is recorded; no threshold was agreed.", "仅作记录，双方未约定阈值。")
}

fn against(demand: f64) -> Text {
    let demand = number::plain(demand);
    Text::new(format!("The agreed demand is {demand} tok/s."), format!("约定的部署需求为 {demand} tok/s。"))
}

fn estimate() -> Text {
    Text::new(
        "It is an estimate: the service gave no usage for every request, and output was counted by stream events.",
        "该值为估算：服务未对每个请求给出 usage，输出按流式事件数计。",
    )
}
