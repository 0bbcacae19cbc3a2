//! `UsedSource`: where facts about instance types came from, so that an answer can name it.

use std::fmt;

use serde::Serialize;

/// A source of facts, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// `status` of the snapshot's NodeClaims: the provider's own numbers.
    NodeClaims,
    /// The snapshot's Nodes.
    Nodes,
    /// The snapshot's NodeClasses.
    NodeClasses,
    /// A file that the user gave.
    File,
    /// The table that is built in.
    BuiltIn,
    /// Rules by name, for a type that nothing else knows.
    NameRule,
}

/// A source that was used, what it gave, and how old it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsedSource {
    /// What kind of source.
    pub kind: SourceKind,
    /// What it gave, with how much of it: `memory of 3 instance types`.
    pub gave: String,
    /// The file, or the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The day of its data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

impl UsedSource {
    /// A source in the snapshot.
    pub fn of(kind: SourceKind, gave: impl Into<String>) -> Self {
        Self { kind, gave: gave.into(), name: None, date: None }
    }

    /// The same source with its name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The same source with the day of its data.
    #[must_use]
    pub fn dated(mut self, date: impl Into<String>) -> Self {
        self.date = Some(date.into());
        self
    }
}

/// Written `built-in table of AWS (2026-07-11): facts of 1384 instance types`.
impl fmt::Display for UsedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            SourceKind::NodeClaims => f.write_str("status of NodeClaims")?,
            SourceKind::Nodes => f.write_str("nodes")?,
            SourceKind::NodeClasses => f.write_str("NodeClasses")?,
            SourceKind::File => f.write_str("file")?,
            SourceKind::BuiltIn => f.write_str("built-in table")?,
            SourceKind::NameRule => f.write_str("rules by name")?,
        }
        if let Some(name) = &self.name {
            write!(f, " {name}")?;
        }
        if let Some(date) = &self.date {
            write!(f, " ({date})")?;
        }
        write!(f, ": {}", self.gave)
    }
}
