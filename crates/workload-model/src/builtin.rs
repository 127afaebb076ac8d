//! The built-in prompts: written for this project, in Chinese and English, of several lengths.

use crate::sample::{Sample, SampleSet};

const PROMPTS: &str = include_str!("../prompts/builtin.jsonl");

/// The built-in set: twenty prompts (so that every standard tier is a whole number of rounds through them) and
/// eight others for the warm-up.
#[must_use]
pub fn builtin() -> SampleSet {
    let (warm_up, measured) = read().partition(|sample| sample.warm_up);
    SampleSet { measured, warm_up, facts: None }
}

pub(crate) fn warm_up() -> Vec<Sample> {
    read().filter(|sample| sample.warm_up).collect()
}

fn read() -> impl Iterator<Item = Sample> {
    let sample = |line| serde_json::from_str(line).expect("every built-in line is a sample");
    PROMPTS.lines().map(sample)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn twenty_to_measure_and_eight_to_warm_up_under_unique_ids() {
        let set = builtin();
        assert_eq!((set.measured.len(), set.warm_up.len()), (20, 8));
        let ids: BTreeSet<_> = set.measured.iter().chain(&set.warm_up).map(|sample| &sample.id).collect();
        assert_eq!(ids.len(), 28);
    }

    #[test]
    fn half_are_chinese() {
        let chinese = builtin().measured.iter().filter(|sample| sample.id.starts_with("zh-")).count();
        assert_eq!(chinese, 10);
    }
}
