//! The core result table, one row a tier, below those of each group.

use metrics_core::{Figures, Outcome};
use verdict_rules::Advice;

use crate::{
    document::{Block, Cell, Column, Line, Row, Table, Tone},
    language::Language,
    material::Material,
    number,
    section::groups,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Core results", "核心结果摘要")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let mut blocks = groups::blocks(m, l);
    blocks.extend([Block::Table(tiers(m, l)), Block::Note(note(m, l).into())]);
    blocks
}

fn tiers(m: &Material, l: Language) -> Table {
    let (planned, ran, advice) = (&m.scope.tiers, &m.summary.tiers, &m.verdict.advice);
    // Tiers of the plan that never ran stay in the table, in their place and without figures.
    let mut rows = Vec::new();
    for plan in planned {
        let mut found = ran.iter().filter(|tier| tier.concurrency == plan.concurrency).peekable();
        if found.peek().is_none() {
            rows.push(row(plan.concurrency, None, plan.requests, advice, l));
        }
        rows.extend(
            found.map(|tier| row(tier.concurrency, Some(&tier.figures), tier.figures.planned, advice, l)),
        );
    }
    let unplanned = ran.iter().filter(|tier| planned.iter().all(|plan| plan.concurrency != tier.concurrency));
    rows.extend(
        unplanned.map(|tier| row(tier.concurrency, Some(&tier.figures), tier.figures.planned, advice, l)),
    );
    let caption = match groups::has_several(m) {
        true => l.say(
            "Concurrency tiers, over all groups (each group's own rows stand above)",
            "并发档位一览（各分组合计，分组数值见上表）",
        ),
        false => l.say("Concurrency tiers at a glance", "并发档位一览"),
    };
    Table { caption: caption.to_owned(), columns: columns(l.say("Concurrency", "并发"), l), rows }
}

fn columns(first: &str, l: Language) -> Vec<Column> {
    vec![
        Column::left(first),
        Column::right(l.say("Requests", "请求数")),
        Column::right(l.say("Success rate", "成功率")),
        Column::right("E2E Avg").in_unit("s"),
        Column::right("E2E P95").in_unit("s"),
        Column::right("TTFT").in_unit("s"),
        Column::right("TPOT").in_unit("s"),
        Column::right("Output TPS").in_unit("tok/s"),
        Column::right("Total TPS").in_unit("tok/s"),
        Column::right("RPS").in_unit("req/s"),
    ]
}

fn row(tier: u32, found: Option<&Figures>, planned: u64, advice: &Advice, l: Language) -> Row {
    let mut name = Line::from(number::tier(tier));
    let mut marked = false;
    if advice.interactive == Some(tier) {
        name = name.plain(" ").mark(Tone::Good, l.say("recommended", "推荐"));
        marked = true;
    }
    if advice.boundary == Some(tier) {
        name = name.plain(" ").mark(Tone::Plain, l.say("boundary", "边界"));
        marked = true;
    }
    let (finished, sent) = found.map_or((0, 0), |figures| (figures.finished, sent(figures)));
    if sent == 0 {
        name = name.plain(" ").mark(Tone::Bad, l.say("not run", "未执行"));
    } else if finished < planned {
        name = name.plain(" ").mark(Tone::Bad, l.say("not finished", "未完成"));
    }
    let mut cells = vec![Cell::from(name)];
    cells.extend(figures(found, planned, l));
    Row { cells, marked }
}

/// Requests that were begun.
fn sent(figures: &Figures) -> u64 {
    figures.outcomes.iter().filter(|(outcome, _)| **outcome != Outcome::NotSent).map(|(_, n)| n).sum()
}

fn figures(found: Option<&Figures>, planned: u64, l: Language) -> Vec<Cell> {
    let Some(f) = found else {
        let mut cells = vec![Cell::from(format!("0 / {planned}"))];
        cells.resize(9, number::ABSENT.into());
        return cells;
    };
    vec![
        groups::requests(f).into(),
        groups::success(f, l),
        number::seconds(f.e2e_s.mean).into(),
        number::seconds(f.e2e_s.p95).into(),
        number::seconds(f.ttft_s.mean).into(),
        number::seconds_per_token(f.tpot_s.mean).into(),
        number::tokens_per_second(f.output_tps).into(),
        number::tokens_per_second(f.total_tps).into(),
        number::requests_per_second(f.rps).into(),
    ]
}

fn note(m: &Material, l: Language) -> String {
    let reading = l.say(
        "E2E Avg, TTFT and TPOT are means; E2E P95 is a nearest-rank percentile. Latencies run from the instant at which a request was due, over effective requests only. “18 / 20” means 18 finished of 20 planned; “—” means that the figure does not exist.",
        "注：E2E Avg、TTFT、TPOT 为均值，E2E P95 按最近秩法取值。时延自请求应发时刻起算，仅统计有效请求。“18 / 20”表示计划 20 个、完成 18 个；“—”表示该数值不存在。单位：秒（s）、tok/s、req/s。",
    );
    let tries = if m.summary.tiers.iter().any(|tier| tier.figures.retried.is_some()) {
        l.say(
            " A request that was tried again counts once, by its last try, and its latencies run from when the first was due.",
            "重试的请求只计一次，以最后一次发送的结果为准，时延自首次应发时刻起算。",
        )
    } else {
        ""
    };
    // Where output fell behind, rising latency is no matter of course.
    let normal = if m.verdict.advice.levelled_off.is_empty() {
        l.say(
            " Latency that rises with concurrency is normal; the top tiers are for throughput.",
            "TTFT / E2E 随并发增大属正常现象，高并发档位为吞吐优先场景。",
        )
    } else {
        ""
    };
    format!("{reading}{tries}{normal}")
}
