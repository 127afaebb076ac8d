//! Turns that name the turn before become conversations.

/// Which turn each conversation began with, in four bytes a turn.
#[derive(Default)]
pub(super) struct Conversations {
    firsts: Vec<u32>,
    turns: usize,
}

/// No turn is known here.
const NONE: u32 = u32::MAX;

impl Conversations {
    /// The first turn of the conversation in which this turn follows the one before. A turn whose predecessor was not seen
    /// begins one.
    pub(super) fn of(&mut self, turn: u32, before: Option<u32>) -> u32 {
        let place = |turn: u32| usize::try_from(turn).unwrap_or(usize::MAX);
        let known = before.and_then(|before| self.firsts.get(place(before)).copied());
        let first = known.filter(|first| *first != NONE).or(before).unwrap_or(turn);
        self.turns += 1;
        // Ids count turns; one far beyond them is none of theirs, and may not cost what all below it would.
        if place(turn) < 4 * self.turns + 4096 {
            if self.firsts.len() <= place(turn) {
                let length = place(turn) + 1;
                if self.firsts.capacity() < length {
                    // A quarter more at a time, rather than twice as much.
                    self.firsts.reserve_exact(length + length / 4 - self.firsts.len());
                }
                self.firsts.resize(length, NONE);
            }
            if let Some(slot) = self.firsts.get_mut(place(turn)) {
                *slot = first;
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_follow_their_predecessors_to_the_first() {
        let mut conversations = Conversations::default();
        let turns =
            [(0, None, 0), (1, Some(0), 0), (5, None, 5), (2, Some(1), 0), (6, Some(5), 5), (8, Some(7), 7)];
        for (turn, before, first) in turns {
            assert_eq!(conversations.of(turn, before), first, "{turn}");
        }
        assert_eq!(conversations.of(u32::MAX - 1, Some(2)), 0);
        assert!(conversations.firsts.len() < 100);
    }
}
