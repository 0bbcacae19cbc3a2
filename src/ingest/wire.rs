//! The lenient parts that objects on the wire are made of: `null` is the same as absent, text is borrowed.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::model::quantity::Quantity;

/// Text, borrowed from the input where it holds no escapes; `null` is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub Cow<'a, str>);

impl Text<'_> {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text)))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Text<'de>, E> {
        Ok(Text::default())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A list; `null` is empty.
#[derive(Clone, Debug)]
pub(crate) struct List<T>(pub Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_unit<E: de::Error>(self) -> Result<List<T>, E> {
                Ok(List(Vec::new()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<List<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(element) = access.next_element()? {
                    list.push(element);
                }
                Ok(List(list))
            }
        }
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

/// Says that a list matters only where its text holds a word; the reader of `json` steps over the others.
pub(crate) const ONLY_WITH: &str = "landed/only with ";

/// The word of a [`Rare`] list.
pub(crate) trait Word {
    /// The word, after [`ONLY_WITH`].
    const NAME: &'static str;
}

/// A list whose elements say something only where its text holds a word, as nearly none does: else it is empty.
#[derive(Clone, Debug)]
pub(crate) struct Rare<T, W>(pub Vec<T>, PhantomData<W>);

impl<T, W> Default for Rare<T, W> {
    fn default() -> Self {
        Self(Vec::new(), PhantomData)
    }
}

impl<'de, T: Deserialize<'de>, W: Word> Deserialize<'de> for Rare<T, W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RareVisitor<T, W>(PhantomData<(T, W)>);
        impl<'de, T: Deserialize<'de>, W> Visitor<'de> for RareVisitor<T, W> {
            type Value = Rare<T, W>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Rare<T, W>, E> {
                Ok(Rare::default())
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Rare<T, W>, D::Error> {
                List::deserialize(deserializer).map(|list| Rare(list.0, PhantomData))
            }
        }
        deserializer.deserialize_newtype_struct(W::NAME, RareVisitor(PhantomData))
    }
}

/// Names and values in the order of the input; `null` is empty.
#[derive(Clone, Debug)]
pub(crate) struct Map<'a, V>(pub Vec<(Text<'a>, V)>);

impl<V> Default for Map<'_, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de: 'a, 'a, V: Deserialize<'de>> Deserialize<'de> for Map<'a, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<V> {
            type Value = Map<'de, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Map<'de, V>, E> {
                Ok(Map(Vec::new()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Map<'de, V>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = access.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Map(pairs))
            }
        }
        deserializer.deserialize_any(PairsVisitor(PhantomData))
    }
}

/// A map whose keys and values are both text.
pub(crate) type Texts<'a> = Map<'a, Text<'a>>;

/// Amounts by resource name.
pub(crate) type Amounts<'a> = Map<'a, Quantity>;

/// Something of which only its presence matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present;

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_ignored_any(IgnoredAny).map(|_| Self)
    }
}

/// A number or a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum NumberOrText<'a> {
    Number(i64),
    #[serde(borrow)]
    Text(Text<'a>),
}
