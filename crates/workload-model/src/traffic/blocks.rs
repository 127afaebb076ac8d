//! Blocks of inputs, beside the rows of the few logs that tell of them.

/// Blocks of rows, one after another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Blocks {
    numbers: Vec<u32>,
    /// Where those of each row end; rows behind the last have none.
    ends: Vec<usize>,
}

impl Blocks {
    /// Those of the row at this place. Rows come in their order, and those without blocks may be left out.
    pub(super) fn set(&mut self, at: usize, blocks: &[u32]) {
        if blocks.is_empty() || at < self.ends.len() {
            return;
        }
        self.ends.resize(at, self.numbers.len());
        self.numbers.extend_from_slice(blocks);
        self.ends.push(self.numbers.len());
    }

    pub(super) fn of(&self, at: usize) -> &[u32] {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends.get(before).copied().unwrap_or(0));
        self.ends.get(at).map_or(&[], |end| &self.numbers[begin..*end])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_own_blocks_and_those_in_between_have_none() {
        let mut blocks = Blocks::default();
        blocks.set(0, &[]);
        assert!(blocks.is_empty() && blocks.of(0).is_empty());
        blocks.set(2, &[7, 8]);
        blocks.set(3, &[7]);
        blocks.set(5, &[9, 9, 1]);
        let of: Vec<&[u32]> = (0..7).map(|at| blocks.of(at)).collect();
        assert_eq!(of, [&[][..], &[], &[7, 8], &[7], &[], &[9, 9, 1], &[]]);
    }
}
