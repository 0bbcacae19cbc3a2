//! `TimelineEntry`: something that happened, when, and how that is known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::time::Timestamp;

/// Something that happened to the pod, its claim, or a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineEntry {
    /// When. Not finer than `resolution`.
    pub time: Timestamp,
    /// How fine the clock was that gave the time: `1s`, `1ms`, `1us`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// What it happened to, such as `pod/web-0`, `nodeclaim/general-x4k2p`, `node/a`.
    pub object: String,
    /// What happened.
    pub moment: Moment,
    /// What happened, in words.
    pub summary: String,
    /// Who did it: `karpenter`, `kube-scheduler`, `kubelet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// How it is known: `event Nominated`, `status.conditions[Ready]`, `karpenter log`.
    pub source: String,
    /// Whether the answer turns on it.
    #[serde(default)]
    pub deciding: bool,
}

/// What happened. Further values may be added.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// The object was created.
    Created,
    /// kube-scheduler or Karpenter found no place.
    FailedScheduling,
    /// Karpenter's pass planned a place for the pod.
    Planned,
    /// Karpenter said which place it planned.
    Nominated,
    /// The cloud launched the claim's machine.
    Launched,
    /// The machine joined as a Node.
    Registered,
    /// The node was ready.
    Ready,
    /// The claim was initialised: start-up taints gone, resources there.
    Initialized,
    /// Room was freed on a node.
    RoomFreed,
    /// Room was taken on a node.
    RoomTaken,
    /// kube-scheduler decided.
    Decided,
    /// The pod was bound to a node.
    Bound,
    /// The pod ran.
    Started,
    /// Another pod pushed the pod off.
    Preempted,
    /// The pod was evicted.
    Evicted,
    /// A launch failed.
    LaunchFailed,
    /// Karpenter chose the node for removal.
    Disrupted,
    /// The object was deleted, or is going.
    Deleted,
    /// The input was taken.
    Observed,
    /// Something else.
    #[default]
    Other,
}

impl Moment {
    /// The word, as JSON has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::FailedScheduling => "failed-scheduling",
            Self::Planned => "planned",
            Self::Nominated => "nominated",
            Self::Launched => "launched",
            Self::Registered => "registered",
            Self::Ready => "ready",
            Self::Initialized => "initialized",
            Self::RoomFreed => "room-freed",
            Self::RoomTaken => "room-taken",
            Self::Decided => "decided",
            Self::Bound => "bound",
            Self::Started => "started",
            Self::Preempted => "preempted",
            Self::Evicted => "evicted",
            Self::LaunchFailed => "launch-failed",
            Self::Disrupted => "disrupted",
            Self::Deleted => "deleted",
            Self::Observed => "observed",
            Self::Other => "other",
        }
    }
}
