//! Records of a table.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use memchr::{memchr, memchr_iter};
use workload_model::traffic::Dropped;

use super::{Buffer, Each, Lines, NO_TEXT, Piece, TOO_LONG};
use crate::{Unit, source::SourceError};

const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// No table has so many columns.
const MOST_FIELDS: usize = 1 << 16;
const WRONG_COUNT: &str = "not as many fields as the header";
const UNCLOSED: &str = "a quote that is not closed on its line, or not as many fields as the header";

/// A table whose header was read.
pub(crate) struct Table {
    reader: Reader,
    record: Record,
    /// Names of the columns.
    pub(crate) header: Vec<String>,
    /// The sign between fields.
    pub(crate) separator: char,
}

/// The fields of one record, one after the other, and where each ends.
#[derive(Default)]
struct Record {
    out: Vec<u8>,
    ends: Vec<usize>,
    length: usize,
    fields: usize,
}

enum Found {
    /// A record, in so many bytes of the text.
    Record(usize),
    TooLong,
    Nothing,
}

/// The first record of a text as a table has it, and the sign between its fields.
pub(crate) fn header_of(text: &[u8]) -> (Vec<String>, char) {
    let separator = separator_of(text);
    let mut record = Record::default();
    record.reset();
    let mut reader = reader(separator);
    let mut rest = text;
    loop {
        let ends = record.ends.get_mut(record.fields..).unwrap_or_default();
        let out = record.out.get_mut(record.length..).unwrap_or_default();
        let (result, read, written, fields) = reader.read_record(rest, out, ends);
        rest = rest.get(read..).unwrap_or_default();
        record.take(written, fields);
        match result {
            ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => record.grow(result),
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::Record | ReadRecordResult::End => break,
        }
    }
    let names = record.names();
    (names, char::from(separator))
}

impl Table {
    /// Reads the header.
    pub(crate) fn new(
        buffer: &mut Buffer<'_>,
        most: usize,
        count: &mut Lines,
    ) -> Result<Option<Self>, SourceError> {
        pass_blank(buffer, count)?;
        let told = told_separator(buffer.data());
        if told.is_some() {
            buffer.skip_line()?;
            count.all += 1;
            pass_blank(buffer, count)?;
        }
        let separator = told.unwrap_or_else(|| separator_of(buffer.data()));
        let mut table = Self {
            reader: reader(separator),
            record: Record::default(),
            header: Vec::new(),
            separator: char::from(separator),
        };
        match table.next(buffer, most)? {
            Found::Record(length) => {
                table.header = table.record.names();
                table.pass(buffer, length, count)?;
                Ok(Some(table))
            }
            Found::TooLong | Found::Nothing => Ok(None),
        }
    }

