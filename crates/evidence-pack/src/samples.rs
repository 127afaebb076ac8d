//! Samples as they stand in `data/samples.jsonl`: those of measured stages first, each kind in its order, since the
//! schedule follows from that order.

use workload_model::{Sample, SampleSet};

/// The text of `samples.jsonl` for a sample set.
///
/// # Errors
/// Where a sample has no JSON form.
pub fn samples_to_text(set: &SampleSet) -> Result<String, serde_json::Error> {
    let flagged = |sample: &Sample, warm_up| Sample { warm_up, ..sample.clone() };
    let measured = set.measured.iter().map(|sample| flagged(sample, false));
    let warm_up = set.warm_up.iter().map(|sample| flagged(sample, true));
    measured.chain(warm_up).try_fold(String::new(), |mut text, sample| {
        text.push_str(&serde_json::to_string(&sample)?);
        text.push('\n');
        Ok(text)
    })
}

/// The sample set of such a text; an error is a line number, from 1, and what is wrong there.
pub(crate) fn samples_from_text(text: &str) -> Result<SampleSet, (u64, String)> {
    let mut set = SampleSet::default();
    for (number, line) in (1..).zip(text.lines()) {
        let sample: Sample = serde_json::from_str(line).map_err(|error| (number, error.to_string()))?;
        if sample.warm_up { &mut set.warm_up } else { &mut set.measured }.push(sample);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use workload_model::{Plan, Schedule, Target, builtin, sweep_plan};

    use super::*;

    #[test]
    fn the_built_in_samples_come_back_in_their_order() {
        let set = builtin();
        let back = samples_from_text(&samples_to_text(&set).unwrap()).unwrap();
        let target = Target {
            url: "http://h/v1".into(),
            model: "m".into(),
            service_version: None,
            backend: None,
            quantisation: None,
            hardware: None,
        };
        let plan: Plan = sweep_plan(target, &[1, 2], &[], 4);
        assert_eq!(Schedule::new(&plan, &back), Schedule::new(&plan, &set));
        assert_eq!(samples_to_text(&back).unwrap(), samples_to_text(&set).unwrap());
    }

    #[test]
    fn a_line_that_is_no_sample_is_named() {
        assert_eq!(samples_from_text("").unwrap(), SampleSet::default());
        let (line, reason) = samples_from_text("\n{}").unwrap_err();
        assert_eq!(line, 1);
        assert!(reason.contains("EOF"), "{reason}");
    }
}
