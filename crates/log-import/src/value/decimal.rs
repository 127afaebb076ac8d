//! Decimal numbers, exactly.

use super::{BadValue, number::bare};

/// `mantissa · 10^exponent`, negative where it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    mantissa: u128,
    exponent: i32,
    /// Digits behind the point as they were written.
    pub(super) places: u32,
}

/// More digits than any value of a log has.
const MOST_DIGITS: u32 = 36;

impl Decimal {
    /// Reads `12`, `-0.5`, `1e3`, `1,024.5` and the same in full-width signs. With `comma` a comma is the decimal mark,
    /// otherwise it parts thousands.
    pub(super) fn read(text: &str, comma: bool) -> Result<Self, BadValue> {
        let text = bare(text);
        Self::read_plainly(text.as_bytes()).map_or_else(|| Self::read_slowly(text, comma), Ok)
    }

    /// Reads what nearly all numbers are: a few digits, with a point between them or without.
    fn read_plainly(text: &[u8]) -> Option<Self> {
        if !(1..=18).contains(&text.len()) {
            return None;
        }
        let (mut mantissa, mut places, mut behind) = (0_u64, 0, false);
        for (at, byte) in text.iter().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    mantissa = mantissa * 10 + u64::from(byte - b'0');
                    places += u32::from(behind);
                }
                b'.' if !behind && at > 0 => behind = true,
                _ => return None,
            }
        }
        let exponent = -i32::try_from(places).ok()?;
        Some(Self { negative: false, mantissa: mantissa.into(), exponent, places })
    }

    fn read_slowly(text: &str, comma: bool) -> Result<Self, BadValue> {
        let (number, power) = match text.split_once(['e', 'E']) {
            Some((number, power)) => (number, power.parse::<i16>().map_err(|_| BadValue::NoNumber)?),
            None => (text, 0),
        };
        let mut signs = number.chars().map(narrow).peekable();
        let negative = signs.next_if(|sign| matches!(sign, '-' | '+')) == Some('-');
        let mut read = Self { negative, mantissa: 0, exponent: power.into(), places: 0 };
        let (mut digits, mut point, mut group) = (0, false, None::<u32>);
        for sign in signs {
            match sign {
                '0'..='9' => {
                    read.take(sign, point)?;
                    digits += 1;
                    group = group.map(|length| length + 1);
                }
                '.' | ',' if !point && digits > 0 && (sign == ',') == comma => {
                    (group.is_none_or(|length| length == 3)).then_some(()).ok_or(BadValue::NoNumber)?;
                    (point, group) = (true, None);
                }
                '.' if !point && group.is_none() => point = true,
                ',' if !point && !comma && (1..=3).contains(&group.unwrap_or(digits)) => {
                    (group.is_none_or(|length| length == 3)).then_some(()).ok_or(BadValue::NoNumber)?;
                    group = Some(0);
                }
                _ => return Err(BadValue::NoNumber),
            }
        }
        let whole_groups = group.is_none_or(|length| length == 3);
        (digits > 0 && whole_groups).then_some(read).ok_or(BadValue::NoNumber)
    }

    fn take(&mut self, digit: char, behind_point: bool) -> Result<(), BadValue> {
        let digit = digit.to_digit(10).ok_or(BadValue::NoNumber)?;
        if self.mantissa >= 10_u128.pow(MOST_DIGITS) {
            // Digits this far behind the point change nothing that is kept; before it the number is beyond all bounds.
            return if behind_point { Ok(()) } else { Err(BadValue::TooLarge) };
        }
        self.mantissa = self.mantissa * 10 + u128::from(digit);
        self.exponent -= i32::from(behind_point);
        self.places += u32::from(behind_point);
        Ok(())
    }

    /// As a whole number of `10^-places`.
    pub(super) fn whole(self, places: i32) -> Result<u64, BadValue> {
        let (whole, rest, _) = self.parts(places)?;
        (rest == 0).then_some(whole).ok_or(BadValue::Fraction)
    }

    /// As a number of `10^-places`, rounded to the nearest, halves up.
    pub(super) fn nearest(self, places: i32) -> Result<u64, BadValue> {
        let (whole, rest, unit) = self.parts(places)?;
        whole.checked_add(u64::from(rest >= unit.div_ceil(2) && rest > 0)).ok_or(BadValue::TooLarge)
    }

    /// As a number of `10^-places`, rounded down.
    pub(super) fn floor(self, places: i32) -> Result<u64, BadValue> {
        Ok(self.parts(places)?.0)
    }

    fn parts(self, places: i32) -> Result<(u64, u128, u128), BadValue> {
        if self.negative && self.mantissa > 0 {
            return Err(BadValue::Negative);
        }
        let shift = self.exponent.saturating_add(places);
        if let (Ok(mantissa), Some(power)) = (
            u64::try_from(self.mantissa),
            10_u64.checked_pow(shift.unsigned_abs()).filter(|_| shift.abs() < 19),
        ) {
            match shift >= 0 {
                true => {
                    if let Some(value) = mantissa.checked_mul(power) {
                        return Ok((value, 0, 1));
                    }
                }
                false => return Ok((mantissa / power, (mantissa % power).into(), power.into())),
            }
        }
        let power = 10_u128.checked_pow(shift.unsigned_abs());
        match (shift >= 0, power) {
            _ if self.mantissa == 0 => Ok((0, 0, 1)),
            (true, power) => {
                let value = power.and_then(|power| self.mantissa.checked_mul(power));
                let value = value.and_then(|value| u64::try_from(value).ok()).ok_or(BadValue::TooLarge)?;
                Ok((value, 0, 1))
            }
            (false, Some(power)) => {
                let value = u64::try_from(self.mantissa / power).map_err(|_| BadValue::TooLarge)?;
                Ok((value, self.mantissa % power, power))
            }
            (false, None) => Ok((0, 1, u128::MAX)),
        }
    }
}

/// The ASCII sign that a full-width one stands for.
fn narrow(sign: char) -> char {
    match sign {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(sign) - 0xfee0).unwrap_or(sign),
        _ => sign,
    }
}
