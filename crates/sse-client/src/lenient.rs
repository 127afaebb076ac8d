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
        deserializer.deserialize_any(One::<T> { text: false, of: PhantomData }).map(Self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Holder<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(One::<T> { text: true, of: PhantomData }).map(Self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Holders<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Many::<T>(PhantomData)).map(Self)
    }
}

/// Takes an object, passes over what holds nothing, and refuses the rest where text is at stake.
struct One<T> {
    text: bool,
    of: PhantomData<T>,
}

/// Takes a list of objects in which text is at stake.
struct Many<T>(PhantomData<T>);

impl<T> One<T> {
    fn other<E: Error>(&self, holds_nothing: bool, found: Unexpected<'_>) -> Result<Option<T>, E> {
        if holds_nothing || !self.text { Ok(None) } else { Err(E::invalid_type(found, &"an object")) }
    }
}

/// What holds nothing, whatever was asked for.
macro_rules! nothing {
    () => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for One<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut holds_nothing = true;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            holds_nothing = false;
        }
        self.other(holds_nothing, Unexpected::Seq)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.other(text.is_empty(), Unexpected::Str(text))
    }

    nothing!();
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Many<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut holds_nothing = true;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            holds_nothing = false;
        }
        if holds_nothing { Ok(Vec::new()) } else { Err(A::Error::invalid_type(Unexpected::Map, &"a list")) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut taken = Vec::new();
        while let Some(Holder(next)) = seq.next_element()? {
            taken.extend(next);
        }
        Ok(taken)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        if text.is_empty() { Ok(Vec::new()) } else { Err(E::invalid_type(Unexpected::Str(text), &"a list")) }
    }

    nothing!();
}
