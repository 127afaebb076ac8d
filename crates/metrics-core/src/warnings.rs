//! What a reader must know beside the figures: what it means, and what to do about it.

use crate::{
    aggregate::{MIXED, share},
    figures::{Input, was_cut_short},
    generator::Part,
    headroom::COMFORTABLE_HEADROOM,
    lengths::lengths,
    observed::Happening,
    population::Settled,
    quantity::{TokenSource, six_decimals},
    record::{Facts, FaultKind, Origin},
    summary::{ClientFigures, Warning, WarningCode},
};

/// Cached share of the input above which prompts that differ in their opening were evidently not new to the
/// service.
const CACHED: f64 = 0.05;
/// Tokens an event above which gaps are no longer those between tokens.
const ONE_TOKEN_AN_EVENT: f64 = 1.02;
/// Output tokens from which an answer is long enough to show how it was streamed.
const LONG: u64 = 16;
/// What one read brings on average where something along the path collects.
const BURST: u64 = 8;

/// Relative difference of the median length from what was asked for that is still taken as met.
const LENGTH_MISSED: f64 = 0.1;

/// Every warning, ordered by code, then by the order of tiers.
pub(crate) fn warnings(input: &Input<'_>, parts: &[Part<'_, '_>], client: &ClientFigures) -> Vec<Warning> {
    let mut all = of_the_run(input, parts);
    for part in parts {
        all.extend(of_a_part(input, part, client));
    }
    all.sort_by_key(|warning| warning.code);
    all
}

/// What it means, and what to do. A detail that varies goes in front.
fn meaning(code: WarningCode) -> &'static str {
    match code {
        WarningCode::BufferedStream => {
            "tokens came in bursts, so time to first token and gaps are probably those of a proxy that buffers; \
             switch response buffering off along the path and measure again"
        }
        WarningCode::CountedByEvents => {
            "the service gave no usage, so output tokens were counted as events, which is too low where an event \
             carries several; have the service report usage"
        }
        WarningCode::MixedTokenSources => {
            "output tokens were counted in more than one way, so sums add up unlike things; \
             have the service report usage on every answer"
        }
        WarningCode::CachedInput => {
            "input was read from the service's prefix cache although every prompt opens differently, so throughput \
             may be too high; use another nonce, or clear the cache before the run"
        }
        WarningCode::TokensPerEvent => {
            "the service sends several tokens an event, so gaps between events are no inter-token latency; \
             use time per output token"
        }
        WarningCode::FewValues => {
            "too few values for an upper bound, so it is observed and not certified; \
             plan more requests where a limit depends on it"
        }
        WarningCode::UnoptimisedClient => {
            "the client was built without optimisation, so its own delays are larger than they need be; \
             measure again with a release build"
        }
        WarningCode::CoLocated => {
            "the service ran on the generator's host and competed with it for the same cores; \
             run the generator on another host to see the service by itself"
        }
        WarningCode::InterEventUnsupported => {
            "the generator's own delays exceed a quarter of the median gap, so single gaps between events are not \
             supported, while the other figures stand; run the generator on an idle host"
        }
        WarningCode::Reconnected => {
            "pooled connections had been closed by the other side, and requests were sent once more on fresh ones, \
             the time lost counted in; lengthen the keep-alive time along the path"
        }
        WarningCode::Interrupted => {
            "the run was cut short and planned requests are missing; acceptance needs a complete run"
        }
        WarningCode::UsageRefused => {
            "the service refused stream_options and was asked without, so it may report no token counts; \
             have it support include_usage"
        }
        WarningCode::OutputCapped => {
            "a maximum output length was asked for, so answers may not have run to their natural stop; \
             compare only with runs under the same maximum"
        }
        WarningCode::LowHeadroom => {
            "the load exceeded a fifth of the generator's calibrated ceiling; \
             give the client more cores or IO threads, or a host of its own"
        }
        WarningCode::Uncalibrated => {
            "no calibration of the generator speaks for this run, or not all of its ceilings could be measured, \
             so its headroom is not known; run `acceptbench calibrate` there, on Linux, and measure again"
        }
        WarningCode::InsecureTls => {
            "the certificate of the service was not checked, so it is not proven who answered; \
             give the authority's certificate by --ca-file and measure again without --insecure"
        }
        WarningCode::AskedLengthsMissed => {
            "inputs came out over 10 % longer or shorter than they were made to be, so the load is not the one that was \
             asked for; make the samples with the tokenizer of this service"
        }
        WarningCode::AssumedTraffic => {
            "requests were sent whose shape was assumed and not measured, so figures over them speak for that \
             assumption; read them apart, and replace it by a log of real use"
        }
        WarningCode::ConversationBroken => {
            "turns of conversations were not sent, since the turn before gave nothing to go on from; \
             look at why those answers failed"
        }
    }
}

