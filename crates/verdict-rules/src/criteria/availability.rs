//! 服务可用性: reachable and serving all through.

use metrics_core::Outcome;

use crate::{
    case::Case,
    rule::Rule,
    text::Text,
    verdict::{CriterionId, Finding, RuleId},
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
        let sent = case.summary.totals.sent;
        if sent == 0 {
            let text = Text::new(
                "No request was sent, so that nothing is known of the service.",
                "没有发出任何请求，服务是否可用无从判定。",
            );
            return vec![Finding::inconclusive(self.id(), text).n(0)];
        }
        let incidents = incidents(case);
        let finding = if !incidents.is_empty() {
            let list = words::list(&incidents);
            Finding::fail(
                self.id(),
                Text::new(
                    format!("The service was not there all through: {}.", list.en),
                    format!("测试期间服务出现不可用：{}。", list.zh),
                ),
            )
        } else if has_signal(case) {
            Finding::pass(self.id(), served(case).then(&start_time(case)))
        } else {
            Finding::inconclusive(self.id(), too_little(sent))
        };
        vec![finding.observed(incidents.len() as f64).threshold(0.0).n(sent)]
    }
}

/// Something speaks for the service beyond a handful of requests.
pub(crate) fn has_signal(case: &Case) -> bool {
    case.availability.health_checks > 0 || case.summary.totals.sent >= ENOUGH_REQUESTS
}

fn incidents(case: &Case) -> Vec<Text> {
    let availability = &case.availability;
    let (restarts, spells, refusals) =
        (availability.restarts, availability.unready_spells, availability.refusals_in_a_row);
    let mut incidents = Vec::new();
    if restarts > 0 {
        incidents.push(Text::new(
            format!("{} seen from its start time", words::plural(restarts, "restart")),
            format!("启动时间变化，重启 {restarts} 次"),
        ));
    }
    if spells > 0 {
        incidents.push(Text::new(
            format!("{} in which it was not ready", words::plural(spells, "spell")),
            format!("健康检查未就绪 {spells} 段"),
        ));
    }
    if refusals >= REFUSALS_OF_AN_OUTAGE {
        incidents.push(Text::new(
            format!("{refusals} connections refused in a row ({REFUSALS_OF_AN_OUTAGE} count as an outage)"),
            format!("连续 {refusals} 次连接被拒绝（{REFUSALS_OF_AN_OUTAGE} 次即视为中断）"),
        ));
    }
    if answered(case) == 0 {
        let sent = case.summary.totals.sent;
        incidents.push(Text::new(
            format!("none of {} brought an answer", words::requests(sent)),
            format!("发出的 {sent} 个请求均未得到回答"),
        ));
    }
    incidents
}

fn answered(case: &Case) -> u64 {
    GENERATED.iter().filter_map(|outcome| case.summary.totals.outcomes.get(outcome)).sum()
}

fn served(case: &Case) -> Text {
    let sent = case.summary.totals.sent;
    let checks = case.availability.health_checks;
    let (en, zh) = if checks == 0 {
        ("it offers no health check".to_owned(), "服务未提供健康检查".to_owned())
    } else {
        (
            format!("{} found it ready", words::plural(checks, "health check")),
            format!("{checks} 次健康检查均为就绪"),
        )
    };
    Text::new(
        format!("The service answered all through {}, without an outage; {en}.", words::requests(sent)),
        format!("测试期间共发出 {sent} 个请求，服务响应正常，未见中断；{zh}。"),
    )
}

fn start_time(case: &Case) -> Text {
    if case.availability.start_time_known {
        Text::new("Its start time stayed the same.", "其启动时间前后一致，未见重启。")
    } else {
        Text::new(
            "It does not tell its start time, so that a restart between two requests would not be seen.",
            "服务未提供启动时间，两次请求之间的快速重启无法察觉。",
        )
    }
}

fn too_little(sent: u64) -> Text {
    Text::new(
        format!(
            "The service offers no health check, and {} say too little ({ENOUGH_REQUESTS} are needed).",
            words::requests(sent)
        ),
        format!("服务未提供健康检查，仅凭 {sent} 个请求不足以判定（至少需要 {ENOUGH_REQUESTS} 个）。"),
    )
}
