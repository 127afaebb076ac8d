//! How requests of all groups together arrive.

use workload_model::profile::{Peak, Profile};

use crate::{
    document::{Block, Column, Row, Table},
    language::Language,
    number,
};

use super::{burstiness, clock::Clock, figures, missing, over_period};

pub(super) fn heading(l: Language) -> &'static str {
    l.say("Arrivals", "到达过程")
}

pub(super) fn blocks(p: &Profile, l: Language) -> Vec<Block> {
    if p.source.kept == 0 {
        return vec![Block::Paragraph(missing::no_traffic(l).into())];
    }
    let mut blocks: Vec<Block> = over_period::chart(p, l).map(Block::Chart).into_iter().collect();
    if !p.arrivals.peaks.is_empty() {
        blocks.push(Block::Table(peaks(p, l)));
        blocks.push(Block::Note(remark(l).into()));
    }
    blocks.push(Block::Heading(l.say("How evenly they come", "均匀程度").to_owned()));
    blocks.push(Block::Pairs(burstiness::pairs(&p.arrivals, p.deidentification.time_bin_s.get() > 0.0, l)));
    blocks.push(Block::Heading(l.say("Over the hours of the day", "一天各时段").to_owned()));
    blocks.push(match over_period::hours(p, l) {
        Some(chart) => Block::Chart(chart),
        None if p.source.relative_time => Block::Paragraph(missing::hours(l).into()),
        None => Block::Paragraph(missing::hours_of_bins(l).into()),
    });
    blocks
}

fn peaks(p: &Profile, l: Language) -> Table {
    let clock = Clock::of(p);
    let row = |peak: &Peak| {
        let times = p.arrivals.mean_rate.filter(|mean| *mean > 0.0).map(|mean| peak.rate / mean);
        Row::of([
            figures::window(peak.window_s.get(), l),
            number::grouped(peak.requests),
            figures::rate(Some(peak.rate)),
            number::ratio(times),
            clock.instant(&peak.from, l),
            figures::span(peak.lasted_s.get(), l),
        ])
    };
    Table {
        caption: l
            .say("The busiest windows, all groups together", "最繁忙的时间窗（全部分组合计）")
            .to_owned(),
        columns: vec![
            Column::left(l.say("Window", "窗口")),
            Column::right(l.say("Requests", "请求数")),
            Column::right(l.say("Rate", "到达速率")).in_unit("req/s"),
            Column::right(l.say("Times the mean", "为平均的倍数")),
            Column::left(l.say("Began", "开始")),
            Column::left(l.say("Lasted", "峰值持续时间")),
        ],
        rows: p.arrivals.peaks.iter().map(row).collect(),
    }
}

fn remark(l: Language) -> &'static str {
    l.say(
        "Lasted: how long the rate over windows of this length stayed at 80% of the peak or more. Windows as long as the period or longer are left out.",
        "峰值持续时间：以同样长度的窗口计，到达速率保持在峰值 80% 以上的时间。不短于覆盖时段的窗口不列出。",
    )
}
