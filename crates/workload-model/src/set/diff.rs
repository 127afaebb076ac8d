//! How two sets differ.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{GroupHoldings, holdings};
use crate::{Sample, SampleSet, SetFacts};

/// How a set differs from another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetDiff {
    /// What is known of both and differs.
    pub facts: Vec<FactDiff>,
    /// Ids of samples that only the first has, in its order.
    pub only_first: Vec<String>,
    /// Ids of samples that only the second has, in its order.
    pub only_second: Vec<String>,
    /// Samples that both have, alike in everything.
    pub same: u64,
    /// Ids of samples that both have with other messages, in the order of the first.
    pub other_messages: Vec<String>,
    /// Ids of samples that both have with the same messages, but another group, length, turn or arrival.
    pub other_facts: Vec<String>,
    /// Samples that both have stand in the same order.
    pub same_order: bool,
    /// Groups of either, side by side.
    pub groups: Vec<GroupDiff>,
}

/// Something known of both sets that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactDiff {
    /// What, by its key in `sample-set.json`.
    pub what: &'static str,
    /// What the first says.
    pub first: String,
    /// What the second says.
    pub second: String,
}

/// A group of two sets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupDiff {
    /// Its name.
    pub name: String,
    /// What the first holds of it; `None` where it has no such group.
    pub first: Option<GroupHoldings>,
    /// What the second holds of it.
    pub second: Option<GroupHoldings>,
}

impl SetDiff {
    /// Both send the same requests in the same order, whatever is said of them.
    #[must_use]
    pub fn sends_the_same(&self) -> bool {
        let others = [&self.only_first, &self.only_second, &self.other_messages, &self.other_facts];
        self.same_order && others.iter().all(|others| others.is_empty())
    }
}

/// Compares the measured samples of two sets, and what is known of them.
#[must_use]
pub fn diff(first: &SampleSet, second: &SampleSet) -> SetDiff {
    let index = |set: &'_ SampleSet| -> BTreeMap<String, usize> {
        set.measured.iter().enumerate().map(|(at, sample)| (sample.id.clone(), at)).collect()
    };
    let (of_first, of_second) = (index(first), index(second));
    let missing = |set: &SampleSet, other: &BTreeMap<String, usize>| -> Vec<String> {
        let missing = set.measured.iter().filter(|sample| !other.contains_key(&sample.id));
        missing.map(|sample| sample.id.clone()).collect()
    };
    let both: Vec<(&Sample, usize)> = first
        .measured
        .iter()
        .filter_map(|sample| of_second.get(&sample.id).map(|at| (sample, *at)))
        .collect();
    let (mut same, mut other_messages, mut other_facts) = (0, Vec::new(), Vec::new());
    for (sample, at) in &both {
        let other = &second.measured[*at];
        match () {
            () if sample.messages != other.messages => other_messages.push(sample.id.clone()),
            () if *sample != other => other_facts.push(sample.id.clone()),
            () => same += 1,
        }
    }
    SetDiff {
        facts: facts(first.facts.as_ref(), second.facts.as_ref()),
        only_first: missing(first, &of_second),
        only_second: missing(second, &of_first),
        same,
        other_messages,
        other_facts,
        same_order: both.is_sorted_by_key(|(_, at)| *at),
        groups: groups(first, second),
    }
}

fn groups(first: &SampleSet, second: &SampleSet) -> Vec<GroupDiff> {
    let (first, mut second) = (holdings(first).groups, holdings(second).groups);
    let mut groups: Vec<GroupDiff> = first
        .into_iter()
        .map(|group| {
            let other = second.iter().position(|other| other.name == group.name);
            let other = other.map(|at| second.remove(at));
            GroupDiff { name: group.name.clone(), first: Some(group), second: other }
        })
        .collect();
    let only =
        |group: GroupHoldings| GroupDiff { name: group.name.clone(), first: None, second: Some(group) };
    groups.extend(second.into_iter().map(only));
    groups
}

/// What is known of a set, but for its groups, by key.
fn known(facts: &SetFacts) -> Vec<(&'static str, String)> {
    vec![
        ("made_by", facts.made_by.clone()),
        ("synthesis", text(&facts.synthesis)),
        ("name", facts.name.clone()),
        ("samples_sha256", facts.samples_sha256.clone()),
        ("seed", facts.seed.to_string()),
        ("drawn_from", text(&facts.source.drawn_from)),
        ("profile", facts.source.profile.clone()),
        ("profile_sha256", facts.source.profile_sha256.clone()),
        ("from", text(&facts.source.from)),
        ("until", text(&facts.source.until)),
        ("rows", facts.source.rows.to_string()),
        ("sizing.by", text(&facts.sizing.by)),
        ("sizing.counter", text(&facts.sizing.counter)),
        ("sizing.sha256", text(&facts.sizing.sha256)),
        ("sizing.added_tokens", facts.sizing.added_tokens.to_string()),
        ("openings", text(&facts.openings)),
        ("retain_until", text(&facts.retain_until)),
    ]
}

/// A value in the word that files use; empty where there is none.
fn text(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(serde_json::Value::Null) | Err(_) => String::new(),
        Ok(other) => other.to_string(),
    }
}

fn facts(first: Option<&SetFacts>, second: Option<&SetFacts>) -> Vec<FactDiff> {
    let (Some(first), Some(second)) = (first, second) else { return Vec::new() };
    let pairs = known(first).into_iter().zip(known(second));
    let differ = pairs.filter(|((_, first), (_, second))| first != second);
    differ.map(|((what, first), (_, second))| FactDiff { what, first, second }).collect()
}
