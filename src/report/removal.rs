//! `Removal`: whether and when Karpenter removes a node, and what holds it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::time::Timestamp;

/// Whether and when Karpenter removes a node, and what holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    /// How it stands.
    pub state: RemovalState,
    /// The same in one or two sentences.
    pub summary: String,
    /// When it was removed, or could be removed at the earliest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// Why it goes: `Empty`, `Drifted`, `Underutilized`, `Expired`. Further values may be added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it expires, whatever else holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// What holds it, in the order in which Karpenter asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_by: Vec<Hold>,
    /// Where its pods would go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<PodMove>,
}

/// How a node stands with its removal. Further values may be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RemovalState {
    /// It is gone.
    Removed,
    /// It is going.
    Underway,
    /// It goes when a time has passed.
    Due,
    /// Something holds it that no time takes away.
    Held,
    /// The input does not tell.
    #[default]
    Unknown,
}

/// One thing that holds a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// Which removal it holds back: `Empty`, `Drifted`, `Underutilized`; none: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// A code for it, in kebab-case.
    pub code: String,
    /// What it is, in Karpenter's words where it has some.
    pub summary: String,
    /// When it wears off by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// Where a pod would go when its node goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodMove {
    /// The pod, as `namespace/name`.
    pub pod: String,
    /// `node/NAME`, `a new node`, or why nowhere.
    pub to: String,
}
