//! Capacity advice: the recommended interactive concurrency, and the boundary at which the test ends.
//!
//! Written from docs/metrics.md. Requests per second is never maximised, and nothing is said beyond the highest tier
//! tested but that it needs another test. About a tier that did not finish nothing is concluded either.

use metrics_core::{Figures, Metric, Seconds, Tier, six_decimals};

use crate::{
    advice_text,
    case::Case,
    verdict::{Advice, AdvisedBy, LevelledOff},
};

/// The tier that is recommended where nothing speaks against it; the next lower one tested where it was not.
pub const DEFAULT_TIER: u32 = 4;

/// The median TTFT may be so many times that of the lowest tier.
pub const TTFT_GROWTH: f64 = 2.0;

/// Below this a median TTFT may have grown by any factor, in seconds.
pub const TTFT_FLOOR_S: f64 = 0.5;

/// The median end-to-end time per output token may be so many times that of the lowest tier.
pub const E2E_PER_TOKEN_GROWTH: f64 = 1.5;

/// Sustained Output TPS that gains no more than this over the tier before has levelled off.
pub const LEVELLED_OFF_GAIN: f64 = 0.05;

/// Gives the advice for a case: by the rule, unless the agreement names a tier.
#[must_use]
pub fn advise(case: &Case) -> Advice {
    let rule = ByRule::of(case);
    let reason = advice_text::by_rule(case, &rule);
    let (interactive, by_rule, by, reason) = match &case.agreement.advice {
        None => (rule.interactive, None, AdvisedBy::Rule, reason),
        Some(agreed) => {
            let reason = advice_text::agreed(agreed, rule.interactive).then(&reason);
            (Some(agreed.interactive), rule.interactive, AdvisedBy::Agreement, reason)
        }
    };
    Advice {
        interactive,
        boundary: rule.boundary,
        reason,
        supported_up_to: rule.supported_up_to,
        levelled_off_at: rule.levelled_off.first().map(|level| level.tier),
        levelled_off: rule.levelled_off,
        by_rule,
        by,
    }
}

/// What the rule gives, with what each tier showed.
pub(crate) struct ByRule {
    pub(crate) standings: Vec<Standing>,
    pub(crate) interactive: Option<u32>,
    pub(crate) boundary: Option<u32>,
    pub(crate) supported_up_to: Option<u32>,
    pub(crate) levelled_off: Vec<LevelledOff>,
    /// Throughput at the boundary is above that of every lower tier, so that its latency has bought something.
    pub(crate) boundary_gains: bool,
}

/// What one tier showed, from the lowest up.
pub(crate) struct Standing {
    pub(crate) concurrency: u32,
    /// As many requests finished as were planned, and any at all.
    pub(crate) whole: bool,
    pub(crate) finished: u64,
    pub(crate) planned: u64,
    /// Whole, and the success target is met, by every group as well.
    pub(crate) success: bool,
    /// The success target is missed, over all or by a group, whatever the requests that did not finish would have given.
    pub(crate) missed: bool,
    /// The groups that miss it so.
    pub(crate) groups_below: Vec<String>,
    pub(crate) limits: Limits,
    pub(crate) growth: Growth,
    pub(crate) stands: Stands,
}

/// Whether a tier suits interactive use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    Yes,
    No,
    /// The tier, or one below it, did not finish, or the figures that would tell do not exist.
    Unknown,
}

/// The agreed limits of a tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Any is on a latency: then the limits take the place of the growth rule.
    pub(crate) on_latency: bool,
    /// Every one holds; also where there is none.
    pub(crate) hold: bool,
}

/// Latencies of a tier against those of the lowest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    pub(crate) ttft: Option<(Seconds, f64)>,
    pub(crate) e2e_per_token: Option<(Seconds, f64)>,
}

impl ByRule {
    pub(crate) fn of(case: &Case) -> Self {
        let tiers = case.ascending_tiers();
        let standings = standings(case, &tiers);
        let start = by_limits(&standings).or_else(|| by_default(&standings));
        let boundary = standings.iter().rev().find(|tier| tier.success).map(|tier| tier.concurrency);
        let whole: Vec<&Tier> = tiers
            .iter()
            .zip(&standings)
            .filter(|(_, standing)| standing.whole)
            .map(|(tier, _)| *tier)
            .collect();
        Self {
            interactive: start.map(|index| standings[index].concurrency),
            boundary,
            supported_up_to: start.and_then(|start| supported(&standings[start..])),
            levelled_off: levelled_off(&whole),
            boundary_gains: boundary.is_some_and(|boundary| gains(&whole, boundary)),
            standings,
        }
    }

    /// An interactive tier might be recommended if only figures were there that are not.
    pub(crate) fn interactive_is_open(&self) -> bool {
        let default = |tier: &&Standing| tier.concurrency <= DEFAULT_TIER;
        self.standings.iter().all(|tier| !default(&tier))
            || self.standings.iter().filter(default).any(|tier| tier.stands == Stands::Unknown)
    }

    /// A tier that did not finish might be the boundary.
    pub(crate) fn boundary_is_open(&self) -> bool {
        self.standings.iter().any(|tier| !tier.whole && !tier.missed)
    }
}

