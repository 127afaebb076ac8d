//! 稳定性: the success rate over all planned requests reaches the agreed one, and so does that of every group.

use metrics_core::Support;

use crate::{
    case::{Case, reaches},
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
        let target = case.success_target();
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
        let groups = Part::groups(case);
        let below: Vec<Part<'_>> = std::iter::once(Part::whole(case))
            .chain(groups.iter().copied())
            .filter(|part| !part.met(part.effective))
            .collect();
        // Where the whole meets its target and a group does not, the figure is that of the group, and so is what is said of it.
        let shown = below.first().copied().unwrap_or_else(|| Part::whole(case));
        let absent = absent(case);
        let text = rate(case).then(&by_group(&groups));
        let finding = if below.is_empty() && absent.is_empty() {
            Finding::pass(self.id(), text.then(&doubt(&shown)))
        } else if below.is_empty() {
            Finding::inconclusive(self.id(), text.then(&not_in_the_run(&absent))).cause(Cause::GroupNotRun)
        } else if below.iter().all(|part| part.met(part.effective + part.excusable)) {
            // The target would be met if every time-out in a tier in which the generator hit a limit were a success.
            Finding::inconclusive(self.id(), text.then(&failures(case)).then(&not_blamed(case)))
                .cause(Cause::GeneratorLimited)
        } else {
            let cause = why_below(case, &below);
            let said = if cause == Cause::Unfinished { so_far(case) } else { doubt(&shown) };
            let said = failures(case).then(&said).then(&not_in_the_run(&absent));
            Finding::fail(self.id(), text.then(&said)).cause(cause)
        };
        let contract = match (below.is_empty(), absent.is_empty()) {
            (true, true) => Judgement::Pass,
            (true, false) => Judgement::Inconclusive,
            (false, _) => Judgement::Fail,
        };
        let finding = finding.contract(contract).support(shown.support());
        let observed = match shown.name {
            Some(_) => Some(shown.effective as f64 / shown.planned as f64),
            None => totals.success_rate,
        };
        vec![finding.observed(observed).threshold(shown.target).n(shown.planned)]
    }
}

/// The whole run, or one of its groups, against its target.
#[derive(Debug, Clone, Copy)]
struct Part<'c> {
    name: Option<&'c str>,
    planned: u64,
    finished: u64,
    effective: u64,
    /// Time-outs of tiers in which the generator hit a limit.
    excusable: u64,
    target: f64,
    /// Lower bound of its success rate.
    low: Option<f64>,
}

impl<'c> Part<'c> {
    fn whole(case: &'c Case) -> Self {
        let totals = &case.summary.totals;
        let excusable = case.summary.tiers.iter().map(|tier| generator::excusable(&case.summary, tier));
        Self {
            name: None,
            planned: totals.planned,
            finished: totals.finished,
            effective: totals.effective,
            excusable: excusable.sum(),
            target: case.success_target(),
            low: totals.success_rate_low,
        }
    }

    /// Where the run has one group, that is the whole run and judged as such.
    fn groups(case: &'c Case) -> Vec<Self> {
        if case.summary.groups.len() < 2 {
            return Vec::new();
        }
        let part = |group: &'c metrics_core::Group| {
            let in_tiers = case.summary.tiers.iter().filter_map(|tier| {
                let part = case.figures_in(tier, Some(&group.name))?;
                Some(generator::excusable_of(&case.summary, tier, part))
            });
            Self {
                name: Some(group.name.as_str()),
                planned: group.figures.planned,
                finished: group.figures.finished,
                effective: group.figures.effective,
                excusable: in_tiers.sum(),
                target: case.target_of(&group.name),
                low: group.figures.success_rate_low,
            }
        };
        case.summary.groups.iter().map(part).collect()
    }

    /// So many effective requests of it meet its target.
    fn met(&self, effective: u64) -> bool {
        reaches(effective, self.planned, self.target)
    }

    /// None for a target of 100 %, which no sample can support.
    fn support(&self) -> Option<Support> {
        let missing = self.planned.saturating_sub(self.effective);
        (self.target < 1.0).then(|| metrics_core::support_share(self.planned, missing, self.target))
    }

    /// `45 requests`, and of which group.
    fn requests(&self) -> Text {
        let planned = self.planned;
        match self.name {
            None => Text::new(words::requests(planned), format!("{planned} 个请求")),
            Some(name) => Text::new(
                format!("{} of {name}", words::requests(planned)),
                format!("分组 {name} 的 {planned} 个请求"),
            ),
        }
    }
}

