//! From rows to figures.
//!
//! [`summarize`] is a function: the same input gives the same bytes.

use std::collections::BTreeMap;

use crate::{
    aggregate::{Scope, aggregate, lower_bound, outcomes, share},
    calibration::Calibration,
    control::{PlannedControl, control},
    generator::{Part, generator},
    observed::{ClientSample, Event, Happening},
    origins::origins,
    outcome::SuccessRule,
    population::{Cell, Selection, distinct, settle},
    quantity::{Micros, Seconds},
    record::{Origin, Record},
    summary::{Figures, Group, Peak, RunFacts, SUMMARY_SCHEMA, Summary, Tier, Totals, Turn},
    warnings::warnings,
};

/// All that figures are made from.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    /// The run as a whole; `duration_s` is computed and may be `None` here.
    pub run: RunFacts,
    /// Digest of the evidence, to be carried into the summary.
    pub evidence_digest: String,
    /// What was scheduled, by stage, tier and group, in order.
    pub planned: &'a [PlannedCount],
    /// Which unmeasured stages are controls of the generator, and what is different in each; empty where none was made.
    pub controls: &'a [PlannedControl],
    /// The success rule of each group.
    pub rules: &'a BTreeMap<String, SuccessRule>,
    /// Every row of every stage.
    pub records: &'a [Record],
    /// The generator's own samples.
    pub client: &'a [ClientSample],
    /// What happened beside them.
    pub events: &'a [Event],
    /// The generator's own limits on its host; `None` where it was not calibrated.
    pub calibration: Option<&'a Calibration>,
    /// What else the figures must be read with.
    pub conditions: Conditions,
}

/// How many requests a stage, tier and group were given by the frozen schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedCount {
    /// Stage.
    pub stage: String,
    /// Tier within it.
    pub tier: Option<u32>,
    /// Group.
    pub group: String,
    /// Where the requests' shapes come from; `None` in older packages.
    pub origin: Option<Origin>,
    /// Requests.
    pub count: u64,
    /// Enters figures; a warm-up does not.
    pub measured: bool,
}

/// Circumstances that go with the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conditions {
    /// The service ran on the generator's host.
    pub co_located: bool,
    /// The client was built without optimisation.
    pub unoptimised: bool,
    /// The prompts differ from each other in their opening, so that cached input is not expected.
    pub unique_prompts: bool,
    /// A maximum or an exact output length was asked for, of all requests or of each by its sample.
    pub output_capped: bool,
    /// The service's certificate was not checked.
    pub insecure_tls: bool,
    /// Measured stages pause between an answer and the next request of its place in a closed loop, so that a tier is not full
    /// all the time.
    pub pauses: bool,
}

/// Computes every figure.
///
/// Rows are counted by their place in `planned`: one of an unmeasured stage, or of a stage, tier and group
/// that nobody planned, enters no figure but the run's duration. The tries of one request count as one, by
/// the last try, with the `due` of the first. A planned request without a row lowers success and has no
/// outcome. Without planned requests all counts are 0 and every figure is `None`.
///
/// `tiers` holds each concurrency once, in the order of `planned`, whatever its stages; `groups` likewise. Where there are
/// several groups, each tier has the figures of every group within it beside its own.
#[must_use]
pub fn summarize(input: &Input<'_>) -> Summary {
    let cells = settle(input);
    let parts = parts(&cells);
    let control = control(input, &parts);
    let client = generator(input, &parts, control.as_ref());
    let warnings = warnings(input, &parts, &client);
    let all = Selection::of(&cells, |_| true);
    let names = distinct(&cells, |cell| Some(cell.group));
    let groups = groups(&all, &all, None, &names);
    let several = if names.len() > 1 { &names[..] } else { &[] };
    let in_tier = |part: &Part<'_, '_>| self::groups(&part.selection, &part.selection, part.tier, several);
    let tiers: Vec<Tier> = parts
        .into_iter()
        .filter_map(|part| {
            Some(Tier { concurrency: part.tier?, groups: in_tier(&part), figures: part.figures })
        })
        .collect();
    Summary {
        schema: SUMMARY_SCHEMA.to_owned(),
        evidence_digest: input.evidence_digest.clone(),
        run: RunFacts {
            duration_s: last_instant(input).map(Seconds::from),
            interrupted: was_cut_short(input),
            ..input.run.clone()
        },
        totals: totals(&all),
        peak: peak(&tiers),
        tiers,
        groups,
        turns: turns(&all, several),
        client,
        control,
        warnings,
    }
}

