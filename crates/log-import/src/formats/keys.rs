//! Chosen keys of a JSON object, and nothing of the others.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
};

use super::columns::Role;
use crate::value::{Field, RowFault, read_json_with};

const MOST: usize = Role::ALL.len();

/// The values of some keys, in the order in which they are asked for. A name with dots is that of a key, or else a path of
/// keys.
pub(super) fn pick<'a>(text: &'a str, names: &[String]) -> Result<[Field<'a>; MOST], RowFault> {
    let found = read_json_with(text, Pick { names })?;
    let mut fields = [Field::default(); MOST];
    for ((field, found), name) in fields.iter_mut().zip(found).zip(names) {
        *field = match found {
            Found::Nothing => continue,
            Found::Own(own) => own,
            Found::Parent(length, parent) => match (parent.json(), name.get(length + 1..)) {
                (Some(text), Some(rest)) if text.starts_with('{') => {
                    let [inner, ..] = pick(text, &[rest.to_owned()])?;
                    inner
                }
                _ => continue,
            },
        };
    }
    Ok(fields)
}

/// What was found of a name.
#[derive(Clone, Copy)]
enum Found<'a> {
    Nothing,
    /// The value of the key.
    Own(Field<'a>),
    /// The value of the key that the first so many bytes of the path are.
    Parent(usize, Field<'a>),
}

struct Pick<'n> {
    names: &'n [String],
}

impl<'de> DeserializeSeed<'de> for Pick<'_> {
    type Value = [Found<'de>; MOST];

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Pick<'_> {
    type Value = [Found<'de>; MOST];

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [Found::Nothing; MOST];
        while let Some(wanted) = map.next_key_seed(Key { names: self.names })? {
            if wanted.none() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let field: Field<'de> = map.next_value()?;
            for (at, (found, name)) in found.iter_mut().zip(self.names).enumerate() {
                match found {
                    Found::Own(_) if wanted.own >> at & 1 == 1 => {
                        return Err(Error::custom(format_args!("duplicate field `{name}`")));
                    }
                    Found::Nothing | Found::Parent(..) if wanted.own >> at & 1 == 1 => {
                        *found = Found::Own(field)
                    }
                    Found::Nothing if wanted.parent >> at & 1 == 1 => {
                        *found = Found::Parent(wanted.length, field);
                    }
                    _ => {}
                }
            }
        }
        Ok(found)
    }
}

/// Which names a key is, and of which it is the beginning; each a bit.
#[derive(Clone, Copy, Default)]
struct Wanted {
    own: u16,
    parent: u16,
    length: usize,
}

impl Wanted {
    fn none(self) -> bool {
        self.own | self.parent == 0
    }
}

struct Key<'n> {
    names: &'n [String],
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Wanted;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Wanted, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Wanted;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Wanted, E> {
        let mut wanted = Wanted { length: key.len(), ..Wanted::default() };
        for (at, name) in self.names.iter().enumerate() {
            let rest = name.as_bytes().get(key.len());
            if rest.is_none_or(|next| *next == b'.') && name.starts_with(key) {
                match rest {
                    None => wanted.own |= 1 << at,
                    Some(_) => wanted.parent |= 1 << at,
                }
            }
        }
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(text: &str, names: &[&str]) -> Result<Vec<String>, String> {
        let owned: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let fields = pick(text, &owned).map_err(|fault| fault.to_string())?;
        Ok(fields
            .iter()
            .take(names.len())
            .map(|field| field.text().unwrap_or_default().into_owned())
            .collect())
    }

    #[test]
    fn a_path_leads_into_objects_and_a_key_with_dots_comes_before_it() {
        let text = r#"{"usage":{"prompt_tokens":12,"a.b":{"c":3}},"usage.x":4,"t":"5","skip":[{"t":9}]}"#;
        let read = picked(text, &["usage.prompt_tokens", "usage.x", "t", "usage.a.b.c", "t.none", "none"]);
        assert_eq!(read, Ok(["12", "4", "5", "3", "", ""].map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_where_it_is_asked_for() {
        assert_eq!(picked(r#"{"a":1,"a":2}"#, &["a"]), Err("duplicate field `a`".to_owned()));
        assert_eq!(picked(r#"{"a":1,"b":2,"b":3}"#, &["a"]), Ok(vec!["1".to_owned()]));
        assert_eq!(picked("[1,2]", &["a"]), Err("not of this format's shape (column 0)".to_owned()));
        assert_eq!(picked(r#"{"\u0061":1}"#, &["a"]), Ok(vec!["1".to_owned()]));
    }
}
