//! Ids of blocks become numbers.

use std::collections::HashMap;

/// Numbers of blocks in the order in which they first came up, so that no id of a log goes further than its import.
///
/// Ids are those of one file: that two files have the same one tells nothing.
#[derive(Default)]
pub(super) struct BlockNumbers {
    known: HashMap<u64, u32>,
    file: u16,
    next: u32,
    row: Vec<u32>,
}

impl BlockNumbers {
    /// Numbers of a row's blocks.
    pub(super) fn of(&mut self, file: u16, ids: &[u64]) -> &[u32] {
        if self.file != file {
            self.known.clear();
            self.file = file;
        }
        self.row.clear();
        for id in ids {
            let number = *self.known.entry(*id).or_insert(self.next);
            // Beyond four thousand million blocks the last number stands for all; no log is that long.
            if number == self.next {
                self.next = self.next.saturating_add(1);
            }
            self.row.push(number);
        }
        &self.row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_numbered_as_they_come_up_and_every_file_has_its_own() {
        let mut numbers = BlockNumbers::default();
        assert_eq!(numbers.of(0, &[900, 7, 900]), [0, 1, 0]);
        assert_eq!(numbers.of(0, &[7, u64::MAX]), [1, 2]);
        assert_eq!(numbers.of(0, &[]), [] as [u32; 0]);
        assert_eq!(numbers.of(1, &[7, 900]), [3, 4]);
    }
}
