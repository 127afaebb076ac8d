//! What stands above the first section.

use workload_model::{
    profile::{Origin, Profile},
    traffic::{Dropped, Note},
};

use crate::{
    document::{Callout, Line, Pair, Tone},
    language::Language,
    number,
};

use super::{WorkloadFacts, assumed, clock::Clock, figures, missing, vocabulary};

/// From which share of rows that could not be read on a reader is told on the cover.
const MANY_BAD: f64 = 0.01;

pub(super) fn title(facts: &WorkloadFacts, l: Language) -> Line {
    let kind = l.say("Agreed request distribution", "请求分布确认书");
    match facts.project.name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => Line::new().plain(name).plain(l.say(" – ", " · ")).plain(kind),
        None => kind.into(),
    }
}

pub(super) fn subtitle(p: &Profile, l: Language) -> Line {
    Line::new().plain(l.say("Workload profile: ", "业务请求画像：")).plain(&p.name)
}

/// What the document is for.
pub(super) fn purpose(l: Language) -> &'static str {
    l.say("For the business to confirm", "供业务方确认")
}

pub(super) fn facts(p: &Profile, facts: &WorkloadFacts, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: Line| Pair { name: name.to_owned(), value };
    let project = &facts.project;
    let named = |name: &Option<String>| match name.as_deref().map(str::trim) {
        Some("") => l.say("left blank on purpose", "有意留空").into(),
        Some(name) => name.into(),
        None => Line::new().blank(),
    };
    vec![
        pair(l.say("Customer", "客户"), named(&project.customer)),
        pair(l.say("Supplier", "供应商"), named(&project.supplier)),
        pair(l.say("Contract number", "合同编号"), named(&project.contract)),
        pair(l.say("Issued on", "出具日期"), named(&project.issued)),
        pair(l.say("Source", "数据来源"), source(p, l)),
        pair(l.say("Origin", "数据性质"), vocabulary::origin_meaning(l, p.source.origin).into()),
        pair(l.say("Period", "覆盖时段"), period(p, l).into()),
        pair(
            l.say("Requests", "请求数"),
            match p.source.kept {
                0 => l.say("none: nothing was measured", "无：没有实测数据").into(),
                kept => figures::requests(kept, l).into(),
            },
        ),
        pair(
            l.say("Profile digest (SHA-256)", "画像摘要（SHA-256）"),
            Line::new().code(&facts.profile_sha256),
        ),
    ]
}

/// Whose log, in the operator's words.
pub(super) fn source(p: &Profile, l: Language) -> Line {
    match p.source.description.trim() {
        "" => l.say("not stated", "未说明").into(),
        stated => stated.into(),
    }
}

/// From when to when, or for how long.
pub(super) fn period(p: &Profile, l: Language) -> String {
    if p.source.kept == 0 {
        return l.say("none: nothing was measured", "无：没有实测数据").to_owned();
    }
    let clock = Clock::of(p);
    let span = figures::span(figures::covered_s(p), l);
    if clock.relative {
        return l.say(
            format!("{span}, in relative time: the log does not tell the date"),
            format!("{span}（相对时间，日志不含日期）"),
        );
    }
    let (from, until) = (clock.instant(&p.source.period.from, l), clock.instant(&p.source.period.until, l));
    let zone = clock.zone();
    l.say(format!("{from} to {until} ({zone})"), format!("{from} 至 {until}（{zone}）"))
}

/// What must be seen before anything else.
pub(super) fn notices(p: &Profile, l: Language) -> Vec<Callout> {
    let notice = |tone: Tone, title: &str, line: String| Callout {
        tone,
        title: title.into(),
        lines: vec![line.into()],
    };
    let mut notices = Vec::new();
    match p.source.origin {
        Origin::Real => {}
        Origin::Synthetic => notices.push(notice(
            Tone::Unsure,
            l.say("Synthetic traffic", "合成流量"),
            l.say(
                "The log is that of a program. It shows how that program makes requests, and not how people use a service.",
                "日志来自程序生成的流量，反映的是该程序的请求方式，而不是真实用户的使用情况。",
            )
            .to_owned(),
        )),
        Origin::Assumed => notices.push(notice(
            Tone::Unsure,
            l.say("Assumed, not measured", "假定，未经实测"),
            l.say(
                "No log stands behind this distribution. Every figure is somebody's word; section 5 says whose.",
                "本请求分布没有日志依据，所有数值均为假定；提出者见第 5 节。",
            )
            .to_owned(),
        )),
    }
    notices.extend(assumed::notice(p, l));
    if missing::all_lengths(p) {
        notices.push(notice(
            Tone::Unsure,
            l.say("Lengths of inputs and outputs are unknown", "输入长度与输出长度未知"),
            missing::lengths(l).to_owned(),
        ));
    }
    if p.source.notes.get(Note::PartialExport.as_str()).is_some_and(|rows| *rows > 0) {
        notices.push(notice(
            Tone::Unsure,
            l.say("Part of a larger log", "仅为部分日志"),
            vocabulary::note(l, Note::PartialExport.as_str()).1,
        ));
    }
    if p.source.rates_are_too_low() {
        let overlapping = p.source.overlapping_segments();
        let segments = p.source.segments.len();
        notices.push(notice(
            Tone::Bad,
            l.say("Stretches of this log hold the same time", "日志各段时间重叠"),
            l.say(
                format!("{overlapping} of its {segments} segments hold a time that one before them holds as well: the rows are not in the order of time, or a clock was put back. Rates are then too low. Export the log in the order of time, and make the profile again."),
                format!("共 {segments} 段，其中 {overlapping} 段与之前的段落时间重叠：日志未按时间排序，或时钟被回拨，到达速率因此偏低。请按时间顺序重新导出日志并重新生成画像。"),
            ),
        ));
    }
    let bad: u64 = Dropped::ALL
        .into_iter()
        .filter(|reason| reason.is_bad())
        .filter_map(|reason| p.source.dropped.get(reason.as_str()))
        .sum();
    if p.source.rows_read > 0 && bad as f64 / p.source.rows_read as f64 >= MANY_BAD {
        let (rows, share) = (number::grouped(bad), figures::share_of(bad, p.source.rows_read));
        notices.push(notice(
            Tone::Unsure,
            l.say("Part of the log could not be read", "部分日志无法读取"),
            l.say(
                format!("{rows} rows ({share}) are at fault and are not in the profile; section 5 lists the reasons."),
                format!("有 {rows} 行（{share}）存在错误，未计入本画像；原因见第 5 节。"),
            ),
        ));
    }
    notices
}

pub(super) fn footer(facts: &WorkloadFacts, l: Language) -> Line {
    Line::new().plain(l.say("Profile digest (SHA-256) ", "画像摘要（SHA-256）")).code(&facts.profile_sha256)
}
