//! Schedules: order, arrivals, pauses, conversations and openings, and what is said of plans and sets that give none.

mod checks;
mod files;
mod loads;
mod orders;

use workload_model::{
    DrawnFrom, Group, Openings, Plan, Sample, SampleSet, SetFacts, SetGroup, SetSource, SizedBy, Sizing,
    Slot, Stage, StageKind, Target, Turn,
    profile::{Origin, Terms},
    sweep_plan,
};

/// A plan of these stages over groups of these names.
pub(crate) fn plan(groups: &[&str], stages: Vec<Stage>) -> Plan {
    let target = Target {
        url: "http://10.0.0.5:8000/v1".into(),
        model: "m".into(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    };
    let group = groups.iter().map(|name| Group::new(name)).collect();
    Plan { group, stage: stages, ..sweep_plan(target, &[1], &[], 0) }
}

pub(crate) fn closed(name: &str, concurrency: &[u32], requests: u64) -> Stage {
    Stage::closed(name, StageKind::Step, concurrency.to_vec(), vec![requests])
}

pub(crate) fn open(name: &str, rate: f64, requests: u64) -> Stage {
    Stage { rate: Some(rate), ..closed(name, &[], requests) }
}

pub(crate) fn sample(id: &str, group: &str) -> Sample {
    let message = serde_json::json!({ "role": "user", "content": "text" });
    let message = message.as_object().expect("an object").clone();
    Sample { group: group.to_owned(), ..Sample::new(id.to_owned(), vec![message]) }
}

/// `session`'s turn of that number, a second after the answer before.
pub(crate) fn turn(group: &str, session: &str, number: u32) -> Sample {
    let think_us = if number == 1 { 0 } else { 1_000_000 };
    let turn = Some(Turn { session: session.to_owned(), number, think_us });
    Sample { turn, ..sample(&format!("{session}.{number}"), group) }
}

/// Samples `NAME1`, `NAME2` and so on of each group.
pub(crate) fn set(groups: &[(&str, u32)]) -> SampleSet {
    let of_group = |(name, count): &(&str, u32)| {
        let name = (*name).to_owned();
        (1..=*count).map(move |number| sample(&format!("{name}{number}"), &name))
    };
    SampleSet { measured: groups.iter().flat_map(of_group).collect(), warm_up: Vec::new(), facts: None }
}

pub(crate) fn facts(set: &SampleSet, openings: Openings, shares: &[(&str, f64)]) -> SetFacts {
    let group = |(name, share): &(&str, f64)| SetGroup {
        name: (*name).to_owned(),
        origin: Origin::Real,
        rule: String::new(),
        samples: 1,
        share: *share,
        by: None,
        basis: None,
        terms: Terms::default(),
    };
    SetFacts {
        format: 1,
        made_by: "test".into(),
        synthesis: None,
        name: "test".into(),
        samples_sha256: set.digest(),
        seed: 1,
        source: SetSource {
            drawn_from: DrawnFrom::Rows,
            profile_sha256: String::new(),
            profile: String::new(),
            from: None,
            until: None,
            rows: 0,
        },
        sizing: Sizing {
            by: SizedBy::Nothing,
            counter: None,
            sha256: None,
            added_tokens: 0,
            counted: 0,
            worst_error: None,
        },
        openings,
        retain_until: None,
        groups: shares.iter().map(group).collect(),
    }
}

/// Ids of samples, in order.
pub(crate) fn ids(slots: &[Slot]) -> Vec<&str> {
    slots.iter().map(|slot| &*slot.sample).collect()
}
