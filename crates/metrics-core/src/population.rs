//! Which rows a figure counts: one settled request for each planned one, in the place that the schedule gave
//! it.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{
    figures::{Input, PlannedCount, was_cut_short},
    outcome::{Outcome, SuccessRule, classify},
    quantity::Micros,
    record::{Ended, Facts, FaultKind, Origin, Record},
};

/// One planned request as its last try left it.
#[derive(Debug)]
pub(crate) struct Settled<'a> {
    /// Position in the frozen schedule.
    pub(crate) seq: u64,
    /// The facts of the last try, with the `due` of the first: what is retried has been waited for since
    /// then.
    pub(crate) facts: Cow<'a, Facts>,
    /// When the schedule wanted that last try.
    pub(crate) due_of_try: Micros,
    pub(crate) outcome: Outcome,
    /// Any outcome but `not_sent`, or `cancelled` by an interrupt.
    pub(crate) finished: bool,
    /// Rows of it.
    pub(crate) tries: u64,
    /// Those of them that were sent.
    pub(crate) sends: u64,
    /// Token events of all of them together.
    pub(crate) token_events_of_tries: u64,
}

impl Settled<'_> {
    pub(crate) fn was_sent(&self) -> bool {
        self.facts.ended != Ended::NotSent
    }
}

/// The requests of one stage, tier and group that have the same origin and the same turn.
#[derive(Debug)]
pub(crate) struct Cell<'a> {
    pub(crate) stage: &'a str,
    pub(crate) tier: Option<u32>,
    pub(crate) group: &'a str,
    /// `None` where no row of the input tells, as in older packages.
    pub(crate) origin: Option<Origin>,
    /// `None` of what is no part of a conversation, and of requests without a row.
    pub(crate) turn: Option<u32>,
    /// The plan has pauses between an answer and the next request of its slot.
    pub(crate) pauses: bool,
    /// As scheduled, and never less than the rows that there are.
    pub(crate) planned: u64,
    /// In the order of the schedule.
    pub(crate) requests: Vec<Settled<'a>>,
}

/// Every measured cell of the schedule, in its order, with the rows that belong to it.
///
/// A row of an unmeasured stage is in none. Neither is one whose stage, tier and group stand nowhere in the
/// schedule: a request that nobody planned must not improve a figure.
pub(crate) fn settle<'a>(input: &Input<'a>) -> Vec<Cell<'a>> {
    settle_where(input, |planned| planned.measured)
}

/// The same of the cells that are wanted, whether they are measured or not.
pub(crate) fn settle_where<'a>(input: &Input<'a>, wanted: impl Fn(&PlannedCount) -> bool) -> Vec<Cell<'a>> {
    let origins_told = input.records.iter().any(|record| record.origin.is_some());
    let mut places: Vec<Place<'a>> = Vec::new();
    let mut index = BTreeMap::new();
    for planned in input.planned.iter().filter(|planned| wanted(planned)) {
        let key = (planned.stage.as_str(), planned.tier, planned.group.as_str());
        let at = *index.entry(key).or_insert(places.len());
        if at == places.len() {
            places.push(Place { key, planned: BTreeMap::new(), requests: BTreeMap::new() });
        }
        let origin = origins_told.then(|| planned.origin.unwrap_or(Origin::Unknown));
        let count = places[at].planned.entry(origin).or_insert(0_u64);
        *count = count.saturating_add(planned.count);
    }

    let standard = SuccessRule::default();
    let cut_short = was_cut_short(input);
    for ((stage, tier, seq), tries) in tries_of_requests(input.records) {
        let Some(last) = tries.last else { continue };
        let Some(place) = index.get(&(stage, tier, last.group.as_str())).and_then(|at| places.get_mut(*at))
        else {
            continue;
        };
        let facts = if tries.due == last.facts.due {
            Cow::Borrowed(&last.facts)
        } else {
            Cow::Owned(Facts { due: tries.due, ..last.facts.clone() })
        };
        let outcome = classify(&facts, input.rules.get(&last.group).unwrap_or(&standard));
        let finished = match outcome {
            Outcome::NotSent => false,
            Outcome::Cancelled => !(cut_short || stopped(&facts)),
            _ => true,
        };
        let origin = origins_told.then(|| last.origin.unwrap_or(Origin::Unknown));
        let settled = Settled {
            seq,
            facts,
            due_of_try: last.facts.due,
            outcome,
            finished,
            tries: tries.count,
            sends: tries.sends,
            token_events_of_tries: tries.token_events,
        };
        place.requests.entry((origin, last.turn)).or_default().push(settled);
    }
    places.into_iter().flat_map(|place| place.into_cells(input.conditions.pauses)).collect()
}

/// A stage, tier and group of the schedule.
struct Place<'a> {
    key: (&'a str, Option<u32>, &'a str),
    /// Requests scheduled, by origin.
    planned: BTreeMap<Option<Origin>, u64>,
    /// Those with a row, by origin and turn.
    requests: BTreeMap<(Option<Origin>, Option<u32>), Vec<Settled<'a>>>,
}

