//! The part of a text that is being looked at.

use memchr::memchr;

use crate::source::{SourceError, Text};

/// The part of a text that was read and not cut yet.
pub(crate) struct Buffer<'r> {
    text: Text<'r>,
    bytes: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<'r> Buffer<'r> {
    /// Begins with the first chunk.
    pub(crate) fn new(text: Text<'r>) -> Result<Self, SourceError> {
        let mut buffer = Self { text, bytes: Vec::new(), at: 0, ended: false };
        buffer.more()?;
        Ok(buffer)
    }

    pub(crate) fn data(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Reads more behind what is there; gives `false` at the end of the text.
    pub(crate) fn more(&mut self) -> Result<bool, SourceError> {
        if self.ended {
            return Ok(false);
        }
        self.bytes.drain(..self.at);
        self.at = 0;
        self.ended = !self.text.more(&mut self.bytes)?;
        // The last bytes may come with the end.
        Ok(!self.ended || !self.bytes.is_empty())
    }

    /// Everything was read, so that the data is all there is.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn consume(&mut self, length: usize) {
        self.at = (self.at + length).min(self.bytes.len());
    }

    /// Passes over everything up to and with the next line break, holding none of it. Gives `false` where the text ends
    /// first.
    pub(crate) fn skip_line(&mut self) -> Result<bool, SourceError> {
        loop {
            if let Some(end) = memchr(b'\n', self.data()) {
                self.consume(end + 1);
                return Ok(true);
            }
            self.consume(self.data().len());
            if !self.more()? {
                return Ok(false);
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    pub(crate) fn into_text(self) -> Text<'r> {
        self.text
    }
}
