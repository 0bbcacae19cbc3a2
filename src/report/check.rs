//! `CheckReport`: what the rules found, as plain values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApiVersion, Gap, Metadata};
use crate::check::{self, Examined};

/// What was found in manifests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// The version of the contract.
    pub api_version: ApiVersion,
    /// Always `CheckReport`.
    pub kind: CheckReportKind,
    /// What answered, and from what.
    #[serde(default)]
    pub metadata: Metadata,
    /// How many of each.
    pub summary: CheckSummary,
    /// What was found, by file and place.
    pub findings: Vec<Finding>,
    /// What was found and is ignored, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredFinding>,
    /// What could not be read, by file and place. Where there is any, the answer is not complete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadablePart>,
    /// What had to be assumed of the cluster, or could not be read of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// The kind of a [`CheckReport`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CheckReportKind {
    /// What was found in manifests.
    #[default]
    CheckReport,
}

/// How many of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckSummary {
    /// Objects that were looked at.
    pub objects: usize,
    /// Findings of severity error.
    pub errors: usize,
    /// Findings of severity warning.
    pub warnings: usize,
    /// Findings of severity info.
    pub infos: usize,
    /// Findings that are ignored with a reason.
    pub ignored: usize,
    /// Findings that the baseline knows.
    pub known: usize,
    /// Entries of the baseline that match nothing any more.
    pub gone: usize,
}

/// How bad a finding is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
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
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl From<check::Severity> for Severity {
    fn from(severity: check::Severity) -> Self {
        match severity {
            check::Severity::Info => Self::Info,
            check::Severity::Warning => Self::Warning,
            check::Severity::Error => Self::Error,
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The rule's code.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// The object, as kubectl names it.
    pub object: String,
    /// Its namespace; absent for objects that live in none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// What is wrong, and what comes of it.
    pub message: String,
    /// What to do about it.
    pub advice: String,
    /// What stays the same while lines move.
    pub fingerprint: String,
}

/// A finding that is ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IgnoredFinding {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// Why it is ignored.
    pub reason: String,
}

/// A part of a file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnreadablePart {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Why.
    pub message: String,
    /// The line of the file with a caret under the place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snippet: String,
}

impl CheckReport {
    /// The report of an examination.
    pub fn of(examined: &Examined) -> Self {
        let findings: Vec<Finding> = examined.findings.iter().map(Finding::from).collect();
        let count = |severity| findings.iter().filter(|one| one.severity == severity).count();
        let summary = CheckSummary {
            objects: examined.context.manifests.len(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
            ignored: examined.ignored.len(),
            known: examined.known.len(),
            gone: examined.gone,
        };
        let ignored = examined.ignored.iter().map(|(finding, reason)| IgnoredFinding {
            finding: finding.into(),
            reason: reason.clone(),
        });
        let unreadable = examined.unreadable.iter().map(|part| UnreadablePart {
            file: part.file.clone(),
            line: part.position.line,
            column: part.position.column,
            message: part.message.clone(),
            snippet: part.snippet.clone(),
        });
        Self {
            summary,
            ignored: ignored.collect(),
            unreadable: unreadable.collect(),
            findings,
            ..Self::default()
        }
    }
}

impl From<&check::Finding> for Finding {
    fn from(finding: &check::Finding) -> Self {
        Self {
            code: finding.code.to_owned(),
            severity: finding.severity.into(),
            object: finding.object.clone(),
            namespace: finding.namespace.clone(),
            file: finding.file.clone(),
            line: finding.position.line,
            column: finding.position.column,
            field: finding.field.clone(),
            message: finding.message.clone(),
            advice: finding.advice.clone(),
            fingerprint: finding.fingerprint.clone(),
        }
    }
}
