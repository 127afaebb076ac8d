//! Every percentile with the interval around it, tier by tier.

use metrics_core::{Bound, Distribution, Figures, Seconds, Tier};

use crate::{
    document::{Block, Cell, Column, Line, Row, Table},
    language::Language,
    material::Material,
    number,
    section::distributions,
    words,
};

type Digits = fn(Option<Seconds>) -> String;

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Detail by tier", "分档明细")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let tiers = &m.summary.tiers;
    let mut blocks = vec![Block::Table(throughput(tiers, l))];
    blocks.extend(absences(tiers, l));
    blocks.extend(distributions::blocks(m, l));
    blocks.push(Block::Paragraph(reading(l).into()));
    let (without, with): (Vec<&Tier>, Vec<&Tier>) =
        tiers.iter().partition(|tier| tier.figures.effective == 0);
    for tier in with {
        let name = number::tier(tier.concurrency);
        blocks.push(Block::Table(latencies(&name, &tier.figures, l)));
        let effective = tier.groups.iter().filter(|group| group.figures.effective > 0);
        blocks
            .extend(effective.map(|group| {
                Block::Table(latencies(&format!("{name} · {}", group.name), &group.figures, l))
            }));
    }
    if !without.is_empty() {
        let names: Vec<String> = without.iter().map(|tier| number::tier(tier.concurrency)).collect();
        let names = l.list(&names);
        blocks.push(Block::Note(
            l.say(
                format!("{names}: no request was effective, so there are no latencies."),
                format!("{names}：没有有效请求，无时延数值。"),
            )
            .into(),
        ));
    }
    blocks
}

fn throughput(tiers: &[Tier], l: Language) -> Table {
    // The groups of a tier stand below it.
    let parts = tiers.iter().flat_map(|tier| {
        let name = || Cell::from(number::tier(tier.concurrency));
        let groups = tier.groups.iter().map(move |group| (name().below(&group.name), &group.figures));
        std::iter::once((name(), &tier.figures)).chain(groups)
    });
    let rows = parts.map(|(name, f)| {
        Row::of([
            name,
            number::percent(f.success_rate_low).into(),
            number::percent(f.attainment).into(),
            number::requests_per_second(f.goodput_rps).into(),
            number::seconds(f.window_s).into(),
            number::tokens_per_second(f.sustained_output_tps).into(),
            number::count(f.input_tokens).into(),
            number::count(f.output_tokens).into(),
            number::ratio(f.tokens_per_event).into(),
            number::percent(f.cached_input_share).into(),
            words::token_source_named(l, f.token_source.as_deref()).into(),
            f.reconnects.to_string().into(),
        ])
    });
    Table {
        caption: l.say("Throughput and tokens", "吞吐与 Token 明细").to_owned(),
        columns: vec![
            Column::left(l.say("Tier", "档位")),
            Column::right(l.say("Success, lower bound", "成功率下限")),
            Column::right(l.say("Attainment", "达标率")),
            Column::right("Goodput").in_unit("req/s"),
            Column::right(l.say("Window", "窗口")).in_unit("s"),
            Column::right(l.say("Sustained Output TPS", "持续 Output TPS")).in_unit("tok/s"),
            Column::right(l.say("Input tokens", "输入 Token")),
            Column::right(l.say("Output tokens", "输出 Token")),
            Column::right(l.say("Tokens per event", "Token / 事件")),
            Column::right(l.say("Cached input", "缓存命中")),
            Column::left(l.say("Counted by", "计数来源")),
            Column::right(l.say("Reconnects", "重连")),
        ],
        rows: rows.collect(),
    }
}

/// Why a sustained rate is missing, where it is.
fn absences(tiers: &[Tier], l: Language) -> Option<Block> {
    let absent = tiers.iter().filter(|tier| tier.figures.sustained_output_tps.is_none());
    let absent: Vec<String> = absent
        .filter_map(|tier| {
            let reason = words::sustained_absent(l, tier.figures.sustained_absent.as_deref()?);
            let tier = number::tier(tier.concurrency);
            Some(l.say(format!("{tier}: {reason}"), format!("{tier}：{reason}")))
        })
        .collect();
    if absent.is_empty() {
        return None;
    }
    let absent = absent.join(l.say("; ", "；"));
    Some(Block::Note(
        l.say(format!("No sustained Output TPS: {absent}."), format!("无持续 Output TPS 的原因：{absent}。"))
            .into(),
    ))
}

