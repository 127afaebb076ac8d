//! Instants as logs write them.

use jiff::{civil::DateTime, tz::Offset};

use super::{
    BadValue,
    decimal::Decimal,
    number::{bare, unknown},
};
use crate::ReadOptions;

const SECOND: u64 = 1_000_000_000;

/// What times leave out, as the user says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clock {
    /// Offset from UTC, in seconds, of times that have no zone.
    pub zone: i32,
    /// Year of times that have none.
    pub year: Option<i16>,
}

/// An instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time {
    /// Nanoseconds from 1970-01-01T00:00:00Z.
    pub at_ns: i64,
    /// What one unit of its last place is, in nanoseconds.
    pub resolution_ns: u64,
    /// It has no zone; that of the clock was taken.
    pub zone_assumed: bool,
    /// It has no year; that of the clock was taken.
    pub year_assumed: bool,
}

impl From<&ReadOptions> for Clock {
    fn from(options: &ReadOptions) -> Self {
        Self { zone: options.zone.unwrap_or(0), year: options.year }
    }
}

/// An instant in any of these forms:
///
/// - RFC 3339 and what is near it: `2026-11-19T09:00:00.123456789+08:00`, `2026-11-19 09:00:00,5`, `2026/11/19 9:00`,
///   `2026年11月19日 09:00:00`, with `Z`, `UTC`, `+08:00`, `+0800`, `+08` or no zone;
/// - the common log format, `19/Nov/2026:09:00:13 +0800`, also in brackets;
/// - without a year, `11-19 09:00:14`, where the clock has one;
/// - seconds, milliseconds, microseconds or nanoseconds from 1970, told apart by their size: `1795050010`, `1795050010.233`,
///   `1795050011000`. Numbers below 100,000,000 are none of them, see [`since`].
///
/// # Errors
/// Where it is none of these, or has no year and nobody said one.
pub fn time(text: &str, clock: Clock) -> Result<Option<Time>, BadValue> {
    let text = bare(text);
    if unknown(text) {
        return Ok(None);
    }
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let epoch = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+'));
    match text.as_bytes().first() {
        Some(b'0'..=b'9') if epoch => from_epoch(text).map(Some),
        Some(b'0'..=b'9') => Form { rest: text }.read(clock).map(Some),
        _ => Err(BadValue::NoTime),
    }
}

/// Seconds (`unit_ns` of a second's nanoseconds), milliseconds and so on from an instant that nobody knows.
///
/// # Errors
/// Where it is no number, negative, or too large.
pub fn since(text: &str, unit_ns: u64) -> Result<Option<Time>, BadValue> {
    if unknown(text) {
        return Ok(None);
    }
    let number = Decimal::read(text, false).map_err(|_| BadValue::NoTime)?;
    scaled(number, places_of(unit_ns)).map(Some).map_err(|fault| match fault {
        BadValue::Negative => BadValue::NoTime,
        fault => fault,
    })
}

fn places_of(unit_ns: u64) -> i32 {
    i32::try_from(unit_ns.max(1).ilog10()).unwrap_or(0)
}

fn from_epoch(text: &str) -> Result<Time, BadValue> {
    let number = Decimal::read(text, false).map_err(|_| BadValue::NoTime)?;
    let size = number.floor(0).map_err(|_| BadValue::OutOfRange)?;
    let places = match size {
        100_000_000..100_000_000_000 => 9,
        100_000_000_000..100_000_000_000_000 => 6,
        100_000_000_000_000..100_000_000_000_000_000 => 3,
        100_000_000_000_000_000.. => 0,
        _ => return Err(BadValue::NoTime),
    };
    scaled(number, places)
}

fn scaled(number: Decimal, places: i32) -> Result<Time, BadValue> {
    let at_ns = number.floor(places).map_err(|fault| match fault {
        BadValue::TooLarge => BadValue::OutOfRange,
        fault => fault,
    })?;
    let digits = u32::try_from(places).unwrap_or(0).saturating_sub(number.places);
    Ok(Time {
        at_ns: i64::try_from(at_ns).map_err(|_| BadValue::OutOfRange)?,
        resolution_ns: 10_u64.pow(digits),
        zone_assumed: false,
        year_assumed: false,
    })
}