/// The figures of each group that has requests among these, whose rates are within a whole.
fn groups(
    among: &Selection<'_, '_>,
    whole: &Selection<'_, '_>,
    tier: Option<u32>,
    names: &[&str],
) -> Vec<Group> {
    let parts = names.iter().map(|name| (name, among.only(|cell| cell.group == *name)));
    parts
        .filter(|(_, part)| part.cells().next().is_some())
        .map(|(name, part)| Group {
            name: (*name).to_owned(),
            figures: aggregate(&part, Scope::within(whole, tier, &part)),
        })
        .collect()
}

/// The figures of each turn of conversations, and of each of these groups within it; the last stands for all later ones.
fn turns(all: &Selection<'_, '_>, names: &[&str]) -> Vec<Turn> {
    let number = |cell: &Cell<'_>| Some(cell.turn?.min(Turn::LAST));
    let mut numbers: Vec<u32> = all.cells().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let turns = numbers.into_iter().map(|turn| {
        let part = all.only(|cell| number(cell) == Some(turn));
        let figures = aggregate(&part, Scope::within(all, None, &part));
        Turn { turn, figures, groups: groups(&part, all, None, names) }
    });
    turns.collect()
}

/// What the generator's limits and the warnings are judged by: every tier, then every stage without tiers.
fn parts<'c, 'a>(cells: &'c [Cell<'a>]) -> Vec<Part<'c, 'a>> {
    let part = |tier: Option<u32>, selection| {
        let scope = tier.map_or(Scope::Whole, Scope::Tier);
        Part { tier, figures: aggregate(&selection, scope), selection }
    };
    let tiers = distinct(cells, |cell| cell.tier)
        .into_iter()
        .map(|tier| part(Some(tier), Selection::of(cells, |cell| cell.tier == Some(tier))));
    let stages = distinct(cells, |cell| cell.tier.is_none().then_some(cell.stage))
        .into_iter()
        .map(|stage| part(None, Selection::of(cells, |cell| cell.tier.is_none() && cell.stage == stage)));
    tiers.chain(stages).collect()
}

fn totals(all: &Selection<'_, '_>) -> Totals {
    let planned = all.planned();
    let effective = all.effective().count() as u64;
    Totals {
        planned,
        sent: all.requests().filter(|request| request.was_sent()).count() as u64,
        finished: all.requests().filter(|request| request.finished).count() as u64,
        effective,
        success_rate: share(effective, planned),
        success_rate_low: lower_bound(effective, planned),
        outcomes: outcomes(all),
        origins: origins(all),
    }
}

/// The first of equal tiers, which is the lower load where they ran upwards.
fn peak(tiers: &[Tier]) -> Peak {
    let highest = |rate: fn(&Figures) -> Option<f64>| {
        let rates = tiers.iter().filter_map(|tier| Some((rate(&tier.figures)?, tier.concurrency)));
        rates.reduce(|best, next| if next.0 > best.0 { next } else { best }).unzip()
    };
    let (output_tps, output_tps_tier) = highest(|figures| figures.output_tps);
    let (total_tps, total_tps_tier) = highest(|figures| figures.total_tps);
    Peak { output_tps, output_tps_tier, total_tps, total_tps_tier }
}

/// The last instant of any row, sample or event; `None` where there is none of them.
fn last_instant(input: &Input<'_>) -> Option<Micros> {
    let rows = input.records.iter().filter_map(|record| record.facts.end);
    let samples = input.client.iter().map(|sample| sample.at);
    rows.chain(samples).chain(input.events.iter().map(|event| event.at)).max()
}

pub(crate) fn was_cut_short(input: &Input<'_>) -> bool {
    input.run.interrupted || input.events.iter().any(|event| matches!(event.what, Happening::Stopped { .. }))
}
