//! JSON values: one a line, the elements of a list, or values over many lines.

use memchr::{memchr, memchr_iter, memchr3};
use serde::de::IgnoredAny;
use serde_json::{StreamDeserializer, Value, de::StrRead, error::Category};
use workload_model::traffic::Dropped;

use super::{Buffer, Each, Lines, Piece, TOO_LONG, lines, text_piece};
use crate::source::SourceError;

/// Hands on every JSON value, and every line that should be one.
pub(crate) fn values(
    buffer: &mut Buffer<'_>,
    most: usize,
    count: &mut Lines,
    each: Each<'_>,
) -> Result<(), SourceError> {
    match one_a_line(buffer) {
        true => lines(buffer, most, count, each),
        false => Document { buffer, most, count, in_list: false }.read(each),
    }
}

/// The first JSON object that a text begins with, be it on a line of its own, an element of a list, or over many lines.
pub(crate) fn first_value(text: &str) -> Option<Value> {
    let start = text.trim_start();
    let whole = |text| StreamDeserializer::new(StrRead::new(text)).next().and_then(Result::ok);
    let is_object = |value: &Value| value.is_object();
    whole(start)
        .filter(is_object)
        .or_else(|| start.strip_prefix('[').and_then(whole).filter(is_object))
        .or_else(|| start.lines().take(64).filter_map(|line| serde_json::from_str(line).ok()).find(is_object))
}

/// Whether values stand one on a line: so it is unless the first of them goes on over a line's end, or is a list that is
/// all there is.
fn one_a_line(buffer: &Buffer<'_>) -> bool {
    let data = buffer.data().trim_ascii_start();
    let (first, rest) = match memchr(b'\n', data) {
        Some(end) => data.split_at(end),
        None => (data, &[][..]),
    };
    let rest = rest.trim_ascii_start();
    let alone = rest.is_empty();
    match (data.first(), serde_json::from_slice::<IgnoredAny>(first)) {
        (Some(b'['), Ok(_)) => !alone,
        (Some(b'['), Err(fault)) => fault.classify() != Category::Eof,
        // A line of which nothing was read but its beginning, and one that is cut short before the next.
        (Some(b'{'), Err(fault)) => {
            fault.classify() != Category::Eof || alone || in_string(first) || starts_anew(first, rest)
        }
        _ => true,
    }
}

