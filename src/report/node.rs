//! `Node`: what kube-scheduler and Karpenter made of one node for the pod.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Room;
use crate::model::time::Timestamp;

/// One node at the moment of kube-scheduler's decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Its name; a NodeClaim's name while there was no Node.
    pub name: String,
    /// What it is in this answer. In the order intended, scheduler-pick, actual.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Its NodeClaim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_claim: Option<String>,
    /// Its NodePool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_pool: Option<String>,
    /// Its instance type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// Its zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// `on-demand`, `spot` or `reserved`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<String>,
    /// Whether it was there at that moment.
    pub existed: bool,
    /// When it became ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<Timestamp>,
    /// Whether it passed all of kube-scheduler's filters.
    pub feasible: bool,
    /// Every filter that refuses it, asked alone, in kube-scheduler's order.
    pub refusals: Vec<Refusal>,
    /// Its scores, by plugin in kube-scheduler's order; empty when it is refused.
    pub scores: Vec<Score>,
    /// The sum of its weighted scores; left out when it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
    /// What was free on it then, before the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<Room>,
    /// Pods on it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pods: Option<u64>,
    /// What Karpenter's pass made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub karpenter: Option<KarpenterView>,
}

/// What a node is in an answer.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Karpenter meant the pod to go there.
    Intended,
    /// kube-scheduler would put it there.
    SchedulerPick,
    /// It is there.
    Actual,
}

/// A filter's refusal of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// The plugin, by its upstream name.
    pub plugin: String,
    /// Upstream's words.
    pub reasons: Vec<String>,
    /// What lies behind them: the taint, the amount that is missing, the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether it is the one that refused the node when the filters ran in order.
    #[serde(default)]
    pub first: bool,
    /// Whether removing pods from the node can help.
    #[serde(default)]
    pub preemption_helps: bool,
}

/// A plugin's score of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// The plugin, by its upstream name.
    pub plugin: String,
    /// What the plugin counted.
    pub raw: i64,
    /// The same over all nodes from 0 to 100.
    pub normalized: i64,
    /// The plugin's weight.
    pub weight: i64,
    /// `normalized` times `weight`: the points it gives.
    pub weighted: i64,
}

/// What Karpenter's pass made of a candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KarpenterView {
    /// Whether it would take the pod.
    pub accepts: bool,
    /// The first check that refused it, in kebab-case: `taints`, `requirements`, `resources`, `topology`, `limits`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A NodePool as Karpenter saw it for the pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePool {
    /// Its name.
    pub name: String,
    /// Its weight; heavier ones are tried first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<i32>,
    /// What Karpenter made of it.
    pub karpenter: KarpenterView,
}
