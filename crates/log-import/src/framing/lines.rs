//! Lines.

use memchr::memchr;
use workload_model::traffic::Dropped;

use super::{Buffer, Each, Lines, Piece, TOO_LONG, text_piece};
use crate::source::SourceError;

/// Hands on every line that is not blank. Lines of more than `most` bytes are passed over.
pub(crate) fn lines(
    buffer: &mut Buffer<'_>,
    most: usize,
    count: &mut Lines,
    each: Each<'_>,
) -> Result<(), SourceError> {
    let mut seen = 0;
    loop {
        let data = buffer.data();
        let end = memchr(b'\n', data.get(seen..).unwrap_or_default()).map(|end| seen + end);
        let length = end.unwrap_or(data.len());
        if length > most {
            count.all += 1;
            if !each(Piece::Bad { line: count.all, reason: Dropped::TooLong, detail: TOO_LONG }) {
                return Ok(());
            }
            buffer.skip_line()?;
            seen = 0;
            continue;
        }
        if end.is_none() && !buffer.has_ended() {
            seen = length;
            buffer.more()?;
            continue;
        }
        if end.is_none() && data.is_empty() {
            return Ok(());
        }
        count.all += 1;
        let piece = text_piece(count.all, data.get(..length).unwrap_or_default());
        count.blank += u64::from(piece.is_none());
        if piece.is_some_and(|piece| !each(piece)) {
            return Ok(());
        }
        buffer.consume(length + 1);
        seen = 0;
    }
}