/// Effective requests if all that did not finish had been effective.
pub(crate) fn at_best(figures: &Figures) -> u64 {
    figures.effective + figures.planned.saturating_sub(figures.finished)
}

fn standings(case: &Case, tiers: &[&Tier]) -> Vec<Standing> {
    let (mut sound, mut whole_so_far) = (true, true);
    tiers
        .iter()
        .map(|tier| {
            let (finished, planned) = (tier.figures.finished, tier.figures.planned);
            let whole = finished > 0 && finished >= planned;
            let missed = !case.tier_met_if(tier, at_best);
            let groups_below = case.groups_below(tier, at_best).into_iter().map(str::to_owned).collect();
            let limits = limits(case, tier.concurrency);
            let growth = Growth::of(tiers[0], tier);
            sound &= !missed && (limits.hold || !whole);
            whole_so_far &= whole;
            let stands = if !sound {
                Stands::No
            } else if !whole_so_far {
                Stands::Unknown
            } else if limits.on_latency {
                Stands::Yes
            } else {
                growth.bearable()
            };
            let success = whole && case.tier_met(tier);
            let concurrency = tier.concurrency;
            Standing {
                concurrency,
                whole,
                finished,
                planned,
                success,
                missed,
                groups_below,
                limits,
                growth,
                stands,
            }
        })
        .collect()
}

/// The highest tier above the default that agreed limits on latency confirm.
fn by_limits(standings: &[Standing]) -> Option<usize> {
    standings.iter().rposition(|tier| {
        tier.concurrency > DEFAULT_TIER && tier.limits.on_latency && tier.stands == Stands::Yes
    })
}

/// The default, or the highest lower tier that stands.
fn by_default(standings: &[Standing]) -> Option<usize> {
    standings.iter().rposition(|tier| tier.concurrency <= DEFAULT_TIER && tier.stands == Stands::Yes)
}

/// From the recommended tier up without a gap.
fn supported(from_recommended: &[Standing]) -> Option<u32> {
    from_recommended.iter().take_while(|tier| tier.stands == Stands::Yes).last().map(|tier| tier.concurrency)
}

/// Every tier that gained no more than the factor over the tier before it, tiers without the figure left out.
fn levelled_off(tiers: &[&Tier]) -> Vec<LevelledOff> {
    let rates: Vec<(u32, f64)> = tiers
        .iter()
        .filter_map(|tier| Some((tier.concurrency, tier.figures.sustained_output_tps?)))
        .collect();
    let pairs = rates.windows(2).filter_map(|pair| match pair {
        [(before, low), (tier, here)] if *low > 0.0 && *here <= low * (1.0 + LEVELLED_OFF_GAIN) => {
            Some(LevelledOff { tier: *tier, before: *before, gain: six_decimals(here / low - 1.0) })
        }
        _ => None,
    });
    pairs.collect()
}

/// The rate of a tier is above that of every lower one: the sustained rate where both have it, else the tier's own.
fn gains(tiers: &[&Tier], concurrency: u32) -> bool {
    let Some(here) = tiers.iter().find(|tier| tier.concurrency == concurrency) else { return false };
    let mut lower = tiers.iter().filter(|tier| tier.concurrency < concurrency).peekable();
    let above = |lower: &&Tier| {
        let (here, lower) = (&here.figures, &lower.figures);
        match (here.sustained_output_tps, lower.sustained_output_tps) {
            (Some(here), Some(lower)) => here > lower,
            _ => here.output_tps.zip(lower.output_tps).is_some_and(|(here, lower)| here > lower),
        }
    };
    lower.peek().is_some() && lower.all(above)
}

fn limits(case: &Case, concurrency: u32) -> Limits {
    let mut limits = Limits { on_latency: false, hold: true };
    for (index, item) in case.agreement.sla.iter().enumerate() {
        if item.tier == Some(concurrency) {
            // What is agreed for one group says nothing of the latency of the others.
            limits.on_latency |=
                item.group.is_none() && matches!(item.metric.parse(), Ok(Metric::Latency(..)));
            let evidence = case.limits.get(index).and_then(Option::as_ref);
            limits.hold &= evidence.is_some_and(|evidence| evidence.contract == Some(true));
        }
    }
    limits
}

impl Growth {
    fn of(lowest: &Tier, tier: &Tier) -> Self {
        let against = |base: Option<Seconds>, here: Option<Seconds>| {
            let (base, here) = (base?, here?);
            (base.get() > 0.0).then(|| (here, here.get() / base.get()))
        };
        let (base, here) = (&lowest.figures, &tier.figures);
        Self {
            ttft: against(base.ttft_s.p50, here.ttft_s.p50),
            e2e_per_token: against(base.e2e_per_token_s.p50, here.e2e_per_token_s.p50),
        }
    }

    fn bearable(self) -> Stands {
        let ttft = self.ttft.map(|(ttft, grown)| grown <= TTFT_GROWTH || ttft.get() < TTFT_FLOOR_S);
        let per_token = self.e2e_per_token.map(|(_, grown)| grown <= E2E_PER_TOKEN_GROWTH);
        match (ttft, per_token) {
            (Some(false), _) | (_, Some(false)) => Stands::No,
            (Some(true), Some(true)) => Stands::Yes,
            _ => Stands::Unknown,
        }
    }
}
