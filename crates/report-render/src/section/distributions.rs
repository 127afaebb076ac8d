//! How the latencies of each tier are distributed.

use metrics_core::{Curve, Distribution, Figures, Seconds, Tier, TierCurves};

use crate::{
    chart::{Chart, CurveLimit, CurvePanel, Curves, Plot},
    document::Block,
    language::Language,
    material::Material,
    number,
    section::trend,
};

/// Most tiers in a drawing; of more, every n-th has a panel.
const MOST_TIERS: usize = 20;

/// One latency of which there is a drawing.
struct Kind {
    stem: &'static str,
    metric: &'static str,
    en: &'static str,
    zh: &'static str,
    curve: fn(&TierCurves) -> &Curve,
    figures: fn(&Figures) -> &Distribution,
}

const KINDS: [Kind; 2] = [
    Kind {
        stem: "ttft",
        metric: "ttft_s",
        en: "Time to first token (TTFT)",
        zh: "首 Token 时延（TTFT）",
        curve: |curves| &curves.ttft_s,
        figures: |figures| &figures.ttft_s,
    },
    Kind {
        stem: "e2e",
        metric: "e2e_s",
        en: "End-to-end latency (E2E)",
        zh: "端到端时延（E2E）",
        curve: |curves| &curves.e2e_s,
        figures: |figures| &figures.e2e_s,
    },
];

/// A chart for each latency that any tier has; nothing where none has.
pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let charts: Vec<Block> = KINDS.iter().filter_map(|kind| chart(m, kind, l)).map(Block::Chart).collect();
    if charts.is_empty() {
        return charts;
    }
    let heading = Block::Heading(l.say("Distribution of latencies", "时延分布").to_owned());
    [heading, Block::Paragraph(reading(l).into())].into_iter().chain(charts).collect()
}

fn chart(m: &Material, kind: &Kind, l: Language) -> Option<Chart> {
    let tiers: Vec<(&Tier, &Curve)> =
        m.summary.tiers.iter().filter_map(|tier| curve(m, tier, kind)).collect();
    if tiers.iter().all(|(_, curve)| curve.steps.is_empty()) {
        return None;
    }
    let every = tiers.len().div_ceil(MOST_TIERS).max(1);
    let shown: Vec<(&Tier, &Curve)> = tiers.iter().copied().step_by(every).collect();
    let panels: Vec<CurvePanel> = shown.iter().map(|(tier, curve)| panel(m, kind, tier, curve, l)).collect();
    let name = l.say(kind.en, kind.zh);
    // The first tier with values is drawn in the others; alone it needs no comparison.
    let reference = panels.iter().position(|panel| !panel.steps.is_empty()).filter(|_| panels.len() > 1);
    let reference = reference.map(|at| {
        let tier = &panels[at].title;
        let words = l.say(
            format!("{tier}, repeated in every panel for comparison"),
            format!("{tier}，在各图中重复绘出以供对照"),
        );
        (at, words)
    });
    Some(Chart {
        stem: kind.stem,
        title: l.say(
            format!("{name} of each tier, distribution in seconds"),
            format!("各档位{name}的分布（秒）"),
        ),
        description: description(name, &tiers, kind, l),
        caption: caption(every, tiers.len(), shown.iter().any(|(_, curve)| curve.left_out > 0), l).into(),
        plot: Plot::Curves(Curves {
            axis: l
                .say(
                    "Percentage of effective requests that took no longer",
                    "不超过该时延的有效请求占比（%）",
                )
                .to_owned(),
            unit: "s",
            highest: l.say("max", "最大").to_owned(),
            reference,
            panels,
        }),
    })
}

fn curve<'m>(m: &'m Material, tier: &'m Tier, kind: &Kind) -> Option<(&'m Tier, &'m Curve)> {
    let curves = m.requests.curves.iter().find(|curves| curves.concurrency == tier.concurrency)?;
    Some((tier, (kind.curve)(curves)))
}

fn panel(m: &Material, kind: &Kind, tier: &Tier, curve: &Curve, l: Language) -> CurvePanel {
    let figures = (kind.figures)(&tier.figures);
    let marks =
        [(500, figures.p50), (900, figures.p90), (950, figures.p95), (990, figures.p99), (1000, figures.max)];
    let advice = &m.verdict.advice;
    let marked =
        [(advice.interactive, l.say("recommended", "推荐")), (advice.boundary, l.say("boundary", "边界"))];
    let marked = marked.into_iter().filter(|(at, _)| *at == Some(tier.concurrency));
    CurvePanel {
        title: number::tier(tier.concurrency),
        mark: l.list(&marked.map(|(_, words)| words).collect::<Vec<_>>()),
        note: counts(curve, l),
        steps: curve.steps.iter().map(|step| (step.until_per_mille, step.value.get())).collect(),
        marks: marks.into_iter().filter_map(|(at, value)| Some((at, value.map(Seconds::get)?))).collect(),
        limits: limits(m, kind, tier.concurrency),
    }
}