fn of_the_run(input: &Input<'_>, parts: &[Part<'_, '_>]) -> Vec<Warning> {
    let conditions = input.conditions;
    let refused = input.events.iter().any(|event| matches!(event.what, Happening::UsageRefused { .. }));
    [
        (conditions.unoptimised, WarningCode::UnoptimisedClient),
        (conditions.co_located, WarningCode::CoLocated),
        (was_cut_short(input), WarningCode::Interrupted),
        (refused, WarningCode::UsageRefused),
        (conditions.output_capped, WarningCode::OutputCapped),
        (input.calibration.is_none(), WarningCode::Uncalibrated),
        (conditions.insecure_tls, WarningCode::InsecureTls),
    ]
    .into_iter()
    .filter(|(holds, _)| *holds)
    .map(|(_, code)| (code, None))
    .chain(assumed_share(parts).map(|share| (WarningCode::AssumedTraffic, Some(share))))
    .map(|(code, value)| Warning { code, tier: None, value, message: meaning(code).to_owned() })
    .collect()
}

/// Share of the planned requests whose shape is somebody's word; `None` where there is none of them.
fn assumed_share(parts: &[Part<'_, '_>]) -> Option<f64> {
    let cells = || parts.iter().flat_map(|part| part.selection.cells());
    let assumed = cells().filter(|cell| cell.origin == Some(Origin::Assumed));
    let planned = cells().map(|cell| cell.planned).sum();
    share(assumed.map(|cell| cell.planned).sum(), planned).filter(|share| *share > 0.0)
}

fn of_a_part(input: &Input<'_>, part: &Part<'_, '_>, client: &ClientFigures) -> Vec<Warning> {
    let figures = &part.figures;
    let estimated = estimated_share(part);
    let mixed = figures.token_source.as_deref() == Some(MIXED);
    let headroom = client.headroom.iter().find(|headroom| headroom.tier == part.tier);
    let unsupported = client.limits_hit.iter().find(|hit| hit.inter_event_only && hit.tier == part.tier);
    let found = [
        (WarningCode::BufferedStream, buffered_share(part).filter(|share| *share > 0.5)),
        (WarningCode::CountedByEvents, estimated.filter(|share| *share > 0.0)),
        (WarningCode::MixedTokenSources, estimated.filter(|_| mixed)),
        (
            WarningCode::CachedInput,
            figures.cached_input_share.filter(|share| input.conditions.unique_prompts && *share > CACHED),
        ),
        (WarningCode::TokensPerEvent, figures.tokens_per_event.filter(|tokens| *tokens > ONE_TOKEN_AN_EVENT)),
        (WarningCode::FewValues, unbounded(part).map(|(_, n)| n as f64)),
        (WarningCode::InterEventUnsupported, unsupported.map(|hit| hit.observed)),
        (
            WarningCode::LowHeadroom,
            headroom.and_then(|headroom| headroom.least).filter(|least| *least < COMFORTABLE_HEADROOM),
        ),
        (
            WarningCode::AskedLengthsMissed,
            median_length(part).filter(|ratio| (ratio - 1.0).abs() > LENGTH_MISSED),
        ),
        (WarningCode::ConversationBroken, broken_turns(part)),
        (WarningCode::Reconnected, (figures.reconnects > 0).then_some(figures.reconnects as f64)),
    ];
    let place = part.tier.map_or("outside tiers".to_owned(), |tier| format!("C{tier}"));
    let unmeasured = headroom.is_some_and(|headroom| !headroom.unknown.is_empty()).then(|| Warning {
        code: WarningCode::Uncalibrated,
        tier: part.tier,
        value: None,
        message: format!("{place}: {}", meaning(WarningCode::Uncalibrated)),
    });
    found
        .into_iter()
        .filter_map(|(code, value)| Some((code, value?)))
        .map(|(code, value)| {
            let detail = match (code, unbounded(part)) {
                (WarningCode::FewValues, Some((percentiles, n))) => format!("{percentiles} of {n}: "),
                _ => String::new(),
            };
            Warning {
                code,
                tier: part.tier,
                value: Some(six_decimals(value)),
                message: format!("{place}: {detail}{}", meaning(code)),
            }
        })
        .chain(unmeasured)
        .collect()
}

