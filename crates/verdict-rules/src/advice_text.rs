//! The reasons of the capacity advice, in sentences.

use crate::{
    advice::{
        ByRule, DEFAULT_TIER, E2E_PER_TOKEN_GROWTH, Growth, LEVELLED_OFF_GAIN, Standing, Stands,
        TTFT_FLOOR_S, TTFT_GROWTH,
    },
    agreement::AgreedAdvice,
    case::Case,
    number,
    text::Text,
    verdict::LevelledOff,
    words,
};

/// Why the rule gives what it gives.
pub(crate) fn by_rule(case: &Case, rule: &ByRule) -> Text {
    if case.tiers_run().is_empty() {
        return none_ran();
    }
    let mut text = match rule.interactive {
        Some(tier) => recommended(case, rule, tier),
        None => none_recommended(rule),
    };
    if let Some(boundary) = rule.boundary {
        text = text.then(&boundary_of(case, rule, boundary));
    }
    for level in &rule.levelled_off {
        text = text.then(&levelled_off(level));
    }
    text.then(&beyond(case))
}

/// There is nothing to advise from.
pub(crate) fn none_ran() -> Text {
    Text::new("No tier ran, so nothing can be advised.", "没有执行任何并发档位，无法给出容量建议。")
}

/// A rate that did not rise with concurrency.
fn levelled_off(level: &LevelledOff) -> Text {
    let (tier, before) = (number::tier(level.tier), number::tier(level.before));
    let change = number::percent(level.gain.abs());
    if level.gain <= -LEVELLED_OFF_GAIN {
        Text::new(
            format!(
                "The sustained Output TPS at {tier} is {change} below that at {before}: more concurrency brought no more output."
            ),
            format!("{tier} 的持续 Output TPS 较 {before} 下降 {change}；提高并发未带来更多产出。"),
        )
    } else if level.gain < 0.0 {
        Text::new(
            format!(
                "Throughput had levelled off at {tier}: its sustained Output TPS is {change} below that at {before}."
            ),
            format!("吞吐量在 {tier} 档已趋于平稳：持续 Output TPS 较 {before} 下降 {change}。"),
        )
    } else {
        Text::new(
            format!(
                "Throughput had levelled off at {tier}: its sustained Output TPS is only {change} above that at {before}."
            ),
            format!("吞吐量在 {tier} 档已趋于平稳：持续 Output TPS 较 {before} 仅增 {change}。"),
        )
    }
}

/// The parties' own tier, and what the rule would have said.
pub(crate) fn agreed(agreed: &AgreedAdvice, by_rule: Option<u32>) -> Text {
    let (tier, reason) = (number::tier(agreed.interactive), &agreed.reason);
    let text = Text::new(
        format!("The agreement sets {tier} for interactive use ({reason})."),
        format!("约定的交互并发为 {tier}（{reason}）。"),
    );
    text.then(&match by_rule {
        Some(tier) => Text::new(
            format!("The rule by itself gives {}:", number::tier(tier)),
            format!("按规则得出的推荐为 {}：", number::tier(tier)),
        ),
        None => Text::new("The rule by itself gives none:", "按规则不推荐任何档位："),
    })
}

/// Nothing is promised beyond the test, nor concluded about what did not finish.
pub(crate) fn beyond(case: &Case) -> Text {
    let unfinished: Vec<u32> = case.tiers_unfinished().iter().map(|tier| tier.concurrency).collect();
    let names = words::tiers(&unfinished);
    let was = words::was(unfinished.len());
    match (case.highest_finished().map(number::tier), unfinished.is_empty()) {
        (Some(tier), true) => Text::new(
            format!("Concurrency beyond {tier} needs another test."),
            format!("{tier} 以上的并发需另行测试。"),
        ),
        (Some(tier), false) => Text::new(
            format!(
                "The highest tier that finished is {tier}, and concurrency beyond it needs another test; {} {was} not finished, and nothing is concluded from that.",
                names.en
            ),
            format!("最高完成的测试并发为 {tier}，更高的并发需另行测试；{} 未完成，不作结论。", names.zh),
        ),
        (None, _) => Text::new(
            format!("No tier was finished ({}), and nothing is concluded.", names.en),
            format!("没有任何档位执行完毕（{}），不作结论。", names.zh),
        ),
    }
}

