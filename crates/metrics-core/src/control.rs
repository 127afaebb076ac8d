//! The control: the highest tier once more with a client that has more threads, or that records less.
//!
//! A closed loop is as fast as its answers come back. Where a client with more to work with gets them back sooner, the
//! client may have held them up, and the tier proves no limit of the service. Both runs send the same prompts in the same order,
//! so that the i-th request of one is compared with the i-th of the other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    aggregate::outcomes,
    binomial::at_least,
    figures::Input,
    generator::Part,
    outcome::Outcome,
    population::{Selection, Settled, settle_where},
    quantity::{Seconds, six_decimals},
    record::Facts,
    summary::{ClientLimit, LimitHit},
    throughput::{per_second, sum_over_effective, window},
};

/// Growth over the highest tier up to which a control has not grown.
pub const CONTROL_GROWTH: f64 = 1.05;

/// The error that is accepted of each comparison, on one side: a run has two controls with two measures each, any of which
/// may say that it grew, and all four together err in at most 5 %.
const ALPHA: f64 = 0.0125;

/// Share of planned requests that must be effective in both runs for them to be compared.
pub const CONTROL_COMPARABLE: f64 = 0.95;

/// A control stage of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedControl {
    /// Its stage.
    pub stage: String,
    /// The measured tier that it repeats.
    pub tier: u32,
    /// What is different.
    pub change: ControlChange,
}

/// What is different in a control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlChange {
    /// Threads that read sockets; `None`: as many as before.
    pub io_threads: Option<u32>,
    /// Neither the instants of single reads nor the text are recorded.
    pub reduced_recording: bool,
}

/// A tier and its controls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ControlFigures {
    /// The measured tier that was repeated.
    pub tier: u32,
    /// The tier itself.
    pub baseline: ControlRates,
    /// Its repetitions, in the order in which they ran.
    pub controls: Vec<Control>,
}

/// What came of a tier, or of its repetition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ControlRates {
    /// Scheduled.
    pub planned: u64,
    /// Begun: a connection was tried or a byte was sent.
    pub sent: u64,
    /// Settled.
    pub finished: u64,
    /// Whole answers in time.
    pub effective: u64,
    /// How many ended how.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// First due to last end.
    pub window_s: Option<Seconds>,
    /// Arrivals at the service: requests sent per second of the window.
    pub arrivals_per_s: Option<f64>,
    /// Token events per second of the window.
    pub events_per_s: Option<f64>,
    /// Output tokens of effective requests per second of the window.
    pub output_tps: Option<f64>,
}

/// A repetition, and how it compares with the tier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// Its stage.
    pub stage: String,
    /// What was different.
    #[serde(flatten)]
    pub change: ControlChange,
    /// What came of it.
    #[serde(flatten)]
    pub rates: ControlRates,
    /// Arrivals per second over those of the tier.
    pub arrivals_ratio: Option<f64>,
    /// Output tokens per second over those of the tier.
    pub output_ratio: Option<f64>,
    /// Requests that were effective in both, and were compared one by one.
    pub pairs: u64,
    /// Whether it grew.
    pub result: ControlResult,
    /// The larger of the ratios that grew; `None` where none did.
    pub growth: Option<f64>,
}

/// Whether a control grew over its tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlResult {
    /// Arrivals or output grew by more than 5 %, and by more than chance: the client cannot be excluded as the bottleneck of
    /// the tier.
    Grew,
    /// Neither grew by more than 5 %, and chance does not explain that they did not.
    NotGrown,
    /// Chance may explain either, or too many requests failed.
    NotToldApart,
    /// The tier or its repetition did not run to its end.
    NotFinished,
}

impl ControlFigures {
    /// The largest growth, where any control grew.
    pub(crate) fn limit_hit(&self) -> Option<LimitHit> {
        let growth = self.controls.iter().filter_map(|control| control.growth);
        Some(LimitHit {
            limit: ClientLimit::Control,
            tier: Some(self.tier),
            observed: growth.max_by(f64::total_cmp)?,
            allowed: CONTROL_GROWTH,
            inter_event_only: false,
        })
    }
}

/// Compares the controls of a run with the tier that they repeat; `None` where none was planned for a measured tier.
pub(crate) fn control(input: &Input<'_>, parts: &[Part<'_, '_>]) -> Option<ControlFigures> {
    let tier = input.controls.first()?.tier;
    let baseline = &parts.iter().find(|part| part.tier == Some(tier))?.selection;
    let rates_before = rates(baseline);
    let controls = input.controls.iter().filter(|control| control.tier == tier).map(|planned| {
        let cells = settle_where(input, |count| count.stage == planned.stage);
        compare(planned, (baseline, &rates_before), &Selection::of(&cells, |_| true))
    });
    let controls = controls.collect();
    Some(ControlFigures { tier, baseline: rates_before, controls })
}

