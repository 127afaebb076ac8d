//! The text of a file, chunk by chunk.

use std::io::{ErrorKind, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};

use super::{
    CHUNK, SourceAccount, SourceError,
    encoding::{Taken, of_lines, of_start},
    hashed::Hashed,
    unpack::Unpacked,
};

/// The text of a file in UTF-8. A byte that means nothing in the file's encoding stays a byte that means nothing in UTF-8,
/// so that it costs the line that it stands in and no more.
pub(crate) struct Text<'r> {
    unpacked: Unpacked<'r>,
    decoding: Decoding,
    taken: Option<Taken>,
    /// Bytes of text before decoding.
    read: u64,
    fault: Option<std::io::Error>,
}

enum Decoding {
    /// Nothing was read.
    Unbegun,
    /// It was ASCII so far.
    Ascii,
    Utf8,
    By(Box<Decoder>),
}

/// No UTF-8 has this byte.
const MEANINGLESS: u8 = 0xff;

impl<'r> Text<'r> {
    /// Begins to read, in this encoding or whichever is found out.
    pub(crate) fn new(
        bytes: Box<dyn Read + 'r>,
        encoding: Option<&'static Encoding>,
    ) -> Result<Self, SourceError> {
        let taken = encoding.map(|encoding| Taken { encoding, why: "it was asked for", mark: 0 });
        let unpacked = Unpacked::new(Hashed::new(bytes)).map_err(|fault| match fault.kind() {
            ErrorKind::IsADirectory => SourceError::Folder,
            _ => SourceError::Io(fault),
        })?;
        Ok(Self { unpacked, decoding: Decoding::Unbegun, taken, read: 0, fault: None })
    }

    /// Appends more text; gives `false` where there is no more.
    pub(crate) fn more(&mut self, out: &mut Vec<u8>) -> Result<bool, SourceError> {
        let start = out.len();
        let length = self.chunk(out)?;
        if matches!(self.decoding, Decoding::Unbegun) {
            self.begin(out, start)?;
        }
        if matches!(self.decoding, Decoding::Ascii) {
            self.judge(out, start);
        }
        match &mut self.decoding {
            Decoding::By(decoder) => {
                let raw = out.split_off(start);
                decode(decoder, &raw, length == 0, out);
            }
            Decoding::Unbegun | Decoding::Ascii | Decoding::Utf8 => {}
        }
        Ok(length > 0)
    }

    /// Appends a whole chunk as it comes, however small the pieces in which it is handed over.
    fn chunk(&mut self, out: &mut Vec<u8>) -> Result<usize, SourceError> {
        let start = out.len();
        out.resize(start + CHUNK, 0);
        let mut length = 0;
        while length < CHUNK && self.fault.is_none() {
            match self.unpacked.read(out.get_mut(start + length..).unwrap_or_default()) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
                Err(fault) => self.fault = Some(fault),
            }
        }
        out.truncate(start + length);
        self.read += length as u64;
        match self.fault.take() {
            // What came before the damage is read first.
            fault if length > 0 => self.fault = fault,
            Some(fault) => return Err(self.damaged(fault)),
            None => {}
        }
        Ok(length)
    }

    fn damaged(&self, fault: std::io::Error) -> SourceError {
        match self.unpacked.compression() {
            Some(compression) => {
                SourceError::Damaged { compression, unpacked: self.read, what: fault.to_string() }
            }
            None if fault.kind() == ErrorKind::IsADirectory => SourceError::Folder,
            None => SourceError::Io(fault),
        }
    }

    /// Looks at the first chunk.
    fn begin(&mut self, out: &mut Vec<u8>, start: usize) -> Result<(), SourceError> {
        let found = {
            let first = out.get(start..).unwrap_or_default();
            if first.is_empty() {
                return Err(SourceError::Empty);
            }
            of_start(first)
        };
        let asked = self.taken;
        let (taken, mark) = match (asked, found) {
            (Some(asked), found) => {
                let found = found.ok().flatten().filter(|found| found.encoding == asked.encoding);
                (Some(asked), found.map_or(0, |found| found.mark))
            }
            (None, found) => {
                let found = found.map_err(SourceError::NotText)?;
                (found, found.map_or(0, |found| found.mark))
            }
        };
        out.drain(start..start + mark);
        self.decoding = Decoding::Ascii;
        if let Some(taken) = taken {
            self.take(taken);
        }
        Ok(())
    }

    /// Looks at the first bytes beyond ASCII.
    fn judge(&mut self, out: &[u8], start: usize) {
        let chunk = out.get(start..).unwrap_or_default();
        if !chunk.is_ascii() {
            self.take(of_lines(chunk));
        }
    }

    fn take(&mut self, taken: Taken) {
        self.taken = Some(taken);
        self.decoding = match taken.encoding == UTF_8 {
            true => Decoding::Utf8,
            false => Decoding::By(Box::new(taken.encoding.new_decoder_without_bom_handling())),
        };
    }

    /// What is known of the file. Whatever nobody has read of it is read.
    pub(crate) fn finish(mut self) -> Result<SourceAccount, SourceError> {
        let (sha256, bytes) = self.unpacked.finish()?;
        Ok(SourceAccount {
            sha256,
            bytes,
            compression: self.unpacked.compression(),
            encoding: self.taken.map_or("ASCII", |taken| taken.encoding.name()),
            encoding_why: self.taken.map_or("it holds nothing else", |taken| taken.why),
        })
    }
}

