//! What the load generator's own limits mean for a judgement.
//!
//! Where the generator hit a limit, a poor figure may be the generator's: the service is not blamed for it.

use metrics_core::{ClientLimit, Figures, LimitHit, Outcome, Seconds, Summary, Tier};

use crate::{number, terms, text::Text, words};

/// Outcomes that a generator which cannot keep up may bring about by itself.
const TIMED: [Outcome; 3] = [Outcome::LateFirstToken, Outcome::Stalled, Outcome::Deadline];

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

/// Time-outs of a tier in which the generator cannot speak for the service: they are not held against it.
pub(crate) fn excusable(summary: &Summary, tier: &Tier) -> u64 {
    excusable_of(summary, tier, &tier.figures)
}

/// The same of a part of the tier.
pub(crate) fn excusable_of(summary: &Summary, tier: &Tier, part: &Figures) -> u64 {
    if invalid_in(summary, tier.concurrency) {
        TIMED.iter().filter_map(|outcome| part.outcomes.get(outcome)).sum()
    } else {
        0
    }
}

/// The gaps between events of this tier (of any tier where none is given) are beyond the generator's own accuracy.
pub(crate) fn gaps_unsupported(summary: &Summary, concurrency: Option<u32>) -> bool {
    summary
        .client
        .limits_hit
        .iter()
        .any(|hit| hit.inter_event_only && (concurrency.is_none() || hit.tier == concurrency))
}

/// That it cannot be excluded as the bottleneck, for want of samples.
pub(crate) fn unsampled(summary: &Summary) -> Text {
    if summary.client.samples == 0 {
        Text::new(
            "The load generator recorded no samples of itself, so it cannot be excluded as the bottleneck.",
            "但测试端没有留下自身的采样，不能排除瓶颈在测试端。",
        )
    } else {
        Text::new(
            "The load generator did not record samples of itself in every tier, so it cannot be excluded as the bottleneck.",
            "但测试端并非在每一档都留有自身的采样，不能排除瓶颈在测试端。",
        )
    }
}

/// That a poor figure is not held against the service, with the limits that were hit.
pub(crate) fn not_blamed(summary: &Summary) -> Text {
    let limits = describe(summary);
    Text::new(
        format!(
            "The load generator hit a limit of its own, so the service is not blamed for it: {}.",
            limits.en
        ),
        format!("但测试端触及自身上限，不归责于被测服务：{}。", limits.zh),
    )
}

/// Which limits were hit, in which tiers, with the worst figure and what was allowed there.
pub(crate) fn describe(summary: &Summary) -> Text {
    described(&hits(summary).collect::<Vec<_>>())
}

/// The limits that the generator hit in a tier, or in any where none is given, with what was observed and what was
/// allowed. Those that concern single gaps between events only are left out.
#[must_use]
pub fn limits_hit_in(summary: &Summary, concurrency: Option<u32>) -> Text {
    described(
        &hits(summary).filter(|hit| concurrency.is_none() || hit.tier == concurrency).collect::<Vec<_>>(),
    )
}

fn described(hits: &[&LimitHit]) -> Text {
    let mut limits: Vec<ClientLimit> = hits.iter().map(|hit| hit.limit).collect();
    limits.sort_unstable();
    limits.dedup();
    if limits.is_empty() {
        return Text::new("a limit that is not named", "未写明的限制项");
    }
    let described: Vec<Text> = limits
        .into_iter()
        .filter_map(|limit| {
            one_limit(&hits.iter().copied().filter(|hit| hit.limit == limit).collect::<Vec<_>>())
        })
        .collect();
    let en: Vec<&str> = described.iter().map(|text| text.en.as_str()).collect();
    let zh: Vec<&str> = described.iter().map(|text| text.zh.as_str()).collect();
    Text::new(en.join("; "), zh.join("；"))
}

fn one_limit(hits: &[&LimitHit]) -> Option<Text> {
    let worst = hits.iter().max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
    let name = terms::limit_hit(worst);
    let mut tiers: Vec<u32> = hits.iter().filter_map(|hit| hit.tier).collect();
    tiers.sort_unstable();
    tiers.dedup();
    let tier_names = words::tiers(&tiers);
    let place = if tiers.is_empty() {
        Text::new("in a stage without tiers", "不分档的阶段")
    } else {
        Text::new(format!("in {}", tier_names.en), format!("{} 档", tier_names.zh))
    };
    let (observed, allowed) = (limit_observed(worst), limit_allowed(worst));
    let bound = match worst.limit {
        ClientLimit::Headroom => Text::new(format!("at least {allowed} needed"), format!("至少 {allowed}")),
        _ => Text::new(format!("{allowed} allowed"), format!("允许 {allowed}")),
    };
    Some(Text::new(
        format!("{} {} ({observed} observed, {})", name.en, place.en, bound.en),
        format!("{}{}{}（实测 {observed}，{}）", place.zh, terms::gap_before(name.zh), name.zh, bound.zh),
    ))
}

/// How far past its limit: by the ratio of both, whichever of them must be the larger.
fn excess(hit: &LimitHit) -> f64 {
    match hit.limit {
        ClientLimit::Headroom => hit.allowed / hit.observed,
        _ => hit.observed / hit.allowed,
    }
}

/// What was observed of a limit, in digits that never show it on the other side of what is allowed.
#[must_use]
pub fn limit_observed(hit: &LimitHit) -> String {
    match hit.limit {
        ClientLimit::Cpu => number::percent_against(hit.observed, hit.allowed),
        ClientLimit::Headroom | ClientLimit::Control => number::ratio_against(hit.observed, hit.allowed),
        _ => number::milliseconds_against(Seconds::new(hit.observed), Seconds::new(hit.allowed)),
    }
}

/// What is allowed of it: the most, and for headroom the least.
#[must_use]
pub fn limit_allowed(hit: &LimitHit) -> String {
    match hit.limit {
        ClientLimit::Cpu => number::percent_as_agreed(hit.allowed),
        ClientLimit::Headroom | ClientLimit::Control => number::ratio(hit.allowed),
        _ => number::milliseconds(Seconds::new(hit.allowed)),
    }
}