impl<'a> Place<'a> {
    /// Requests without a row are counted where the schedule has more of an origin than there are rows, and no more of
    /// them than are missing from the whole place. A place without requests is a cell all the same.
    fn into_cells(self, pauses: bool) -> Vec<Cell<'a>> {
        let rows_of = |origin| {
            let of_it = self.requests.iter().filter(|((of, _), _)| *of == origin);
            of_it.map(|(_, requests)| requests.len() as u64).sum::<u64>()
        };
        let rows = self.requests.values().map(|requests| requests.len() as u64).sum::<u64>();
        let mut missing = self.planned.values().sum::<u64>().saturating_sub(rows);
        let mut without_row = BTreeMap::new();
        for (origin, planned) in &self.planned {
            let of_it = planned.saturating_sub(rows_of(*origin)).min(missing);
            missing -= of_it;
            without_row.insert((*origin, None), of_it);
        }
        let mut requests = self.requests;
        let nothing_at_all = requests.is_empty() && without_row.values().all(|count| *count == 0);
        for (key, count) in &without_row {
            if *count > 0 || nothing_at_all {
                requests.entry(*key).or_default();
            }
        }
        let (stage, tier, group) = self.key;
        let cells = requests.into_iter().map(|((origin, turn), requests)| {
            let without_row = without_row.get(&(origin, turn)).copied().unwrap_or(0);
            let planned = without_row.saturating_add(requests.len() as u64);
            Cell { stage, tier, group, origin, turn, pauses, planned, requests }
        });
        cells.collect()
    }
}

/// The tries of one planned request.
#[derive(Default)]
struct Tries<'a> {
    last: Option<&'a Record>,
    due: Micros,
    count: u64,
    sends: u64,
    token_events: u64,
}

fn tries_of_requests(records: &[Record]) -> BTreeMap<(&str, Option<u32>, u64), Tries<'_>> {
    let mut requests: BTreeMap<_, Tries<'_>> = BTreeMap::new();
    for record in records {
        let tries = requests.entry((record.stage.as_str(), record.tier, record.seq)).or_default();
        tries.count += 1;
        tries.sends += u64::from(record.facts.ended != Ended::NotSent);
        tries.token_events = tries.token_events.saturating_add(record.facts.token_events);
        tries.due = match tries.last {
            None => record.facts.due,
            Some(_) => tries.due.min(record.facts.due),
        };
        if tries.last.is_none_or(|last| last.attempt <= record.attempt) {
            tries.last = Some(record);
        }
    }
    requests
}

fn stopped(facts: &Facts) -> bool {
    facts.error.as_ref().is_some_and(|fault| fault.kind == FaultKind::Stopped)
}

/// Cells whose requests are counted together.
#[derive(Debug, Clone)]
pub(crate) struct Selection<'c, 'a>(Vec<&'c Cell<'a>>);

impl<'c, 'a> Selection<'c, 'a> {
    pub(crate) fn of(cells: &'c [Cell<'a>], belongs: impl Fn(&Cell<'a>) -> bool) -> Self {
        Self(cells.iter().filter(|cell| belongs(cell)).collect())
    }

    pub(crate) fn planned(&self) -> u64 {
        self.0.iter().map(|cell| cell.planned).sum()
    }

    pub(crate) fn requests(&self) -> impl Iterator<Item = &'c Settled<'a>> + '_ {
        self.0.iter().flat_map(|cell| &cell.requests)
    }

    /// Every cell of the whole is in it.
    pub(crate) fn is_all_of(&self, whole: &Self) -> bool {
        self.0.len() == whole.0.len()
    }

    /// The part of it whose cells are wanted.
    pub(crate) fn only(&self, belongs: impl Fn(&Cell<'a>) -> bool) -> Self {
        Self(self.0.iter().copied().filter(|cell| belongs(cell)).collect())
    }

    /// The cells of the whole in the stages and tiers in which this part has any.
    pub(crate) fn around(&self, whole: &Self) -> Self {
        whole.only(|cell| self.0.iter().any(|own| (own.stage, own.tier) == (cell.stage, cell.tier)))
    }

    /// The cells themselves.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &'c Cell<'a>> + '_ {
        self.0.iter().copied()
    }

    /// The facts of effective requests.
    pub(crate) fn effective(&self) -> impl Iterator<Item = &'c Facts> + '_ {
        self.requests().filter(|request| request.outcome == Outcome::Effective).map(|request| &*request.facts)
    }

    /// The same cells apart by stage and tier, so that pauses between tiers enter no window.
    pub(crate) fn by_stage_and_tier(&self) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for cell in &self.0 {
            let same = |part: &&mut Self| part.0.iter().any(|c| (c.stage, c.tier) == (cell.stage, cell.tier));
            match parts.iter_mut().find(same) {
                Some(part) => part.0.push(cell),
                None => parts.push(Self(vec![cell])),
            }
        }
        parts
    }

    /// The stages of the cells.
    pub(crate) fn stages(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.0.iter().map(|cell| cell.stage)
    }
}

/// The distinct values of a key, in the order of first appearance.
pub(crate) fn distinct<'c, 'a, K: PartialEq>(
    cells: &'c [Cell<'a>],
    key: impl Fn(&'c Cell<'a>) -> Option<K>,
) -> Vec<K> {
    let mut keys = Vec::new();
    for cell in cells {
        if let Some(key) = key(cell)
            && !keys.contains(&key)
        {
            keys.push(key);
        }
    }
    keys
}
