//! From a plan and samples to the schedule.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use super::{
    order::{Interleaved, Pick, in_order, weights},
    slot::{Schedule, Slot, SlotTurn},
    units::Units,
};
use crate::{
    arrival::{Trace, instants},
    plan::Plan,
    random::Stream,
    sample::{Sample, SampleSet, Turn},
    set_facts::Openings,
    stage::{Arrival, Pause, Stage, StageKind},
};

impl Schedule {
    /// Lays out a plan. The same plan and samples always give the same schedule, as the [module](crate::schedule) says.
    ///
    /// It takes 128 bytes a request. A set without samples for a stage leaves that stage empty, and so do recorded
    /// arrivals that a set does not have: see [`Plan::check_samples`].
    #[must_use]
    pub fn new(plan: &Plan, set: &SampleSet) -> Self {
        let shared = set.facts.as_ref().is_some_and(|facts| facts.openings == Openings::Shared);
        let measured = Kind::of(&set.measured, |units| weights(plan, set, units));
        let warm_up = Kind::of(&set.warm_up, |_| Vec::new());
        let requests = plan.stage.iter().flat_map(Stage::loads).map(|(_, requests)| requests);
        let requests = usize::try_from(requests.fold(0, u64::saturating_add)).unwrap_or(usize::MAX);
        let mut slots = Vec::with_capacity(requests.min(1 << 20));
        for stage in &plan.stage {
            let kind = if stage.kind == StageKind::WarmUp { &warm_up } else { &measured };
            let stage = Layout { plan, stage, kind, shared, name: stage.name.as_str().into() };
            stage.lay_out(&mut slots);
        }
        Self { slots }
    }
}

/// The samples that stages of a kind send.
struct Kind<'s> {
    samples: &'s [Sample],
    units: Units,
    weights: Vec<f64>,
    ids: Vec<Arc<str>>,
    groups: Vec<Arc<str>>,
}

impl<'s> Kind<'s> {
    fn of(samples: &'s [Sample], weights: impl Fn(&Units) -> Vec<f64>) -> Self {
        let units = Units::of(samples);
        let mut names: BTreeMap<&str, Arc<str>> = BTreeMap::new();
        let groups = samples.iter().map(|sample| {
            Arc::clone(names.entry(&sample.group).or_insert_with(|| sample.group.as_str().into()))
        });
        let groups = groups.collect();
        let ids = samples.iter().map(|sample| sample.id.as_str().into()).collect();
        Self { samples, weights: weights(&units), units, ids, groups }
    }
}

/// A unit with the instant at which it is due, and what its opening is shared by.
struct Due {
    unit: usize,
    due_us: Option<u64>,
    round: (u64, u64),
}

impl Due {
    fn of(Pick { unit, round }: Pick, due_us: Option<u64>) -> Self {
        Self { unit, due_us, round: (round, 0) }
    }
}

struct Layout<'p> {
    plan: &'p Plan,
    stage: &'p Stage,
    kind: &'p Kind<'p>,
    shared: bool,
    name: Arc<str>,
}

impl Layout<'_> {
    fn lay_out(&self, slots: &mut Vec<Slot>) {
        for (tier, requests) in self.stage.loads() {
            let end = slots.len().saturating_add(usize::try_from(requests).unwrap_or(usize::MAX));
            // The same pauses in every step.
            let mut pauses = self.stream("pauses");
            // By round, the number of its first request.
            let mut rounds: BTreeMap<(u64, u64), u64> = BTreeMap::new();
            for due in self.dues() {
                if slots.len() >= end {
                    break;
                }
                let first = slots.len() as u64;
                let opening = match rounds.entry(due.round) {
                    _ if !self.shared => first,
                    Entry::Occupied(round) => *round.get(),
                    Entry::Vacant(round) => *round.insert(first),
                };
                let pause_us = pause_us(self.stage.think, &mut pauses);
                self.unit(&due, opening, pause_us, tier, end, slots);
            }
        }
    }

    /// Units in the order in which they are sent, without an end where there are any.
    fn dues(&self) -> Box<dyn Iterator<Item = Due> + '_> {
        let units = &self.kind.units;
        let picks: Box<dyn Iterator<Item = Pick> + '_> = match self.stage.kind {
            _ if units.len() == 0 => return Box::new(std::iter::empty()),
            StageKind::WarmUp => Box::new(in_order(units)),
            StageKind::Step | StageKind::Control => {
                Box::new(Interleaved::new(units, self.kind.weights.clone()))
            }
        };
        match self.stage.process() {
            None => Box::new(picks.map(|pick| Due::of(pick, None))),
            Some(Arrival::Trace { scale }) => {
                let recorded: Option<Vec<u64>> =
                    units.firsts().map(|place| self.kind.samples[place].arrival_us).collect();
                let stream = self.stream("arrivals");
                let trace = recorded.and_then(|at| Trace::new(&at, scale, self.stage.rate, stream));
                Box::new(trace.into_iter().flatten().map(|arrival| Due {
                    unit: arrival.place,
                    due_us: Some(arrival.due_us),
                    round: (arrival.round, arrival.copy),
                }))
            }
            Some(arrival) => {
                let rate = self.stage.rate.unwrap_or(0.0);
                let dues = instants(&arrival, rate, self.stream("arrivals")).filter(|_| rate > 0.0);
                let dues = dues.into_iter().flatten();
                Box::new(picks.zip(dues).map(|(pick, due_us)| Due::of(pick, Some(due_us))))
            }
        }
    }

    /// Appends the turns of a unit for which there is room.
    fn unit(
        &self,
        due: &Due,
        opening: u64,
        pause_us: u64,
        tier: Option<u32>,
        end: usize,
        slots: &mut Vec<Slot>,
    ) {
        let room = end - slots.len();
        for (turn, place) in self.kind.units.places(due.unit).iter().take(room).enumerate() {
            let sample = &self.kind.samples[*place];
            let seq = slots.len() as u64;
            let of_turn = sample.turn.as_ref();
            let (due_us, pause_us) = match of_turn {
                Some(turned) if turn > 0 => (None, self.think_us(turned)),
                _ => (due.due_us, pause_us),
            };
            slots.push(Slot {
                seq,
                stage: Arc::clone(&self.name),
                tier,
                group: Arc::clone(&self.kind.groups[*place]),
                sample: Arc::clone(&self.kind.ids[*place]),
                origin: sample.counted_as(),
                due_us,
                pause_us,
                opening,
                turn: of_turn.map(|of| SlotTurn { number: of.number, previous: (turn > 0).then(|| seq - 1) }),
                measured: self.stage.kind.measured(),
            });
        }
    }

    /// From the answer before to a later turn.
    fn think_us(&self, turn: &Turn) -> u64 {
        (turn.think_us as f64 * self.plan.samples.think_scale).round() as u64
    }

    /// A control has the pauses of the step that it repeats.
    fn stream(&self, of: &str) -> Stream {
        let repeated = self.plan.highest_stage().filter(|_| self.stage.kind == StageKind::Control);
        Stream::new(self.plan.seed, &format!("{of}:{}", repeated.unwrap_or(self.stage).name))
    }
}

/// Before a request that no answer of its conversation goes before.
fn pause_us(pause: Pause, stream: &mut Stream) -> u64 {
    let times = if pause.exponential { stream.exponential() } else { 1.0 };
    (pause.mean_s * 1e6 * times).round() as u64
}
