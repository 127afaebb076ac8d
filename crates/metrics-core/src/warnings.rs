//! What a reader must know beside the figures: what it means, and what to do about it.

use crate::{
    aggregate::{MIXED, share},
    figures::{Input, was_cut_short},
    generator::Part,
    observed::Happening,
    quantity::{TokenSource, six_decimals},
    record::Facts,
    summary::{ClientFigures, Warning, WarningCode},
};

/// Cached share of the input above which prompts that differ in their opening were evidently not new to the service.
const CACHED: f64 = 0.05;

/// Every warning, ordered by code, then by the order of tiers.
pub(crate) fn warnings(input: &Input<'_>, parts: &[Part<'_, '_>], client: &ClientFigures) -> Vec<Warning> {
    let mut all = of_the_run(input);
    for part in parts {
        all.extend(of_a_tier(input, part, client));
    }
    all.sort_by_key(|warning| warning.code);
    all
}

fn of_the_run(input: &Input<'_>) -> Vec<Warning> {
    let refusal = input.events.iter().find_map(|event| match &event.what {
        Happening::UsageRefused { message } => Some(message),
        _ => None,
    });
    [
        (input.conditions.unoptimised, WarningCode::UnoptimisedClient, "the client was built without optimisation, so its own delays are larger than they need be; measure again with a release build".to_owned()),
        (input.conditions.co_located, WarningCode::CoLocated, "the service ran on the generator's host and competed with it for the same cores; its figures are not those of a service by itself, so repeat the run from another host".to_owned()),
        (was_cut_short(input), WarningCode::Interrupted, "the run was cut short, and planned requests are missing; a complete run is needed for acceptance".to_owned()),
        (refusal.is_some(), WarningCode::UsageRefused, format!("the service refused stream_options ({}) and was asked without, so it may report no token counts; have it support include_usage", refusal.map_or("", String::as_str))),
        (input.conditions.output_capped, WarningCode::OutputCapped, "a maximum output length was asked for, so answers may not have run to their natural stop; compare only with runs under the same maximum".to_owned()),
    ]
    .into_iter()
    .filter(|(holds, ..)| *holds)
    .map(|(_, code, message)| Warning { code, tier: None, value: None, message })
    .collect()
}

fn of_a_tier(input: &Input<'_>, part: &Part<'_, '_>, client: &ClientFigures) -> Vec<Warning> {
    let figures = &part.figures;
    let scope = part.tier.map_or("requests sent by a timetable".to_owned(), |tier| format!("C{tier}"));
    let mut found: Vec<(WarningCode, f64, String)> = Vec::new();

    if let Some(buffered) = buffered_share(part).filter(|share| *share > 0.5) {
        found.push((WarningCode::BufferedStream, buffered, "tokens came in bursts near the end of the answer, so time to first token and gaps are probably those of a proxy that buffers; switch response buffering off along the path and measure again".to_owned()));
    }
    if let Some(estimated) = estimated_share(part).filter(|share| *share > 0.0) {
        found.push((WarningCode::CountedByEvents, estimated, "the service gave no usage, so output tokens were counted as events, which is too low where an event carries several; have the service report usage, or name a tokenizer in the plan".to_owned()));
    }
    if figures.token_source.as_deref() == Some(MIXED) {
        found.push((WarningCode::MixedTokenSources, estimated_share(part).unwrap_or(0.0), "output tokens were counted in more than one way, so rates add up unlike things; see the source of each row, and have the service report usage on every answer".to_owned()));
    }
    if let Some(cached) =
        figures.cached_input_share.filter(|share| input.conditions.unique_prompts && *share > CACHED)
    {
        found.push((WarningCode::CachedInput, cached, "input was read from the service's prefix cache although every prompt opens differently, so throughput may be too high; use another nonce, or clear the cache before the run".to_owned()));
    }
    if let Some(tokens) = figures.tokens_per_event.filter(|tokens| *tokens > 1.02) {
        found.push((WarningCode::TokensPerEvent, tokens, "the service sends several tokens an event, so gaps between events are no inter-token latency; use time per output token".to_owned()));
    }
    let bounds =
        [&figures.e2e_s, &figures.ttft_s].map(|values| (values.n, values.bounds.p95.1, values.bounds.p99.1));
    if let Some((n, p95, _)) =
        bounds.into_iter().find(|(n, p95, p99)| *n > 0 && (p95.is_none() || p99.is_none()))
    {
        let which = if p95.is_none() { "P95 and P99" } else { "P99" };
        found.push((WarningCode::FewValues, n as f64, format!("{n} values are too few for an upper bound of {which}: observed, not certified; plan more requests where a limit depends on it")));
    }
    if let Some(hit) = client.limits_hit.iter().find(|hit| hit.inter_event_only && hit.tier == part.tier) {
        found.push((WarningCode::InterEventUnsupported, hit.observed, "the generator's own delays exceed a quarter of the median gap, so single gaps between events are not supported, while the other figures stand; run the generator on an idle host".to_owned()));
    }
    if figures.reconnects > 0 {
        found.push((WarningCode::Reconnected, figures.reconnects as f64, "pooled connections had been closed by the other side and requests were sent once more on fresh ones, with the time lost counted in; lengthen the keep-alive time along the path".to_owned()));
    }
    found
        .into_iter()
        .map(|(code, value, meaning)| Warning {
            code,
            tier: part.tier,
            value: Some(six_decimals(value)),
            message: format!("{scope}: {meaning}"),
        })
        .collect()
}

/// Share, among the effective requests with at least 16 output tokens, of those that look buffered; `None` without
/// any such request.
///
/// A request looks buffered where its reads brought 8 token-bearing events or more on average; or 8 output tokens or more
/// while the first came after 80 % of the end-to-end time, so that a service that writes a whole block of tokens at a time,
/// but steadily, is not suspected, nor one whose queue is long and whose tokens are many.
fn buffered_share(part: &Part<'_, '_>) -> Option<f64> {
    let long: Vec<bool> = part
        .selection
        .effective()
        .filter(|facts| facts.output_tokens.is_some_and(|tokens| tokens.0 >= 16))
        .map(looks_buffered)
        .collect();
    share(long.iter().filter(|buffered| **buffered).count() as u64, long.len() as u64)
}

fn looks_buffered(facts: &Facts) -> bool {
    let reads = facts.token_reads().count() as u64;
    let tokens = facts.output_tokens.map_or(0, |tokens| tokens.0);
    let late = match (facts.ttft(), facts.e2e()) {
        (Some(ttft), Some(e2e)) => u128::from(ttft.0) * 10 >= u128::from(e2e.0) * 8,
        _ => false,
    };
    facts.token_events >= 8 * reads || (late && tokens >= 8 * reads)
}

/// Share of effective requests whose output was counted by events.
fn estimated_share(part: &Part<'_, '_>) -> Option<f64> {
    let by_events = |facts: &&Facts| facts.token_source == Some(TokenSource::Events);
    share(part.selection.effective().filter(by_events).count() as u64, part.figures.effective)
}