/// How many values, and how many planned requests have none.
fn counts(curve: &Curve, l: Language) -> String {
    let (n, left_out) = (curve.n, curve.left_out);
    match left_out {
        0 => format!("n = {n}"),
        _ => l.say(format!("n = {n}, {left_out} left out"), format!("n = {n}，未计入 {left_out}")),
    }
}

/// The agreed limits of percentiles that hold for a tier. One on a single group is none of the curve over all of them.
fn limits(m: &Material, kind: &Kind, concurrency: u32) -> Vec<CurveLimit> {
    let of_tier = trend::over_all_groups(m).filter(|item| item.tier.is_none_or(|tier| tier == concurrency));
    let limits = of_tier.filter_map(|item| {
        let (metric, statistic) = item.metric.split_once('.')?;
        let per_mille = match statistic {
            "p50" => 500,
            "p90" => 900,
            "p95" => 950,
            "p99" => 990,
            "max" => 1000,
            _ => return None,
        };
        let limit = trend::limit(m, item, &statistic.to_uppercase()).filter(|_| metric == kind.metric)?;
        Some(CurveLimit { label: limit.label, value: limit.value, per_mille })
    });
    limits.collect()
}

fn reading(l: Language) -> &'static str {
    l.say(
        "Each panel shows one tier: how large a share of its effective requests took no longer than how many seconds. Marked percentages stand at equal distances, so that the slowest requests are seen; marks are P50, P90, P95, P99 and the maximum, and all panels of a chart have one scale. An agreed limit is dotted as far as the percentile that it holds for and ends there in a bar: the curve must pass below the bar.",
        "每张小图对应一个档位，表示有多大比例的有效请求不超过多少秒。所标百分位等距排列，以便看清最慢的请求；标记点依次为 P50、P90、P95、P99 与最大值，同一图内各档纵轴刻度相同。约定限值以点线画到所约定的分位，并以竖线收尾：曲线应从竖线下方通过。",
    )
}

fn caption(every: usize, tiers: usize, some_left_out: bool, l: Language) -> String {
    let mut words = l
        .say(
            "Effective requests only, by nearest rank, never interpolated: every step is a measured value, taken at 117 percentages and at the maximum.",
            "仅统计有效请求；分位值取最近秩、不插值，每级台阶都是一个实测值，取 117 个百分位与最大值绘制。",
        )
        .to_owned();
    if some_left_out {
        words += l.say(
            " “Left out” are planned requests that have no such value, failed ones among them. They are in no curve, but against an agreed limit each of them that is not effective counts as exceeding it: a curve below the bar is not yet a limit kept.",
            "“未计入”为计划内但没有该数值的请求（含失败请求），不在曲线之中；判定约定限值时，其中每个未成功的请求都计为超限，曲线低于竖线不等于限值达标。",
        );
    }
    if every > 1 {
        words += &l.say(
            format!(" Of {tiers} tiers, every {}-th is drawn, from the first.", every),
            format!("共 {tiers} 个档位，自首档起每 {every} 档绘出一档。"),
        );
    }
    words
}

/// The marked percentiles of every tier in words.
fn description(name: &str, tiers: &[(&Tier, &Curve)], kind: &Kind, l: Language) -> String {
    let sentences: Vec<String> = tiers
        .iter()
        .map(|(tier, curve)| {
            let (tier, counts) =
                (number::tier(tier.concurrency), (counts(curve, l), (kind.figures)(&tier.figures)));
            let (counts, figures) = counts;
            let highest = l.say("max", "最大");
            let figures: Vec<String> = [
                ("P50", figures.p50),
                ("P90", figures.p90),
                ("P95", figures.p95),
                ("P99", figures.p99),
                (highest, figures.max),
            ]
            .into_iter()
            .map(|(name, value)| format!("{name} {}", number::seconds(value)))
            .collect();
            let figures = figures.join(", ");
            l.say(format!("{tier} ({counts}): {figures}."), format!("{tier}（{counts}）：{figures}。"))
        })
        .collect();
    let sentences = sentences.join(l.say(" ", ""));
    l.say(format!("{name}, seconds. {sentences}"), format!("{name}，单位秒。{sentences}"))
}
