//! What the load generator's own limits mean for a judgement.
//!
//! Where the generator hit a limit, a poor figure may be the generator's: the service is not blamed for it.

use metrics_core::{ClientLimit, LimitHit, Summary};

use crate::{text::Text, words};

/// The hits that spoil figures; those that concern single gaps between events only are left out.
fn hits(summary: &Summary) -> impl Iterator<Item = &LimitHit> {
    summary.client.limits_hit.iter().filter(|hit| !hit.inter_event_only)
}

/// The generator cannot speak for the service in this tier.
pub(crate) fn invalid_in(summary: &Summary, concurrency: u32) -> bool {
    // One that is invalid without saying where is so everywhere.
    let mut hits = hits(summary).peekable();
    invalid(summary) && (hits.peek().is_none() || hits.any(|hit| hit.tier == Some(concurrency)))
}

/// It cannot for the run as a whole.
pub(crate) fn invalid(summary: &Summary) -> bool {
    summary.client.valid == Some(false)
}

/// The gaps between events of this tier (of any tier where none is given) are beyond the generator's own accuracy.
pub(crate) fn gaps_unsupported(summary: &Summary, concurrency: Option<u32>) -> bool {
    summary
        .client
        .limits_hit
        .iter()
        .any(|hit| hit.inter_event_only && (concurrency.is_none() || hit.tier == concurrency))
}

/// Which limits were hit, in which tiers, with the worst figure and what was allowed there.
pub(crate) fn describe(summary: &Summary) -> Text {
    let mut limits: Vec<ClientLimit> = hits(summary).map(|hit| hit.limit).collect();
    limits.sort_unstable();
    limits.dedup();
    if limits.is_empty() {
        return Text::new("a limit that is not named", "未写明的限制项");
    }
    let described: Vec<Text> = limits
        .into_iter()
        .filter_map(|limit| one_limit(&hits(summary).filter(|hit| hit.limit == limit).collect::<Vec<_>>()))
        .collect();
    let en: Vec<&str> = described.iter().map(|text| text.en.as_str()).collect();
    let zh: Vec<&str> = described.iter().map(|text| text.zh.as_str()).collect();
    Text::new(en.join("; "), zh.join("；"))
}

fn one_limit(hits: &[&LimitHit]) -> Option<Text> {
    let worst = hits.iter().max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
    let name = name(worst.limit);
    let mut tiers: Vec<u32> = hits.iter().filter_map(|hit| hit.tier).collect();
    tiers.sort_unstable();
    tiers.dedup();
    let tier_names = words::tiers(&tiers);
    let place = if tiers.is_empty() {
        Text::new("in a stage without tiers", "不分档的阶段")
    } else {
        Text::new(format!("in {}", tier_names.en), format!("{} 档", tier_names.zh))
    };
    let (observed, allowed) = (amount(worst.limit, worst.observed), amount(worst.limit, worst.allowed));
    Some(Text::new(
        format!("{} {} ({} observed, {} allowed)", name.en, place.en, observed.en, allowed.en),
        format!("{}{}（实测 {}，允许 {}）", place.zh, name.zh, observed.zh, allowed.zh),
    ))
}

fn excess(hit: &LimitHit) -> f64 {
    hit.observed / hit.allowed
}

fn amount(limit: ClientLimit, value: f64) -> Text {
    match limit {
        ClientLimit::Cpu => {
            Text::new(format!("{} %", words::percent(value)), format!("{}%", words::percent(value)))
        }
        _ => {
            let milliseconds = format!("{:.2}", value * 1e3);
            Text::new(format!("{milliseconds} ms"), format!("{milliseconds} 毫秒"))
        }
    }
}

fn name(limit: ClientLimit) -> Text {
    match limit {
        ClientLimit::Cpu => Text::new(
            "seconds with over 80 % of the client's CPU in use",
            "压测客户端 CPU 占用超过 80% 的秒数占比",
        ),
        ClientLimit::TimerDelay => {
            Text::new("timer delay P99 against the first-token time", "定时器延迟 P99（对照首 Token 时延）")
        }
        ClientLimit::RunDelay => Text::new(
            "thread run delay P99 against the first-token time",
            "线程调度等待 P99（对照首 Token 时延）",
        ),
        ClientLimit::TimerDelayPerToken => {
            Text::new("timer delay P99 against the time per token", "定时器延迟 P99（对照每 Token 生成时间）")
        }
        ClientLimit::RunDelayPerToken => Text::new(
            "thread run delay P99 against the time per token",
            "线程调度等待 P99（对照每 Token 生成时间）",
        ),
        ClientLimit::Lateness => Text::new("lateness of sending P99", "请求发出滞后 P99"),
    }
}