/// Groups with a target of their own of which the run has no request.
fn absent(case: &Case) -> Vec<&str> {
    let there = |name: &str| case.summary.groups.iter().any(|group| group.name == name);
    let named = case.agreement.acceptance.group.iter().map(|group| group.name.as_str());
    named.filter(|name| !there(name)).collect()
}

fn not_in_the_run(absent: &[&str]) -> Text {
    if absent.is_empty() {
        return Text::default();
    }
    let names = words::list(&absent.iter().map(|name| Text::verbatim(*name)).collect::<Vec<_>>());
    Text::new(
        format!("The agreement sets a target for {}, of which the run has no request.", names.en),
        format!("约定中为分组 {} 设定了目标，但本次测试没有该分组的请求。", names.zh),
    )
}

/// Every group with its own numbers, and which of them stay below their target.
fn by_group(groups: &[Part<'_>]) -> Text {
    if groups.is_empty() {
        return Text::default();
    }
    let items = groups.iter().map(|part| {
        let (name, effective, planned) = (part.name.unwrap_or_default(), part.effective, part.planned);
        let share = number::percent_against(effective as f64 / planned.max(1) as f64, part.target);
        let target = number::percent_as_agreed(part.target);
        let (en, zh) = if part.met(effective) {
            (String::new(), String::new())
        } else {
            (format!(", below its target of {target}"), format!("，低于目标 {target}"))
        };
        (
            format!("{name} {effective} of {planned} ({share}{en})"),
            format!("{name} {effective}/{planned}（{share}{zh}）"),
        )
    });
    let (en, zh): (Vec<String>, Vec<String>) = items.unzip();
    Text::new(format!("By group: {}.", en.join(", ")), format!("分组：{}。", zh.join("；")))
}

/// Had every request that the run did not come to succeeded, the target would be met: then nothing speaks against the
/// service yet.
fn why_below(case: &Case, below: &[Part<'_>]) -> Cause {
    let would_meet = |part: &Part<'_>| part.met(part.effective + part.planned.saturating_sub(part.finished));
    if !below.iter().all(would_meet) {
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

fn rate(case: &Case) -> Text {
    let totals = &case.summary.totals;
    let (effective, planned) = (totals.effective, totals.planned);
    let target = case.success_target();
    let share = number::percent_against(effective as f64 / planned as f64, target);
    let target = number::percent_as_agreed(target);
    // Groups with targets of their own make it one that stands in no agreement.
    let (en, zh) = if case.success_target() == case.agreement.acceptance.success_rate {
        ("", "")
    } else {
        (" (those of the groups, weighted by their requests)", "（各分组目标按请求数加权）")
    };
    Text::new(
        format!(
            "{effective} of {} effective: a success rate of {share}, against a target of {target}{en}.",
            words::plural(planned, "planned request")
        ),
        format!("计划 {planned} 个请求，有效 {effective} 个，总成功率 {share}，目标 {target}{zh}。"),
    )
}

fn failures(case: &Case) -> Text {
    terms::failures(&case.summary.totals.outcomes).map_or_else(Text::default, |list| {
        Text::new(format!("Not effective: {}.", list.en), format!("未成功的请求：{}。", list.zh))
    })
}

/// What the number of requests says beyond itself.
fn doubt(shown: &Part<'_>) -> Text {
    let requests = shown.requests();
    let said = match shown.support() {
        None if shown.met(shown.effective) => {
            Text::new("No finite test proves 100%.", "有限次测试无法证明成功率恰为 100%。")
        }
        None => Text::default(),
        Some(Support::Supported) => Text::new(
            format!("{} support the target statistically.", requests.en),
            format!("{}的样本量在统计上支持该目标。", requests.zh),
        ),
        Some(Support::Refuted) => Text::new(
            format!("{} refute the target statistically.", requests.en),
            format!("{}的结果在统计上否定该目标。", requests.zh),
        ),
        Some(Support::Inconclusive) => Text::new(
            format!("{} are too few to support or refute the target statistically.", requests.en),
            format!("{}的样本量在统计上既不足以支持、也不足以否定该目标。", requests.zh),
        ),
    };
    let bound = shown.low.map_or_else(Text::default, |low| {
        let low = number::percent_against(low, shown.target);
        match shown.name {
            None => Text::new(
                format!("This test shows a rate of at least {low} with 95% confidence."),
                format!("以 95% 置信度可以确认成功率不低于 {low}。"),
            ),
            Some(name) => Text::new(
                format!("This test shows a rate of {name} of at least {low} with 95% confidence."),
                format!("以 95% 置信度可以确认分组 {name} 的成功率不低于 {low}。"),
            ),
        }
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
