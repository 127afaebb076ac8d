//! From rows to figures.
//!
//! [`summarize`] is a function: the same input gives the same bytes.

use std::collections::BTreeMap;

use crate::{
    observed::{ClientSample, Event},
    outcome::SuccessRule,
    record::Record,
    summary::{RunFacts, Summary},
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
    /// The success rule of each group.
    pub rules: &'a BTreeMap<String, SuccessRule>,
    /// Every row of every stage.
    pub records: &'a [Record],
    /// The generator's own samples.
    pub client: &'a [ClientSample],
    /// What happened beside them.
    pub events: &'a [Event],
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
    /// A maximum output length was asked for.
    pub output_capped: bool,
}

/// Computes every figure.
#[must_use]
pub fn summarize(input: &Input<'_>) -> Summary {
    let _ = input;
    unimplemented!()
}
