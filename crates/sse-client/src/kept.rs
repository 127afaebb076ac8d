//! What of a body is kept to be looked at after a failure: its beginning and its end.

use std::fmt;
use std::sync::Arc;

use crate::target::Target;

/// How many bytes of a body are kept to be looked at after a failure: 16 KiB, half from its beginning and half from
/// its end.
pub const SAMPLE_BYTES: usize = 16 << 10;

/// What is kept of each end. Both, and the words between them, fit into a sample.
const HALF: usize = SAMPLE_BYTES / 2 - 32;

/// The first and the last bytes of a body. How it began says what answered; how it ended, why it went wrong.
#[derive(Clone, Default)]
pub(crate) struct Kept {
    head: Vec<u8>,
    /// The last bytes after the head, in a ring once there are so many.
    tail: Vec<u8>,
    /// Where the ring's oldest byte is, and the next will be.
    oldest: usize,
    /// Bytes between the two.
    left_out: usize,
}

impl Kept {
    /// Takes the next bytes of the body.
    pub(crate) fn push(&mut self, data: &[u8]) {
        if self.head.is_empty() {
            self.head.reserve(HALF.min(1000));
        }
        let (head, rest) = data.split_at((HALF - self.head.len()).min(data.len()));
        self.head.extend_from_slice(head);
        let (older, last) = rest.split_at(rest.len().saturating_sub(HALF));
        self.left_out += older.len();
        let (fills, mut last) = last.split_at((HALF - self.tail.len()).min(last.len()));
        self.tail.extend_from_slice(fills);
        // The ring is full wherever something is left. Pieces are many and small, so nothing is ever moved.
        self.left_out += last.len();
        while !last.is_empty() {
            let (now, then) = last.split_at((HALF - self.oldest).min(last.len()));
            self.tail[self.oldest..self.oldest + now.len()].copy_from_slice(now);
            self.oldest = (self.oldest + now.len()) % HALF;
            last = then;
        }
    }

    /// Both ends with secrets masked, and between them how much was left out.
    fn masked(mut self, target: &Target) -> Vec<u8> {
        self.tail.rotate_left(self.oldest);
        if self.left_out == 0 {
            self.head.append(&mut self.tail);
            return target.mask_bytes(&self.head);
        }
        let mut sample = target.mask_end(target.mask_bytes(&self.head));
        sample.extend_from_slice(format!("\n[{} bytes left out]\n", self.left_out).as_bytes());
        sample.extend_from_slice(&target.mask_start(target.mask_bytes(&self.tail)));
        sample
    }
}

/// What was kept of a body: at most [`SAMPLE_BYTES`] of it, of a longer one as much of its beginning as of its end.
#[derive(Clone, Default)]
pub struct Sample {
    kept: Kept,
    /// Whose secrets the body may repeat; `None` where nothing was sent.
    target: Option<Arc<Target>>,
}

impl Sample {
    pub(crate) fn new(kept: Kept, target: Arc<Target>) -> Self {
        Self { kept, target: Some(target) }
    }

    /// Whether nothing came.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.head.is_empty()
    }

    /// The bytes with the API key and the values of further headers masked, and a line between the two ends that says
    /// how much was left out. Made when it is asked for: few bodies are ever looked at.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.target.as_ref().map(|target| self.kept.clone().masked(target)).unwrap_or_default()
    }
}

impl PartialEq for Sample {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}

impl fmt::Debug for Sample {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Sample({:?})", String::from_utf8_lossy(&self.to_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::{HALF, Kept};
    use crate::endpoint::Endpoint;
    use crate::secret::Secret;
    use crate::target::Target;

    fn sample(body: &[u8], piece: usize) -> Vec<u8> {
        let endpoint = Endpoint::parse("http://h/v1").unwrap();
        let target = Target::new(endpoint, "test/1", Secret::new("sk-0123456789")).unwrap();
        let mut kept = Kept::default();
        body.chunks(piece).for_each(|data| kept.push(data));
        kept.masked(&target)
    }

    #[test]
    fn a_short_body_is_kept_whole_and_a_long_one_by_its_ends() {
        let body: Vec<u8> = (0..5 * HALF).map(|at| b'a' + (at % 23) as u8).collect();
        for length in [0, 1, HALF, HALF + 1, 2 * HALF, 2 * HALF + 1, 5 * HALF] {
            let body = &body[..length];
            let whole = length <= 2 * HALF;
            let gap = format!("\n[{} bytes left out]\n", length.saturating_sub(2 * HALF));
            let ends = || [&body[..HALF], gap.as_bytes(), &body[length - HALF..]].concat();
            let expected = if whole { body.to_vec() } else { ends() };
            for piece in [1, 7, 1000, HALF, 3 * HALF, usize::MAX] {
                assert!(sample(body, piece) == expected, "{length} bytes in pieces of {piece}");
            }
        }
    }

    #[test]
    fn a_key_is_masked_wherever_it_stands_even_across_a_cut() {
        let key = b"sk-0123456789";
        for at in (HALF - 20..HALF + 20).chain(2 * HALF - 20..2 * HALF + 20) {
            let mut body = vec![b'.'; 3 * HALF];
            body[at..at + key.len()].copy_from_slice(key);
            let shown = String::from_utf8(sample(&body, 4096)).unwrap();
            for part in ["sk-0", "6789", "2345"] {
                assert!(!shown.contains(part), "{at}: {part}");
            }
        }
        let mut short = vec![b'.'; HALF - 5];
        short.extend_from_slice(key);
        assert!(String::from_utf8(sample(&short, 1)).unwrap().ends_with(".[secret]"));
    }
}
