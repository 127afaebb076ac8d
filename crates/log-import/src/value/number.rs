//! Counts, durations and flags.

use metrics_core::Micros;

use super::{BadValue, decimal::Decimal};

/// Whether a text stands for no value: empty, `-`, or what databases and programs write for none.
#[must_use]
pub fn unknown(text: &str) -> bool {
    // What begins with a digit needs no comparison.
    if text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    matches!(bare(text), "" | "-" | "null" | "NULL" | "Null" | "None" | "none" | "nil" | "\\N" | "N/A")
}

/// The text without the white space around it, of which nearly all have none.
pub(super) fn bare(text: &str) -> &str {
    let may_be_white = |byte: Option<&u8>| byte.is_some_and(|byte| *byte <= b' ' || *byte >= 0x80);
    let bytes = text.as_bytes();
    if may_be_white(bytes.first()) || may_be_white(bytes.last()) { text.trim() } else { text }
}

/// A count, such as one of tokens: `812`, `1,024`, `12.0`, `1e3`, `１２８`. With `comma` a comma is the decimal mark.
///
/// # Errors
/// Where it is no number, negative, has a fraction, or is above 4,294,967,294.
pub fn count(text: &str, comma: bool) -> Result<Option<u32>, BadValue> {
    if unknown(text) {
        return Ok(None);
    }
    if let Some(count) = few_digits(text) {
        return Ok(Some(count));
    }
    let whole = Decimal::read(text, comma)?.whole(0)?;
    u32::try_from(whole).ok().filter(|count| *count < u32::MAX).map(Some).ok_or(BadValue::TooLarge)
}

