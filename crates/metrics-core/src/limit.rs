//! A limit as people write it: "<= 2.0".

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// How an observed value is compared with a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `<=`
    AtMost,
    /// `<`
    Below,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
}

impl Comparison {
    /// With the longer signs first, so that `<=` is not taken for `<`.
    const SIGNS: [(&'static str, Self); 6] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("≤", Self::AtMost),
        ("≥", Self::AtLeast),
        ("<", Self::Below),
        (">", Self::Above),
    ];

    /// Whether `observed` stands in this relation to `limit`; false where either is no number.
    #[must_use]
    pub fn holds(self, observed: f64, limit: f64) -> bool {
        match self {
            Self::AtMost => observed <= limit,
            Self::Below => observed < limit,
            Self::AtLeast => observed >= limit,
            Self::Above => observed > limit,
        }
    }

    /// Larger values are the better ones.
    #[must_use]
    pub fn wants_more(self) -> bool {
        matches!(self, Self::AtLeast | Self::Above)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AtMost => "<=",
            Self::Below => "<",
            Self::AtLeast => ">=",
            Self::Above => ">",
        })
    }
}

/// A comparison and a value, in the unit of the metric that it limits: seconds, requests or tokens a second,
/// or a share from 0 to 1. In files it is text.
///
/// ```
/// let limit: metrics_core::Limit = "<= 2.0".parse()?;
/// assert!(limit.holds(2.0));
/// assert!(!limit.holds(2.000_001));
/// # Ok::<(), metrics_core::BadLimit>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Limit {
    /// How to compare.
    pub comparison: Comparison,
    /// With what; finite.
    pub value: f64,
}

impl Limit {
    /// Whether an observed value satisfies the limit.
    #[must_use]
    pub fn holds(self, observed: f64) -> bool {
        self.comparison.holds(observed, self.value)
    }
}

/// A limit cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadLimit {
    /// There is no comparison in front.
    #[error(
        "read limit {0:?}: no comparison in front (write one of <=, <, >=, > and a number, as in \"<= 2.0\")"
    )]
    NoComparison(String),
    /// What follows the comparison is no finite number.
    #[error(
        "read limit {0:?}: {1:?} is no number (write it without a unit: seconds, a rate, or a share such as 0.99)"
    )]
    NoNumber(String, String),
}

impl FromStr for Limit {
    type Err = BadLimit;

    fn from_str(text: &str) -> Result<Self, BadLimit> {
        let trimmed = text.trim();
        let (comparison, rest) = Comparison::SIGNS
            .iter()
            .find_map(|(sign, comparison)| Some((*comparison, trimmed.strip_prefix(sign)?.trim())))
            .ok_or_else(|| BadLimit::NoComparison(text.to_owned()))?;
        match rest.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Self { comparison, value }),
            _ => Err(BadLimit::NoNumber(text.to_owned(), rest.to_owned())),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.comparison, self.value)
    }
}

impl TryFrom<String> for Limit {
    type Error = BadLimit;

    fn try_from(text: String) -> Result<Self, BadLimit> {
        text.parse()
    }
}

impl From<Limit> for String {
    fn from(limit: Limit) -> Self {
        limit.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, comparison, value) in [
            ("<= 2.0", Comparison::AtMost, 2.0),
            ("<=2", Comparison::AtMost, 2.0),
            ("  < 0.05 ", Comparison::Below, 0.05),
            (">= 0.99", Comparison::AtLeast, 0.99),
            ("> 1e3", Comparison::Above, 1000.0),
            ("≤ 2", Comparison::AtMost, 2.0),
            ("≥120", Comparison::AtLeast, 120.0),
        ] {
            assert_eq!(text.parse(), Ok(Limit { comparison, value }), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, expected) in [
            ("2.0", "no comparison in front"),
            ("", "no comparison in front"),
            ("= 2.0", "no comparison in front"),
            ("<= 2.0 s", "\"2.0 s\" is no number"),
            ("<=", "\"\" is no number"),
            ("< NaN", "\"NaN\" is no number"),
            ("<= inf", "\"inf\" is no number"),
            ("<== 2", "\"= 2\" is no number"),
        ] {
            let message = text.parse::<Limit>().unwrap_err().to_string();
            assert!(message.contains(expected), "{text:?} gave {message:?}");
        }
    }

    #[test]
    fn is_text_in_files() {
        let limit: Limit = serde_json::from_str("\"<= 2.0\"").unwrap();
        assert_eq!(serde_json::to_string(&limit).unwrap(), "\"<= 2\"");
        assert!(serde_json::from_str::<Limit>("\"about 2\"").is_err());
    }

    #[test]
    fn no_number_satisfies_nothing() {
        for comparison in [Comparison::AtMost, Comparison::Below, Comparison::AtLeast, Comparison::Above] {
            assert!(!comparison.holds(f64::NAN, 1.0));
        }
        assert!(Comparison::Below.holds(0.9, 1.0) && !Comparison::Below.holds(1.0, 1.0));
        assert!(Comparison::Above.holds(1.1, 1.0) && !Comparison::Above.holds(1.0, 1.0));
    }
}
