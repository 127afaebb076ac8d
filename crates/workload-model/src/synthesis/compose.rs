//! One text, from its first sentence to the request at its end, brought to its length.

use super::{
    CountError, fill,
    gauge::{Gauge, Part, TOKEN, joined},
    writer::Writer,
};

/// What a text is to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Its tokens.
    pub tokens: u64,
    /// Words (English) or characters (Chinese) of the answer that it asks for.
    pub answer: Option<u64>,
    /// It is a block of a prefix: it asks for nothing and ends in a line break.
    pub block: bool,
}

/// What remains to be filled by words of a list at least, beside one part in a hundred of the text.
const LEAST_FILL: u64 = 8 * TOKEN;

/// What is too much for a list of words: sentences are added.
const MOST_FILL: i64 = 45 * TOKEN as i64;

/// Of a text that is so much too long, as many sentences as that are taken away at a time.
const MUCH_OVER: i64 = 400 * TOKEN as i64;

/// How often a text is measured and changed at most.
const TRIES: u32 = 12;

/// A text, and its length as the gauge told it.
#[derive(Debug, Clone, Default)]
pub(super) struct Composed {
    pub text: String,
    pub length: u64,
}

/// A text whose length, as far as the gauge tells, is as near to what is wanted as can be.
pub(super) fn compose(
    gauge: &mut Gauge,
    writer: &mut Writer,
    wanted: Wanted,
) -> Result<Composed, CountError> {
    let closing = closing(writer, wanted);
    let least: u64 = closing.iter().map(|part| part.cost).sum::<u64>() + 2 * LEAST_FILL;
    if wanted.tokens * TOKEN < least {
        short(gauge, writer, wanted)
    } else {
        long(gauge, writer, wanted, &closing)
    }
}

/// What a text ends with.
fn closing(writer: &mut Writer, wanted: Wanted) -> Vec<Part> {
    const LEAST: u64 = 60;
    let bank = writer.bank;
    if wanted.block {
        return vec![writer.line()];
    }
    let mut parts = vec![writer.one_of(&bank.closings)];
    if let Some(answer) = wanted.answer
        && wanted.tokens >= LEAST
    {
        let line = &bank.lengths[writer.stream.below(bank.lengths.len() as u64) as usize];
        let text = format!("{}{}", bank.between, line.replace("{words}", &answer.to_string()));
        let cost = 8 * TOKEN;
        parts.push(Part { text, cost });
    }
    parts
}

/// Sentences, a list of words that brings them to the length, and a request.
fn long(
    gauge: &mut Gauge,
    writer: &mut Writer,
    wanted: Wanted,
    closing: &[Part],
) -> Result<Composed, CountError> {
    let aim = (wanted.tokens * TOKEN) as i64;
    let mut body = opened(writer, wanted, closing);
    let line = [writer.line()];
    let mut best = Nearest::new(aim);
    // By how much lists of words came out longer than they were to be.
    let mut excess = 0;
    for _ in 0..TRIES {
        let break_line: &[Part] = if wanted.block || body.is_empty() { &[] } else { &line };
        let bare = gauge.length(&[&body, break_line, closing])? as i64;
        let rest = aim - bare;
        best.keep(bare, &[&body, break_line, closing]);
        if rest == 0 {
            break;
        }
        if rest > MOST_FILL {
            let used = body.len();
            writer.fill(rest as u64 - LEAST_FILL - rest as u64 / 100, &mut body);
            if body.len() > used {
                continue;
            }
        }
        if rest < -MUCH_OVER {
            let mut over = -rest;
            while over > 0
                && let Some(part) = body.pop()
            {
                over -= part.cost as i64;
            }
            continue;
        }
        if rest < LEAST_FILL as i64 && body.pop().is_some() {
            continue;
        }
        // Words are measured with what stands right beside them, and the whole once they fit.
        let near = &body[body.len().saturating_sub(1)..];
        let before = gauge.length(&[near, break_line, closing])? as i64;
        for _ in 0..TRIES {
            let words = [filled(writer, rest - excess, wanted.block, body.is_empty())];
            let parts: [&[Part]; 4] = if wanted.block {
                [&body, &words, closing, &[]]
            } else {
                [&body, break_line, &words, closing]
            };
            let mut beside = parts;
            beside[0] = near;
            let off = gauge.length(&beside)? as i64 - before - rest;
            if off.unsigned_abs() >= TOKEN {
                excess += off;
                continue;
            }
            let length = gauge.length(&parts)? as i64;
            best.keep(length, &parts);
            if best.is_found() {
                return Ok(best.composed);
            }
            excess += length - aim;
        }
        body.pop();
        excess = 0;
    }
    Ok(best.composed)
}

