//! The list of words that brings a text to its exact length.

use super::{
    gauge::{Part, TOKEN},
    writer::Writer,
};

/// Words in a list whose costs come as near to a length as can be; `opened` where the list follows a word already.
///
/// Words are drawn until three more at most are needed; the last two are looked for among all. No word is taken twice as long as
/// there are others.
pub(super) fn list(writer: &mut Writer, room: i64, opened: bool) -> Part {
    let bank = writer.bank;
    let costs: Vec<i64> = bank.fillers.iter().map(|filler| writer.costs[filler.next] as i64).collect();
    let end = costs.len();
    let mean = costs.iter().sum::<i64>() / end as i64;
    let mut rest = room;
    if !opened && let Some(filler) = bank.fillers.first() {
        // The first word has no comma before it.
        rest += costs[0] - writer.costs[filler.first] as i64;
    }
    let mut taken = vec![false; end];
    let mut chosen = Vec::new();
    while mean > 0 && rest > 3 * mean {
        let at = writer.stream.below(end as u64) as usize;
        if chosen.len() >= end || !taken[at] {
            taken[at] = true;
            chosen.push(at);
            rest -= costs[at];
        }
    }
    let turn = writer.stream.below(end as u64) as usize;
    let free = (0..end).map(|at| (at + turn) % end).filter(|at| !taken[*at]).map(|at| (at, costs[at]));
    chosen.extend(nearest(rest, &free.collect::<Vec<_>>()));
    let mut part = Part::default();
    for (place, at) in chosen.into_iter().enumerate() {
        let filler = bank.fillers[at];
        let unit = if place == 0 && !opened { filler.first } else { filler.next };
        part.text.push_str(&bank.units[unit]);
        part.cost += writer.costs[unit];
    }
    part
}

/// At most two of several, whose costs come nearest to a length; the first found.
fn nearest(rest: i64, free: &[(usize, i64)]) -> Vec<usize> {
    /// Costs are sums of whole tokens, or estimates: what is nearer is not worth a search.
    const NEAR: i64 = TOKEN as i64 / 2;
    let mut best = (rest.abs(), Vec::new());
    for (one, cost) in free {
        let off = (rest - cost).abs();
        if off < best.0 {
            best = (off, vec![*one]);
        }
    }
    for (index, (one, cost)) in free.iter().enumerate() {
        if best.0 < NEAR {
            break;
        }
        for (other, more) in &free[index + 1..] {
            let off = (rest - cost - more).abs();
            if off < best.0 {
                best = (off, vec![*one, *other]);
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_or_two_come_as_near_as_can_be() {
        let free = [(0, 2000), (1, 3000), (2, 5000)];
        assert_eq!(nearest(3000, &free), [1]);
        assert_eq!(nearest(7000, &free), [0, 2]);
        assert_eq!(nearest(900, &free), [0_usize; 0]);
        assert_eq!(nearest(1100, &free), [0]);
        assert_eq!(nearest(90_000, &free), [1, 2]);
    }
}
