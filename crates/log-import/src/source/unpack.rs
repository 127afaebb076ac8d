//! Compressed files, known by how they begin and not by their names.

use std::io::{BufRead, BufReader, Error, Read, Result};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

use super::{CHUNK, hashed::Hashed};

type Packed<'r> = BufReader<Hashed<'r>>;

/// The bytes of a file, unpacked.
pub(super) enum Unpacked<'r> {
    Plain(Packed<'r>),
    Gzip(Box<MultiGzDecoder<Packed<'r>>>),
    Zstd(Box<Frames<'r>>),
}

impl<'r> Unpacked<'r> {
    pub(super) fn new(bytes: Hashed<'r>) -> Result<Self> {
        let mut packed = BufReader::with_capacity(CHUNK, bytes);
        let start = start_of(&mut packed)?;
        Ok(match start {
            [0x1f, 0x8b, 8, _] => Self::Gzip(Box::new(MultiGzDecoder::new(packed))),
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => {
                Self::Zstd(Box::new(Frames { packed, decoder: FrameDecoder::new(), within: false }))
            }
            _ => Self::Plain(packed),
        })
    }

    pub(super) fn compression(&self) -> Option<&'static str> {
        match self {
            Self::Plain(_) => None,
            Self::Gzip(_) => Some("gzip"),
            Self::Zstd(_) => Some("zstd"),
        }
    }

    /// Digest and number of the bytes as they came.
    pub(super) fn finish(&mut self) -> Result<(String, u64)> {
        match self {
            Self::Plain(packed) => packed.get_mut().finish(),
            Self::Gzip(decoder) => decoder.get_mut().get_mut().finish(),
            Self::Zstd(frames) => frames.packed.get_mut().finish(),
        }
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        match self {
            Self::Plain(packed) => packed.read(into),
            Self::Gzip(decoder) => decoder.read(into),
            Self::Zstd(frames) => frames.read(into),
        }
    }
}

/// The first four bytes, without reading past them; zeros where there are fewer.
fn start_of(packed: &mut Packed<'_>) -> Result<[u8; 4]> {
    let mut start = [0; 4];
    let have = packed.fill_buf()?;
    for (to, from) in start.iter_mut().zip(have) {
        *to = *from;
    }
    Ok(start)
}

/// The frames of a zstd file, one after the other.
pub(super) struct Frames<'r> {
    packed: Packed<'r>,
    decoder: FrameDecoder,
    within: bool,
}

impl Frames<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        loop {
            if !self.within && self.packed.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.within = self.within || self.begin()?;
            if !self.within {
                continue;
            }
            while self.decoder.can_collect() < into.len() && !self.decoder.is_finished() {
                let wanted = BlockDecodingStrategy::UptoBytes(into.len() - self.decoder.can_collect());
                self.decoder.decode_blocks(&mut self.packed, wanted).map_err(Error::other)?;
            }
            let length = self.decoder.read(into)?;
            if length > 0 || into.is_empty() {
                return Ok(length);
            }
            self.end()?;
        }
    }

    /// Begins the next frame; passes over one that holds no data, and gives `false`.
    fn begin(&mut self) -> Result<bool> {
        match self.decoder.init(&mut self.packed) {
            Ok(()) => Ok(true),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let length = u64::from(length);
                let skipped = std::io::copy(&mut self.packed.by_ref().take(length), &mut std::io::sink())?;
                (skipped == length).then_some(false).ok_or(Error::other("a frame without data is cut short"))
            }
            Err(fault) => Err(Error::other(fault)),
        }
    }

    fn end(&mut self) -> Result<()> {
        self.within = false;
        let said = self.decoder.get_checksum_from_data();
        let right = said.is_none() || said == self.decoder.get_calculated_checksum();
        right.then_some(()).ok_or(Error::other("its checksum is another"))
    }
}
