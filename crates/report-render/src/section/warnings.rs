//! What a reader must know beside the figures.

use std::collections::BTreeMap;

use metrics_core::WarningCode;

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    material::Material,
    warning,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Warnings", "注意事项")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    if m.summary.warnings.is_empty() {
        return vec![Block::Paragraph(l.say("There are none.", "无。").into())];
    }
    let mut places: BTreeMap<WarningCode, Vec<String>> = BTreeMap::new();
    for found in &m.summary.warnings {
        places.entry(found.code).or_default().push(warning::place(l, found.code, found.tier, found.value));
    }
    let rows = places.iter().map(|(code, places)| {
        let words = warning::words(l, *code);
        Row::of([
            Cell::from(Line::new().strong(words.name)),
            l.list(places).into(),
            words.meaning.into(),
            words.remedy.into(),
        ])
    });
    vec![Block::Table(Table {
        caption: l.say("Beside the figures", "阅读数值时须知").to_owned(),
        columns: vec![
            Column::left(l.say("Warning", "事项")),
            Column::left(l.say("Where", "范围")),
            Column::left(l.say("What it means", "含义")),
            Column::left(l.say("What to do", "处理")),
        ],
        rows: rows.collect(),
    })]
}
