//! The figures of any set of requests.

use std::collections::BTreeMap;

use crate::{
    lengths::lengths,
    origins::origins,
    outcome::Outcome,
    population::Selection,
    quantity::{Seconds, TokenSource, six_decimals},
    record::Facts,
    summary::{Distribution, Figures, FromSent},
    support::success_rate_low,
    throughput::{SustainedAbsent, per_second, sum_over_effective, sustained, window, window_around},
};

/// Relative difference up to which two counts are taken as the same.
const SAME: f64 = 0.02;

/// What a selection is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope<'s, 'c, 'a> {
    /// The whole of one closed-loop tier, with so many slots.
    Tier(u32),
    /// Anything else that is whole.
    Whole,
    /// Part of one closed-loop tier.
    PartOfTier(&'s Selection<'c, 'a>),
    /// Part of anything else.
    PartOf(&'s Selection<'c, 'a>),
}

impl<'s, 'c, 'a> Scope<'s, 'c, 'a> {
    /// That of a selection within a whole, which is one closed-loop tier where `tier` says which.
    pub(crate) fn within(
        whole: &'s Selection<'c, 'a>,
        tier: Option<u32>,
        selection: &Selection<'c, 'a>,
    ) -> Self {
        match (tier, selection.is_all_of(whole)) {
            (Some(slots), true) => Self::Tier(slots),
            (Some(_), false) => Self::PartOfTier(whole),
            (None, true) => Self::Whole,
            (None, false) => Self::PartOf(whole),
        }
    }
}

/// Computes every figure of a selection.
///
/// With nothing effective, latencies, token figures and rates are `None`; shares of planned requests are 0.
pub(crate) fn aggregate(selection: &Selection<'_, '_>, scope: Scope<'_, '_, '_>) -> Figures {
    let planned = selection.planned();
    let effective = selection.effective().count() as u64;
    let window = match scope {
        Scope::Tier(_) | Scope::Whole => window(selection),
        Scope::PartOfTier(whole) | Scope::PartOf(whole) => window_around(selection, whole),
    };
    let some_effective = window.filter(|_| effective > 0);
    let output_tokens = sum_over_effective(selection, |facts| facts.output_tokens.map(|tokens| tokens.0));
    let input_tokens = sum_over_effective(selection, |facts| facts.prompt_tokens.map(|tokens| tokens.0));
    let all_tokens = output_tokens.zip(input_tokens).map(|(output, input)| output.saturating_add(input));
    let rate = |number: Option<u64>| number.and_then(|number| per_second(number, some_effective));
    let sustained = match scope {
        Scope::Tier(slots) => sustained(selection, slots),
        Scope::PartOfTier(_) => Err(SustainedAbsent::PartOfATier),
        Scope::Whole | Scope::PartOf(_) => Err(SustainedAbsent::NotOneClosedLoopTier),
    };
    let retried = selection.requests().filter(|request| request.tries > 1).count() as u64;

    let each = |value: fn(&Facts) -> Option<Seconds>| {
        let values: Vec<Seconds> = selection.effective().filter_map(value).collect();
        let left_out = planned - values.len() as u64;
        Distribution::of(values, left_out)
    };
    Figures {
        planned,
        finished: selection.requests().filter(|request| request.finished).count() as u64,
        effective,
        success_rate: share(effective, planned),
        success_rate_low: lower_bound(effective, planned),
        window_s: window.map(Seconds::from),
        outcomes: outcomes(selection),
        e2e_s: each(|facts| facts.e2e().map(Seconds::from)),
        ttft_s: each(|facts| facts.ttft().map(Seconds::from)),
        tpot_s: each(Facts::tpot),
        tpot_usual_s: usual_form_differs(selection).then(|| each(Facts::tpot_usual)),
        inter_event_s: gaps(selection),
        inter_event_is_itl: events_are_tokens(selection),
        e2e_per_token_s: each(Facts::e2e_per_token),
        from_sent: FromSent {
            e2e_s: each(|facts| facts.e2e_from_sent().map(Seconds::from)),
            ttft_s: each(|facts| facts.ttft_from_sent().map(Seconds::from)),
        },
        tokens_per_event: tokens_per_event(selection).map(six_decimals),
        output_tps: rate(output_tokens),
        total_tps: rate(all_tokens),
        rps: rate(Some(effective)),
        sustained_output_tps: sustained.ok(),
        sustained_absent: sustained.err().map(|reason| reason.as_str().to_owned()),
        // An answer past a limit of its group is no effective one, so these are the effective ones.
        attainment: share(effective, planned),
        goodput_rps: rate(Some(effective)),
        input_tokens,
        output_tokens,
        cached_input_share: cached_share(selection),
        token_source: token_source(selection).map(str::to_owned),
        reconnects: selection.requests().map(|request| u64::from(request.facts.reconnects)).sum(),
        tries: (retried > 0).then(|| selection.requests().map(|request| request.tries).sum()),
        retried: (retried > 0).then_some(retried),
        lengths: lengths(selection),
        origins: origins(selection),
    }
}

/// A share of a whole to six decimals, where only all is 1 and only none is 0. `None` of nothing.
pub(crate) fn share(part: u64, whole: u64) -> Option<f64> {
    match (part, whole) {
        (_, 0) => None,
        (0, _) => Some(0.0),
        (part, whole) if part >= whole => Some(1.0),
        (part, whole) => Some(six_decimals(part as f64 / whole as f64).clamp(0.000_001, 0.999_999)),
    }
}

/// To six decimals, downwards: a lower bound must not be rounded up.
pub(crate) fn lower_bound(effective: u64, planned: u64) -> Option<f64> {
    success_rate_low(effective, planned).map(|low| (low * 1e6).floor() / 1e6)
}

pub(crate) fn outcomes(selection: &Selection<'_, '_>) -> BTreeMap<Outcome, u64> {
    let mut counts = BTreeMap::new();
    for request in selection.requests() {
        *counts.entry(request.outcome).or_insert(0) += 1;
    }
    counts
}

/// Gaps of all effective requests together. Planned requests without a single gap are the ones left out.
fn gaps(selection: &Selection<'_, '_>) -> Distribution {
    let mut values = Vec::new();
    let mut requests = 0;
    for facts in selection.effective() {
        let before = values.len();
        values.extend(facts.inter_event_gaps().map(Seconds::from));
        requests += u64::from(values.len() > before);
    }
    Distribution::of(values, selection.planned() - requests)
}

/// What both forms divide by, over the set, differs: several tokens an event, or several events in the first
/// read.
fn usual_form_differs(selection: &Selection<'_, '_>) -> bool {
    let mut true_tokens = 0.0;
    let mut usual_tokens = 0.0;
    for facts in selection.effective() {
        if let (Some(after), Some(tokens)) = (facts.tokens_after_first_read(), facts.output_tokens) {
            true_tokens += after;
            usual_tokens += (tokens.0 - 1) as f64;
        }
    }
    (usual_tokens - true_tokens).abs() > SAME * usual_tokens
}

/// Output tokens and token-bearing events of the requests whose tokens were not themselves counted by events.
fn tokens_and_events(selection: &Selection<'_, '_>) -> (u64, u64) {
    selection
        .effective()
        .filter(|facts| facts.token_source != Some(TokenSource::Events))
        .filter_map(|facts| Some((facts.output_tokens?.0, facts.token_events)))
        .fold((0, 0), |(tokens, events), (t, e)| (tokens + t, events + e))
}

fn tokens_per_event(selection: &Selection<'_, '_>) -> Option<f64> {
    let (tokens, events) = tokens_and_events(selection);
    (events > 0).then(|| tokens as f64 / events as f64)
}

/// Where tokens were counted by events the agreement would be the count's own doing, and proves nothing.
fn events_are_tokens(selection: &Selection<'_, '_>) -> bool {
    let (tokens, events) = tokens_and_events(selection);
    let counted =
        |facts: &Facts| facts.output_tokens.is_some() && facts.token_source != Some(TokenSource::Events);
    tokens > 0 && tokens.abs_diff(events) as f64 <= SAME * tokens as f64 && selection.effective().all(counted)
}

/// Over the effective requests for which the service told both.
fn cached_share(selection: &Selection<'_, '_>) -> Option<f64> {
    let (cached, input) = selection
        .effective()
        .filter_map(|facts| Some((facts.cached_tokens?.0, facts.prompt_tokens?.0)))
        .fold((0, 0), |(cached, input), (c, i)| (cached + c, input + i));
    (input > 0).then(|| six_decimals(cached as f64 / input as f64))
}

fn token_source(selection: &Selection<'_, '_>) -> Option<&'static str> {
    let mut sources = selection.effective().filter_map(|facts| facts.token_source);
    let first = sources.next()?;
    Some(if sources.all(|source| source == first) { word(first) } else { MIXED })
}

/// The word for a set that was counted in more than one way.
pub(crate) const MIXED: &str = "mixed";

fn word(source: TokenSource) -> &'static str {
    match source {
        TokenSource::Usage => "usage",
        TokenSource::Tokenizer => "tokenizer",
        TokenSource::Events => "events",
    }
}
