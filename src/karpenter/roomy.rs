//! `RoomyNodes`: which nodes could take a pod of a size when the pass began. Placements only take room away, so that what
//! has none then never has any.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::amounts::Amounts;
use super::existing_node::ExistingNode;

/// Nodes as the pass finds them, by what a pod asks for.
#[derive(Debug, Default)]
pub(super) struct RoomyNodes {
    remaining: Vec<Amounts>,
    known: FxHashMap<Amounts, Arc<[usize]>>,
}

impl RoomyNodes {
    pub(super) fn new(nodes: &[Arc<ExistingNode>]) -> Self {
        let remaining = nodes.iter().map(|node| node.remaining.clone()).collect();
        Self { remaining, known: FxHashMap::default() }
    }

    /// The places of the nodes that have room for so much, in the order in which they are tried.
    pub(super) fn of(&mut self, wanted: &Amounts) -> Arc<[usize]> {
        if let Some(known) = self.known.get(wanted) {
            return Arc::clone(known);
        }
        let nodes = self.remaining.iter().enumerate();
        let roomy: Arc<[usize]> = nodes
            .filter(|(_, left)| !left.has_negative() && wanted.is_within(left))
            .map(|(place, _)| place)
            .collect();
        self.known.insert(wanted.clone(), Arc::clone(&roomy));
        roomy
    }
}
