//! Bytes as they come, counted and digested on their way.

use std::io::{Read, Result};

use sha2::{Digest, Sha256};

/// A reader that counts and digests what goes through it.
pub(super) struct Hashed<'r> {
    inner: Box<dyn Read + 'r>,
    digest: Sha256,
    bytes: u64,
}

impl<'r> Hashed<'r> {
    pub(super) fn new(inner: Box<dyn Read + 'r>) -> Self {
        Self { inner, digest: Sha256::new(), bytes: 0 }
    }

    /// Digest and number of all bytes, also of those that nobody has read so far.
    pub(super) fn finish(&mut self) -> Result<(String, u64)> {
        std::io::copy(self, &mut std::io::sink())?;
        Ok((hex::encode(self.digest.clone().finalize()), self.bytes))
    }
}

impl Read for Hashed<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let length = self.inner.read(into)?;
        self.digest.update(into.get(..length).unwrap_or_default());
        self.bytes += length as u64;
        Ok(length)
    }
}
