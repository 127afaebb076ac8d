//! Text is cut into pieces: lines, JSON values, records of a table. What is longer than a piece may be is passed over
//! without being held.

mod buffer;
mod json;
mod lines;
mod table;
#[cfg(test)]
mod tests;

use workload_model::traffic::Dropped;

pub(crate) use buffer::Buffer;
pub(crate) use json::{first_value, values};
pub(crate) use lines::lines;
pub(crate) use table::{Table, header_of};

use crate::Unit;

/// A piece of a file, or what stands where one should be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece<'a> {
    /// A piece to be read.
    Unit(Unit<'a>),
    /// A row that no reader can read.
    Bad {
        /// Line on which it begins.
        line: u64,
        /// Why.
        reason: Dropped,
        /// What is wrong.
        detail: &'static str,
    },
}

/// Takes pieces; `false` ends the reading.
pub(crate) type Each<'e> = &'e mut dyn FnMut(Piece<'_>) -> bool;

/// Lines of a file, for its account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lines {
    /// Lines that were read so far.
    pub(crate) all: u64,
    /// Those of them between rows that hold nothing.
    pub(crate) blank: u64,
}

const TOO_LONG: &str = "longer than a row may be (--max-line)";
const NO_TEXT: &str = "not text in the file's encoding";

/// A piece of text, or what is wrong with it; `None` where there is nothing but white space.
fn text_piece(line: u64, bytes: &[u8]) -> Option<Piece<'_>> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii();
    match std::str::from_utf8(bytes) {
        Ok("") => None,
        Ok(text) => Some(Piece::Unit(Unit::Text { line, text })),
        Err(_) => Some(Piece::Bad { line, reason: Dropped::BadEncoding, detail: NO_TEXT }),
    }
}
