//! What stands above the first section.

use metrics_core::Origin;
use verdict_rules::Edition;

use crate::{
    document::{Callout, Line, Pair, Tone},
    language::Language,
    material::Material,
    number::{self, plural},
    section::{samples, scope::stated},
    words,
};

pub(crate) fn title(m: &Material, l: Language) -> Line {
    let kind = l.say("Acceptance test report", "项目测试验收报告");
    match m.scope.project.name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => Line::new().plain(name).plain(l.say(" – ", " · ")).plain(kind),
        None => kind.into(),
    }
}

pub(crate) fn subtitle(l: Language) -> Line {
    l.say("Concurrency performance of an inference service", "推理服务并发性能验证").into()
}

/// The words that mark every page of the internal edition.
pub(crate) fn banner(edition: Edition, l: Language) -> Option<String> {
    (edition == Edition::Internal).then(|| {
        l.say("INTERNAL EDITION – not for submission to the customer", "内部版 · 不得作为交付件提交客户")
            .to_owned()
    })
}

pub(crate) fn facts(m: &Material, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: Line| Pair { name: name.to_owned(), value };
    let project = &m.scope.project;
    // What is handed over has a line to fill in; what stays inside says that nothing was stated.
    let named = |name: &Option<String>| match (name.as_deref().map(str::trim), m.edition()) {
        (Some(""), _) => l.say("left blank on purpose", "有意留空").into(),
        (Some(name), _) => name.into(),
        (None, Edition::Customer) => Line::new().blank(),
        (None, Edition::Internal) => stated(l, None),
    };
    vec![
        pair(l.say("Customer", "客户"), named(&project.customer)),
        pair(l.say("Supplier", "供应商"), named(&project.supplier)),
        pair(l.say("Third party", "第三方"), named(&project.third_party)),
        pair(l.say("Contract number", "合同编号"), named(&project.contract)),
        pair(l.say("Report number", "报告编号"), named(&project.number)),
        pair(l.say("Issued on", "出具日期"), named(&project.issued)),
        pair(l.say("Model under test", "被测模型"), Line::from(&m.scope.model)),
        pair(l.say("Tested on", "测试时间"), period(m, l)),
        pair(l.say("Edition", "报告版本"), words::edition(l, m.edition()).into()),
        pair(l.say("Run", "测试编号"), Line::new().code(&m.summary.run.id)),
        pair(
            l.say("Evidence digest (SHA-256)", "证据摘要（SHA-256）"),
            Line::new().code(&m.summary.evidence_digest),
        ),
    ]
}

/// From when, and for how long.
fn period(m: &Material, l: Language) -> Line {
    let from = number::instant(&m.summary.run.started_at);
    match m.summary.run.duration_s {
        Some(duration) => l
            .say(
                format!("{from}, for {:.1} s", duration.get()),
                format!("{from} 起，历时 {:.1} 秒", duration.get()),
            )
            .into(),
        None => from.into(),
    }
}

/// What must be seen before anything else, in either edition.
pub(crate) fn notices(m: &Material, l: Language) -> Vec<Callout> {
    let mut notices = Vec::new();
    if m.scope.simulated {
        notices.push(Callout {
            tone: Tone::Unsure,
            title: l
                .say(
                    "Demonstration on a built-in simulator: not an acceptance of any service",
                    "演示：被测对象为内置模拟服务，本报告不构成任何验收",
                )
                .into(),
            lines: vec![
                l.say(
                    "No model ran. The figures show what a report looks like and say nothing about any service.",
                    "未运行任何模型；数值仅用于展示报告样式，不反映任何真实服务的性能。",
                )
                .into(),
            ],
        });
    }
    if m.scope.prompts.recorded > 0 {
        notices.push(Callout {
            tone: Tone::Bad,
            title: l.say("Real prompts of users were sent and are in the package", "测试使用了真实用户提示词，原文已存入证据包").into(),
            lines: vec![
                l.say(
                    format!(
                        "{} of this run came from a log of real use and stand in data/samples.jsonl word for word. Handle the package as the log itself: who may read it, and until when, is for the owner of the log to say.",
                        plural(m.scope.prompts.recorded, "prompt")
                    ),
                    format!(
                        "本次测试有 {} 条提示词取自真实业务日志，原文保存在 data/samples.jsonl 中。证据包须按业务日志同等要求管理，可查阅人员与保存期限由日志所有方确定。",
                        m.scope.prompts.recorded
                    ),
                )
                .into(),
            ],
        });
    }
    notices.extend(assumed(m, l));
    if m.summary.client.unoptimised {
        notices.push(Callout {
            tone: Tone::Bad,
            title: l.say("Measured by an unoptimised build", "测试端为未优化构建").into(),
            lines: vec![
                l.say(
                    "The measuring program was a debug build. Its figures are for trying out, not for acceptance. Run the sweep again with a release build.",
                    "测试程序为调试构建，所得数值仅供试用，不宜用于验收。请改用 release 构建重新扫测。",
                )
                .into(),
            ],
        });
    }
    if m.summary.run.interrupted {
        notices.push(Callout {
            tone: Tone::Bad,
            title: l.say("The run was cut short", "测试提前中止").into(),
            lines: vec![
                l.say(
                    "The plan was not carried out in full. The figures cover what was measured up to then.",
                    "测试计划未执行完毕，数值仅覆盖中止之前的部分。",
                )
                .into(),
            ],
        });
    }
    if m.summary.client.valid == Some(false) {
        notices.push(Callout {
            tone: Tone::Unsure,
            title: l.say("The generator reached its own limits", "测试端达到自身上限").into(),
            lines: vec![
                l.say(
                    "Part of the figures may show the generator and not the service. The section on the generator says which.",
                    "部分数值反映的可能是测试端而非服务，详见“测试端有效性”一节。",
                )
                .into(),
            ],
        });
    }
    notices
}

/// Requests whose shape is somebody's word, with whose.
fn assumed(m: &Material, l: Language) -> Option<Callout> {
    let totals = &m.summary.totals;
    let counts = totals.origins.iter().find(|counts| counts.origin == Origin::Assumed)?;
    let (assumed, planned) = (counts.planned, totals.planned);
    let (title, meaning) = if assumed == planned {
        (
            l.say("Nothing of this traffic was measured: every request follows an assumption", "本次流量未经实测：全部请求均为假定").to_owned(),
            l.say(
                "Lengths, shares and arrivals are somebody's word. The figures hold for that assumption and say nothing of real use.",
                "请求的长度、占比与到达均出自提出者的判断；各项数值仅在该假定下成立，不代表真实业务。",
            ),
        )
    } else {
        (
            l.say(
                format!("{assumed} of {planned} requests follow assumptions, not measurements"),
                format!("{planned} 个请求中有 {assumed} 个依据假定，未经实测"),
            ),
            l.say(
                "Figures over all requests rest on them as well. Each group has its own rows under the core results.",
                "汇总数值同样包含这些请求；各分组的数值单独列于核心结果。",
            ),
        )
    };
    let by = m.sample_set.iter().flat_map(|set| samples::assumptions(set, l));
    Some(Callout {
        tone: Tone::Unsure,
        title: title.into(),
        lines: std::iter::once(meaning.into()).chain(by).collect(),
    })
}

pub(crate) fn footer(m: &Material, l: Language) -> Line {
    Line::new()
        .plain(l.say("Evidence digest (SHA-256) ", "证据摘要（SHA-256）"))
        .code(&m.summary.evidence_digest)
        .plain(l.say(" · run ", " · 测试编号 "))
        .code(&m.summary.run.id)
}
