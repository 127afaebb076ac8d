//! Which encoding a file is in.

use encoding_rs::{Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE};

/// An encoding and why it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) encoding: &'static Encoding,
    pub(super) why: &'static str,
    /// Length of the byte-order mark.
    pub(super) mark: usize,
}

/// The encoding that has this name: `utf-8`, `gbk`, `gb18030`, `utf-16le`, `big5`, `shift_jis`, `latin1` and all others of
/// the WHATWG encoding standard.
pub(crate) fn named(name: &str) -> Option<&'static Encoding> {
    Encoding::for_label(name.as_bytes())
}

/// What the first bytes tell, or that they are no text; `None` while they are ASCII alone.
pub(super) fn of_start(start: &[u8]) -> Result<Option<Taken>, &'static str> {
    if let Some((encoding, mark)) = Encoding::for_bom(start) {
        return Ok(Some(Taken { encoding, why: "of its byte-order mark", mark }));
    }
    if let Some(kind) = of_another_kind(start) {
        return Err(kind);
    }
    let zeros = |from: usize| start.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, pairs) = (zeros(0), zeros(1), start.len() / 2);
    let pattern = |here: usize, there: usize| here * 4 >= pairs && there * 50 <= pairs && here > 0;
    let why = "every other byte is zero";
    match () {
        () if pattern(odd, even) => Ok(Some(Taken { encoding: UTF_16LE, why, mark: 0 })),
        () if pattern(even, odd) => Ok(Some(Taken { encoding: UTF_16BE, why, mark: 0 })),
        () if start.iter().filter(|byte| is_control(**byte)).count() * 20 > start.len() => {
            Err("a binary file")
        }
        () => Ok(None),
    }
}

fn is_control(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0b | 0x0c | 0x1b)) || byte == 0x7f
}

fn of_another_kind(start: &[u8]) -> Option<&'static str> {
    let kinds: [(usize, &[u8], &str); 12] = [
        (0, b"PK\x03\x04", "a ZIP archive or a workbook of a spreadsheet"),
        (0, b"PAR1", "a Parquet file"),
        (0, b"BZh", "a bzip2 file"),
        (0, b"\xfd7zXZ\0", "an xz file"),
        (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
        (0, b"\x04\x22\x4d\x18", "an LZ4 file"),
        (0, b"SQLite format 3\0", "an SQLite database"),
        (0, b"%PDF-", "a PDF document"),
        (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old workbook of a spreadsheet"),
        (0, b"Obj\x01", "an Avro file"),
        (0, b"\x7fELF", "a program"),
        (257, b"ustar", "a TAR archive"),
    ];
    kinds
        .into_iter()
        .find(|(at, magic, _)| start.get(*at..).is_some_and(|rest| rest.starts_with(magic)))
        .map(|(_, _, kind)| kind)
}

/// Judges by the first bytes beyond ASCII, line by line: a line of them may be damaged, and most are not.
pub(super) fn of_lines(bytes: &[u8]) -> Taken {
    let (mut utf8, mut gb) = (0_u32, 0_u32);
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_ascii()) {
        match std::str::from_utf8(line) {
            Ok(_) => utf8 += 1,
            // The last line may have been cut within a sign.
            Err(fault) if fault.error_len().is_none() => utf8 += 1,
            Err(_) => gb += u32::from(reads_as_gb(line)),
        }
    }
    match gb > utf8 {
        true => Taken {
            encoding: GB18030,
            why: "its first lines beyond ASCII are no UTF-8 and can be read as GB18030",
            mark: 0,
        },
        false => Taken { encoding: UTF_8, why: "its lines are UTF-8", mark: 0 },
    }
}

fn reads_as_gb(line: &[u8]) -> bool {
    let whole = |line| GB18030.decode_without_bom_handling_and_without_replacement(line).is_some();
    (0..4).any(|cut| line.len().checked_sub(cut).and_then(|length| line.get(..length)).is_some_and(whole))
}
