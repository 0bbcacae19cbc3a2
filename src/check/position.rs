//! `Position` and `FieldPath`: where a field stands in a file, and which field it is.

use std::fmt;

use serde::Serialize;

use crate::model::names::Str;

/// A place in a file. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Position {
    /// The first character of a file.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// Written `12:5`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One step from an object into one of its fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A field of an object, or an entry of a map.
    Key(Str),
    /// An element of a list.
    Index(usize),
}

/// A field of an object, as the steps from its root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(Vec<Step>);

impl FieldPath {
    /// The fields of a dotted text such as `spec.template.spec`; keys that hold dots are added with [`Self::key`].
    pub fn of(dotted: &str) -> Self {
        Self(
            dotted
                .split('.')
                .filter(|key| !key.is_empty())
                .map(|key| Step::Key(key.into()))
                .collect(),
        )
    }

    /// The field `key` of this one.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.step(Step::Key(key.into()))
    }

    /// The element `index` of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// The field that a dotted text leads to from this one.
    #[must_use]
    pub fn then(&self, dotted: &str) -> Self {
        Self(self.0.iter().cloned().chain(Self::of(dotted).0).collect())
    }

    /// The field that the first steps of this path lead to.
    #[must_use]
    pub fn first(&self, length: usize) -> Self {
        Self(self.0.iter().take(length).cloned().collect())
    }

    /// The steps from the root.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    fn step(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }
}

/// Written as people do: `spec.containers[0].resources`, `spec.nodeSelector['kubernetes.io/hostname']`.
impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if key.contains(['.', '/', '[']) => write!(f, "['{key}']")?,
                Step::Key(key) => write!(f, "{}{key}", if index == 0 { "" } else { "." })?,
                Step::Index(at) => write!(f, "[{at}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_as_people_write_it() {
        let path = FieldPath::of("spec.containers").index(0).then("resources.requests");
        assert_eq!(path.to_string(), "spec.containers[0].resources.requests");
        let path = FieldPath::of("spec.nodeSelector").key("kubernetes.io/hostname");
        assert_eq!(path.to_string(), "spec.nodeSelector['kubernetes.io/hostname']");
    }
}
