//! Fields that should hold an object or a list, and that some services fill with something else when they are empty.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};

/// An object of which only figures can be lost: anything else in its place is passed over.
pub(crate) struct Figures<T>(pub(crate) Option<T>);

/// An object that holds generated text. Null, a flag, a number, `""` and `[]` hold none and are passed over; anything
/// else in its place is an error, since text may be lost with it.
pub(crate) struct Holder<T>(pub(crate) Option<T>);

/// A list of such objects, with `""` and `{}` passed over.
pub(crate) struct Holders<T>(pub(crate) Vec<T>);

impl<T> Default for Figures<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for Holder<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for Holders<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Figures<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let taken = deserializer.deserialize_any(Taker::<T> { text: false, list: false, of: PhantomData })?;
        Ok(Self(taken.into_iter().next()))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Holder<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let taken = deserializer.deserialize_any(Taker::<T> { text: true, list: false, of: PhantomData })?;
        Ok(Self(taken.into_iter().next()))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Holders<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Taker::<T> { text: true, list: true, of: PhantomData }).map(Self)
    }
}

/// Takes what is of the right kind, passes over what holds nothing, and refuses the rest where text is at stake.
struct Taker<T> {
    text: bool,
    list: bool,
    of: PhantomData<T>,
}

impl<T> Taker<T> {
    fn other<E: Error>(&self, holds_nothing: bool, found: Unexpected<'_>) -> Result<Vec<T>, E> {
        if holds_nothing || !self.text {
            Ok(Vec::new())
        } else {
            Err(E::invalid_type(found, &if self.list { "a list" } else { "an object" }))
        }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Taker<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.list { "a list" } else { "an object" })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        if !self.list {
            return T::deserialize(MapAccessDeserializer::new(map)).map(|taken| vec![taken]);
        }
        let mut holds_nothing = true;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            holds_nothing = false;
        }
        self.other(holds_nothing, Unexpected::Map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut taken = Vec::new();
        if self.list {
            while let Some(Holder(next)) = seq.next_element()? {
                taken.extend(next);
            }
            return Ok(taken);
        }
        let mut holds_nothing = true;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            holds_nothing = false;
        }
        self.other(holds_nothing, Unexpected::Seq)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.other(text.is_empty(), Unexpected::Str(text))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }
}