fn recommended(case: &Case, rule: &ByRule, tier: u32) -> Text {
    let Some(standing) = rule.standings.iter().find(|standing| standing.concurrency == tier) else {
        return Text::default();
    };
    let name = number::tier(tier);
    let target = number::percent_as_agreed(case.success_target());
    let (en, zh) = if rule.standings[0].concurrency == tier {
        (format!("{name} meets"), format!("{name} 档"))
    } else {
        (format!("{name} and every lower tier meet"), format!("{name} 及以下各档"))
    };
    let (groups_en, groups_zh) = if case.has_groups() {
        (", and every group its own", "，各分组均达到各自的目标")
    } else {
        ("", "")
    };
    let text = Text::new(
        format!("{name} is recommended for interactive use: {en} the {target} success target{groups_en}."),
        format!("推荐交互并发 {name}：{zh}成功率达到目标 {target}{groups_zh}。"),
    );
    let text = text.then(&if standing.limits.on_latency {
        Text::new(format!("Every limit agreed for {name} holds."), format!("{name} 档约定的各项阈值均满足。"))
    } else {
        grown(rule, standing)
    });
    let text = match why_not_default(rule, tier) {
        Some(why) => text.then(&why),
        None => text,
    };
    match rule.supported_up_to {
        Some(up_to) if up_to > tier => {
            let up_to = number::tier(up_to);
            text.then(&Text::new(
                format!("The data would support {up_to} as well."),
                format!("数据同样支持至 {up_to} 档。"),
            ))
        }
        _ => text,
    }
}

/// Why the tier is below the default: what spoke against each one between them.
fn why_not_default(rule: &ByRule, tier: u32) -> Option<Text> {
    let between = |standing: &&Standing| standing.concurrency > tier && standing.concurrency <= DEFAULT_TIER;
    let against: Vec<Text> =
        rule.standings.iter().filter(between).map(|standing| against(rule, standing)).collect();
    if against.is_empty() {
        let tested = rule.standings.iter().any(|standing| standing.concurrency == DEFAULT_TIER);
        return (!tested && tier < DEFAULT_TIER).then(|| {
            let default = number::tier(DEFAULT_TIER);
            Text::new(
                format!("{default}, the default, was not tested."),
                format!("默认的 {default} 档未测试。"),
            )
        });
    }
    Some(against.iter().fold(Text::default(), Text::then))
}

fn none_recommended(rule: &ByRule) -> Text {
    let default = number::tier(DEFAULT_TIER);
    let text = Text::new("No tier can be recommended for interactive use.", "没有可推荐的交互并发档位。");
    let low: Vec<&Standing> = rule.standings.iter().filter(|tier| tier.concurrency <= DEFAULT_TIER).collect();
    if low.is_empty() {
        return text.then(&Text::new(
            format!("No tier up to {default} was tested; test one, or agree on another tier with a reason."),
            format!("{default} 及以下的档位均未测试；请补测，或由双方约定其他档位并写明理由。"),
        ));
    }
    low.into_iter().map(|standing| against(rule, standing)).fold(text, |text, why| text.then(&why))
}

/// What spoke against a tier; the first thing that did.
fn against(rule: &ByRule, standing: &Standing) -> Text {
    let name = number::tier(standing.concurrency);
    let first = |fails: fn(&Standing) -> bool| {
        rule.standings.iter().find(|tier| tier.concurrency <= standing.concurrency && fails(tier))
    };
    let unsuitable = |en: String, zh: String| {
        Text::new(
            format!("{name} is not suitable for interactive use, since {en}"),
            format!("{name} 不宜作为交互档：{zh}"),
        )
    };
    if let Some(tier) = first(|tier| tier.missed) {
        let missed = missed(&number::tier(tier.concurrency), &tier.groups_below);
        unsuitable(format!("{}.", missed.en), format!("{}。", missed.zh))
    } else if let Some(tier) = first(|tier| tier.whole && !tier.limits.hold) {
        let at = number::tier(tier.concurrency);
        unsuitable(format!("an agreed limit at {at} is not met."), format!("{at} 档约定的阈值未满足。"))
    } else if let Some(tier) = first(|tier| !tier.whole) {
        let (at, finished, planned) = (number::tier(tier.concurrency), tier.finished, tier.planned);
        Text::new(
            format!(
                "Nothing is concluded about {name}, since {at} was not finished ({finished} of {planned})."
            ),
            format!("{name} 不作结论：{at} 档未完成（完成 {finished} / {planned}）。"),
        )
    } else if standing.stands == Stands::Unknown {
        Text::new(
            format!("{name} cannot be judged, since its median latencies or token counts do not exist."),
            format!("{name} 无法判断：缺少时延中位数或 Token 计数。"),
        )
    } else {
        let growth = grown(rule, standing);
        unsuitable(format!("latency grew too much. {}", growth.en), format!("时延增长过大。{}", growth.zh))
    }
}

