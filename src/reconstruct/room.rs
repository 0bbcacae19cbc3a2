//! Room: what was free on each node of a state.

use std::collections::BTreeMap;

use crate::model::cluster_state::ClusterState;
use crate::model::names::NodeName;
use crate::model::quantity::Quantity;
use crate::model::requests::{RequestRules, pod_requests};
use crate::model::resources::{PODS, Resources};

/// What one node has, and what is left of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// What pods may use.
    pub allocatable: Resources,
    /// What is left; below zero where more was promised than there is.
    pub free: Resources,
    /// How many pods are on it.
    pub pods: usize,
}

/// The room on each node, in one pass over the pods. Pods that ran to their end need none.
pub fn rooms(state: &ClusterState) -> BTreeMap<NodeName, Room> {
    let mut rooms: BTreeMap<NodeName, Room> = state
        .nodes
        .iter()
        .map(|node| {
            let allocatable = node.allocatable.clone();
            (node.name(), Room { free: allocatable.clone(), allocatable, pods: 0 })
        })
        .collect();
    for pod in state.pods.iter().filter(|pod| !pod.is_terminal()) {
        let Some(room) = pod.node_name.as_ref().and_then(|node| rooms.get_mut(node)) else {
            continue;
        };
        room.pods += 1;
        let mut taken = pod_requests(pod, RequestRules::default());
        taken.set(PODS.into(), Quantity::units(1));
        for (name, amount) in &taken {
            // Only what the node lists can be left.
            if let Some(left) = room.free.get(name.as_str()) {
                room.free.set(name.clone(), left.minus(*amount));
            }
        }
    }
    rooms
}