/// The first sentences of a text, nearly to its length.
fn opened(writer: &mut Writer, wanted: Wanted, closing: &[Part]) -> Vec<Part> {
    let bank = writer.bank;
    let used: u64 = closing.iter().map(|part| part.cost).sum::<u64>() + LEAST_FILL;
    let mut room = (wanted.tokens * TOKEN - wanted.tokens * TOKEN / 100).saturating_sub(used);
    let mut body = Vec::new();
    if !wanted.block {
        let opener = writer.one_of(&bank.openers);
        if opener.cost <= room {
            room -= opener.cost;
            body.push(opener);
        }
    }
    writer.fill(room, &mut body);
    body
}

/// A list of words of about that length, as a sentence.
fn filled(writer: &mut Writer, room: i64, block: bool, first: bool) -> Part {
    let bank = writer.bank;
    let head = bank.fill_heads[writer.stream.below(bank.fill_heads.len() as u64) as usize];
    let around = (writer.costs[head] + writer.costs[bank.stop]) as i64;
    let words = fill::list(writer, room - around, false);
    let before = if block && !first { bank.between } else { "" };
    let after = if block { "" } else { bank.between };
    Part {
        text: format!("{before}{}{}{}{after}", bank.units[head], words.text, bank.units[bank.stop]),
        cost: words.cost + around as u64,
    }
}

/// A question, or nothing but words.
fn short(gauge: &mut Gauge, writer: &mut Writer, wanted: Wanted) -> Result<Composed, CountError> {
    const TRIES: u32 = 48;
    /// Below this no question has room.
    const LEAST_QUESTION: u64 = 6;
    let bank = writer.bank;
    let aim = (wanted.tokens * TOKEN) as i64;
    let end = if wanted.block { vec![writer.line()] } else { Vec::new() };
    let mut best = Nearest::new(aim);
    for attempt in 0..TRIES {
        let question = !wanted.block && wanted.tokens >= LEAST_QUESTION && attempt < TRIES / 2;
        let mut parts = if question { vec![writer.one_of(&bank.questions)] } else { Vec::new() };
        let mut excess = 0;
        for _ in 0..3 {
            parts.truncate(usize::from(question));
            let rest = aim - gauge.length(&[&parts, &end])? as i64;
            if rest > 0 {
                let mut words = fill::list(writer, rest - excess, question);
                if !question {
                    words.text = words.text.trim_start().to_owned();
                }
                parts.push(words);
            }
            let length = gauge.length(&[&parts, &end])? as i64;
            if parts.iter().any(|part| !part.text.is_empty()) {
                best.keep(length, &[&parts, &end]);
            }
            if best.is_found() {
                return Ok(best.composed);
            }
            if rest <= 0 {
                break;
            }
            excess += length - aim;
        }
    }
    if best.composed.text.is_empty()
        && let Some(filler) = bank.fillers.iter().min_by_key(|filler| writer.costs[filler.first])
    {
        // Every word is longer than the text is to be: the shortest of all.
        let text = bank.units[filler.first].trim_start().to_owned();
        let parts = [Part { text, cost: writer.costs[filler.first] }];
        best.keep(gauge.length(&[&parts, &end])? as i64, &[&parts, &end]);
    }
    Ok(best.composed)
}

/// The text that is least off.
struct Nearest {
    aim: i64,
    off: u64,
    composed: Composed,
}

impl Nearest {
    fn new(aim: i64) -> Self {
        Self { aim, off: u64::MAX, composed: Composed::default() }
    }

    fn keep(&mut self, length: i64, parts: &[&[Part]]) {
        let off = (length - self.aim).unsigned_abs();
        if off < self.off {
            self.off = off;
            self.composed = Composed { text: joined(parts), length: length as u64 };
        }
    }

    /// Estimates are as near as they can be half a token off.
    fn is_found(&self) -> bool {
        self.off <= TOKEN / 2
    }
}
