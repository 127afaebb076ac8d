//! How requests ended, with examples of those that failed.

use std::collections::BTreeMap;

use metrics_core::Outcome;

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    material::Material,
    number, words,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("How requests ended", "请求结果构成")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let mut blocks = vec![Block::Table(breakdown(m, l))];
    let totals = &m.summary.totals;
    let failed = totals.finished.saturating_sub(totals.effective);
    // Planned, and never brought to an end: not sent, or broken off with the run.
    let open = totals.planned.saturating_sub(totals.finished);
    if failed == 0 && m.failures.is_empty() {
        let none = if open == 0 {
            l.say("No request failed.", "没有失败请求。")
        } else {
            l.say("Of the requests that finished, none failed.", "已完成的请求中没有失败。")
        };
        blocks.push(Block::Note(none.into()));
    }
    if !m.failures.is_empty() {
        let shown = m.failures.len();
        blocks.push(Block::Table(examples(m, l)));
        blocks.push(Block::Note(
            l.say(
                format!("{shown} of {failed} shown. All of them stand in the raw rows of the package."),
                format!("共 {failed} 个，列出 {shown} 个；全部记录见证据包中的原始记录。"),
            )
            .into(),
        ));
    }
    if open > 0 {
        let requests = number::plural(open, "planned request");
        blocks.push(Block::Note(
            l.say(
                format!("{requests} did not finish, being never sent or broken off with the run: these tell nothing about the service and are not among the examples."),
                format!("另有 {open} 个计划请求未完成（未发送，或随测试中止而取消），不反映服务状况，故不列入示例。"),
            )
            .into(),
        ));
    }
    blocks
}

fn breakdown(m: &Material, l: Language) -> Table {
    let mut columns = vec![Column::left(l.say("Outcome", "结果"))];
    columns.extend(m.summary.tiers.iter().map(|tier| Column::right(number::tier(tier.concurrency))));
    columns.push(Column::right(l.say("All", "合计")));
    columns.push(Column::left(l.say("Meaning", "含义")));
    let n = |outcomes: &BTreeMap<Outcome, u64>, outcome: Outcome| -> Cell {
        outcomes.get(&outcome).copied().unwrap_or(0).to_string().into()
    };
    let rows = Outcome::ALL.into_iter().filter(|outcome| {
        *outcome == Outcome::Effective || m.summary.totals.outcomes.get(outcome).is_some_and(|n| *n > 0)
    });
    let rows = rows.map(|outcome| {
        let mut cells = vec![Cell::from(words::outcome(l, outcome))];
        cells.extend(m.summary.tiers.iter().map(|tier| n(&tier.figures.outcomes, outcome)));
        cells.push(n(&m.summary.totals.outcomes, outcome));
        cells.push(words::outcome_meaning(l, outcome).into());
        Row { cells, marked: false }
    });
    Table {
        caption: l.say("Requests by outcome and tier", "各档位请求结果").to_owned(),
        columns,
        rows: rows.collect(),
    }
}

fn examples(m: &Material, l: Language) -> Table {
    let rows = m.failures.iter().map(|failure| {
        let id =
            failure.request_id.as_deref().map_or_else(|| number::ABSENT.into(), |id| Line::new().code(id));
        let at = failure.at.as_deref().map_or_else(|| number::ABSENT.to_owned(), number::instant);
        Row::of([
            Cell::from(failure.seq.to_string()),
            number::tier_or_absent(failure.tier).into(),
            words::outcome(l, failure.outcome).into(),
            id.into(),
            at.into(),
            failure.message.as_deref().unwrap_or(number::ABSENT).into(),
        ])
    });
    Table {
        caption: l.say("Examples of failed requests", "失败请求示例").to_owned(),
        columns: vec![
            Column::left(l.say("No.", "序号")),
            Column::left(l.say("Tier", "档位")),
            Column::left(l.say("Outcome", "结果")),
            Column::left(l.say("Request id", "请求 ID")),
            Column::left(l.say("Ended", "结束时间")),
            Column::left(l.say("Message", "报错信息")),
        ],
        rows: rows.collect(),
    }
}