/// The percentiles of the end-to-end time, or else of the time to first token, for which there is no upper
/// bound, and of how many values; `None` where both have all, and where there are no values at all.
fn unbounded(part: &Part<'_, '_>) -> Option<(&'static str, u64)> {
    [&part.figures.e2e_s, &part.figures.ttft_s].into_iter().filter(|values| values.n > 0).find_map(|values| {
        let (p95, p99) = (values.bounds.p95.1, values.bounds.p99.1);
        match (p95, p99) {
            (None, _) => Some(("P95 and P99", values.n)),
            (Some(_), None) => Some(("P99", values.n)),
            (Some(_), Some(_)) => None,
        }
    })
}

/// Share of the long answers that look buffered; `None` without a long answer.
fn buffered_share(part: &Part<'_, '_>) -> Option<f64> {
    let is_long = |facts: &&Facts| facts.output_tokens.is_some_and(|tokens| tokens.0 >= LONG);
    let long: Vec<&Facts> = part.selection.effective().filter(is_long).collect();
    let buffered = long.iter().filter(|facts| looks_buffered(facts)).count();
    share(buffered as u64, long.len() as u64)
}

/// Its reads brought many token-bearing events on average; or many output tokens, the first of them after 80
/// % of the end-to-end time. So neither a service that steadily writes a block of tokens an event is
/// suspected, nor one that queues for long and then writes token by token.
fn looks_buffered(facts: &Facts) -> bool {
    let reads = facts.token_reads().count() as u64;
    let tokens = facts.output_tokens.map_or(0, |tokens| tokens.0);
    let late = match (facts.ttft(), facts.e2e()) {
        (Some(ttft), Some(e2e)) => u128::from(ttft.0) * 10 >= u128::from(e2e.0) * 8,
        _ => false,
    };
    // Where reads were not recorded there is nothing to go by.
    reads > 0 && (facts.token_events >= BURST * reads || (late && tokens >= BURST * reads))
}

/// Input received over input asked for, in the median of the group that misses it by most: the others would hide it.
fn median_length(part: &Part<'_, '_>) -> Option<f64> {
    let mut names: Vec<&str> = part.selection.cells().map(|cell| cell.group).collect();
    names.dedup();
    let of_group =
        |name: &str| Some(lengths(&part.selection.only(|cell| cell.group == name))?.input?.ratio.p50);
    let medians = names.into_iter().filter_map(of_group);
    medians.max_by(|one, other| (one - 1.0).abs().total_cmp(&(other - 1.0).abs()))
}

/// Turns that were never sent for want of an answer before; `None` where there are none.
fn broken_turns(part: &Part<'_, '_>) -> Option<f64> {
    let broken = |request: &&Settled<'_>| {
        request.facts.error.as_ref().is_some_and(|fault| fault.kind == FaultKind::NoAnswerBefore)
    };
    let unsent = part.selection.requests().filter(broken).count();
    (unsent > 0).then_some(unsent as f64)
}

/// Share of effective requests whose output was counted by events.
fn estimated_share(part: &Part<'_, '_>) -> Option<f64> {
    let by_events = |facts: &&Facts| facts.token_source == Some(TokenSource::Events);
    share(part.selection.effective().filter(by_events).count() as u64, part.figures.effective)
}
