//! Single requests and conversations, made of pairs of lengths.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{LEAST_NEW_TOKENS, joint::Pair, shares::by_largest_remainder};
use crate::{profile::ProfileGroup, random::Stream};

/// What is sent together, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unit {
    /// A request of which the log links nothing.
    Single(Pair),
    /// The turns of a conversation, of which there is one at least.
    Conversation(Vec<Pair>),
}

impl Unit {
    pub(super) fn turns(&self) -> &[Pair] {
        match self {
            Self::Single(pair) => std::slice::from_ref(pair),
            Self::Conversation(turns) => turns,
        }
    }
}

/// Puts pairs into single requests and conversations, as many of each and with as many turns as the profile has; every
/// pair is in one of them.
///
/// The input of a turn holds what went before. Pairs are therefore gone through in the order of their inputs: each becomes the next
/// turn of a conversation whose earlier turns fit into it, or begins one, at random, those with most turns to come the likeliest.
/// A pair that is left where none fits goes to the conversation that needs least, and is as long as that needs once it is written.
pub(super) fn units(mut pairs: Vec<Pair>, group: &ProfileGroup, stream: &mut Stream) -> Vec<Unit> {
    let n = pairs.len() as u64;
    let mut open: Vec<Open> = Vec::new();
    let mut left = n;
    for (turns, conversations) in lengths(n, group) {
        for _ in 0..conversations {
            open.push(Open { turns: Vec::new(), more: turns, needs: 0, conversation: true });
            left = left.saturating_sub(turns as u64);
        }
    }
    open.extend((0..left).map(|_| Open { turns: Vec::new(), more: 1, needs: 0, conversation: false }));
    // Pairs of one input stay in their order, which is a random one.
    stream.shuffle(&mut pairs);
    pairs.sort_by_key(|pair| pair.input);
    fill(&mut open, pairs, stream);
    open.into_iter()
        .filter(|open| !open.turns.is_empty())
        .map(|open| match (open.conversation, open.turns.as_slice()) {
            (false, [pair]) => Unit::Single(*pair),
            _ => Unit::Conversation(open.turns),
        })
        .collect()
}

/// A conversation or a single request that is being filled.
struct Open {
    turns: Vec<Pair>,
    more: usize,
    /// How long the input of the next turn is at least.
    needs: u64,
    conversation: bool,
}

/// Turns of conversations, with how many conversations of so many, of `n` requests in all.
fn lengths(n: u64, group: &ProfileGroup) -> Vec<(usize, u64)> {
    let sessions = &group.sessions;
    let turns: u64 = sessions.turns.iter().map(|(turns, count)| u64::from(*turns) * count).sum();
    let count: u64 = sessions.turns.values().sum();
    if group.rows == 0 || turns == 0 {
        return Vec::new();
    }
    let share = sessions.rows.min(group.rows) as f64 / group.rows as f64;
    let conversations = n as f64 * share * (count as f64 / turns as f64);
    let weights: Vec<f64> = sessions.turns.values().map(|count| *count as f64).collect();
    let mut parts = by_largest_remainder((conversations + 0.5) as u64, &weights);
    let lengths: Vec<u64> = sessions.turns.keys().map(|turns| u64::from(*turns).max(1)).collect();
    // Conversations of many turns may be more than there are requests: the longest give way.
    let mut sum: u64 = lengths.iter().zip(&parts).map(|(turns, count)| turns * count).sum();
    for at in (0..parts.len()).rev() {
        while sum > n && parts[at] > 0 {
            parts[at] -= 1;
            sum -= lengths[at];
        }
    }
    lengths.iter().map(|turns| *turns as usize).zip(parts).collect()
}