/// Reads a text from its front.
struct Form<'a> {
    rest: &'a str,
}

impl Form<'_> {
    fn read(mut self, clock: Clock) -> Result<Time, BadValue> {
        let (first, digits) = self.number(4).ok_or(BadValue::NoTime)?;
        let (year, month, day) = match digits {
            4 => self.year_first(first),
            _ if self.rest.starts_with('/') => self.common_log(first),
            _ => self.year_less(first),
        }
        .ok_or(BadValue::NoTime)?;
        let year_assumed = year.is_none();
        let year = year.or(clock.year).ok_or(BadValue::NoYear)?;
        let of_day = self.of_day().ok_or(BadValue::NoTime)?;
        let zone = self.zone()?;
        let at = DateTime::new(year, month, day, of_day.hour, of_day.minute, of_day.second.min(59), 0)
            .map_err(|_| BadValue::NoTime)?;
        let offset = Offset::from_seconds(zone.unwrap_or(clock.zone)).map_err(|_| BadValue::NoTime)?;
        let at = offset.to_timestamp(at).map_err(|_| BadValue::OutOfRange)?;
        // A leap second is the one after its predecessor.
        let second = i128::from(of_day.second / 60) * i128::from(SECOND) + i128::from(of_day.nanos);
        let at_ns = i64::try_from(at.as_nanosecond() + second).map_err(|_| BadValue::OutOfRange)?;
        if at_ns < 0 {
            return Err(BadValue::OutOfRange);
        }
        Ok(Time { at_ns, resolution_ns: of_day.resolution_ns, zone_assumed: zone.is_none(), year_assumed })
    }

    /// `-11-19T`, after a year.
    fn year_first(&mut self, year: u32) -> Option<(Option<i16>, i8, i8)> {
        let mark = self.take(&['-', '/', '.', '年'])?;
        let month = self.small()?;
        match mark {
            '年' => self.take(&['月'])?,
            mark => self.take(&[mark])?,
        };
        let day = self.small()?;
        if mark == '年' {
            self.take(&['日', '号'])?;
        }
        self.before_hours(&['T', 't', ' ', '_']).or_else(|| (mark == '年').then_some(()))?;
        Some((Some(i16::try_from(year).ok()?), month, day))
    }

    /// `/Nov/2026:`, after a day.
    fn common_log(&mut self, day: u32) -> Option<(Option<i16>, i8, i8)> {
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        self.take(&['/'])?;
        let name = self.rest.get(..3)?;
        let month = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name))?;
        self.rest = self.rest.get(3..)?;
        self.take(&['/'])?;
        let (year, _) = self.number(4).filter(|(_, digits)| *digits == 4)?;
        self.take(&[':'])?;
        Some((Some(i16::try_from(year).ok()?), i8::try_from(month + 1).ok()?, i8::try_from(day).ok()?))
    }

    /// `-19 `, after a month.
    fn year_less(&mut self, month: u32) -> Option<(Option<i16>, i8, i8)> {
        self.take(&['-', '/'])?;
        let day = self.small()?;
        self.before_hours(&['T', ' '])?;
        Some((None, i8::try_from(month).ok()?, day))
    }

    fn before_hours(&mut self, marks: &[char]) -> Option<()> {
        let mark = self.take(marks)?;
        if mark == ' ' {
            self.rest = self.rest.trim_start();
        }
        Some(())
    }

    fn of_day(&mut self) -> Option<OfDay> {
        let hour = self.small()?;
        self.take(&[':'])?;
        let minute = self.small()?;
        if self.take(&[':']).is_none() {
            return Some(OfDay { hour, minute, second: 0, nanos: 0, resolution_ns: 60 * SECOND });
        }
        let second = self.small().filter(|second| *second <= 60)?;
        let mut read = OfDay { hour, minute, second, nanos: 0, resolution_ns: SECOND };
        if self.take(&['.', ',']).is_some() {
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            for digit in self.rest.bytes().take(digits.min(9)) {
                read.resolution_ns /= 10;
                read.nanos += u32::from(digit - b'0') * u32::try_from(read.resolution_ns).ok()?;
            }
            self.rest = self.rest.get(digits..).filter(|_| digits > 0)?;
        }
        Some(read)
    }

    /// The offset that it ends with; `None` where it has none.
    fn zone(&mut self) -> Result<Option<i32>, BadValue> {
        let text = self.rest.trim_start();
        // A name beside the offset adds nothing to it.
        let text = text.split_once('[').map_or(text, |(offset, _)| offset);
        let sign = match text.as_bytes().first() {
            None => return Ok(None),
            Some(b'+') => 1,
            Some(b'-') => -1,
            Some(_) if matches!(text, "Z" | "z" | "UTC" | "GMT" | "UTC+0" | "+00:00 UTC") => {
                return Ok(Some(0));
            }
            Some(_) => return Err(BadValue::NoTime),
        };
        let digits = text.get(1..).unwrap_or_default();
        let digits = digits.strip_suffix(" UTC").or(digits.strip_suffix(" CST")).unwrap_or(digits);
        let (hours, minutes) = match digits.len() {
            2 => (digits, "0"),
            4 => digits.split_at_checked(2).ok_or(BadValue::NoTime)?,
            5 => digits.split_once(':').ok_or(BadValue::NoTime)?,
            _ => return Err(BadValue::NoTime),
        };
        let number = |digits: &str, below: i32| {
            let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<i32>().ok());
            number.flatten().filter(|number| *number < below).ok_or(BadValue::NoTime)
        };
        Ok(Some(sign * (number(hours, 25)? * 3600 + number(minutes, 60)? * 60)))
    }

    fn take(&mut self, marks: &[char]) -> Option<char> {
        let mark = self.rest.chars().next().filter(|mark| marks.contains(mark))?;
        self.rest = self.rest.get(mark.len_utf8()..)?;
        Some(mark)
    }

    fn small(&mut self) -> Option<i8> {
        self.number(2).and_then(|(number, _)| i8::try_from(number).ok())
    }

    /// A number of at most so many digits, and how many it has.
    fn number(&mut self, most: usize) -> Option<(u32, usize)> {
        let digits = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let number = self.rest.get(..digits).filter(|_| digits > 0)?.parse().ok()?;
        self.rest = self.rest.get(digits..)?;
        Some((number, digits))
    }
}

