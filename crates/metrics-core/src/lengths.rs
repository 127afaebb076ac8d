//! How long inputs and outputs were to be, and how long they were.

use serde::{Deserialize, Serialize};

use crate::{
    order_statistics::{Percent, percentile},
    population::Selection,
    quantity::{TokenSource, Tokens, six_decimals},
    record::Facts,
};

/// Asked and received lengths of a set of requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LengthFigures {
    /// Input tokens: what samples were made to have, and what the service counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<AskedAndReceived>,
    /// Output tokens: what was asked for (the most, or exactly as many), and what came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<AskedAndReceived>,
}

/// One kind of length, over the requests for which both counts are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedAndReceived {
    /// Requests.
    pub n: u64,
    /// Sum of what was asked for, in tokens.
    pub asked: u64,
    /// Sum of what was received.
    pub received: u64,
    /// Received over asked, request by request.
    pub ratio: LengthRatio,
}

/// Received over asked by nearest rank: 1 is as asked, above is longer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LengthRatio {
    /// Shortest against what was asked.
    pub min: f64,
    /// 5th percentile.
    pub p5: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Longest against what was asked.
    pub max: f64,
}

/// Over every answer that the service brought to its end, effective or not: one that is too short has missed its length
/// as well. `None` where no request was made to a length, and where no count came back.
pub(crate) fn lengths(selection: &Selection<'_, '_>) -> Option<LengthFigures> {
    let whole: Vec<&Facts> = selection
        .requests()
        .map(|request| &*request.facts)
        .filter(|facts| facts.ended.by_service() && facts.finish_reason.is_some())
        .collect();
    // An event may hold several tokens, so that a count of events is no length.
    let counted = |facts: &Facts| {
        facts.output_tokens.filter(|_| facts.token_source.is_some_and(|source| source != TokenSource::Events))
    };
    let input = compare(whole.iter().map(|facts| (facts.asked_input, facts.prompt_tokens)));
    let output = compare(whole.iter().map(|facts| (facts.asked_output, counted(facts))));
    (input.is_some() || output.is_some()).then_some(LengthFigures { input, output })
}

fn compare(pairs: impl Iterator<Item = (Option<Tokens>, Option<Tokens>)>) -> Option<AskedAndReceived> {
    let known: Vec<(u64, u64)> = pairs
        .filter_map(|(asked, received)| Some((asked?.0, received?.0)))
        .filter(|(asked, _)| *asked > 0)
        .collect();
    let mut ratios: Vec<f64> =
        known.iter().map(|(asked, received)| *received as f64 / *asked as f64).collect();
    ratios.sort_by(f64::total_cmp);
    let at = |percent| percentile(&ratios, percent).map(six_decimals);
    Some(AskedAndReceived {
        n: known.len() as u64,
        asked: known.iter().map(|(asked, _)| asked).sum(),
        received: known.iter().map(|(_, received)| received).sum(),
        ratio: LengthRatio {
            min: six_decimals(*ratios.first()?),
            p5: at(Percent::P5)?,
            p50: at(Percent::P50)?,
            p95: at(Percent::P95)?,
            max: six_decimals(*ratios.last()?),
        },
    })
}
