//! What is known of a set that was drawn.

use super::{Drawing, writing::Want};
use crate::{
    DrawnFrom, Openings, SET_FORMAT, Sample, SampleSet, SetFacts, SetGroup, SetSource, SizedBy, Sizing,
    builtin,
    profile::{Profile, ProfileGroup},
    synthesis,
};

/// What a set was made of, beside profile and drawing.
pub(super) struct Made {
    pub(super) drawn_from: DrawnFrom,
    /// Rows that could have been drawn.
    pub(super) rows: u64,
    /// Of each group what could have been drawn, in the order of the profile; not brought to 1.
    pub(super) weights: Vec<f64>,
    pub(super) openings: Openings,
    pub(super) sizing: Sizing,
    pub(super) retain_until: Option<String>,
}

/// The set of these samples.
pub(super) fn set(profile: &Profile, drawing: &Drawing, made: Made, samples: Vec<Sample>) -> SampleSet {
    let mut set = SampleSet { measured: samples, ..SampleSet::default() };
    let instant = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let period = &profile.source.period;
    set.facts = Some(SetFacts {
        format: SET_FORMAT,
        made_by: drawing.made_by.clone(),
        synthesis: (made.drawn_from != DrawnFrom::Text).then_some(synthesis::VERSION),
        name: drawing.name.clone(),
        samples_sha256: set.digest(),
        seed: drawing.seed,
        source: SetSource {
            drawn_from: made.drawn_from,
            profile_sha256: profile.digest(),
            profile: profile.name.clone(),
            from: instant(&period.from),
            until: instant(&period.until),
            rows: made.rows,
        },
        sizing: made.sizing,
        openings: made.openings,
        retain_until: made.retain_until,
        groups: groups(profile, made.drawn_from, &made.weights, &set.measured),
    });
    set.warm_up = builtin::warm_up();
    set
}

impl DrawnFrom {
    /// Samples drawn in this way may be of this group: there are no rows of an assumed one.
    pub(crate) fn draws(self, group: &ProfileGroup) -> bool {
        self == Self::Profile || group.assumed.is_none()
    }
}

fn groups(profile: &Profile, drawn_from: DrawnFrom, weights: &[f64], samples: &[Sample]) -> Vec<SetGroup> {
    let mut counts = std::collections::BTreeMap::new();
    for sample in samples {
        *counts.entry(sample.group.as_str()).or_insert(0_u64) += 1;
    }
    let all: f64 = weights.iter().sum();
    let group = |(group, weight): (&ProfileGroup, &f64)| SetGroup {
        name: group.name.clone(),
        origin: group.origin,
        rule: group.rule.clone(),
        samples: counts.get(group.name.as_str()).copied().unwrap_or(0),
        share: metrics_core::six_decimals(if all > 0.0 { weight / all } else { 0.0 }),
        by: group.assumed.as_ref().map(|shape| shape.by.clone()),
        basis: group.assumed.as_ref().map(|shape| shape.basis.clone()),
        terms: group.terms.clone(),
    };
    let groups = profile.groups.iter().zip(weights);
    groups.filter(|(group, _)| drawn_from.draws(group)).map(group).collect()
}

/// How nothing was sized.
pub(super) fn unsized_texts() -> Sizing {
    Sizing {
        by: SizedBy::Nothing,
        counter: None,
        sha256: None,
        added_tokens: 0,
        counted: 0,
        worst_error: None,
    }
}

/// The name of the conversation of this number.
pub(super) fn conversation(number: u64) -> String {
    format!("c{number}")
}

impl Want {
    /// A request of its own.
    pub(super) fn single(group: usize, input: u64, output: Option<u64>) -> Self {
        Self { group, input, output, turn: None, arrival_us: None, blocks: Vec::new() }
    }
}
