//! Sentences and paragraphs of one text.

use std::collections::HashSet;

use super::{
    bank::{Bank, Template},
    gauge::{Costs, Part, TOKEN},
};
use crate::random::Stream;

/// Writes one text.
pub(super) struct Writer {
    pub bank: &'static Bank,
    pub costs: Costs,
    pub stream: Stream,
    /// The order in which sentences are taken; every one is, before one is taken again.
    bag: Vec<usize>,
    /// What was written, so that no sentence occurs twice as long as there are others.
    said: HashSet<String>,
    /// Sentences that the paragraph still takes.
    left: u64,
}

impl Writer {
    pub(super) fn new(bank: &'static Bank, costs: Costs, stream: Stream) -> Self {
        Self { bank, costs, stream, bag: Vec::new(), said: HashSet::new(), left: 0 }
    }

    /// One of a list of templates, filled, as a sentence of its own.
    pub(super) fn one_of(&mut self, list: &[Template]) -> Part {
        let template = &list[self.stream.below(list.len() as u64) as usize];
        let mut units = Vec::new();
        template.filled(&mut self.stream, &mut units);
        self.part(&units)
    }

    /// Sentences that cost at most so much together, in paragraphs.
    pub(super) fn body(&mut self, room: u64) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut used = 0;
        while let Some(part) = self.fitting(room - used, parts.is_empty()) {
            used += part.cost;
            parts.push(part);
        }
        parts
    }

    /// Sentences behind others that cost at most so much together, in paragraphs. Where much is left and nearly all
    /// that can be said has been, it is said again.
    pub(super) fn fill(&mut self, mut room: u64, body: &mut Vec<Part>) {
        /// Sentences are short beside it: what does not fit was said.
        const MUCH: u64 = 400 * TOKEN;
        /// After so many sentences one after the other that were said, others are not worth a search.
        const PATIENCE: u32 = 8;
        let mut in_vain = 0;
        let mut paid = body.iter().any(|part| part.cost > 0);
        loop {
            match self.fitting(room, body.is_empty()) {
                Some(part) => {
                    room -= part.cost;
                    paid |= part.cost > 0;
                    in_vain = 0;
                    body.push(part);
                }
                // A counter that says of every piece that it has no tokens fills no text.
                None if room < MUCH || !paid => return,
                None if in_vain < PATIENCE => in_vain += 1,
                None => {
                    self.said.clear();
                    in_vain = 0;
                }
            }
        }
    }

    /// A sentence that costs at most so much, with what stands between it and the one before; `None` where the first few at
    /// hand are all longer.
    pub(super) fn fitting(&mut self, room: u64, first: bool) -> Option<Part> {
        const TRIES: usize = 4;
        for _ in 0..TRIES {
            let mut part = self.sentence();
            let new = first || self.left == 0;
            let between = if first {
                ""
            } else if new {
                "\n"
            } else {
                self.bank.between
            };
            part.cost += if between == "\n" { self.costs[self.bank.line] } else { 0 };
            if part.cost > room || self.said.contains(&part.text) {
                continue;
            }
            self.left = if new { 2 + self.stream.below(4) } else { self.left - 1 };
            self.said.insert(part.text.clone());
            part.text.insert_str(0, between);
            return Some(part);
        }
        None
    }

    /// The end of a paragraph.
    pub(super) fn line(&self) -> Part {
        let line = self.bank.line;
        Part { text: self.bank.units[line].clone(), cost: self.costs[line] }
    }

    /// The next sentence, every third with something before it.
    fn sentence(&mut self) -> Part {
        let bank = self.bank;
        if self.bag.is_empty() {
            self.bag.extend(0..bank.sentences.len());
            self.stream.shuffle(&mut self.bag);
        }
        let at = self.bag.pop().unwrap_or_default();
        let mut units = Vec::new();
        if self.stream.below(3) == 0 {
            let lead_in = self.stream.below(bank.lead_ins.len() as u64) as usize;
            bank.lead_ins[lead_in].filled(&mut self.stream, &mut units);
        }
        bank.sentences[at].filled(&mut self.stream, &mut units);
        self.part(&units)
    }

    /// Units as a sentence: it begins in upper case, with nothing before it.
    fn part(&self, units: &[usize]) -> Part {
        let text: String = units.iter().map(|unit| self.bank.units[*unit].as_str()).collect();
        let text = text.trim_start();
        let mut rest = text.chars();
        let first = rest.next().map(|first| first.to_ascii_uppercase());
        Part {
            text: first.into_iter().chain(rest).collect(),
            cost: units.iter().map(|unit| self.costs[*unit]).sum(),
        }
    }
}
