//! The reasons of the capacity advice, in sentences.

use metrics_core::Seconds;

use crate::{
    advice::{
        ByRule, DEFAULT_TIER, E2E_PER_TOKEN_GROWTH, Growth, Standing, Stands, TTFT_FLOOR_S, TTFT_GROWTH,
    },
    agreement::AgreedAdvice,
    case::Case,
    text::Text,
    words,
};

/// Why the rule gives what it gives.
pub(crate) fn by_rule(case: &Case, rule: &ByRule) -> Text {
    let Some(highest) = rule.standings.last() else {
        return Text::new(
            "No tier ran, so that nothing can be advised.",
            "没有执行任何并发档位，无法给出容量建议。",
        );
    };
    let mut text = match rule.interactive {
        Some(tier) => recommended(case, rule, tier),
        None => none_recommended(rule),
    };
    if let Some(boundary) = rule.boundary {
        text = text.then(&boundary_of(case, boundary));
    }
    if let Some(tier) = rule.levelled_off_at {
        let tier = words::tier(tier);
        text = text.then(&Text::new(
            format!("Throughput had levelled off at {tier}."),
            format!("吞吐量自 {tier} 档起已趋于平稳。"),
        ));
    }
    text.then(&beyond(highest.concurrency))
}

/// The parties' own tier, and what the rule would have said.
pub(crate) fn agreed(agreed: &AgreedAdvice, by_rule: Option<u32>) -> Text {
    let (tier, reason) = (words::tier(agreed.interactive), &agreed.reason);
    let text = Text::new(
        format!("The agreement sets {tier} for interactive use ({reason})."),
        format!("约定的交互并发为 {tier}（{reason}）。"),
    );
    text.then(&match by_rule {
        Some(tier) => Text::new(
            format!("The rule by itself gives {}:", words::tier(tier)),
            format!("按规则得出的推荐为 {}：", words::tier(tier)),
        ),
        None => Text::new("The rule by itself gives none:", "按规则不推荐任何档位："),
    })
}

/// Nothing is promised beyond the test.
pub(crate) fn beyond(highest: u32) -> Text {
    let tier = words::tier(highest);
    Text::new(
        format!("Concurrency beyond {tier} needs another test."),
        format!("{tier} 以上的并发需另行测试。"),
    )
}

fn recommended(case: &Case, rule: &ByRule, tier: u32) -> Text {
    let Some(standing) = rule.standings.iter().find(|standing| standing.concurrency == tier) else {
        return Text::default();
    };
    let name = words::tier(tier);
    let target = words::percent_as_agreed(case.agreement.acceptance.success_rate);
    let up_to = if rule.standings[0].concurrency == tier {
        Text::new(format!("at {name}"), format!("{name} 档"))
    } else {
        Text::new(format!("at {name} and below"), format!("{name} 及以下各档"))
    };
    let text = Text::new(
        format!("{name} is recommended for interactive use: {} the success rate meets {target} %.", up_to.en),
        format!("推荐交互并发 {name}：{}成功率达到目标 {target}%。", up_to.zh),
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
            let up_to = words::tier(up_to);
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
            let default = words::tier(DEFAULT_TIER);
            Text::new(
                format!("{default}, the default, was not tested."),
                format!("默认的 {default} 档未测试。"),
            )
        });
    }
    Some(against.iter().fold(Text::default(), Text::then))
}

fn none_recommended(rule: &ByRule) -> Text {
    let default = words::tier(DEFAULT_TIER);
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
    let name = words::tier(standing.concurrency);
    let below = |holds: fn(&Standing) -> bool| {
        rule.standings
            .iter()
            .find(|tier| tier.concurrency <= standing.concurrency && !holds(tier))
            .map(|tier| words::tier(tier.concurrency))
    };
    if let Some(at) = below(|tier| tier.success) {
        Text::new(
            format!("{name} does not stand, since the success rate at {at} misses the target."),
            format!("{name} 不成立：{at} 档成功率未达目标。"),
        )
    } else if let Some(at) = below(|tier| tier.limits.hold) {
        Text::new(
            format!("{name} does not stand, since an agreed limit at {at} is not met."),
            format!("{name} 不成立：{at} 档约定的阈值未满足。"),
        )
    } else if standing.stands == Stands::Unknown {
        Text::new(
            format!("{name} cannot be judged, since its median latencies or token counts do not exist."),
            format!("{name} 无法判断：缺少时延中位数或 Token 计数。"),
        )
    } else {
        let growth = grown(rule, standing);
        Text::new(
            format!("{name} does not stand, since latency grew too much. {}", growth.en),
            format!("{name} 不成立：时延增长过大。{}", growth.zh),
        )
    }
}

/// The two medians of a tier against those of the lowest.
fn grown(rule: &ByRule, standing: &Standing) -> Text {
    let lowest = &rule.standings[0];
    let Growth { ttft: Some((ttft, ttft_factor)), e2e_per_token: Some((per_token, per_token_factor)) } =
        standing.growth
    else {
        return Text::default();
    };
    let (name, base) = (words::tier(standing.concurrency), words::tier(lowest.concurrency));
    if lowest.concurrency == standing.concurrency {
        let (ttft, per_token) = (words::seconds(ttft), words::seconds(per_token));
        return Text::new(
            format!(
                "{name} is the lowest tier tested (median TTFT {ttft} s, {per_token} s end to end per output token)."
            ),
            format!(
                "{name} 为最低测试档（首 Token 时延中位数 {ttft} 秒，每输出 Token 的端到端时间中位数 {per_token} 秒）。"
            ),
        );
    }
    let times = |grown| words::factor(grown);
    let of = |seconds: Seconds| words::seconds(seconds);
    Text::new(
        format!(
            "Against {base}, the median TTFT at {name} is {} s ({} times; {TTFT_GROWTH:.1} allowed, or under {TTFT_FLOOR_S} s), and the median end-to-end time per output token {} s ({} times; {E2E_PER_TOKEN_GROWTH:.1} allowed).",
            of(ttft),
            times(ttft_factor),
            of(per_token),
            times(per_token_factor)
        ),
        format!(
            "与 {base} 相比，{name} 的首 Token 时延中位数为 {} 秒（{} 倍，允许 {TTFT_GROWTH:.1} 倍或低于 {TTFT_FLOOR_S} 秒），每输出 Token 的端到端时间中位数为 {} 秒（{} 倍，允许 {E2E_PER_TOKEN_GROWTH:.1} 倍）。",
            of(ttft),
            times(ttft_factor),
            of(per_token),
            times(per_token_factor)
        ),
    )
}

fn boundary_of(case: &Case, boundary: u32) -> Text {
    let name = words::tier(boundary);
    let rate = case.tier(boundary).and_then(|tier| tier.figures.output_tps).map(words::rate);
    let (en, zh) = match rate {
        Some(rate) => (format!(" (Output TPS {rate} tok/s)"), format!("（Output TPS {rate} tok/s）")),
        None => (String::new(), String::new()),
    };
    Text::new(
        format!(
            "{name} is the throughput boundary, the highest tier tested whose success rate meets the target{en}; it suits batch and offline work, and its higher latency is a property of capacity, not a fault."
        ),
        format!(
            "吞吐边界为 {name}，即成功率达标的最高测试档{zh}，适用于批量与离线任务；该档时延较高属容量特征，并非故障。"
        ),
    )
}