struct OfDay {
    hour: i8,
    minute: i8,
    second: i8,
    nanos: u32,
    resolution_ns: u64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SHANGHAI: Clock = Clock { zone: 8 * 3600, year: None };

    /// What is read of a text: instant, resolution, zone assumed.
    fn read(text: &str, clock: Clock) -> Option<(i64, u64, bool)> {
        let time = time(text, clock).ok().flatten()?;
        Some((time.at_ns, time.resolution_ns, time.zone_assumed))
    }

    #[test]
    fn one_instant_is_read_in_many_forms() {
        // 2026-11-19T01:00:00Z
        let at = 1_795_050_000_000_000_000;
        let cases = [
            ("2026-11-19T01:00:00Z", 0, SECOND, false),
            ("2026-11-19T01:00:00z", 0, SECOND, false),
            ("2026-11-19 01:00:00 UTC", 0, SECOND, false),
            ("2026-11-19T09:00:00+08:00", 0, SECOND, false),
            ("2026-11-19T09:00:00+0800", 0, SECOND, false),
            ("2026-11-19 09:00:00+08", 0, SECOND, false),
            ("2026-11-19 09:00:00 +0800", 0, SECOND, false),
            ("2026-11-19 09:00:00 +0800 CST", 0, SECOND, false),
            ("2026-11-18T19:30:00-05:30", 0, SECOND, false),
            ("2026-11-19T09:00:00+08:00[Asia/Shanghai]", 0, SECOND, false),
            ("2026-11-19 09:00:00", 0, SECOND, true),
            ("2026-11-19  09:00:00", 0, SECOND, true),
            ("2026-11-19T09:00:00.5", 500_000_000, 100_000_000, true),
            ("2026-11-19 09:00:00,123", 123_000_000, 1_000_000, true),
            ("2026-11-19 09:00:00.1234567", 123_456_700, 100, true),
            ("2026-11-19T01:00:00.123456789Z", 123_456_789, 1, false),
            ("2026-11-19T01:00:00.1234567891Z", 123_456_789, 1, false),
            ("2026-11-19T00:59:60Z", 0, SECOND, false),
            ("2026/11/19 9:00", 0, 60 * SECOND, true),
            ("2026/11/19 9:00:00", 0, SECOND, true),
            ("2026年11月19日 09:00:00", 0, SECOND, true),
            ("2026年11月19日9:00", 0, 60 * SECOND, true),
            ("19/Nov/2026:09:00:00 +0800", 0, SECOND, false),
            ("[19/Nov/2026:09:00:00 +0800]", 0, SECOND, false),
            ("1795050000", 0, SECOND, false),
            ("1795050000.0", 0, 100_000_000, false),
            ("1795050000.233", 233_000_000, 1_000_000, false),
            ("1.79505e9", 0, 10_000, false),
            ("1795050000123", 123_000_000, 1_000_000, false),
            ("1795050000123.5", 123_500_000, 100_000, false),
            ("1795050000123456", 123_456_000, 1000, false),
            ("1795050000123456789", 123_456_789, 1, false),
        ];
        for (text, later, resolution, assumed) in cases {
            assert_eq!(read(text, SHANGHAI), Some((at + later, resolution, assumed)), "{text}");
        }
    }

