//! How long what is put together is: counted, or summed up from what its pieces cost.

use std::sync::Arc;

use super::{
    CountError, Effort, Ratios, TokenCounter, Tongue, bank::Bank, compose::Composed, writer::Writer,
};
use crate::{Sizing, random::Stream};

/// Lengths within this file and its neighbours are thousandths of a token, so that sums of estimates stay whole numbers.
pub(super) const TOKEN: u64 = 1000;

/// A stretch of text, and what it costs as far as its pieces tell.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    pub text: String,
    pub cost: u64,
}

/// What each unit of a bank costs.
pub(super) type Costs = Arc<[u64]>;

/// Tells lengths.
pub(super) struct Gauge {
    counter: Option<Box<dyn TokenCounter>>,
    ratios: Ratios,
    zh: Option<Costs>,
    en: Option<Costs>,
    counted: u64,
    worst_error: Option<u64>,
}

impl Gauge {
    pub(super) fn new(counter: Option<Box<dyn TokenCounter>>, ratios: Ratios) -> Self {
        Self { counter, ratios, zh: None, en: None, counted: 0, worst_error: None }
    }

    pub(super) fn ratios(&self) -> &Ratios {
        &self.ratios
    }

    /// What parts that stand one after the other cost together: counted where that is cheap, else the sum.
    pub(super) fn length(&mut self, parts: &[&[Part]]) -> Result<u64, CountError> {
        if let Some(counter) = self.counter.as_mut().filter(|counter| counter.effort() == Effort::Every) {
            return Ok(counter.count(&joined(parts))? * TOKEN);
        }
        Ok(parts.iter().copied().flatten().map(|part| part.cost).sum())
    }

    /// Tokens of a text that is finished, where it is one of those that are counted whole.
    pub(super) fn check(&mut self, made: &Composed, wanted: u64) -> Result<Option<u64>, CountError> {
        let Some(counter) = &mut self.counter else { return Ok(None) };
        let counted = match counter.effort() {
            // It was, to bring it to its length.
            Effort::Every => made.length / TOKEN,
            Effort::Checks(checks) if self.counted < checks => counter.count(&made.text)?,
            Effort::Checks(_) => return Ok(None),
        };
        self.counted += 1;
        self.worst_error = self.worst_error.max(Some(counted.abs_diff(wanted)));
        Ok(Some(counted))
    }

    /// Tokens of an opening. Where nobody counts, four to five of its characters: hexadecimal digits are hardly ever joined.
    pub(super) fn opening(&mut self, text: &str) -> Result<u64, CountError> {
        match &mut self.counter {
            Some(counter) => counter.count(text),
            None => Ok(text.len() as u64 * 4 / 5),
        }
    }

    pub(super) fn sizing(&self) -> Sizing {
        let counter = self.counter.as_ref();
        Sizing {
            by: counter.map_or(self.ratios.by, |counter| counter.by()),
            counter: counter.map_or_else(|| self.ratios.name.clone(), |counter| counter.name()),
            sha256: counter.and_then(|counter| counter.sha256()),
            added_tokens: self.ratios.added_tokens,
            counted: self.counted,
            worst_error: self.worst_error,
        }
    }

    /// What the units of a tongue's bank cost; found out when first asked for.
    pub(super) fn costs(&mut self, tongue: Tongue) -> Result<Costs, CountError> {
        let known = match tongue {
            Tongue::Zh => &self.zh,
            Tongue::En => &self.en,
        };
        if let Some(costs) = known {
            return Ok(Arc::clone(costs));
        }
        let costs = self.learn(tongue)?;
        match tongue {
            Tongue::Zh => self.zh = Some(Arc::clone(&costs)),
            Tongue::En => self.en = Some(Arc::clone(&costs)),
        }
        Ok(costs)
    }

    /// Counts every unit once, then a few whole texts, by which sums of units are corrected: a tokenizer joins across the
    /// places where units meet. Which texts these are does not depend on what is made later.
    fn learn(&mut self, tongue: Tongue) -> Result<Costs, CountError> {
        const WHOLES: u64 = 8;
        let bank = Bank::of(tongue);
        let Some(counter) = &mut self.counter else {
            let milli = |unit: &String| {
                (unit.chars().count() as f64 * TOKEN as f64 / self.ratios.of(tongue)).round() as u64
            };
            return Ok(bank.units.iter().map(milli).collect());
        };
        let units: Vec<&str> = bank.units.iter().map(String::as_str).collect();
        let counts = counter.count_all(&units)?;
        if counts.len() != units.len() {
            return Err(CountError(format!("{} texts gave {} counts", units.len(), counts.len())));
        }
        let mut raw: Vec<u64> = counts.iter().map(|count| count * TOKEN).collect();
        raw[bank.line] = raw[bank.stop_line].saturating_sub(raw[bank.stop]);
        let raw: Costs = raw.into();
        let drafts: Vec<Part> = (0..WHOLES)
            .map(|number| {
                let stream = Stream::new(number, "synthesis:wholes");
                let parts = Writer::new(bank, Arc::clone(&raw), stream).body(TOKEN * (100 + number * 50));
                Part { text: joined(&[&parts]), cost: parts.iter().map(|part| part.cost).sum() }
            })
            .collect();
        let texts: Vec<&str> = drafts.iter().map(|part| part.text.as_str()).collect();
        let whole: u64 = counter.count_all(&texts)?.iter().sum();
        if whole == 0 {
            return Err(CountError("no token was counted in any of several whole texts".to_owned()));
        }
        let sum: u64 = drafts.iter().map(|part| part.cost).sum();
        let corrected =
            |cost: u64| (u128::from(cost) * u128::from(whole * TOKEN) / u128::from(sum.max(1))) as u64;
        let mut costs: Vec<u64> = raw.iter().map(|cost| corrected(*cost)).collect();
        // Words of a list stand between commas, across which nothing is joined.
        for filler in &bank.fillers {
            costs[filler.first] = raw[filler.first];
            costs[filler.next] = raw[filler.next];
        }
        Ok(costs.into())
    }
}

/// The text of parts that stand one after the other.
pub(super) fn joined(parts: &[&[Part]]) -> String {
    parts.iter().copied().flatten().map(|part| part.text.as_str()).collect()
}
