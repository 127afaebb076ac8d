//! The trend over the tiers, and how to read it.

use metrics_core::{Figures, Seconds};
use verdict_rules::{CriterionId, SlaResult, Text};

use crate::{
    chart::{Across, Chart, Guide, Limit, Panel, Panels, Plot, Series},
    document::{Block, Line, legible},
    language::Language,
    material::Material,
    number, words,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Trend and how to read it", "趋势与分析")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    if m.summary.tiers.is_empty() {
        return vec![Block::Paragraph(l.say("No tier was run.", "没有任何档位被执行。").into())];
    }
    vec![Block::Chart(chart(m, l)), Block::List { ordered: false, items: reading(m, l) }]
}

fn chart(m: &Material, l: Language) -> Chart {
    let tiers = &m.summary.tiers;
    let series = |name: &str, figure: fn(&Figures) -> Option<f64>| Series {
        name: name.to_owned(),
        values: tiers.iter().map(|tier| figure(&tier.figures).filter(|value| value.is_finite())).collect(),
    };
    let panels = vec![
        Panel {
            title: l.say("Throughput", "吞吐量").to_owned(),
            unit: "tok/s",
            reach: 0.0,
            series: vec![series("Output TPS", |f| f.output_tps), series("Total TPS", |f| f.total_tps)],
            limits: throughput_limits(m, l),
        },
        Panel {
            title: l.say("End-to-end latency (E2E)", "端到端时延（E2E）").to_owned(),
            unit: "s",
            reach: 0.0,
            series: vec![
                series("P95", |f| f.e2e_s.p95.map(Seconds::get)),
                series(l.say("mean", "均值"), |f| f.e2e_s.mean.map(Seconds::get)),
            ],
            limits: latency_limits(m, "e2e_s", l),
        },
        Panel {
            title: l.say("Time to first token (TTFT)", "首 Token 时延（TTFT）").to_owned(),
            unit: "s",
            reach: 0.0,
            series: vec![
                series("P95", |f| f.ttft_s.p95.map(Seconds::get)),
                series(l.say("mean", "均值"), |f| f.ttft_s.mean.map(Seconds::get)),
            ],
            limits: latency_limits(m, "ttft_s", l),
        },
    ];
    let tiers: Vec<String> = tiers.iter().map(|tier| number::tier(tier.concurrency)).collect();
    Chart {
        stem: "trend",
        title: l.say("Throughput and latency over concurrency", "各并发档位吞吐与时延趋势").to_owned(),
        description: description(&tiers, &panels, l),
        caption: l
            .say(
                "Tiers stand at equal distances. A gap in a line is a tier without that figure. Agreed limits are dotted; one off the scale, or without room for its name, is named above its panel.",
                "各档位等距排列；折线断开处表示该档没有此数值；约定限值以点线标出，超出量程或图中写不下的写在该图上方。",
            )
            .into(),
        plot: Plot::Panels(Panels {
            axis: l.say("Concurrency tier", "并发档位").to_owned(),
            guides: guides(m, l),
            across: Across::Tiers(tiers),
            panels,
        }),
    }
}

/// The figures of the chart in words, for whoever does not see it.
fn description(tiers: &[String], panels: &[Panel], l: Language) -> String {
    let mut sentences = Vec::new();
    for panel in panels {
        for series in &panel.series {
            let points: Vec<String> = tiers
                .iter()
                .zip(&series.values)
                .map(|(tier, value)| {
                    let value = match panel.unit {
                        "s" => number::seconds(value.map(Seconds::new)),
                        _ => number::tokens_per_second(*value),
                    };
                    format!("{tier} {value}")
                })
                .collect();
            let (title, name, unit, points) = (&panel.title, &series.name, panel.unit, points.join(", "));
            sentences.push(l.say(
                format!("{title}, {name} ({unit}): {points}."),
                format!("{title}，{name}（{unit}）：{points}。"),
            ));
        }
    }
    sentences.join(l.say(" ", ""))
}

fn guides(m: &Material, l: Language) -> Vec<Guide> {
    let at = |tier: Option<u32>| m.summary.tiers.iter().position(|found| Some(found.concurrency) == tier);
    let advice = &m.verdict.advice;
    let marks = [
        (at(advice.interactive), l.say("recommended", "推荐")),
        (at(advice.boundary), l.say("boundary", "边界")),
    ];
    marks.into_iter().filter_map(|(at, label)| Some(Guide { at: at?, label: label.to_owned() })).collect()
}

fn throughput_limits(m: &Material, l: Language) -> Vec<Limit> {
    let demand = m.verdict.criteria.iter().find(|found| found.id == CriterionId::PeakThroughput);
    let demand = demand.and_then(|found| found.threshold).map(|value| Limit {
        label: l.say(format!("demand ≥ {value}"), format!("约定 ≥ {value}")),
        value,
        at: None,
    });
    let agreed = over_all_groups(m).filter(|item| matches!(item.metric.as_str(), "output_tps" | "total_tps"));
    demand.into_iter().chain(agreed.filter_map(|item| limit(m, item, ""))).collect()
}

fn latency_limits(m: &Material, metric: &str, l: Language) -> Vec<Limit> {
    let agreed = over_all_groups(m).filter_map(|item| {
        let (name, which) = item.metric.split_once('.')?;
        let which = if which == "mean" { l.say("mean", "均值").to_owned() } else { which.to_uppercase() };
        if name == metric { limit(m, item, &which) } else { None }
    });
    agreed.collect()
}

/// The agreed limits on figures over all groups, which are what charts draw.
pub(crate) fn over_all_groups(m: &Material) -> impl Iterator<Item = &SlaResult> {
    m.verdict.sla.iter().filter(|item| item.group.is_none())
}