    #[test]
    fn a_time_without_a_year_asks_for_one() {
        assert_eq!(time("11-19 09:00:14", SHANGHAI), Err(BadValue::NoYear));
        let read = time("11-19 09:00:14", Clock { year: Some(2026), ..SHANGHAI });
        let read = read.ok().flatten().map(|time| (time.at_ns, time.year_assumed));
        assert_eq!(read, Some((1_795_050_014_000_000_000, true)));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        let texts = [
            "not a time",
            "2026-11-19",
            "2026-13-19 09:00:00",
            "2026-02-30 09:00:00",
            "2026-11-19 24:00:00",
            "2026-11-19 09:60:00",
            "2026-11-19 09:00:61",
            "2026-11-19 09:00:00.",
            "2026-11-19 09:00:00 CST",
            "2026-11-19T09:00:00+8",
            "2026-11-19T09:00:00+08:0x",
            "2026-11/19 09:00:00",
            "19/Foo/2026:09:00:00 +0800",
            "42",
            "1,795,050,000",
            "1.2.3",
            "09:00:00",
        ];
        for text in texts {
            assert_eq!(time(text, SHANGHAI), Err(BadValue::NoTime), "{text}");
        }
        assert_eq!(time("1969-12-31 00:00:00Z", SHANGHAI), Err(BadValue::OutOfRange));
        assert_eq!(time("2999-01-01 00:00:00Z", SHANGHAI), Err(BadValue::OutOfRange));
        assert_eq!(time("9999999999999999999", SHANGHAI), Err(BadValue::OutOfRange));
        assert_eq!(time("-", SHANGHAI), Ok(None));
    }

    #[test]
    fn relative_times_keep_their_unit() {
        let read = |text, unit| since(text, unit).ok().flatten().map(|time| (time.at_ns, time.resolution_ns));
        assert_eq!(read("82", SECOND), Some((82_000_000_000, SECOND)));
        assert_eq!(read("19440110.0", SECOND), Some((19_440_110_000_000_000, 100_000_000)));
        assert_eq!(read("2369999", 1_000_000), Some((2_369_999_000_000, 1_000_000)));
        assert_eq!(since("-1", SECOND), Err(BadValue::NoTime));
        assert_eq!(since("", SECOND), Ok(None));
    }

    proptest! {
        #[test]
        fn every_nanosecond_comes_back(at_ns in 100_000_000_000_000_000..i64::MAX, zone in -86_000..86_000) {
            let at = jiff::Timestamp::from_nanosecond(at_ns.into()).map(|at| at.to_string()).unwrap_or_default();
            let clock = Clock { zone, year: None };
            prop_assert_eq!(time(&at, clock).ok().flatten().map(|time| time.at_ns), Some(at_ns));
            prop_assert_eq!(time(&at_ns.to_string(), clock).ok().flatten().map(|time| time.at_ns), Some(at_ns));
        }

        #[test]
        fn no_text_is_too_odd(text in "[0-9TZ:./ 年月日eE+,-]{0,40}|\\PC*", year in proptest::option::of(any::<i16>())) {
            let _ = (time(&text, Clock { zone: 0, year }), since(&text, 1_000_000));
        }
    }
}