fn compare(
    planned: &PlannedControl,
    (baseline, before): (&Selection<'_, '_>, &ControlRates),
    repeated: &Selection<'_, '_>,
) -> Control {
    let after = rates(repeated);
    let pairs: Vec<(&Facts, &Facts)> = in_order(baseline)
        .into_iter()
        .zip(in_order(repeated))
        .filter(|(one, other)| is_effective(one) && is_effective(other))
        .map(|(one, other)| (&*one.facts, &*other.facts))
        .collect();
    let ratio = |before: Option<f64>, after: Option<f64>| {
        Some(six_decimals(after? / before.filter(|rate| *rate > 0.0)?))
    };
    let arrivals_ratio = ratio(before.arrivals_per_s, after.arrivals_per_s);
    let output_ratio = ratio(before.output_tps, after.output_tps);
    let finished = |rates: &ControlRates| rates.planned > 0 && rates.finished == rates.planned;
    let comparable = pairs.len() as f64 >= CONTROL_COMPARABLE * before.planned.max(after.planned) as f64;
    let measures = [
        Measure::of(arrivals_ratio, &pairs, round_s),
        Measure::of(output_ratio, &pairs, |facts| Some(round_s(facts)? / facts.output_tokens?.0 as f64)),
    ];
    let result = if !(finished(before) && finished(&after)) {
        ControlResult::NotFinished
    } else if comparable {
        verdict(&measures)
    } else {
        ControlResult::NotToldApart
    };
    let grown = measures.iter().filter(|measure| measure.grew()).map(|measure| measure.ratio);
    let growth = grown.max_by(f64::total_cmp).filter(|_| result == ControlResult::Grew);
    Control {
        stage: planned.stage.clone(),
        change: planned.change,
        rates: after,
        arrivals_ratio,
        output_ratio,
        pairs: pairs.len() as u64,
        result,
        growth,
    }
}

/// In the order of the schedule, which is the same in both.
fn in_order<'c, 'a>(selection: &Selection<'c, 'a>) -> Vec<&'c Settled<'a>> {
    let mut requests: Vec<_> = selection.requests().collect();
    requests.sort_by_key(|request| request.seq);
    requests
}

fn is_effective(request: &Settled<'_>) -> bool {
    request.outcome == Outcome::Effective
}

/// How long a request kept its place: C places are through with so many a second as this is short.
fn round_s(facts: &Facts) -> Option<f64> {
    facts.e2e().map(|time| time.as_secs_f64()).filter(|time| *time > 0.0)
}

/// A rate of two runs, and what its pairs of requests say: how many of them were faster by how much.
#[derive(Debug, Clone, Copy)]
struct Measure {
    ratio: f64,
    pairs: u64,
    /// Faster in the control at all.
    faster: u64,
    /// Not faster by more than is allowed.
    within: u64,
}

impl Measure {
    /// `time` is what is the shorter, the higher the rate. Without a ratio nothing is said: it stays at 1, with no pair.
    fn of(ratio: Option<f64>, pairs: &[(&Facts, &Facts)], time: impl Fn(&Facts) -> Option<f64>) -> Self {
        let Some(ratio) = ratio else { return Self { ratio: 1.0, pairs: 0, faster: 0, within: 0 } };
        let gains = pairs.iter().filter_map(|(before, after)| Some(time(before)? / time(after)?));
        let gains: Vec<f64> = gains.filter(|gain| gain.is_finite()).collect();
        Self {
            ratio,
            pairs: gains.len() as u64,
            faster: gains.iter().filter(|gain| **gain > 1.0).count() as u64,
            within: gains.iter().filter(|gain| **gain <= CONTROL_GROWTH).count() as u64,
        }
    }

    /// The rate grew, and if a pair were as likely slower as faster, so many would hardly be faster.
    fn grew(self) -> bool {
        self.ratio > CONTROL_GROWTH && at_least(self.pairs, 0.5, self.faster) <= ALPHA
    }

    /// If a pair were as likely beyond what is allowed as within, so many would hardly be within.
    fn did_not_grow(self) -> bool {
        at_least(self.pairs, 0.5, self.within) <= ALPHA
    }
}

fn verdict(measures: &[Measure]) -> ControlResult {
    if measures.iter().any(|measure| measure.grew()) {
        ControlResult::Grew
    } else if measures.iter().all(|measure| measure.ratio <= CONTROL_GROWTH)
        && measures.iter().any(|measure| measure.pairs > 0)
        && measures.iter().filter(|measure| measure.pairs > 0).all(|measure| measure.did_not_grow())
    {
        ControlResult::NotGrown
    } else {
        ControlResult::NotToldApart
    }
}

fn rates(selection: &Selection<'_, '_>) -> ControlRates {
    let window = window(selection);
    let sent = || selection.requests().filter(|request| request.was_sent());
    let events = sent().map(|request| request.facts.token_events).sum();
    let tokens = sum_over_effective(selection, |facts| facts.output_tokens.map(|tokens| tokens.0));
    ControlRates {
        planned: selection.planned(),
        sent: sent().count() as u64,
        finished: selection.requests().filter(|request| request.finished).count() as u64,
        effective: selection.effective().count() as u64,
        outcomes: outcomes(selection),
        window_s: window.map(Seconds::from),
        arrivals_per_s: per_second(sent().count() as u64, window),
        events_per_s: per_second(events, window),
        output_tps: tokens.and_then(|tokens| per_second(tokens, window)),
    }
}
