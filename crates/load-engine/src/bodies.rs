//! What is made of samples before the first request: between due and sent there is time for an opening only.

use std::collections::{BTreeMap, BTreeSet};

use workload_model::{Sample, Template};

use crate::{facts::Lengths, run::Job};

/// A sample made ready.
#[derive(Debug)]
pub(crate) struct Ready {
    /// The body of its requests, but for their openings.
    pub(crate) template: Template,
    /// The lengths that they ask for.
    pub(crate) asked: Lengths,
}

/// Every sample that a schedule sends, by its id.
pub(crate) type Bodies = BTreeMap<String, Ready>;

/// Makes all of a job.
pub(crate) fn bodies(job: &Job) -> Bodies {
    let samples = job.samples.measured.iter().chain(&job.samples.warm_up);
    let samples: BTreeMap<&str, &Sample> = samples.map(|sample| (sample.id.as_str(), sample)).collect();
    let sent: BTreeSet<&str> = job.schedule.slots.iter().map(|slot| &*slot.sample).collect();
    let (model, shape) = (&job.plan.target.model, &job.plan.request);
    let ready = |id: &str| {
        let sample = samples.get(id).expect("a schedule names samples of its own set");
        let template = Template::new(sample, model, shape);
        (id.to_owned(), Ready { template, asked: Lengths::of(sample, shape) })
    };
    sent.into_iter().map(ready).collect()
}
