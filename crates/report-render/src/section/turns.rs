//! Conversations: the figures of each turn.

use metrics_core::{Figures, Turn};

use crate::{
    document::{Block, Cell, Column, Row, Table},
    language::Language,
    material::Material,
    number,
    section::groups,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Turns of conversations", "多轮会话")
}

/// Empty where no conversation was sent.
pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    if m.summary.turns.is_empty() {
        return Vec::new();
    }
    let several = groups::has_several(m);
    // A turn of a short group and one of a long group have nothing in common but their number.
    let rows: Vec<Row> = if several {
        m.summary.groups.iter().flat_map(|group| of_group(m, &group.name, l)).collect()
    } else {
        m.summary.turns.iter().map(|turn| Row::of(cells(turn.turn, &turn.figures, l))).collect()
    };
    let mut columns = vec![
        Column::left(l.say("Turn", "轮次")),
        Column::right(l.say("Requests", "请求数")),
        Column::right(l.say("Success rate", "成功率")),
        Column::right(l.say("Input, mean", "平均输入")).in_unit("tok"),
        Column::right(l.say("Cached input", "缓存命中")),
        Column::right("TTFT Avg").in_unit("s"),
        Column::right("TTFT P50").in_unit("s"),
        Column::right("TTFT P95").in_unit("s"),
        Column::right("E2E Avg").in_unit("s"),
        Column::right("E2E P95").in_unit("s"),
    ];
    if several {
        columns.insert(0, Column::left(l.say("Group", "分组")));
    }
    let caption = if several {
        l.say("Results by group and turn, over all tiers", "各分组各轮次结果（全部档位）")
    } else {
        l.say("Results by turn, over all tiers", "各轮次结果（全部档位）")
    };
    let table = Table { caption: caption.to_owned(), columns, rows };
    let note = l.say(
        "A turn is sent with the history before it, the service's own answers included. Its latencies run from when it was due: the think time before it is in none of them. Cached input of later turns is the service's own history, which it may well keep.",
        "每一轮都携带此前的完整历史（含服务自身的回答）。时延自该轮应发时刻起算，不含其前的思考时间。后续轮次的缓存命中来自服务自身的历史内容，属正常现象。",
    );
    vec![Block::Table(table), Block::Note(note.into())]
}

/// The turns of a group, below each other.
fn of_group(m: &Material, name: &str, l: Language) -> Vec<Row> {
    let row = |turn: &Turn| {
        let part = turn.groups.iter().find(|group| group.name == name)?;
        let cells = cells(turn.turn, &part.figures, l);
        Some(Row::of(std::iter::once(Cell::from(name)).chain(cells)))
    };
    m.summary.turns.iter().filter_map(row).collect()
}

fn cells(turn: u32, f: &Figures, l: Language) -> Vec<Cell> {
    let name = match turn {
        Turn::LAST => l.say(format!("{} and later", Turn::LAST), format!("第 {} 轮及以后", Turn::LAST)),
        number => l.say(number.to_string(), format!("第 {number} 轮")),
    };
    let input = f.input_tokens.filter(|_| f.effective > 0).map(|sum| sum as f64 / f.effective as f64);
    vec![
        Cell::from(name),
        groups::requests(f).into(),
        groups::success(f, l),
        number::whole(input).into(),
        number::percent(f.cached_input_share).into(),
        number::seconds(f.ttft_s.mean).into(),
        number::seconds(f.ttft_s.p50).into(),
        number::seconds(f.ttft_s.p95).into(),
        number::seconds(f.e2e_s.mean).into(),
        number::seconds(f.e2e_s.p95).into(),
    ]
}
