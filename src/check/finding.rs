//! `Finding`: one thing that a rule found, and where.

use serde::Serialize;

use super::position::{FieldPath, Position};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing has to be changed.
    Info,
    /// It works, but not as the manifest reads.
    Warning,
    /// It will not work.
    Error,
}

impl Severity {
    /// The word for it, as written in flags and in `landed.yaml`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The severity of a word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Info, Self::Warning, Self::Error].into_iter().find(|known| known.as_str() == text)
    }
}

/// What a rule says of one field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The field.
    pub path: FieldPath,
    /// What is wrong with it, and what comes of it.
    pub message: String,
    /// What to do about it.
    pub advice: String,
}

impl Problem {
    /// A problem of a field.
    pub fn new(path: FieldPath, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { path, message: message.into(), advice: advice.into() }
    }
}

/// A problem with the rule that found it and the place where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's code.
    pub code: &'static str,
    /// How bad it is, as configured.
    pub severity: Severity,
    /// The object, as kubectl names it: `deployment/web`.
    pub object: String,
    /// The object's namespace; empty for objects that live in none.
    pub namespace: String,
    /// The file.
    pub file: String,
    /// The place in the file.
    pub position: Position,
    /// The field.
    pub path: FieldPath,
    /// The field, as people write it.
    pub field: String,
    /// The object's place among all objects of the run.
    pub manifest: usize,
    /// What is wrong with it, and what comes of it.
    pub message: String,
    /// What to do about it.
    pub advice: String,
    /// What stays the same while lines move: made of the code, the object and the field.
    pub fingerprint: String,
}
