//! What is scheduled as one: requests that stand alone, and conversations.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    ops::Range,
};

use crate::sample::Sample;

/// The units of some samples.
#[derive(Debug)]
pub(super) struct Units {
    /// Places of samples, unit by unit.
    places: Vec<usize>,
    /// Which of them a unit has; units stand in the order in which the set has their first samples.
    units: Vec<Range<usize>>,
    /// In the order in which the set has them.
    pub(super) groups: Vec<UnitGroup>,
}

/// The units that begin with a sample of one group.
#[derive(Debug)]
pub(super) struct UnitGroup {
    pub(super) name: String,
    /// Their numbers.
    pub(super) units: Vec<usize>,
    /// Requests of all of them.
    pub(super) requests: u64,
}

impl Units {
    pub(super) fn of(samples: &[Sample]) -> Self {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut conversations: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, sample) in samples.iter().enumerate() {
            let new = parts.len();
            let known = sample.turn.as_ref().map_or(new, |turn| match conversations.entry(&turn.session) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(vacant) => *vacant.insert(new),
            });
            match parts.get_mut(known) {
                Some(turns) => turns.push(place),
                None => parts.push(vec![place]),
            }
        }
        let mut units =
            Self { places: Vec::with_capacity(samples.len()), units: Vec::new(), groups: Vec::new() };
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for mut part in parts {
            part.sort_by_key(|place| samples[*place].turn.as_ref().map_or(0, |turn| turn.number));
            let name = samples[part[0]].group.as_str();
            let group = *groups.entry(name).or_insert_with(|| {
                units.groups.push(UnitGroup { name: name.to_owned(), units: Vec::new(), requests: 0 });
                units.groups.len() - 1
            });
            let begin = units.places.len();
            units.groups[group].units.push(units.units.len());
            units.groups[group].requests += part.len() as u64;
            units.units.push(begin..begin + part.len());
            units.places.extend(part);
        }
        units
    }

    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// Places of the samples of a unit, in the order in which they are sent.
    pub(super) fn places(&self, unit: usize) -> &[usize] {
        &self.places[self.units[unit].clone()]
    }

    /// Place of the sample with which each begins.
    pub(super) fn firsts(&self) -> impl Iterator<Item = usize> + '_ {
        self.units.iter().map(|unit| self.places[unit.start])
    }
}
