//! 服务可用性: reachable and serving all through.

use std::collections::BTreeMap;

use metrics_core::Outcome;

use crate::{
    case::Case,
    generator,
    rule::Rule,
    terms,
    text::Text,
    verdict::{Cause, CriterionId, Finding, RuleId},
    words,
};

/// So many consecutive refused connections are no accident of one socket.
const REFUSALS_OF_AN_OUTAGE: u64 = 3;

/// With no way to ask for its health, so many requests speak for the service.
pub(crate) const ENOUGH_REQUESTS: u64 = 20;

/// Outcomes that a service gives which generates: a whole answer, or one that is wanting in length, form or time.
const GENERATED: [Outcome; 7] = [
    Outcome::Effective,
    Outcome::Malformed,
    Outcome::Short,
    Outcome::Capped,
    Outcome::Filtered,
    Outcome::Stalled,
    Outcome::Deadline,
];

pub(crate) struct ServiceAvailability;

impl Rule for ServiceAvailability {
    fn id(&self) -> RuleId {
        CriterionId::ServiceAvailability.into()
    }

    fn judge(&self, case: &Case) -> Vec<Finding> {
        let asked = asked(case);
        if asked == 0 {
            let finding = Finding::inconclusive(self.id(), nothing_asked(case));
            return vec![finding.cause(Cause::NothingSent).n(0)];
        }
        let incidents = incidents(case);
        let finding = if let Some((_, cause)) = incidents.first() {
            let list = words::list(&incidents.iter().map(|(text, _)| text.clone()).collect::<Vec<_>>());
            let text = Text::new(
                format!("The service was not there all through: {}.", list.en),
                format!("测试期间服务出现不可用：{}。", list.zh),
            );
            let text = text.then(&counts(case)).then(&health(case));
            if *cause == Cause::NothingAnswered && generator_may_be_why(case) {
                let text = text.then(&generator::not_blamed(&case.summary));
                Finding::inconclusive(self.id(), text).cause(Cause::GeneratorLimited)
            } else {
                Finding::fail(self.id(), text).cause(*cause)
            }
        } else if has_signal(case) {
            let text = counts(case).then(&nothing_seen()).then(&health(case));
            Finding::pass(self.id(), text.then(&start_time(case)))
        } else {
            let text = counts(case).then(&health(case)).then(&too_little());
            Finding::inconclusive(self.id(), text).cause(Cause::TooLittleSeen)
        };
        vec![finding.observed(incidents.len() as f64).threshold(0.0).n(asked)]
    }
}

/// Something speaks for the service beyond a handful of requests.
fn has_signal(case: &Case) -> bool {
    case.availability.ready > 0 || asked(case) >= ENOUGH_REQUESTS
}

/// How many requests the service had its say on: what the client never sent, or gave up by itself, says nothing of it.
fn asked(case: &Case) -> u64 {
    let totals = &case.summary.totals;
    let cancelled = totals.outcomes.get(&Outcome::Cancelled).copied().unwrap_or_default();
    totals.sent.saturating_sub(cancelled)
}

fn nothing_asked(case: &Case) -> Text {
    match case.summary.totals.sent {
        0 => Text::new(
            "No request was sent, so nothing is known of the service.",
            "没有发出任何请求，服务是否可用无从判定。",
        ),
        sent => Text::new(
            format!(
                "{} sent and cancelled by the client before an answer was due, so nothing is known of the service.",
                words::requests(sent)
            ),
            format!("发出的 {sent} 个请求均由测试端取消，服务是否可用无从判定。"),
        ),
    }
}

