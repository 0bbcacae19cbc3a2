//! `Simulation`: what would come of applying workloads, as plain values.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApiVersion, Gap, Metadata};
use crate::check::{Forecast, PlannedNode};

/// What Karpenter would launch for workloads, and where kube-scheduler would put their pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    /// The version of the contract.
    pub api_version: ApiVersion,
    /// Always `Simulation`.
    pub kind: SimulationKind,
    /// What answered, and from what.
    #[serde(default)]
    pub metadata: Metadata,
    /// The workloads, in the order of the files.
    pub workloads: Vec<SimulatedWorkload>,
    /// With Karpenter's default: preferences are demands until they are given up.
    pub respecting: Outlook,
    /// With `PREFERENCE_POLICY=Ignore`.
    pub ignoring: Outlook,
    /// What this rests on.
    pub assumptions: Vec<String>,
    /// What had to be assumed of the cluster, or could not be read of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// The kind of a [`Simulation`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SimulationKind {
    /// What would come of applying workloads.
    #[default]
    Simulation,
}

/// One workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedWorkload {
    /// The object, as kubectl names it.
    pub object: String,
    /// Its namespace.
    pub namespace: String,
    /// How many pods.
    pub replicas: i64,
}

/// What would come of it under one policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outlook {
    /// The nodes that Karpenter would launch, in the order of their making.
    pub nodes: Vec<PredictedNode>,
    /// The price of all of them an hour, where it is known.
    pub price_per_hour: Option<f64>,
    /// Nodes that are launched at first, before kube-scheduler leaves a pod without a place.
    pub nodes_at_first: usize,
    /// Nodes on which no pod ends up.
    pub empty_nodes: usize,
    /// How many pods kube-scheduler puts on nodes that are there already.
    pub on_existing_nodes: usize,
    /// Pods that Karpenter finds no place for.
    pub unplaced: Vec<WaitingPod>,
    /// Pods that Karpenter has planned for and that kube-scheduler leaves pending all the same.
    pub left: Vec<WaitingPod>,
    /// Rules that Karpenter gave up: the field, and for how many pods.
    pub given_up: BTreeMap<String, usize>,
    /// Whether chance plays no part in Karpenter's plan.
    pub is_certain: bool,
}

/// A node that would be launched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PredictedNode {
    /// A name for it in this answer.
    pub name: String,
    /// The pass in which it is launched, from 0.
    pub pass: usize,
    /// Its NodePool.
    pub node_pool: String,
    /// The cheapest instance type.
    pub instance_type: String,
    /// How many instance types are left to the cloud's choice.
    pub type_options: usize,
    /// Its zone, where it is known.
    pub zone: Option<String>,
    /// `spot`, `on-demand` or `reserved`.
    pub capacity_type: Option<String>,
    /// Its price an hour, where it is known.
    pub price_per_hour: Option<f64>,
    /// Pods that it is launched for.
    pub planned: Vec<String>,
    /// Pods that kube-scheduler puts on it.
    pub bound: Vec<String>,
}

/// A pod without a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingPod {
    /// Namespace and name.
    pub pod: String,
    /// Why, in the words of the component.
    pub reason: String,
}

impl From<&Forecast> for Outlook {
    fn from(forecast: &Forecast) -> Self {
        let waiting = |pods: &BTreeMap<crate::model::names::PodKey, String>| {
            let each = pods
                .iter()
                .map(|(pod, reason)| WaitingPod { pod: pod.to_string(), reason: reason.clone() });
            each.collect::<Vec<_>>()
        };
        let on_planned: usize = forecast.nodes.iter().map(|node| node.bound.len()).sum();
        Self {
            nodes: forecast.nodes.iter().map(PredictedNode::from).collect(),
            price_per_hour: forecast.price(),
            nodes_at_first: forecast.first_pass(),
            empty_nodes: forecast.empty_nodes(),
            on_existing_nodes: forecast.bound.len().saturating_sub(on_planned),
            unplaced: waiting(&forecast.unplaced),
            left: waiting(&forecast.left),
            given_up: forecast.given_up.clone(),
            is_certain: forecast.is_certain,
        }
    }
}

impl From<&PlannedNode> for PredictedNode {
    fn from(node: &PlannedNode) -> Self {
        let names =
            |pods: &[crate::model::names::PodKey]| pods.iter().map(ToString::to_string).collect();
        Self {
            name: node.name.to_string(),
            pass: node.pass,
            node_pool: node.node_pool.to_string(),
            instance_type: node.instance_type.to_string(),
            type_options: node.type_options,
            zone: node.zone.as_ref().map(ToString::to_string),
            capacity_type: node.capacity_type.as_ref().map(ToString::to_string),
            price_per_hour: node.price,
            planned: names(&node.planned),
            bound: names(&node.bound),
        }
    }
}
