//! `Placement`: a place for a pod, what is known of it, and how.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Class;
use crate::model::quantity::Quantity;
use crate::model::resources::{self, Resources};
use crate::model::time::Timestamp;

/// A place for a pod. What is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Placement {
    /// The Node's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The NodeClaim's name. For a claim that was only planned, Karpenter's placeholder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_claim: Option<String>,
    /// The NodePool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_pool: Option<String>,
    /// The instance type, or the cheapest that was planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// All instance types that the plan allows, cheapest first; only for a node that was planned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instance_types: Vec<String>,
    /// The zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// `on-demand`, `spot` or `reserved`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<String>,
    /// What was free on the node at that moment, before the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<Room>,
    /// kube-scheduler's total for it at the moment of its decision; left out when its filters refuse the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i64>,
    /// When the node was planned, picked or bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// Whether the node was to be launched for this batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launched_for_batch: Option<bool>,
    /// How this is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What it is known from, in words: `Nominated event`, `Karpenter's log`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Other places that were as likely, or that another way of knowing gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
}

impl Placement {
    /// What kubectl would call the place: `node/NAME`, or `nodeclaim/NAME` when there is no node.
    pub fn object(&self) -> Option<String> {
        let node = self.node.as_ref().map(|name| format!("node/{name}"));
        node.or_else(|| self.node_claim.as_ref().map(|name| format!("nodeclaim/{name}")))
    }

    /// Whether both are the same node, or the same claim where a node is not known.
    pub fn is_same_place(&self, other: &Self) -> bool {
        match (&self.node, &other.node) {
            (Some(a), Some(b)) => a == b,
            _ => self.node_claim.is_some() && self.node_claim == other.node_claim,
        }
    }
}

/// How a place is known. Further values may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The cluster shows it now.
    Observed,
    /// A record of that moment says so: an event, a log line.
    Recorded,
    /// A replay of that moment gives it.
    Replayed,
    /// It follows from other facts.
    Inferred,
}

/// Another place that could have been.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Alternative {
    /// The Node's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The NodeClaim's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_claim: Option<String>,
    /// How likely, from 0 to 1, when chance decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Why it is named: `ties for the best score`, `a replay plans this instead`.
    pub reason: String,
}

/// Amounts of resources: canonical text, and integers of the base unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Room {
    /// CPU, such as `1500m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// CPU in thousandths of a core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_milli: Option<i64>,
    /// Memory, such as `6Gi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Memory in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<i64>,
    /// Pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pods: Option<i64>,
    /// Every other resource, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, Amount>,
}

impl From<&Resources> for Room {
    fn from(resources: &Resources) -> Self {
        let cpu = resources.get(resources::CPU);
        let memory = resources.get(resources::MEMORY);
        let is_other =
            |name: &str| ![resources::CPU, resources::MEMORY, resources::PODS].contains(&name);
        Self {
            cpu: cpu.map(|amount| amount.to_string()),
            cpu_milli: cpu.map(Quantity::milli_value),
            memory: memory.map(|amount| amount.to_string()),
            memory_bytes: memory.map(Quantity::value),
            pods: resources.get(resources::PODS).map(Quantity::value),
            other: resources
                .into_iter()
                .filter(|(name, _)| is_other(name.as_str()))
                .map(|(name, amount)| {
                    let value = amount.value();
                    (name.to_string(), Amount { quantity: amount.to_string(), value })
                })
                .collect(),
        }
    }
}

/// An amount of one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Amount {
    /// Canonical text.
    pub quantity: String,
    /// Whole units, rounded up: bytes, devices.
    pub value: i64,
}

/// One provisioning pass: what Karpenter planned for all its pods, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// When it was planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// How many pods were in it.
    pub pods: u64,
    /// How many of them have the same owner as this pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pods_of_owner: Option<u64>,
    /// The planned nodes, new ones first, then by name.
    pub nodes: Vec<BatchNode>,
    /// How many new nodes the pass planned, those for pods of other owners included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_nodes: Option<u64>,
    /// How many new nodes the same pass plans when soft rules are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_nodes_ignoring_preferences: Option<u64>,
    /// How many pods of the batch have each class, where that was worked out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<Class, u64>,
}

/// A node of a pass: how many pods were planned there, and how many came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchNode {
    /// The Node's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The NodeClaim's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_claim: Option<String>,
    /// The NodePool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_pool: Option<String>,
    /// The instance type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// The zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Whether it was to be launched.
    pub new: bool,
    /// Pods of this owner that were planned there; absent when the input does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<u64>,
    /// Pods of this owner that were bound there.
    pub bound: u64,
}