    /// Hands on every record behind the header.
    pub(crate) fn read(
        &mut self,
        buffer: &mut Buffer<'_>,
        most: usize,
        count: &mut Lines,
        each: Each<'_>,
    ) -> Result<(), SourceError> {
        loop {
            pass_blank(buffer, count)?;
            let line = count.all + 1;
            match self.next(buffer, most)? {
                Found::Nothing => return Ok(()),
                Found::TooLong => {
                    if !each(Piece::Bad { line, reason: Dropped::TooLong, detail: TOO_LONG }) {
                        return Ok(());
                    }
                    buffer.skip_line()?;
                    count.all += 1;
                }
                Found::Record(length) => {
                    let raw = buffer.data().get(..length).unwrap_or_default();
                    if raw.trim_ascii().is_empty() {
                        self.pass(buffer, length, count)?;
                        count.blank += 1;
                        continue;
                    }
                    let swallowed = self.swallowed(raw);
                    let go_on = match swallowed {
                        true => each(Piece::Bad { line, reason: Dropped::FieldCount, detail: UNCLOSED }),
                        false => self.hand_on(line, each),
                    };
                    match swallowed {
                        true => {
                            buffer.skip_line()?;
                            count.all += 1;
                        }
                        false => self.pass(buffer, length, count)?,
                    }
                    if !go_on {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn hand_on(&self, line: u64, each: Each<'_>) -> bool {
        let bad = |reason, detail| Piece::Bad { line, reason, detail };
        let Some(fields) = self.record.fields() else {
            return each(bad(Dropped::BadEncoding, NO_TEXT));
        };
        match fields.len() == self.header.len() {
            true => each(Piece::Unit(Unit::Record { line, fields: &fields })),
            false => each(bad(Dropped::FieldCount, WRONG_COUNT)),
        }
    }

    /// Whether a record goes over lines because of a quote that nobody closed: it is none, or its quotes are wrong, and one
    /// of the lines is a record of its own.
    fn swallowed(&self, raw: &[u8]) -> bool {
        let columns = self.header.len();
        if memchr(b'\n', raw).is_none_or(|end| end + 1 == raw.len()) {
            return false;
        }
        let mut lines = raw.split(|byte| *byte == b'\n').skip(1).filter(|line| !line.is_empty());
        (self.record.fields != columns || !well_quoted(raw, self.separator))
            && lines.any(|line| fields_of(line, self.separator) == columns)
    }

    /// Reads the record that begins here, without passing over it.
    fn next(&mut self, buffer: &mut Buffer<'_>, most: usize) -> Result<Found, SourceError> {
        self.reader.reset();
        self.record.reset();
        let mut fed = 0;
        loop {
            let rest = buffer.data().get(fed..).unwrap_or_default();
            let at_end = rest.is_empty() && buffer.has_ended();
            if rest.is_empty() && !at_end {
                match fed > most {
                    true => return Ok(Found::TooLong),
                    false => buffer.more()?,
                };
                continue;
            }
            let ends = self.record.ends.get_mut(self.record.fields..).unwrap_or_default();
            let out = self.record.out.get_mut(self.record.length..).unwrap_or_default();
            let (result, read, written, fields) = self.reader.read_record(rest, out, ends);
            fed += read;
            self.record.take(written, fields);
            match result {
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => self.record.grow(result),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::Record if fed > most => return Ok(Found::TooLong),
                ReadRecordResult::Record => return Ok(Found::Record(fed)),
                ReadRecordResult::End => return Ok(Found::Nothing),
            }
        }
    }

    /// Passes over a record and the line break behind it.
    fn pass(&self, buffer: &mut Buffer<'_>, length: usize, count: &mut Lines) -> Result<(), SourceError> {
        if buffer.data().len() == length {
            buffer.more()?;
        }
        let raw = buffer.data().get(..length).unwrap_or_default();
        count.all += memchr_iter(b'\n', raw).count() as u64;
        // The reader stops between the two signs of a line break, and at the end of a text that has none.
        let open = raw.last() != Some(&b'\n');
        let behind = buffer.data().get(length) == Some(&b'\n');
        count.all += u64::from(open);
        buffer.consume(length + usize::from(open && behind));
        Ok(())
    }
}

impl Record {
    fn reset(&mut self) {
        (self.length, self.fields) = (0, 0);
        if self.out.is_empty() {
            self.out.resize(1 << 12, 0);
            self.ends.resize(1 << 6, 0);
        }
    }

    fn take(&mut self, written: usize, fields: usize) {
        self.length += written;
        self.fields += fields;
    }

    fn grow(&mut self, full: ReadRecordResult) {
        match full {
            ReadRecordResult::OutputFull => self.out.resize(self.out.len() * 2, 0),
            _ if self.fields < MOST_FIELDS => self.ends.resize(self.ends.len() * 2, 0),
            // So many that it is no record of any table; how many more there are is of no interest.
            _ => self.fields = MOST_FIELDS / 2,
        }
    }

    /// Its fields; `None` where one of them is no text.
    fn fields(&self) -> Option<Vec<&str>> {
        let text = std::str::from_utf8(self.out.get(..self.length)?).ok()?;
        let mut start = 0;
        let field = |end: &usize| text.get(std::mem::replace(&mut start, *end)..*end);
        self.ends.get(..self.fields)?.iter().map(field).collect()
    }

    /// Its fields as names of columns.
    fn names(&self) -> Vec<String> {
        let mut start = 0;
        let ends = self.ends.get(..self.fields).unwrap_or_default();
        ends.iter()
            .map(|end| self.out.get(std::mem::replace(&mut start, *end)..*end).unwrap_or_default())
            .map(|name| String::from_utf8_lossy(name).trim().to_owned())
            .collect()
    }
}

fn reader(separator: u8) -> Reader {
    ReaderBuilder::new().delimiter(separator).build()
}

/// Passes over line breaks between records.
fn pass_blank(buffer: &mut Buffer<'_>, count: &mut Lines) -> Result<(), SourceError> {
    loop {
        let data = buffer.data();
        let blank = data.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let breaks = memchr_iter(b'\n', data.get(..blank).unwrap_or_default()).count() as u64;
        count.all += breaks;
        count.blank += breaks;
        let all = blank == data.len();
        buffer.consume(blank);
        if !all || !buffer.more()? {
            return Ok(());
        }
    }
}

/// The first line may do nothing but say which sign stands between fields: `sep=;`.
fn told_separator(data: &[u8]) -> Option<u8> {
    let line = data.get(..memchr(b'\n', data)?)?.trim_ascii_end();
    let told = line.strip_prefix(b"sep=")?;
    told.first().copied().filter(|sign| told.len() == 1 && SEPARATORS.contains(sign))
}

/// The sign that stands most often in the first line, outside of quotes.
fn separator_of(data: &[u8]) -> u8 {
    let line = data.trim_ascii_start();
    let line = line.get(..memchr(b'\n', line).unwrap_or(line.len())).unwrap_or_default();
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut quoted = false;
    for byte in line {
        quoted ^= *byte == b'"';
        if let Some(at) = SEPARATORS.iter().position(|sign| sign == byte).filter(|_| !quoted)
            && let Some(count) = counts.get_mut(at)
        {
            *count += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    SEPARATORS.into_iter().zip(counts).find(|(_, count)| *count == most).map_or(b',', |(sign, _)| sign)
}

/// Whether every quote that closes a field stands at its end.
fn well_quoted(raw: &[u8], separator: char) -> bool {
    let ends = |next: Option<&u8>| {
        next.is_none_or(|next| matches!(next, b'\r' | b'\n') || char::from(*next) == separator)
    };
    let (mut at, mut within, mut starts) = (0, false, true);
    while let Some(byte) = raw.get(at) {
        let opens = *byte == b'"' && starts && !within;
        if *byte == b'"' && within && raw.get(at + 1) == Some(&b'"') {
            at += 1;
        } else if *byte == b'"' && within && !ends(raw.get(at + 1)) {
            return false;
        } else if *byte == b'"' && within {
            within = false;
        }
        within |= opens;
        starts = !within && ends(Some(byte));
        at += 1;
    }
    !within
}

/// How many fields a line has on its own.
fn fields_of(line: &[u8], separator: char) -> usize {
    let mut reader = reader(u8::try_from(separator).unwrap_or(b','));
    let (mut out, mut ends) = (vec![0; line.len() + 1], vec![0; line.len() + 1]);
    let (_, _, written, fields) = reader.read_record(line, &mut out, &mut ends);
    let out = out.get_mut(written..).unwrap_or_default();
    let (_, _, _, last) = reader.read_record(&[], out, ends.get_mut(fields..).unwrap_or_default());
    fields + last
}
