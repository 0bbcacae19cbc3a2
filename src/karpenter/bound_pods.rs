//! `BoundPods`: the Node of each pod, looked up once for all that ask.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::names::NodeName;
use crate::model::node::Node;
use crate::model::pod::Pod;

/// For each pod, the place of its Node among the Nodes.
#[derive(Debug, Default)]
pub(super) struct BoundPods {
    places: Vec<u32>,
}

/// The place of a pod without a Node.
const NOWHERE: u32 = u32::MAX;

impl BoundPods {
    pub(super) fn new(nodes: &[Arc<Node>], pods: &[Arc<Pod>]) -> Self {
        let by_name: FxHashMap<&str, u32> =
            nodes.iter().zip(0_u32..).map(|(node, place)| (&*node.meta.name, place)).collect();
        // Names that are shared are found by their address.
        let mut by_address: FxHashMap<usize, u32> = FxHashMap::default();
        let mut place = |node: &NodeName| {
            *by_address
                .entry(node.0.as_ptr().addr())
                .or_insert_with(|| by_name.get(node.as_str()).copied().unwrap_or(NOWHERE))
        };
        let places = pods.iter().map(|pod| pod.node_name.as_ref().map_or(NOWHERE, &mut place));
        Self { places: places.collect() }
    }

    /// The pods that are bound to a Node that is there, with the place of the Node.
    pub(super) fn iter<'a>(
        &'a self,
        pods: &'a [Arc<Pod>],
    ) -> impl Iterator<Item = (&'a Arc<Pod>, usize)> {
        let bound = pods.iter().zip(&self.places).filter(|(_, place)| **place != NOWHERE);
        bound.map(|(pod, place)| (pod, *place as usize))
    }
}
