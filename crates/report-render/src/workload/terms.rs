//! What the business asks of each group. No log tells any of it.

use workload_model::profile::{Profile, ProfileGroup};

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    number, words,
};

use super::vocabulary;

pub(super) fn blocks(p: &Profile, l: Language) -> Vec<Block> {
    let table = Table {
        caption: l.say("What the business asks for, by group", "各组业务要求").to_owned(),
        columns: vec![
            Column::left(l.say("Group", "分组")),
            Column::left(l.say("Origin", "数据性质")),
            Column::right(l.say("Priority", "优先级")),
            Column::right(l.say("First token within", "首 Token 时限")).in_unit("s"),
            Column::right(l.say("Whole answer within", "完整响应时限")).in_unit("s"),
            Column::left(l.say("Acceptable way of failing", "可接受的失败方式")),
            Column::left(l.say("Assumed by", "提出者")),
        ],
        rows: p.groups.iter().map(|group| row(group, l)).collect(),
    };
    vec![Block::Table(table), Block::Note(remark(l).into())]
}

fn row(group: &ProfileGroup, l: Language) -> Row {
    let terms = &group.terms;
    let limit = |limit: Option<f64>| limit.map_or_else(Cell::open, |limit| number::plain(limit).into());
    let by = terms.by.as_ref().map_or_else(Cell::open, |by| Cell::from(by.as_str()));
    Row::of([
        Cell::from(group.name.as_str()),
        Line::new()
            .mark(words::origin_tone(words::of_profile(group.origin)), vocabulary::origin(l, group.origin))
            .into(),
        terms.priority.map_or_else(Cell::open, |priority| priority.to_string().into()),
        limit(terms.ttft_limit_s),
        limit(terms.deadline_s),
        terms.failing.map_or_else(Cell::open, |way| vocabulary::way(l, way).into()),
        by,
    ])
}

fn remark(l: Language) -> &'static str {
    l.say(
        "Origin is that of the measured part. Everything right of it is an assumption of whoever is named (section 5 has the reasons) until the business signs. Priority 1 comes first; limits run from the arrival. Empty fields are open: what is filled in by pen is to be put into the operator's card, and the profile made again, so that the digest covers it.",
        "“数据性质”针对实测部分。其右各列在业务方签署之前均为所列提出者的假定，理由见第 5 节。优先级 1 为最高；时限自请求到达起算。空白栏尚未约定：手写补充的内容须录入操作方的登记表并重新生成画像，使其包含在画像摘要之内。",
    )
}
