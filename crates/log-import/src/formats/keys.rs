//! Chosen keys of JSON objects, and nothing of the others.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
};

use super::{columns::Column, mapped::Fields};
use crate::value::{RowFault, read_json_with};

/// Keys of an object that are looked for.
pub(super) struct Keys(Vec<Key>);

struct Key {
    name: String,
    /// The place that its value has among the fields of a row.
    place: Option<usize>,
    /// The keys that are looked for in its value.
    below: Keys,
}

impl Keys {
    /// The keys of these columns. A name with dots is that of a key, or else a path of keys.
    pub(super) fn of(columns: &[Column]) -> Self {
        let mut keys = Self(Vec::new());
        for column in columns {
            keys.add(&column.name, column.role as usize);
        }
        keys
    }

    fn add(&mut self, name: &str, place: usize) {
        self.key(name).place = Some(place);
        for (dot, _) in name.match_indices('.') {
            if let Some((first, rest)) = name.split_at_checked(dot) {
                self.key(first).below.add(rest.get(1..).unwrap_or_default(), place);
            }
        }
    }

    fn key(&mut self, name: &str) -> &mut Key {
        let at = self.0.iter().position(|key| key.name == name).unwrap_or_else(|| {
            self.0.push(Key { name: name.to_owned(), place: None, below: Self(Vec::new()) });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// Takes their values out of an object. What a key has of its own comes before what lies within another.
    pub(super) fn pick<'a>(&self, text: &'a str, fields: &mut Fields<'a>) -> Result<(), RowFault> {
        read_json_with(text, Object { keys: self, fields })
    }
}

/// Reads an object.
struct Object<'k, 'f, 'a> {
    keys: &'k Keys,
    fields: &'f mut Fields<'a>,
}

impl<'de> DeserializeSeed<'de> for Object<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = 0_u64;
        // Values within others, until all that stands here was read.
        let mut inner: Vec<(&Keys, &'de str)> = Vec::new();
        while let Some(at) = map.next_key_seed(Place(self.keys))? {
            let Some((at, key)) = at.and_then(|at| Some((at, self.keys.0.get(at)?))) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if seen >> at & 1 == 1 {
                return Err(Error::custom(format_args!("duplicate field `{}`", key.name)));
            }
            seen |= 1 << at;
            let value = map.next_value::<crate::value::Field<'de>>()?;
            if let Some(field) = key.place.and_then(|place| self.fields.get_mut(place)) {
                *field = value;
            }
            if let Some(text) = value.json().filter(|text| !key.below.0.is_empty() && text.starts_with('{')) {
                inner.push((&key.below, text));
            }
        }
        for (keys, text) in inner {
            let mut found = Fields::default();
            keys.pick(text, &mut found).map_err(Error::custom)?;
            for (field, found) in self.fields.iter_mut().zip(found) {
                if field.is_missing() {
                    *field = found;
                }
            }
        }
        Ok(())
    }
}

/// Which of the keys one is.
struct Place<'k>(&'k Keys);

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Option<usize>, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Place<'_> {
    type Value = Option<usize>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.0.0.iter().position(|key| key.name.len() == name.len() && key.name == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::columns::{Measure, Role};

    fn picked(text: &str, names: &[&str]) -> Result<Vec<String>, String> {
        let columns: Vec<Column> = names
            .iter()
            .zip(Role::ALL)
            .map(|(name, role)| Column {
                role,
                name: (*name).to_owned(),
                measure: Measure::Seconds,
                at_end: false,
            })
            .collect();
        let mut fields = Fields::default();
        Keys::of(&columns).pick(text, &mut fields).map_err(|fault| fault.to_string())?;
        Ok(fields
            .iter()
            .take(names.len())
            .map(|field| field.text().unwrap_or_default().into_owned())
            .collect())
    }

    #[test]
    fn a_path_leads_into_objects_and_a_key_with_dots_comes_before_it() {
        let text =
            r#"{"usage":{"prompt_tokens":12,"x":7,"a.b":{"c":3}},"usage.x":4,"t":"5","skip":[{"t":9}]}"#;
        let read = picked(text, &["usage.prompt_tokens", "usage.x", "t", "usage.a.b.c", "t.none", "none"]);
        assert_eq!(read, Ok(["12", "4", "5", "3", "", ""].map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_where_it_is_asked_for() {
        assert_eq!(picked(r#"{"a":1,"a":2}"#, &["a"]), Err("duplicate field `a`".to_owned()));
        assert_eq!(picked(r#"{"b":{"a":1,"a":2}}"#, &["b.a"]), Err("duplicate field `a`".to_owned()));
        assert_eq!(picked(r#"{"a":1,"b":2,"b":3}"#, &["a"]), Ok(vec!["1".to_owned()]));
        assert_eq!(picked("[1,2]", &["a"]), Err("not of this format's shape (column 0)".to_owned()));
        assert_eq!(picked(r#"{"\u0061":1}"#, &["a"]), Ok(vec!["1".to_owned()]));
    }
}
