//! A field of a row, of a table or of a JSON object alike.

use std::borrow::Cow;

use metrics_core::Micros;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{BadValue, Clock, Time, count, flag, millis, seconds, since, time, unknown};

/// A field of a row that nobody has looked at yet. Numbers may stand in strings and the other way round.
///
/// As a field of a `Deserialize` struct it borrows from the line and takes any JSON value; with `#[serde(default)]` it is
/// null where the key is missing. It reads from text alone ([`read_json`](super::read_json)), not from a
/// `serde_json::Value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    raw: &'a str,
    json: bool,
    comma: bool,
}

impl Default for Field<'_> {
    fn default() -> Self {
        Self { raw: "null", json: true, comma: false }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Field<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(from).map(|raw| Self { raw: raw.get(), json: true, comma: false })
    }
}

impl<'a> Field<'a> {
    /// A field of a table. With `comma` a comma is the decimal mark.
    #[must_use]
    pub fn plain(raw: &'a str, comma: bool) -> Self {
        Self { raw, json: false, comma }
    }

    /// JSON as it stands in the line; `None` of a field of a table.
    #[must_use]
    pub fn json(self) -> Option<&'a str> {
        self.json.then_some(self.raw)
    }

    /// There is no value: null, `""`, `-` and their like.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        unknown(self.inner())
    }

    /// Its key is missing, or its value is null.
    pub(crate) fn is_missing(self) -> bool {
        self.json && self.raw == "null"
    }

    /// Its text: that of a string, the digits of a number; `None` where there is no value, or a list or an object.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        self.scalar().ok().filter(|text| !unknown(text))
    }

    /// As [`count`].
    ///
    /// # Errors
    /// As [`count`].
    pub fn count(self) -> Result<Option<u32>, BadValue> {
        count(&self.scalar()?, self.comma)
    }

    /// As [`seconds`].
    ///
    /// # Errors
    /// As [`seconds`].
    pub fn seconds(self) -> Result<Option<Micros>, BadValue> {
        seconds(&self.scalar()?, self.comma)
    }

    /// As [`millis`].
    ///
    /// # Errors
    /// As [`millis`].
    pub fn millis(self) -> Result<Option<Micros>, BadValue> {
        millis(&self.scalar()?, self.comma)
    }

    /// As [`flag`].
    ///
    /// # Errors
    /// As [`flag`].
    pub fn flag(self) -> Result<Option<bool>, BadValue> {
        flag(&self.scalar()?)
    }

    /// As [`time()`].
    ///
    /// # Errors
    /// As [`time()`].
    pub fn time(self, clock: Clock) -> Result<Option<Time>, BadValue> {
        time(&self.scalar()?, clock)
    }

    /// As [`since`].
    ///
    /// # Errors
    /// As [`since`].
    pub fn since(self, unit_ns: u64) -> Result<Option<Time>, BadValue> {
        since(&self.scalar()?, unit_ns)
    }

    /// It is a list or an object.
    #[must_use]
    pub fn is_nested(self) -> bool {
        self.json && self.raw.starts_with(['{', '['])
    }

    fn scalar(self) -> Result<Cow<'a, str>, BadValue> {
        let inner = self.inner();
        match () {
            () if self.is_nested() => Err(BadValue::NotScalar),
            () if inner.len() == self.raw.len() || !inner.contains('\\') => Ok(Cow::Borrowed(inner)),
            // Half a surrogate pair is no text; such a name stands for itself as it is written.
            () => Ok(serde_json::from_str(self.raw).map_or(Cow::Borrowed(inner), Cow::Owned)),
        }
    }

    fn inner(self) -> &'a str {
        match self.json {
            true => self.raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(self.raw),
            false => self.raw,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::read_json;

    #[derive(Deserialize)]
    struct Row<'a> {
        #[serde(borrow, default)]
        tokens: Field<'a>,
        #[serde(borrow, default)]
        name: Field<'a>,
    }

    fn row(text: &str) -> Row<'_> {
        read_json(text).expect("a row")
    }

    #[test]
    fn numbers_may_stand_in_strings_and_names_may_be_numbers() {
        let read = row(r#"{"tokens":"1,024","name":42}"#);
        assert_eq!(read.tokens.count(), Ok(Some(1024)));
        assert_eq!(read.name.text().as_deref(), Some("42"));
        let read = row(r#"{"tokens":"\uff11\u0032","name":"a\"b\u4e2d"}"#);
        assert_eq!(read.tokens.count(), Ok(Some(12)));
        assert_eq!(read.name.text().as_deref(), Some("a\"b中"));
    }

    #[test]
    fn what_is_missing_is_unknown_and_what_is_nested_is_no_number() {
        let read = row(r#"{"name":{"a":1}}"#);
        assert_eq!(read.tokens.count(), Ok(None));
        assert_eq!(read.name.text(), None);
        assert_eq!(read.name.count(), Err(BadValue::NotScalar));
        assert_eq!(read.name.json(), Some(r#"{"a":1}"#));
        assert!(row(r#"{"name":null}"#).name.is_unknown());
        assert!(row(r#"{"name":"-"}"#).name.is_unknown());
    }

    #[test]
    fn a_half_surrogate_costs_no_row() {
        let read = row(r#"{"name":"\ud800"}"#);
        assert_eq!(read.name.text().as_deref(), Some(r"\ud800"));
    }

    #[test]
    fn faults_of_rows_repeat_nothing_of_them() {
        let fault = |text| {
            read_json::<Row<'_>>(text).map(|_| ()).map_err(|fault| (fault.reason.as_str(), fault.detail))
        };
        let said = |reason, detail: &str| Err((reason, detail.to_owned()));
        assert_eq!(fault("secret"), said("bad_json", "not one JSON value (column 1)"));
        assert_eq!(fault(r#"{"tokens":1"#), said("bad_json", "the JSON value is cut short"));
        assert_eq!(fault(r#"{"tokens":1}{}"#), said("bad_json", "not one JSON value (column 13)"));
        assert_eq!(fault(r#"{"tokens":1,"tokens":2}"#), said("bad_row", "duplicate field `tokens`"));
        assert_eq!(fault(r#""secret""#), said("bad_row", "not of this format's shape (column 8)"));
    }
}