/// That the success rate of a tier misses the target, and which groups do.
pub(crate) fn missed<S: AsRef<str>>(at: &str, groups: &[S]) -> Text {
    if groups.is_empty() {
        return Text::new(
            format!("the success rate at {at} misses the target"),
            format!("{at} 档成功率未达目标"),
        );
    }
    let names: Vec<Text> = groups.iter().map(|name| Text::verbatim(name.as_ref())).collect();
    let names = words::list(&names);
    Text::new(
        format!("the success rate of {} at {at} misses the target", names.en),
        format!("{at} 档分组 {} 的成功率未达目标", names.zh),
    )
}

/// The two medians of a tier against those of the lowest.
fn grown(rule: &ByRule, standing: &Standing) -> Text {
    let lowest = &rule.standings[0];
    let Growth { ttft: Some((ttft, ttft_factor)), e2e_per_token: Some((per_token, per_token_factor)) } =
        standing.growth
    else {
        return Text::default();
    };
    let (name, base) = (number::tier(standing.concurrency), number::tier(lowest.concurrency));
    if lowest.concurrency == standing.concurrency {
        let (ttft, per_token) = (number::seconds(ttft), number::seconds_per_token(per_token));
        return Text::new(
            format!(
                "{name} is the lowest tier tested (median TTFT {ttft} s, {per_token} s end to end per output token)."
            ),
            format!(
                "{name} 为最低测试档（首 Token 时延中位数 {ttft} 秒，每输出 Token 的端到端时间中位数 {per_token} 秒）。"
            ),
        );
    }
    let ttft = number::of_metric_against("ttft_s", ttft.get(), TTFT_FLOOR_S);
    let per_token = number::seconds_per_token(per_token);
    let ttft_times = number::ratio_against(ttft_factor, TTFT_GROWTH);
    let per_token_times = number::ratio_against(per_token_factor, E2E_PER_TOKEN_GROWTH);
    Text::new(
        format!(
            "Against {base}, the median TTFT at {name} is {ttft} s ({ttft_times} times; {TTFT_GROWTH:.1} allowed, or under {TTFT_FLOOR_S} s), and the median end-to-end time per output token {per_token} s ({per_token_times} times; {E2E_PER_TOKEN_GROWTH:.1} allowed)."
        ),
        format!(
            "与 {base} 相比，{name} 的首 Token 时延中位数为 {ttft} 秒（{ttft_times} 倍，允许 {TTFT_GROWTH:.1} 倍或低于 {TTFT_FLOOR_S} 秒），每输出 Token 的端到端时间中位数为 {per_token} 秒（{per_token_times} 倍，允许 {E2E_PER_TOKEN_GROWTH:.1} 倍）。"
        ),
    )
}

fn boundary_of(case: &Case, rule: &ByRule, boundary: u32) -> Text {
    let name = number::tier(boundary);
    let rate = case.tier(boundary).and_then(|tier| tier.figures.output_tps).map(number::tokens_per_second);
    let (en, zh) = match rate {
        Some(rate) => (format!(" (Output TPS {rate} tok/s)"), format!("（Output TPS {rate} tok/s）")),
        None => (String::new(), String::new()),
    };
    // Only where concurrency bought throughput is the latency that it cost the price of capacity.
    let (use_en, use_zh) = if rule.boundary_gains {
        (
            "; it suits batch and offline work, and its higher latency is a property of capacity, not a fault",
            "，适用于批量与离线任务；该档时延较高属容量特征，并非故障",
        )
    } else {
        ("", "")
    };
    let (groups_en, groups_zh) = if case.has_groups() { (" in every group", "各分组") } else { ("", "") };
    Text::new(
        format!(
            "{name} is the throughput boundary, the highest tier tested whose success rate meets the target{groups_en}{en}{use_en}."
        ),
        format!("吞吐边界为 {name}，即{groups_zh}成功率达标的最高测试档{zh}{use_zh}。"),
    )
}
