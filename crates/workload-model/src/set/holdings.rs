//! What a set holds.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use metrics_core::{Origin, six_decimals};
use serde::Serialize;
use serde_json::json;

use crate::{
    Sample, SampleSet,
    profile::{Quantiles, of_lengths},
};

/// Prefixes that samples share are told in steps of so many bytes of their messages.
pub const SHARED_STEP: usize = 256;

/// What a set holds, by group and in all.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Holdings {
    /// Groups, in the order of the set's facts, else in that of their names.
    pub groups: Vec<GroupHoldings>,
    /// All of them together.
    pub all: GroupHoldings,
}

/// What a set holds of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupHoldings {
    /// Its name; empty of all groups together.
    pub name: String,
    /// Samples.
    pub samples: u64,
    /// Of all samples, from 0 to 1.
    pub share: f64,
    /// As what they are counted, and how many.
    pub origins: BTreeMap<Origin, u64>,
    /// Tokens of inputs; `None` where none is known.
    pub input: Option<Quantiles>,
    /// Tokens of outputs; `None` where none is known.
    pub output: Option<Quantiles>,
    /// Tokens of all inputs that are known together.
    pub input_tokens: u64,
    /// Tokens of all outputs that are known together.
    pub output_tokens: u64,
    /// Conversations by their number of turns.
    pub conversations: BTreeMap<u32, u64>,
    /// The share of the messages' bytes, those of later turns left out, that stand in a prefix which an earlier sample of the set
    /// has as well, in steps of [`SHARED_STEP`]. A service can save them only where the set's openings are shared.
    pub shared_prefixes: f64,
    /// Samples whose messages an earlier sample has as well.
    pub duplicates: u64,
}

/// Looks through a set's measured samples.
#[must_use]
pub fn holdings(set: &SampleSet) -> Holdings {
    let present: BTreeSet<&str> = set.measured.iter().map(|sample| sample.group.as_str()).collect();
    let mut names: Vec<&str> = Vec::new();
    if let Some(facts) = &set.facts {
        names.extend(facts.groups.iter().map(|group| group.name.as_str()));
    }
    names.extend(present.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    let seen = texts(&set.measured);
    let all = set.measured.len() as u64;
    let of = |name: &str, takes: &dyn Fn(&Sample) -> bool| {
        let samples: Vec<(&Sample, &Text)> =
            set.measured.iter().zip(&seen).filter(|(sample, _)| takes(sample)).collect();
        group(name, &samples, all)
    };
    let groups = names.iter().map(|name| of(name, &|sample| sample.group == *name)).collect();
    Holdings { groups, all: of("", &|_| true) }
}

fn group(name: &str, samples: &[(&Sample, &Text)], all: u64) -> GroupHoldings {
    let mut origins = BTreeMap::new();
    let mut turns: BTreeMap<&str, u32> = BTreeMap::new();
    for (sample, _) in samples {
        *origins.entry(sample.counted_as()).or_default() += 1;
        if let Some(turn) = &sample.turn {
            *turns.entry(turn.session.as_str()).or_default() += 1;
        }
    }
    let mut conversations = BTreeMap::new();
    for turns in turns.into_values() {
        *conversations.entry(turns).or_default() += 1;
    }
    let known = |of: fn(&Sample) -> Option<u64>| samples.iter().filter_map(move |(sample, _)| of(sample));
    let tokens = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
    let input = |sample: &Sample| sample.lengths.input;
    let output = |sample: &Sample| sample.lengths.output;
    let bytes: u64 = samples.iter().map(|(_, text)| text.bytes).sum();
    let shared: u64 = samples.iter().map(|(_, text)| text.shared).sum();
    GroupHoldings {
        name: name.to_owned(),
        samples: samples.len() as u64,
        share: if all == 0 { 0.0 } else { six_decimals(samples.len() as f64 / all as f64) },
        origins,
        input: of_lengths(known(input).map(tokens).collect()),
        output: of_lengths(known(output).map(tokens).collect()),
        input_tokens: known(input).sum(),
        output_tokens: known(output).sum(),
        conversations,
        shared_prefixes: if bytes == 0 { 0.0 } else { six_decimals(shared as f64 / bytes as f64) },
        duplicates: samples.iter().filter(|(_, text)| text.again).count() as u64,
    }
}

/// How much of a sample's messages an earlier one has.
struct Text {
    bytes: u64,
    shared: u64,
    again: bool,
}

fn texts(samples: &[Sample]) -> Vec<Text> {
    let (mut prefixes, mut whole) = (HashSet::new(), HashSet::new());
    let text = |sample: &Sample| {
        let messages = json!(sample.messages).to_string();
        let mut hasher = DefaultHasher::new();
        let mut shared = 0;
        // Later turns have their conversation before them.
        let begins = sample.turn.as_ref().is_none_or(|turn| turn.number == 1);
        let steps = messages.as_bytes().chunks_exact(SHARED_STEP);
        for (step, bytes) in (1..).zip(steps.filter(|_| begins)) {
            bytes.hash(&mut hasher);
            if !prefixes.insert(hasher.finish()) && shared == (step - 1) * SHARED_STEP as u64 {
                shared = step * SHARED_STEP as u64;
            }
        }
        let mut hasher = DefaultHasher::new();
        messages.hash(&mut hasher);
        let bytes = if begins { messages.len() as u64 } else { 0 };
        Text { bytes, shared, again: !whole.insert(hasher.finish()) }
    };
    samples.iter().map(text).collect()
}