/// Gives every pair a place, in the order of their inputs.
fn fill(open: &mut [Open], pairs: Vec<Pair>, stream: &mut Stream) {
    let most = open.iter().map(|open| open.more).max().unwrap_or(0);
    // Those that a pair may go to, by how many turns they still need; the others wait until inputs are long enough.
    let mut ready: Vec<Vec<usize>> = vec![Vec::new(); most + 1];
    for (at, open) in open.iter().enumerate() {
        ready[open.more].push(at);
    }
    let mut waiting: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for pair in pairs {
        let mut fits = |ready: &mut Vec<Vec<usize>>, least: bool| {
            while let Some(Reverse((needs, at))) = waiting.peek().copied() {
                if needs > pair.input && !least {
                    break;
                }
                waiting.pop();
                ready[open[at].more].push(at);
                if least {
                    break;
                }
            }
            pick(ready, stream)
        };
        let Some(at) = fits(&mut ready, false).or_else(|| fits(&mut ready, true)) else { return };
        let open = &mut open[at];
        let input = pair.input.max(open.needs);
        open.needs = input.saturating_add(pair.output.unwrap_or(0)).saturating_add(LEAST_NEW_TOKENS);
        open.turns.push(pair);
        open.more -= 1;
        if open.more > 0 {
            waiting.push(Reverse((open.needs, at)));
        }
    }
}

/// Takes one at random, as likely as the square of the turns that it still needs.
fn pick(ready: &mut [Vec<usize>], stream: &mut Stream) -> Option<usize> {
    let weight = |more: usize, count: usize| (more * more * count) as u64;
    let all: u64 = ready.iter().enumerate().map(|(more, list)| weight(more, list.len())).sum();
    if all == 0 {
        return None;
    }
    let mut place = stream.below(all);
    for (more, list) in ready.iter_mut().enumerate() {
        let here = weight(more, list.len());
        if place < here {
            let at = place as usize / (more * more).max(1);
            return Some(list.swap_remove(at));
        }
        place -= here;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::profile::{Card, Sessions, assume};

    /// A group of which so many rows belong to conversations of so many turns.
    fn group(rows: u64, turns: &BTreeMap<u32, u64>) -> ProfileGroup {
        let card = "[[assumed]]\nname = \"a\"\ncovers = \"bursts\"\nshare = 1\nby = \"me\"\nbasis = \"test\"\n\
                    input_tokens = { min = 1, typical = 2, max = 3 }\n";
        let mut profile = assume(&Card::parse(card).expect("a card"), "p", "t").expect("a profile");
        let mut group = profile.groups.remove(0);
        group.rows = rows;
        group.sessions = Sessions {
            rows: turns.iter().map(|(turns, count)| u64::from(*turns) * count).sum(),
            sessions: turns.values().sum(),
            turns: turns.clone(),
            ..Sessions::default()
        };
        group
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_pair_has_one_place(
            pairs in proptest::collection::vec((1_u64..5000, proptest::option::of(0_u64..900)), 0..120),
            turns in proptest::collection::btree_map(1_u32..21, 1_u64..9, 0..5),
            singles in 0_u64..50,
            seed in any::<u64>(),
        ) {
            let rows = singles + turns.iter().map(|(turns, count)| u64::from(*turns) * count).sum::<u64>();
            let pairs: Vec<Pair> = pairs.into_iter().map(|(input, output)| Pair { input, output }).collect();
            let units = units(pairs.clone(), &group(rows, &turns), &mut Stream::new(seed, "units"));
            let mut placed: Vec<Pair> = units.iter().flat_map(|unit| unit.turns().to_vec()).collect();
            for unit in &units {
                if let Unit::Conversation(turns_of) = unit {
                    prop_assert!(turns.contains_key(&(turns_of.len() as u32)));
                }
                // Turns come in the order of their inputs.
                prop_assert!(unit.turns().is_sorted_by_key(|pair| pair.input));
            }
            let mut pairs = pairs;
            let key = |pair: &Pair| (pair.input, pair.output);
            pairs.sort_by_key(key);
            placed.sort_by_key(key);
            prop_assert_eq!(placed, pairs);
        }
    }
}
