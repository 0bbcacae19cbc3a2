//! What an answer rests on: the tool, the input, what was assumed, what was not there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::gap;
use crate::model::time::Timestamp;

/// What answered, and from what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// This program's version.
    pub tool_version: String,
    /// The upstream behaviour that was replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
    /// What was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
}

/// Upstream versions that were replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Replayed {
    /// Karpenter's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub karpenter: Option<String>,
    /// kube-scheduler's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kube_scheduler: Option<String>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// What kind of input.
    pub kind: InputKind,
    /// Files, folders or the context, in the order given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// When the cluster was as read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<Timestamp>,
    /// How many nodes it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// How many pods it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pods: Option<u64>,
}

/// What kind of input was read. Further values may be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InputKind {
    /// Files.
    #[default]
    Dump,
    /// A running cluster.
    Live,
    /// What `record` wrote.
    Recording,
}

/// In how many of the states that the input allows something holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Variants {
    /// In how many it holds.
    pub holds: u32,
    /// Of how many.
    pub of: u32,
}

/// Something that no object shows and that had to be assumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Assumption {
    /// What: `PREFERENCE_POLICY`, `scheduler profile`, `pod/web-1 had left by then`.
    pub subject: String,
    /// The value assumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why that, and what it means for the answer.
    pub reason: String,
    /// The flag or file that would say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Something that could not be read, or is not in the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// Why it is not known.
    pub kind: GapKind,
    /// What: an object as kubectl names it, a file, a kind.
    pub subject: String,
    /// What is wrong with it, and what that means for the answer.
    pub detail: String,
    /// What would help: a command, an RBAC rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Why something is not known. Further values may be added.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
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

impl From<&gap::Gap> for Gap {
    fn from(gap: &gap::Gap) -> Self {
        let kind = match gap.kind {
            gap::GapKind::Unreadable => GapKind::Unreadable,
            gap::GapKind::Damaged => GapKind::Damaged,
            gap::GapKind::Forbidden => GapKind::Forbidden,
            gap::GapKind::Absent => GapKind::Absent,
            gap::GapKind::Missing => GapKind::Missing,
            gap::GapKind::Conflict => GapKind::Conflict,
            gap::GapKind::NotModelled => GapKind::NotModelled,
            gap::GapKind::Assumed => GapKind::Assumed,
        };
        Self {
            kind,
            subject: gap.subject.clone(),
            detail: gap.detail.clone(),
            hint: gap.hint.clone(),
        }
    }
}