/// A limit as written, such as `<= 2.0`; what cannot be read is not drawn.
pub(crate) fn limit(m: &Material, item: &SlaResult, which: &str) -> Option<Limit> {
    let agreed: metrics_core::Limit = item.limit.parse().ok()?;
    let (words, value) = (number::limit(&item.limit), agreed.value);
    let at = match item.tier {
        None => None,
        Some(tier) => Some(m.summary.tiers.iter().position(|found| found.concurrency == tier)?),
    };
    Some(Limit { label: legible(format!("{which} {words}").trim()), value, at })
}

/// How to read the chart, from what it shows.
fn reading(m: &Material, l: Language) -> Vec<Line> {
    let mut items = Vec::new();
    items.extend(throughput_reading(m, l));
    items.extend(latency_reading(m, l));
    let capacity = if m.verdict.advice.levelled_off.is_empty() {
        l.say(
            "Rising latency at high concurrency is a property of capacity, not a crash.",
            "高并发下时延上升是容量特征，不是系统崩溃。",
        )
    } else {
        l.say(
            "Where latency rises and output does not, there is no capacity left to use.",
            "时延上升而产出不再增加的档位，已无可用容量。",
        )
    };
    items.push(topic(
        l.say("Capacity boundary: ", "容量边界："),
        l.say(
            format!("{}{capacity} Requests that fail are another matter: see the outcomes.", boundary(m, l)),
            format!("{}{capacity}请求失败则另当别论，见“请求结果构成”。", boundary(m, l)),
        ),
    ));
    items.push(topic(
        l.say("Choice of tier: ", "场景选择："),
        l.say(
            "interactive dialogue at the recommended tier; batch and offline generation up to the boundary tier; SLA thresholds are negotiated on the basis of what was measured.",
            "交互对话用推荐档；批量 / 离线生成用吞吐边界档；SLA 阈值在实测基础上协商。",
        ),
    ));
    items
}

fn boundary(m: &Material, l: Language) -> String {
    match m.verdict.advice.boundary {
        Some(tier) => l.say(
            format!("the throughput boundary is C{tier}, a reference and not a promise. "),
            format!("吞吐边界为 C{tier}，仅作参考，不是承诺。"),
        ),
        None => l
            .say("no throughput boundary can be named from this test. ", "本次测试无法给出吞吐边界。")
            .to_owned(),
    }
}

fn topic(name: &str, words: impl AsRef<str>) -> Line {
    Line::new().strong(name).plain(words)
}

/// First and last tier that have the figure, with what they have.
fn ends(m: &Material, figure: impl Fn(&Figures) -> Option<f64>) -> Option<((String, f64), (String, f64))> {
    let mut points = m.summary.tiers.iter().filter_map(|tier| {
        Some((number::tier(tier.concurrency), figure(&tier.figures).filter(|value| value.is_finite())?))
    });
    let first = points.next()?;
    Some((first, points.next_back()?))
}

/// The verb for a figure that goes from one value to another.
fn course(from: f64, to: f64) -> Text {
    if to > from {
        Text::new("rises from", "升至")
    } else if to < from {
        Text::new("falls from", "降至")
    } else {
        Text::new("stays the same, from", "不变，仍为")
    }
}

fn throughput_reading(m: &Material, l: Language) -> Option<Line> {
    let ((low, from), (high, to)) = ends(m, |f| f.output_tps)?;
    let mut words = l.say(
        format!(
            "Output TPS {} {} tok/s at {low} to {} tok/s at {high}.",
            course(from, to).en,
            number::tokens_per_second(from),
            number::tokens_per_second(to)
        ),
        format!(
            "Output TPS 由 {low} 的 {} tok/s {} {high} 的 {} tok/s。",
            number::tokens_per_second(from),
            course(from, to).zh,
            number::tokens_per_second(to)
        ),
    );
    match m.summary.peak.output_tps_tier {
        Some(peak) if m.is_cut_short(peak) => {
            words += &l.say(
                format!(" The highest figure is that of C{peak}, which was not finished."),
                format!("最高值出现在 C{peak}，但该档未测完。"),
            );
        }
        Some(peak) => words += &l.say(format!(" The peak is at C{peak}."), format!("峰值出现在 C{peak}。")),
        None => {}
    }
    for found in &m.verdict.advice.levelled_off {
        words += l.say(" ", "");
        words += &words::levelled_off(l, found);
    }
    Some(topic(l.say("Throughput: ", "吞吐趋势："), words))
}

fn latency_reading(m: &Material, l: Language) -> Option<Line> {
    let s = |value: f64| number::seconds(Seconds::new(value));
    let ((low, from), (high, to)) = ends(m, |f| f.e2e_s.p95.map(Seconds::get))?;
    let rises = to > from;
    let mut words = l.say(
        format!("P95 E2E {} {} s at {low} to {} s at {high}", course(from, to).en, s(from), s(to)),
        format!("E2E P95 由 {low} 的 {} 秒{} {high} 的 {} 秒", s(from), course(from, to).zh, s(to)),
    );
    if let Some(((low, from), (high, to))) = ends(m, |f| f.ttft_s.mean.map(Seconds::get)) {
        words += &l.say(
            format!(", mean TTFT {} {} s at {low} to {} s at {high}", course(from, to).en, s(from), s(to)),
            format!("，TTFT 均值由 {low} 的 {} 秒{} {high} 的 {} 秒", s(from), course(from, to).zh, s(to)),
        );
    }
    words += l.say(".", "。");
    if rises {
        words += l.say(
            " Requests share the machine: the more in flight, the longer each takes.",
            "并发越高，请求分享算力与排队的时间越长，时延随之上升。",
        );
    }
    Some(topic(l.say("Latency: ", "时延趋势："), words))
}