fn decode(decoder: &mut Decoder, mut raw: &[u8], last: bool, out: &mut Vec<u8>) {
    let mut piece = vec![0; 1 << 13];
    loop {
        let (result, read, written) = decoder.decode_to_utf8_without_replacement(raw, &mut piece, last);
        out.extend_from_slice(piece.get(..written).unwrap_or_default());
        raw = raw.get(read..).unwrap_or_default();
        match result {
            DecoderResult::InputEmpty => return,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => out.push(MEANINGLESS),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn read(bytes: &[u8], encoding: Option<&str>) -> Result<(Vec<u8>, SourceAccount), SourceError> {
        let mut text = Text::new(Box::new(bytes), encoding.and_then(super::super::named))?;
        let mut out = Vec::new();
        while text.more(&mut out)? {}
        Ok((out, text.finish()?))
    }

    fn encoded(bytes: &[u8]) -> (String, &'static str) {
        let (text, account) = read(bytes, None).expect("text");
        (String::from_utf8_lossy(&text).into_owned(), account.encoding)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).expect("written");
        encoder.finish().expect("finished")
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn encodings_are_found_out() {
        let text = "时间,输入\n1,2\n";
        let (gbk, _, _) = encoding_rs::GBK.encode(text);
        assert_eq!(encoded(b"a\n"), ("a\n".into(), "ASCII"));
        assert_eq!(encoded(text.as_bytes()), (text.into(), "UTF-8"));
        assert_eq!(encoded(format!("\u{feff}{text}").as_bytes()), (text.into(), "UTF-8"));
        assert_eq!(encoded(&gbk), (text.into(), "gb18030"));
        assert_eq!(encoded(&utf16(text, u16::to_le_bytes)), (text.into(), "UTF-16LE"));
        assert_eq!(encoded(&utf16(text, u16::to_be_bytes)), (text.into(), "UTF-16BE"));
        assert_eq!(encoded(&utf16(&format!("\u{feff}{text}"), u16::to_le_bytes)), (text.into(), "UTF-16LE"));
    }

    #[test]
    fn the_encoding_may_be_told_by_signs_far_behind_the_start() {
        let ascii = "a,b\n".repeat(CHUNK);
        let (gbk, _, _) = encoding_rs::GBK.encode("通义,千问\n");
        let (text, encoding) = encoded(&[ascii.as_bytes(), &gbk].concat());
        assert_eq!(encoding, "gb18030");
        assert!(text.ends_with("\n通义,千问\n"), "{}", text.len());
    }

    #[test]
    fn a_damaged_line_of_utf8_does_not_make_it_another_encoding() {
        let (text, account) = read(b"\xe6\x97\xb6\n\xff\xfe\xd6\xd0\n\xe6\x97\xb6\n", None).expect("text");
        assert_eq!(account.encoding, "UTF-8");
        assert_eq!(text, b"\xe6\x97\xb6\n\xff\xfe\xd6\xd0\n\xe6\x97\xb6\n");
        // A surrogate alone means nothing, and costs its own line.
        let (text, _) = read(b"\xff\xfea\0\x00\xd8\n\0b\0\n\0", None).expect("text");
        assert_eq!(text, b"a\xff\nb\n");
    }

    #[test]
    fn an_encoding_that_was_asked_for_is_taken() {
        let (text, account) = read(b"caf\xe9\n", Some("latin1")).expect("text");
        assert_eq!((String::from_utf8_lossy(&text).as_ref(), account.encoding), ("café\n", "windows-1252"));
        let (text, _) = read(b"\xef\xbb\xbfa\n", Some("utf-8")).expect("text");
        assert_eq!(text, b"a\n");
    }

    #[test]
    fn compressed_files_are_read_as_such_in_all_their_members() {
        let digest = |bytes: &[u8]| {
            use sha2::{Digest, Sha256};
            (hex::encode(Sha256::digest(bytes)), bytes.len() as u64)
        };
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"xyz"].concat();
        let cases = [
            ("gzip", [gzip(b"a\n"), gzip(b"b\n")].concat()),
            ("zstd", [skippable.clone(), zstd(b"a\n"), skippable, zstd(b"b\n")].concat()),
        ];
        for (compression, packed) in cases {
            let (text, account) = read(&packed, None).expect("text");
            assert_eq!(text, b"a\nb\n", "{compression}");
            assert_eq!(account.compression, Some(compression));
            assert_eq!((account.sha256, account.bytes), digest(&packed));
        }
    }

    #[test]
    fn damage_is_told_with_what_came_before_it() {
        let text = (0..200_000).map(|number| format!("{number}\n")).collect::<String>();
        for packed in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
            let cut = packed.get(..packed.len() / 2).unwrap_or_default();
            let mut source = Text::new(Box::new(cut), None).expect("a start");
            let mut out = Vec::new();
            let fault = loop {
                match source.more(&mut out) {
                    Ok(true) => {}
                    Ok(false) => panic!("the damage went unseen"),
                    Err(fault) => break fault,
                }
            };
            let SourceError::Damaged { unpacked, .. } = &fault else { panic!("{fault}") };
            assert_eq!(*unpacked, out.len() as u64);
            assert!(text.as_bytes().starts_with(&out) && out.len() >= CHUNK, "{}", out.len());
        }
        let mut packed = zstd(b"hello, hello, hello\n");
        if let Some(last) = packed.last_mut() {
            *last ^= 1;
        }
        assert!(matches!(read(&packed, None), Err(SourceError::Damaged { .. })));
    }

    #[test]
    fn what_is_no_text_is_named() {
        let said = |bytes: &[u8]| read(bytes, None).map(|_| ()).map_err(|fault| fault.to_string());
        assert!(matches!(read(b"", None), Err(SourceError::Empty)));
        assert!(matches!(read(&gzip(b""), None), Err(SourceError::Empty)));
        assert!(said(b"PK\x03\x04....").is_err_and(|said| said.contains("ZIP")));
        assert!(said(&[0, 0, 1, 0, 0, 2, 3].repeat(99)).is_err_and(|said| said.contains("binary")));
    }
}
