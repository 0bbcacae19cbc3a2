//! Room: what was free on each node of a state.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

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
    let mut rooms: Vec<(NodeName, Room)> = state
        .nodes
        .iter()
        .map(|node| {
            let allocatable = node.allocatable.clone();
            (node.name(), Room { free: allocatable.clone(), allocatable, pods: 0 })
        })
        .collect();
    // Of nodes with one name the last counts. A hash map: looked up only.
    let places: FxHashMap<&str, usize> =
        state.nodes.iter().enumerate().map(|(place, node)| (&*node.meta.name, place)).collect();
    for pod in state.pods.iter().filter(|pod| !pod.is_terminal()) {
        let Some(place) = pod.node_name.as_ref().and_then(|node| places.get(node.as_str())) else {
            continue;
        };
        let room = &mut rooms[*place].1;
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
    rooms.into_iter().collect()
}
