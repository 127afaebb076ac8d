//! All rows of an import.

use std::collections::BTreeMap;

use super::{Dropped, Note, Row, StampSource, blocks::Blocks};

/// Rows of one piece of the store. Pieces keep a growing store from being copied, which would double what a row takes.
const PIECE: usize = 1 << 14;

/// The rows that were kept, in the order of their files, and an account of those that were not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traffic {
    pieces: Vec<Vec<Row>>,
    blocks: Blocks,
    /// How many tokens each block of an input has but its last, which may have fewer; `None` where the log has no blocks, or
    /// does not say how long they are.
    pub block_tokens: Option<u32>,
    /// How the arrivals were found out; rows name theirs by index.
    pub sources: Vec<StampSource>,
    /// Names of groups; rows name theirs by index.
    pub groups: Vec<String>,
    /// Rows that were not kept, by reason.
    pub dropped: BTreeMap<Dropped, u64>,
    /// What is to be known of the rows that were kept, and of how many.
    pub notes: BTreeMap<Note, u64>,
}

impl Traffic {
    /// Keeps a row.
    pub fn push(&mut self, row: Row) {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(row),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(row);
                self.pieces.push(piece);
            }
        }
    }

    /// Keeps a row with the blocks of its input, in their order. Rows of logs without blocks take nothing for them; those of
    /// others 4 bytes a block and 8 a row.
    pub fn push_with_blocks(&mut self, row: Row, blocks: &[u32]) {
        self.push(row);
        let (before, last) = (self.pieces.len() - 1, self.pieces.last().map_or(0, Vec::len));
        self.blocks.set(before * PIECE + last - 1, blocks);
    }

    /// The blocks of the input of the row at this place, from 0: numbers of which equal ones stand for equal texts within one
    /// import. None where its log has none.
    #[must_use]
    pub fn blocks(&self, at: usize) -> &[u32] {
        self.blocks.of(at)
    }

    /// Some row has blocks.
    #[must_use]
    pub fn has_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// How many rows were kept.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }

    /// How many rows were read: those that were kept and those that were not.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.kept() + self.dropped.values().sum::<u64>()
    }

    /// The rows that were kept, in the order of their files.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> + Clone {
        self.pieces.iter().flatten()
    }

    /// The same, to change their groups.
    pub fn rows_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Row> {
        self.pieces.iter_mut().flatten()
    }

    /// The row at this place, from 0.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<&Row> {
        self.pieces.get(at / PIECE)?.get(at % PIECE)
    }
}
