//! `Gap`: something that was not read, or that the input lacks. Nothing is lost in silence.

use serde::{Deserialize, Serialize};

/// Why something is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GapKind {
    /// An object could not be read.
    Unreadable,
    /// A file or a part of one could not be read.
    Damaged,
    /// The cluster did not allow reading it.
    Forbidden,
    /// The cluster does not have this kind.
    Absent,
    /// The input does not hold any object of a kind that the answer needs.
    Missing,
    /// The same object was given more than once, differently.
    Conflict,
    /// It is there, but the replay does not model it.
    NotModelled,
    /// A setting had to be assumed.
    Assumed,
}

/// Something that is not known, and what would help.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// Why it is not known.
    pub kind: GapKind,
    /// What it is: an object as kubectl names it, a file, a kind.
    pub subject: String,
    /// What is wrong with it, and what that means for the answer.
    pub detail: String,
    /// What would help: a command, an RBAC rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Gap {
    /// A gap without a hint.
    pub fn new(kind: GapKind, subject: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { kind, subject: subject.into(), detail: detail.into(), hint: None }
    }

    /// The same gap with what would help.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
