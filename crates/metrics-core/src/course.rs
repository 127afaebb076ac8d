//! The course of a run: what was under way at which time, and what came out.

use std::collections::BTreeMap;

use crate::{
    figures::Input,
    outcome::{Outcome, SuccessRule, classify},
    quantity::{Micros, Seconds, six_decimals},
    record::{Ended, Facts, Record},
};

/// A run in columns of equal length, from its start.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadCourse {
    /// Length of a column, a whole number of seconds.
    pub column_s: Seconds,
    /// The columns, in order. The last may reach beyond the run's end.
    pub columns: Vec<LoadColumn>,
    /// What was under way, in the order in which it began.
    pub steps: Vec<LoadStep>,
    /// Effective requests whose row does not tell when their tokens came. Their tokens are in no column.
    pub without_instants: u64,
}

/// What happened within one column.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LoadColumn {
    /// Requests that were sent and had not ended, on average over the column.
    pub in_flight: f64,
    /// Requests that were due and not sent yet, on average: they waited for the client, or for a connection.
    pub waiting: f64,
    /// Requests that ended in it and were effective.
    pub effective: u64,
    /// Requests that ended in it otherwise.
    pub unsuccessful: u64,
    /// Output tokens of effective requests that arrived in it. A token-bearing event counts output tokens / token-bearing
    /// events of its request.
    pub output_tokens: f64,
}

/// A stage, or a tier of it, from the first `due` to the last `end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadStep {
    /// The stage.
    pub stage: String,
    /// What the stage is for.
    pub kind: StepKind,
    /// The tier.
    pub tier: Option<u32>,
    /// Its first `due`.
    pub from: Micros,
    /// Its last `end`.
    pub until: Micros,
}

/// What a stage is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Its requests enter figures.
    Measured,
    /// A control of the generator.
    Control,
    /// Its requests enter no figure: the warm-up.
    WarmUp,
}

/// The course of the whole run, every stage and every try, warm-up and controls included. There are at most
/// `most_columns` (at least 1) of them; they are as short as that allows, and not below a second. `None` where nothing
/// that was sent or refused has ended.
#[must_use]
pub fn load_course(input: &Input<'_>, most_columns: usize) -> Option<LoadCourse> {
    let begun: Vec<&Record> =
        input.records.iter().filter(|record| record.facts.ended != Ended::NotSent).collect();
    let end = begun.iter().filter_map(|record| record.facts.end).max()?;
    let grid = Grid::holding(end, most_columns);
    let until = |facts: &Facts| facts.end.unwrap_or(end);
    let in_flight = begun.iter().filter_map(|record| Some((record.facts.sent?, until(&record.facts))));
    let waiting = begun.iter().map(|record| {
        let facts = &record.facts;
        (facts.due, facts.sent.unwrap_or_else(|| until(facts)))
    });
    let (in_flight, waiting) = (grid.at_once(in_flight), grid.at_once(waiting));
    let at_once = in_flight.into_iter().zip(waiting);
    let mut columns: Vec<LoadColumn> = at_once
        .map(|(in_flight, waiting)| LoadColumn { in_flight, waiting, ..LoadColumn::default() })
        .collect();

    let standard = SuccessRule::default();
    let mut without_instants = 0;
    for record in &begun {
        let rule = input.rules.get(&record.group).unwrap_or(&standard);
        let effective = classify(&record.facts, rule) == Outcome::Effective;
        if let Some(end) = record.facts.end {
            let column = &mut columns[grid.at(end)];
            *(if effective { &mut column.effective } else { &mut column.unsuccessful }) += 1;
        }
        if !effective {
            continue;
        }
        match tokens_of_an_event(&record.facts) {
            Some(tokens) => {
                for (instant, events) in record.facts.token_reads() {
                    columns[grid.at(instant)].output_tokens += tokens * f64::from(events);
                }
            }
            None => without_instants += 1,
        }
    }
    Some(LoadCourse { column_s: grid.column.into(), columns, steps: steps(input, &begun), without_instants })
}

/// Columns of equal length.
#[derive(Debug, Clone, Copy)]
struct Grid {
    column: Micros,
    columns: usize,
}

impl Grid {
    fn holding(end: Micros, most_columns: usize) -> Self {
        let seconds = end.0 / 1_000_000 / most_columns.max(1) as u64 + 1;
        let column = Micros(seconds * 1_000_000);
        Self { column, columns: (end.0 / column.0) as usize + 1 }
    }

    /// The column of an instant; the last for one after the end.
    fn at(self, instant: Micros) -> usize {
        ((instant.0 / self.column.0) as usize).min(self.columns - 1)
    }

    /// For each column how many of the spans there were on average: the time that they share with it, added up, over its
    /// length.
    fn at_once(self, spans: impl Iterator<Item = (Micros, Micros)>) -> Vec<f64> {
        let mut shared = vec![0_u64; self.columns];
        for (begin, end) in spans.filter(|(begin, end)| end > begin) {
            let (first, last) = (self.at(begin), self.at(end));
            for (at, column) in (first as u64..).zip(&mut shared[first..=last]) {
                let from = Micros(at * self.column.0);
                let until = Micros(from.0 + self.column.0);
                *column += end.min(until).since(begin.max(from)).0;
            }
        }
        shared.into_iter().map(|shared| six_decimals(shared as f64 / self.column.0 as f64)).collect()
    }
}

/// `None` where the row does not tell when its tokens came.
fn tokens_of_an_event(facts: &Facts) -> Option<f64> {
    let tokens = facts.output_tokens?.0;
    let events: u64 = facts.token_reads().map(|(_, events)| u64::from(events)).sum();
    (events > 0 && events == facts.token_events).then(|| tokens as f64 / events as f64)
}

fn steps(input: &Input<'_>, begun: &[&Record]) -> Vec<LoadStep> {
    let mut spans: BTreeMap<(&str, Option<u32>), (Micros, Micros)> = BTreeMap::new();
    for record in begun {
        let Some(end) = record.facts.end else { continue };
        let span = spans.entry((&record.stage, record.tier)).or_insert((record.facts.due, end));
        *span = (span.0.min(record.facts.due), span.1.max(end));
    }
    let mut steps: Vec<LoadStep> = spans
        .into_iter()
        .map(|((stage, tier), (from, until))| {
            let kind = kind(input, stage);
            LoadStep { stage: stage.to_owned(), kind, tier, from, until }
        })
        .collect();
    steps.sort_by_key(|step| step.from);
    steps
}

fn kind(input: &Input<'_>, stage: &str) -> StepKind {
    if input.controls.iter().any(|control| control.stage == stage) {
        StepKind::Control
    } else if input.planned.iter().any(|planned| planned.stage == stage && planned.measured) {
        StepKind::Measured
    } else {
        StepKind::WarmUp
    }
}