/// What happened, the gravest first, with its cause.
fn incidents(case: &Case) -> Vec<(Text, Cause)> {
    let availability = &case.availability;
    let (restarts, spells, refusals) =
        (availability.restarts, availability.unready_spells, availability.refusals_in_a_row);
    let mut incidents = Vec::new();
    if restarts > 0 {
        let text = Text::new(
            format!("{} seen from its start time", words::plural(restarts, "restart")),
            format!("启动时间变化，重启 {restarts} 次"),
        );
        incidents.push((text, Cause::Outage));
    }
    if spells > 0 {
        let text = Text::new(
            format!("{} in which it was not ready", words::plural(spells, "spell")),
            format!("健康检查未就绪 {spells} 段"),
        );
        incidents.push((text, Cause::Outage));
    }
    if refusals >= REFUSALS_OF_AN_OUTAGE {
        let text = Text::new(
            format!("{refusals} connections refused in a row ({REFUSALS_OF_AN_OUTAGE} count as an outage)"),
            format!("连续 {refusals} 次连接被拒绝（{REFUSALS_OF_AN_OUTAGE} 次即视为中断）"),
        );
        incidents.push((text, Cause::Outage));
    }
    if answered(case) == 0 {
        let asked = asked(case);
        let text = Text::new(
            format!("none of {} brought an answer of the model", words::requests(asked)),
            format!("{asked} 个请求均未得到模型应答"),
        );
        incidents.push((text, Cause::NothingAnswered));
    }
    incidents
}

fn answered(case: &Case) -> u64 {
    let outcomes = &case.summary.totals.outcomes;
    let generated: u64 = GENERATED.iter().filter_map(|outcome| outcomes.get(outcome)).sum();
    generated.saturating_sub(case.availability.malformed_without_tokens)
}

/// Every request was a time-out of a tier in which the generator hit a limit, and may have been an answer. One that
/// failed otherwise, or where the generator was sound, is the service's, and says that it did not answer.
fn generator_may_be_why(case: &Case) -> bool {
    let excusable = case.summary.tiers.iter().map(|tier| generator::excusable(&case.summary, tier));
    excusable.sum::<u64>() >= asked(case)
}

/// How many requests there were, and what became of them.
fn counts(case: &Case) -> Text {
    let totals = &case.summary.totals;
    let (asked, effective) = (asked(case), totals.effective);
    let own = [Outcome::Cancelled, Outcome::NotSent];
    let others: BTreeMap<Outcome, u64> =
        totals.outcomes.iter().filter(|(outcome, _)| !own.contains(outcome)).map(|(o, n)| (*o, *n)).collect();
    let (en, zh) = match terms::failures(&others) {
        Some(list) => (format!(" ({})", list.en), format!("（{}）", list.zh)),
        None => (String::new(), String::new()),
    };
    Text::new(
        format!("{} sent, {effective} answered in full{en}.", words::requests(asked)),
        format!("共发出 {asked} 个请求，其中 {effective} 个得到完整响应{zh}。"),
    )
}

fn nothing_seen() -> Text {
    Text::new(
        "No restart, no unready spell and no row of refused connections was seen.",
        "未见重启、未就绪或连续拒绝连接。",
    )
}

/// What the health checks say, and how many of them say nothing.
fn health(case: &Case) -> Text {
    let availability = &case.availability;
    let checks = availability.health_checks;
    if checks == 0 {
        return Text::new("The service offers no health check.", "服务未提供健康检查。");
    }
    let parts = [
        (availability.ready, "ready", "就绪"),
        (availability.unready, "not ready", "未就绪"),
        (availability.unanswered, "no usable answer", "无有效应答"),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|(count, ..)| *count > 0).collect();
    let en: Vec<String> = parts.iter().map(|(count, en, _)| format!("{count} {en}")).collect();
    let zh: Vec<String> = parts.iter().map(|(count, _, zh)| format!("{zh} {count}")).collect();
    Text::new(
        format!("{}: {}.", words::plural(checks, "health check"), en.join(", ")),
        format!("{checks} 次健康检查：{}。", zh.join("，")),
    )
}

fn start_time(case: &Case) -> Text {
    if case.availability.start_time_known {
        Text::new("Its start time stayed the same.", "服务启动时间前后一致。")
    } else {
        Text::new(
            "It does not tell its start time, so a restart between two requests would go unnoticed.",
            "服务未提供启动时间，两次请求之间的快速重启无法察觉。",
        )
    }
}

fn too_little() -> Text {
    Text::new(
        format!(
            "Without a health check that found it ready, this says too little (at least {ENOUGH_REQUESTS} requests are needed)."
        ),
        format!("没有就绪的健康检查作为佐证，不足以判定（至少需要 {ENOUGH_REQUESTS} 个请求）。"),
    )
}