fn reading(l: Language) -> &'static str {
    l.say(
        "Below each percentile stands its distribution-free 95% interval [low, high]. Where the number of values allows no upper side, the percentile is observed and not certified. The interval takes requests as independent, which batching makes them only partly. “Left out” counts planned requests without a value.",
        "每个分位值下方为其 95% 非参数置信区间 [下限, 上限]。样本量不足以给出上限时，该分位为观察值，未经统计确认。区间以请求相互独立为前提，批处理下仅近似成立。“未计入”为计划内但没有该数值的请求数。",
    )
}

fn latencies(of: &str, f: &Figures, l: Language) -> Table {
    let per_request = |name: &str| Line::from(name);
    let mut rows = vec![
        row(per_request("E2E"), &f.e2e_s, number::seconds, l),
        row(per_request("TTFT"), &f.ttft_s, number::seconds, l),
        row(per_request("TPOT"), &f.tpot_s, number::seconds_per_token, l),
    ];
    if let Some(usual) = &f.tpot_usual_s {
        let name = l.say("TPOT, usual form", "TPOT（通行算法）");
        rows.push(row(per_request(name), usual, number::seconds_per_token, l));
    }
    rows.push(row(gaps(f, l), &f.inter_event_s, number::seconds_per_token, l));
    rows.push(row(
        per_request(l.say("E2E per output token", "E2E / 输出 Token")),
        &f.e2e_per_token_s,
        number::seconds_per_token,
        l,
    ));
    rows.push(row(
        per_request(l.say("E2E, from sent", "E2E（自发出起）")),
        &f.from_sent.e2e_s,
        number::seconds,
        l,
    ));
    rows.push(row(
        per_request(l.say("TTFT, from sent", "TTFT（自发出起）")),
        &f.from_sent.ttft_s,
        number::seconds,
        l,
    ));
    Table {
        caption: l.say(format!("{of}: latencies in seconds"), format!("{of}：时延（秒）")),
        columns: vec![
            Column::left(l.say("Latency", "指标")),
            Column::right(l.say("Mean", "均值")).in_unit("s"),
            Column::right("P50").in_unit("s"),
            Column::right("P90").in_unit("s"),
            Column::right("P95").in_unit("s"),
            Column::right("P99").in_unit("s"),
            Column::right(l.say("Max", "最大")).in_unit("s"),
            Column::right("n"),
            Column::right(l.say("Left out", "未计入")),
        ],
        rows,
    }
}

/// Gaps are only called ITL where events and tokens agree.
fn gaps(f: &Figures, l: Language) -> Line {
    if f.inter_event_is_itl { "ITL".into() } else { l.say("Gap between events", "事件间隔").into() }
}

fn row(name: Line, d: &Distribution, digits: Digits, l: Language) -> Row {
    let percentile = |value: Option<Seconds>, bound: Bound| -> Cell {
        let cell = Cell::from(digits(value));
        if value.is_none() { cell } else { cell.below(interval(bound, d.n, digits, l)) }
    };
    Row::of([
        Cell::from(name),
        digits(d.mean).into(),
        percentile(d.p50, d.bounds.p50),
        percentile(d.p90, d.bounds.p90),
        percentile(d.p95, d.bounds.p95),
        percentile(d.p99, d.bounds.p99),
        digits(d.max).into(),
        d.n.to_string().into(),
        d.left_out.to_string().into(),
    ])
}

/// `[low, high]`, and in words which side has no rank. Spaces that do not break keep each piece on its line.
fn interval(bound: Bound, n: u64, digits: Digits, l: Language) -> String {
    let n = format!("n\u{A0}=\u{A0}{n}");
    match bound {
        Bound(Some(low), Some(high)) => format!("[{},\u{A0}{}]", digits(Some(low)), digits(Some(high))),
        Bound(Some(low), None) => {
            let low = digits(Some(low));
            l.say(format!("≥\u{A0}{low}; no upper side at {n}"), format!("≥\u{A0}{low}，{n} 时无上限"))
        }
        Bound(None, Some(high)) => {
            let high = digits(Some(high));
            l.say(format!("≤\u{A0}{high}; no lower side at {n}"), format!("≤\u{A0}{high}，{n} 时无下限"))
        }
        Bound(None, None) => l.say(format!("none at {n}"), format!("{n} 时无区间")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_without_a_rank_is_said_and_not_left_blank() {
        let s = |value: f64| Some(Seconds::new(value));
        let cases = [
            (Bound(s(0.1), s(0.2)), "[0.100, 0.200]"),
            (Bound(s(0.1), None), "≥ 0.100; no upper side at n = 20"),
            (Bound(None, s(0.2)), "≤ 0.200; no lower side at n = 20"),
            (Bound(None, None), "none at n = 20"),
        ];
        for (bound, words) in cases {
            let written = interval(bound, 20, number::seconds, Language::En);
            assert_eq!(written.replace('\u{A0}', " "), words);
        }
    }
}
