//! `Tree`: a YAML or JSON document in which each field knows its place.

use serde_json::{Map, Number, Value};

use super::position::{FieldPath, Position, Step};

/// A value and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Where the value begins.
    pub position: Position,
    /// The value.
    pub content: Content,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    Text(Box<str>),
    /// A list.
    List(Vec<Tree>),
    /// A map, in the order of the file.
    Map(Vec<Entry>),
}

/// One entry of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Box<str>,
    /// Where the key begins.
    pub position: Position,
    /// The value.
    pub value: Tree,
}

impl Tree {
    /// The field `key`, where this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The elements, where this is a list; else none.
    pub fn items(&self) -> &[Self] {
        match &self.content {
            Content::List(items) => items,
            _ => &[],
        }
    }

    /// The entries, where this is a map; else none.
    pub fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The text, where this is one.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value at a path.
    pub fn at(&self, path: &FieldPath) -> Option<&Self> {
        path.steps().iter().try_fold(self, |tree, step| match step {
            Step::Key(key) => tree.get(key),
            Step::Index(index) => tree.items().get(*index),
        })
    }

    /// Where a field stands: its key in a map, the value in a list. A field that is not there stands where the last of
    /// its parents does that is.
    pub fn position_of(&self, path: &FieldPath) -> Position {
        let (mut tree, mut position) = (self, self.position);
        for step in path.steps() {
            let next = match step {
                Step::Key(key) => tree.entry(key).map(|entry| (&entry.value, entry.position)),
                Step::Index(index) => tree.items().get(*index).map(|item| (item, item.position)),
            };
            let Some(found) = next else { break };
            (tree, position) = found;
        }
        position
    }

    /// The value without the places.
    pub fn to_json(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(number) => Value::Number(number.clone()),
            Content::Text(text) => Value::String(text.to_string()),
            Content::List(items) => items.iter().map(Self::to_json).collect(),
            Content::Map(entries) => {
                let pairs =
                    entries.iter().map(|entry| (entry.key.to_string(), entry.value.to_json()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| &*entry.key == key)
    }
}