/// A number of so few digits that it is in no need of care.
fn few_digits(text: &str) -> Option<u32> {
    let of_digits = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    of_digits.then(|| text.bytes().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
}

/// A duration in seconds: `5.132`, `0.000`, `9`; of a unit of its own where it has one (`12s`, `340ms`, `15us`).
/// It is rounded to the nearest microsecond.
///
/// # Errors
/// Where it is no number, negative, or too large.
pub fn seconds(text: &str, comma: bool) -> Result<Option<Micros>, BadValue> {
    duration(text, comma, 6)
}

/// The same in milliseconds: `412`, `309.5`.
///
/// # Errors
/// As [`seconds`].
pub fn millis(text: &str, comma: bool) -> Result<Option<Micros>, BadValue> {
    duration(text, comma, 3)
}

fn duration(text: &str, comma: bool, places: i32) -> Result<Option<Micros>, BadValue> {
    if unknown(text) {
        return Ok(None);
    }
    let text = bare(text);
    if text.as_bytes().last().is_some_and(u8::is_ascii_digit) {
        return Ok(Some(Micros(Decimal::read(text, comma)?.nearest(places)?)));
    }
    let units = [("ms", 3), ("us", 0), ("µs", 0), ("ns", -3), ("s", 6)];
    let (number, places) = units
        .into_iter()
        .find_map(|(unit, places)| Some((text.strip_suffix(unit)?, places)))
        .unwrap_or((text, places));
    Ok(Some(Micros(Decimal::read(number, comma)?.nearest(places)?)))
}

/// A flag: `true`, `1`, `yes`, `t`, `是` and their opposites, in any case.
///
/// # Errors
/// Where it is neither.
pub fn flag(text: &str) -> Result<Option<bool>, BadValue> {
    let text = text.trim();
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    match text {
        _ if unknown(text) => Ok(None),
        _ if is(&["true", "1", "yes", "y", "t", "on", "是"]) => Ok(Some(true)),
        _ if is(&["false", "0", "no", "n", "f", "off", "否"]) => Ok(Some(false)),
        _ => Err(BadValue::NoFlag),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        let cases = [
            ("812", Ok(Some(812))),
            (" 0 ", Ok(Some(0))),
            ("1,024", Ok(Some(1024))),
            ("1,048,576", Ok(Some(1_048_576))),
            ("12.0", Ok(Some(12))),
            ("1e3", Ok(Some(1000))),
            ("1.5E3", Ok(Some(1500))),
            ("20e-1", Ok(Some(2))),
            ("１２８", Ok(Some(128))),
            ("１，０２４", Ok(Some(1024))),
            ("+7", Ok(Some(7))),
            ("-0", Ok(Some(0))),
            ("", Ok(None)),
            ("-", Ok(None)),
            ("null", Ok(None)),
            ("4294967294", Ok(Some(u32::MAX - 1))),
            ("4294967295", Err(BadValue::TooLarge)),
            ("99999999999999999999", Err(BadValue::TooLarge)),
            ("1e400", Err(BadValue::TooLarge)),
            ("9999999999999999999999999999999999999999", Err(BadValue::TooLarge)),
            ("20.5", Err(BadValue::Fraction)),
            ("1e-400", Err(BadValue::Fraction)),
            ("-5", Err(BadValue::Negative)),
            ("NaN", Err(BadValue::NoNumber)),
            ("inf", Err(BadValue::NoNumber)),
            ("1\n00", Err(BadValue::NoNumber)),
            ("1,02", Err(BadValue::NoNumber)),
            ("1,0245", Err(BadValue::NoNumber)),
            ("1024,576", Err(BadValue::NoNumber)),
            (",024", Err(BadValue::NoNumber)),
            ("1,,024", Err(BadValue::NoNumber)),
            ("1.2.3", Err(BadValue::NoNumber)),
            ("0x10", Err(BadValue::NoNumber)),
            ("--1", Err(BadValue::NoNumber)),
            ("1e", Err(BadValue::NoNumber)),
            (".", Err(BadValue::NoNumber)),
            ("e3", Err(BadValue::NoNumber)),
        ];
        for (text, expected) in cases {
            assert_eq!(count(text, false), expected, "{text}");
        }
    }

    #[test]
    fn a_decimal_comma_is_one_where_it_was_said_to_be() {
        assert_eq!(seconds("1,25", true), Ok(Some(Micros(1_250_000))));
        assert_eq!(seconds("1.25", true), Ok(Some(Micros(1_250_000))));
        assert_eq!(count("100,0", true), Ok(Some(100)));
        // It may be a thousand and twenty-four: refused rather than misread.
        assert_eq!(count("1,024", true), Err(BadValue::Fraction));
        assert_eq!(seconds("1,25", false), Err(BadValue::NoNumber));
        assert_eq!(seconds("1,250.5", false), Ok(Some(Micros(1_250_500_000))));
    }

    #[test]
    fn durations_keep_their_microseconds() {
        let cases = [
            (seconds("5.132", false), Ok(Some(Micros(5_132_000)))),
            (seconds("0.0000005", false), Ok(Some(Micros(1)))),
            (seconds("0.00000049", false), Ok(Some(Micros(0)))),
            (seconds("340ms", false), Ok(Some(Micros(340_000)))),
            (seconds("1.5s", false), Ok(Some(Micros(1_500_000)))),
            (millis("412", false), Ok(Some(Micros(412_000)))),
            (millis("309.5", false), Ok(Some(Micros(309_500)))),
            (millis("-", false), Ok(None)),
            (millis("-1000", false), Err(BadValue::Negative)),
            (millis("0.1, 0.2", false), Err(BadValue::NoNumber)),
            (seconds("99999999999999999", false), Err(BadValue::TooLarge)),
        ];
        for (at, (read, expected)) in cases.into_iter().enumerate() {
            assert_eq!(read, expected, "case {at}");
        }
    }

    #[test]
    fn flags_are_read_in_any_case() {
        assert_eq!(flag("True"), Ok(Some(true)));
        assert_eq!(flag("否"), Ok(Some(false)));
        assert_eq!(flag("-"), Ok(None));
        assert_eq!(flag("maybe"), Err(BadValue::NoFlag));
    }

    proptest! {
        #[test]
        fn every_count_comes_back(value in 0..u32::MAX) {
            prop_assert_eq!(count(&value.to_string(), false), Ok(Some(value)));
            prop_assert_eq!(count(&format!("{value}.000"), true), Ok(Some(value)));
        }

        #[test]
        fn no_text_is_too_odd(text in "\\PC*", comma: bool) {
            let _ = (count(&text, comma), seconds(&text, comma), millis(&text, comma), flag(&text));
        }

        #[test]
        fn no_number_is_too_odd(text in "[-+0-9.,eE]{0,60}", comma: bool) {
            let _ = (count(&text, comma), seconds(&text, comma), millis(&text, comma));
        }
    }
}
