//! Capacity advice: the recommended interactive concurrency, and the boundary at which the test ends.
//!
//! Written from docs/metrics.md. Requests per second is never maximised, and nothing is said beyond the highest tier
//! tested but that it needs another test.

use metrics_core::{Metric, Seconds, Tier};

use crate::{
    advice_text,
    case::Case,
    text::Text,
    verdict::{Advice, AdvisedBy},
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
        levelled_off_at: rule.levelled_off_at,
        levelled_off: Vec::new(),
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
    pub(crate) levelled_off_at: Option<u32>,
}

/// What one tier showed, from the lowest up.
pub(crate) struct Standing {
    pub(crate) concurrency: u32,
    pub(crate) success: bool,
    pub(crate) limits: Limits,
    pub(crate) growth: Growth,
    pub(crate) stands: Stands,
}

/// Whether a tier suits interactive use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    Yes,
    No,
    /// The figures that would tell do not exist.
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
        Self {
            interactive: start.map(|index| standings[index].concurrency),
            boundary: standings.iter().rev().find(|tier| tier.success).map(|tier| tier.concurrency),
            supported_up_to: start.and_then(|start| supported(&standings[start..])),
            levelled_off_at: levelled_off(&tiers),
            standings,
        }
    }

    /// A tier would be recommended if only its figures were there.
    pub(crate) fn lacks_figures(&self) -> bool {
        let default = |tier: &&Standing| tier.concurrency <= DEFAULT_TIER;
        self.standings.iter().all(|tier| !default(&tier))
            || self.standings.iter().filter(default).any(|tier| tier.stands == Stands::Unknown)
    }
}

fn standings(case: &Case, tiers: &[&Tier]) -> Vec<Standing> {
    let (mut success_so_far, mut limits_so_far) = (true, true);
    tiers
        .iter()
        .map(|tier| {
            let success = case.success_met(tier.figures.effective, tier.figures.planned);
            let limits = limits(case, tier.concurrency);
            let growth = Growth::of(tiers[0], tier);
            success_so_far &= success;
            limits_so_far &= limits.hold;
            let stands = if !success_so_far || !limits_so_far {
                Stands::No
            } else if limits.on_latency {
                Stands::Yes
            } else {
                growth.bearable()
            };
            Standing { concurrency: tier.concurrency, success, limits, growth, stands }
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

/// The tier from which on no tier gained more than the factor over the one before it.
fn levelled_off(tiers: &[&Tier]) -> Option<u32> {
    let flat = |pair: &&[&Tier]| match (
        pair[0].figures.sustained_output_tps,
        pair[1].figures.sustained_output_tps,
    ) {
        (Some(before), Some(here)) => here <= before * (1.0 + LEVELLED_OFF_GAIN),
        _ => false,
    };
    tiers.windows(2).rev().take_while(flat).last().map(|pair| pair[1].concurrency)
}

fn limits(case: &Case, concurrency: u32) -> Limits {
    let mut limits = Limits { on_latency: false, hold: true };
    for (index, item) in case.agreement.sla.iter().enumerate() {
        if item.tier == Some(concurrency) {
            limits.on_latency |= matches!(item.metric.parse(), Ok(Metric::Latency(..)));
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

/// The sentence for whoever gets no advice.
pub(crate) fn beyond(case: &Case) -> Text {
    let highest = case.ascending_tiers().last().map(|tier| tier.concurrency);
    highest.map_or_else(Text::default, advice_text::beyond)
}