/// Whether a line that was cut short is followed by a value of its own.
fn starts_anew(first: &[u8], rest: &[u8]) -> bool {
    let second = rest.get(..memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or_default();
    let is_value = second.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(second).is_ok();
    is_value && !matches!(first.trim_ascii_end().last(), Some(b'[' | b':'))
}

/// Whether the text ends within a string, in which no line can end.
fn in_string(text: &[u8]) -> bool {
    let mut scan = Scan::default();
    scan.end(text);
    scan.in_string
}

/// How far a value was looked at.
#[derive(Default)]
struct Scan {
    at: usize,
    depth: usize,
    in_string: bool,
}

enum End {
    /// The value has this length.
    At(usize),
    /// A line ends within a string, here.
    Broken(usize),
    More,
}

impl Scan {
    /// Looks for the end of a list, an object or a string that the data begins with.
    fn end(&mut self, data: &[u8]) -> End {
        while let Some(rest) = data.get(self.at..) {
            if self.in_string {
                let Some(found) = memchr3(b'"', b'\\', b'\n', rest) else {
                    self.at = data.len();
                    return End::More;
                };
                match rest.get(found) {
                    Some(b'\\') if found + 1 < rest.len() => self.at += found + 2,
                    Some(b'\\') => {
                        self.at += found;
                        return End::More;
                    }
                    Some(b'"') => {
                        self.at += found + 1;
                        self.in_string = false;
                        if self.depth == 0 {
                            return End::At(self.at);
                        }
                    }
                    _ => return End::Broken(self.at + found),
                }
                continue;
            }
            let sign = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
            let Some(found) = rest.iter().position(sign) else {
                self.at = data.len();
                return End::More;
            };
            self.at += found + 1;
            match rest.get(found) {
                Some(b'"') => self.in_string = true,
                Some(b'{' | b'[') => self.depth += 1,
                _ => self.depth = self.depth.saturating_sub(1),
            }
            if self.depth == 0 && !self.in_string {
                return End::At(self.at);
            }
        }
        End::More
    }
}

/// Reads values that go on over many lines.
struct Document<'d, 'r> {
    buffer: &'d mut Buffer<'r>,
    most: usize,
    count: &'d mut Lines,
    in_list: bool,
}

impl Document<'_, '_> {
    fn read(mut self, each: Each<'_>) -> Result<(), SourceError> {
        // A last line without a line break is one as well.
        self.count.all += 1;
        while let Some(first) = self.next_sign()? {
            match first {
                b'[' if !self.in_list => {
                    self.in_list = true;
                    self.pass(1);
                }
                b']' if self.in_list => {
                    self.in_list = false;
                    self.pass(1);
                }
                b',' if self.in_list => self.pass(1),
                first => {
                    if !self.value(first, each)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// The next byte that is no white space.
    fn next_sign(&mut self) -> Result<Option<u8>, SourceError> {
        loop {
            let data = self.buffer.data();
            let blank = data.iter().position(|byte| !byte.is_ascii_whitespace());
            let first = blank.and_then(|blank| data.get(blank).copied());
            self.pass(blank.unwrap_or(data.len()));
            if first.is_some() || !self.buffer.more()? {
                return Ok(first);
            }
        }
    }

    /// Hands on the value that begins here.
    fn value(&mut self, first: u8, each: Each<'_>) -> Result<bool, SourceError> {
        let line = self.count.all;
        let mut scan = Scan::default();
        let mut too_long = false;
        loop {
            let data = self.buffer.data();
            let end = match first {
                b'{' | b'[' | b'"' => scan.end(data),
                _ => loose_end(data, self.in_list),
            };
            let ended = self.buffer.has_ended();
            let (length, broken) = match end {
                End::At(length) => (length, false),
                End::Broken(length) => (length, true),
                End::More if ended => (data.len(), false),
                End::More if data.len() > self.most => {
                    too_long = true;
                    let seen = if scan.at > 0 { scan.at } else { data.len() };
                    self.pass(seen);
                    scan.at = 0;
                    self.buffer.more()?;
                    continue;
                }
                End::More => {
                    self.buffer.more()?;
                    continue;
                }
            };
            let piece = match too_long || length > self.most {
                true => Some(Piece::Bad { line, reason: Dropped::TooLong, detail: TOO_LONG }),
                false => text_piece(line, data.get(..length).unwrap_or_default()),
            };
            let go_on = piece.is_none_or(each);
            self.pass(length);
            if broken {
                self.pass_broken()?;
            }
            return Ok(go_on);
        }
    }

    /// After a string that a line's end broke nothing is known of what is within what: goes on with the next line that
    /// begins an object or ends a list.
    fn pass_broken(&mut self) -> Result<(), SourceError> {
        while self.buffer.skip_line()? {
            self.count.all += 1;
            if self.buffer.data().trim_ascii_start().is_empty() {
                self.buffer.more()?;
            }
            let indented = self.buffer.data();
            let next = indented.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
            if matches!(next, Some(b'{' | b']')) {
                break;
            }
        }
        Ok(())
    }

    fn pass(&mut self, length: usize) {
        let passed = self.buffer.data().get(..length).unwrap_or_default();
        self.count.all += memchr_iter(b'\n', passed).count() as u64;
        self.buffer.consume(length);
    }
}

/// The end of what is no list, no object and no string.
fn loose_end(data: &[u8], in_list: bool) -> End {
    let ends = |byte: &u8| *byte == b'\n' || (in_list && matches!(byte, b',' | b']'));
    data.iter().skip(1).position(ends).map_or(End::More, |end| End::At(end + 1))
}
