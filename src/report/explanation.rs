//! `Explanation`: the answer for one pod.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ApiVersion, Assumption, Batch, Cause, Confidence, Gap, Metadata, Node, NodePool, Placement,
    Relaxation, Room, TimelineEntry, Variants, Wanted,
};
use crate::model::time::Timestamp;

/// Why a pod landed where it did, or did not land.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The version of the contract.
    pub api_version: ApiVersion,
    /// Always `Explanation`.
    pub kind: ExplanationKind,
    /// What answered, and from what.
    #[serde(default)]
    pub metadata: Metadata,
    /// The pod asked about.
    pub pod: Pod,
    /// The answer in one word and one sentence.
    pub verdict: Verdict,
    /// Where Karpenter meant the pod to go; null when it never planned for it.
    pub intended: Option<Placement>,
    /// Where kube-scheduler would put it, replayed at the moment of its decision; null when no node passes its filters.
    pub scheduler_pick: Option<Placement>,
    /// Where it is; null while it is pending, and when it is gone and was never bound.
    pub actual: Option<Placement>,
    /// The pass in which Karpenter planned for the pod: what it planned, and what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
    /// Why, strongest first.
    pub causes: Vec<Cause>,
    /// The soft rules that Karpenter gave up to place the pod, in the order in which it did.
    pub relaxations: Vec<Relaxation>,
    /// What happened, in order of time.
    pub timeline: Vec<TimelineEntry>,
    /// Each node at the moment of kube-scheduler's decision: intended, picked and actual ones first, then feasible ones by
    /// falling total, then refused ones by name.
    pub nodes: Vec<Node>,
    /// Each NodePool as Karpenter saw it for this pod, in the order in which it tries them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_pools: Vec<NodePool>,
    /// The smallest change that puts the pod where it is wanted; where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Wanted>,
    /// What had to be assumed.
    pub assumptions: Vec<Assumption>,
    /// What could not be read, or is not in the input.
    pub gaps: Vec<Gap>,
}

/// The kind of an [`Explanation`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ExplanationKind {
    /// One pod's answer.
    #[default]
    Explanation,
}

/// The answers for several pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplanationList {
    /// The version of the contract.
    pub api_version: ApiVersion,
    /// Always `ExplanationList`.
    pub kind: ExplanationListKind,
    /// How many pods have each class; only classes that occur, most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tally: Vec<Tally>,
    /// One answer a pod, by namespace and name.
    pub items: Vec<Explanation>,
}

impl ExplanationList {
    /// The list of these answers, counted by class.
    pub fn new(items: Vec<Explanation>) -> Self {
        let tally = Tally::of(items.iter().map(|item| (item.verdict.class, 1)));
        Self { tally, items, ..Self::default() }
    }
}

/// The kind of an [`ExplanationList`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ExplanationListKind {
    /// Several pods' answers.
    #[default]
    ExplanationList,
}

/// How many pods have a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// The class.
    pub class: Class,
    /// How many pods have it.
    pub pods: u64,
}

impl Tally {
    /// How many pods have each class, most frequent first.
    pub(super) fn of(counts: impl Iterator<Item = (Class, u64)>) -> Vec<Self> {
        let mut sums = std::collections::BTreeMap::<Class, u64>::new();
        for (class, pods) in counts {
            *sums.entry(class).or_default() += pods;
        }
        let mut tally: Vec<Self> =
            sums.into_iter().map(|(class, pods)| Self { class, pods }).collect();
        tally.sort_by_key(|row| std::cmp::Reverse(row.pods));
        tally
    }
}

/// The pod asked about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its UID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Whether it is gone: only events or logs tell of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// What controls it, such as `replicaset/web-5d9c`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// `status.phase`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The scheduler that it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler_name: Option<String>,
    /// Its priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// What it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Room>,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// When it was bound to its node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Timestamp>,
}

/// The answer in one word and one sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The answer in one word.
    pub class: Class,
    /// The answer in one sentence.
    pub summary: String,
    /// How sure it is; that of the strongest cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// In how many of the states that the input allows the answer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<Variants>,
}

/// The answer in one word. Further values may be added.
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
pub enum Class {
    /// On the node that Karpenter intended.
    AsIntended,
    /// Elsewhere, yet every node got as many pods of this owner as planned: equal pods changed places.
    Swap,
    /// Elsewhere, and a node meant for pods of this owner got none: Karpenter took a soft rule as hard.
    Preference,
    /// On a node that was not launched for this batch.
    Race,
    /// On another node of the same batch: pods are scored one at a time but were packed together.
    Packing,
    /// Preempted by another pod.
    Preempted,
    /// Pending: a hard rule, a taint, a limit, a volume, a label.
    Constraint,
    /// The node that was planned could not be launched.
    LaunchFailed,
    /// Karpenter never planned for it.
    NotKarpenter,
    /// The input does not say.
    #[default]
    Unknown,
}

impl Class {
    /// The word, as JSON has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AsIntended => "as-intended",
            Self::Swap => "swap",
            Self::Preference => "preference",
            Self::Race => "race",
            Self::Packing => "packing",
            Self::Preempted => "preempted",
            Self::Constraint => "constraint",
            Self::LaunchFailed => "launch-failed",
            Self::NotKarpenter => "not-karpenter",
            Self::Unknown => "unknown",
        }
    }

    /// Whether someone who expects Karpenter's plan to come true is surprised.
    pub const fn is_surprise(self) -> bool {
        match self {
            Self::AsIntended | Self::Swap | Self::NotKarpenter => false,
            Self::Preference
            | Self::Race
            | Self::Packing
            | Self::Preempted
            | Self::Constraint
            | Self::LaunchFailed
            | Self::Unknown => true,
        }
    }
}
