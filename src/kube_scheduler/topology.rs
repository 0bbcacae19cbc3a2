//! `Topology`: one label of all nodes, its values numbered.

use std::collections::BTreeMap;

use crate::model::labels::{REGION, REGION_BETA, ZONE, ZONE_BETA};
use crate::model::names::Str;
use crate::model::node::Node;

use super::node_info::NodeInfo;

/// One label of all nodes: which domain each node is in.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    /// The label's key.
    pub(crate) key: Str,
    /// The values that nodes have.
    domains: Vec<Str>,
    /// The number of each node's value; `NONE` for a node without the label.
    of_node: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Topology {
    /// Reads a label off all nodes.
    pub(crate) fn new(key: &Str, nodes: &[NodeInfo]) -> Self {
        let mut numbers: BTreeMap<Str, u32> = BTreeMap::new();
        let mut domains = Vec::new();
        let of_node = nodes
            .iter()
            .map(|node| {
                let Some(value) = node.node.meta.labels.get(key) else { return NONE };
                if let Some(number) = numbers.get(value) {
                    return *number;
                }
                let number = u32::try_from(domains.len()).unwrap_or(NONE);
                numbers.insert(value.clone(), number);
                domains.push(value.clone());
                number
            })
            .collect();
        Self { key: key.clone(), domains, of_node }
    }

    /// The domain of a node, by number. `None`: it lacks the label.
    pub(crate) fn domain(&self, node: usize) -> Option<usize> {
        let number = self.of_node[node];
        (number != NONE).then_some(number as usize)
    }

    /// The value that a domain stands for.
    pub(crate) fn value(&self, domain: usize) -> &Str {
        &self.domains[domain]
    }

    /// How many domains there are.
    pub(crate) fn len(&self) -> usize {
        self.domains.len()
    }
}

/// The zone that decides a node's place in the order of nodes. As upstream's `GetZoneKey`.
pub(crate) fn zone_key(node: &Node) -> (&str, &str) {
    let either = |beta, stable| {
        let labels = &node.meta.labels;
        labels.value(beta).or_else(|| labels.value(stable)).unwrap_or("")
    };
    (either(REGION_BETA, REGION), either(ZONE_BETA, ZONE))
}

/// The order in which nodes are looked at, from the order in which they came: the first of each zone, the second of
/// each zone, and so on; zones in the order of their first node. As upstream's `nodeTree.list`.
pub(crate) fn node_order(nodes: &[std::sync::Arc<Node>]) -> Vec<usize> {
    let mut zones: Vec<Vec<usize>> = Vec::new();
    let mut numbers: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        let zone = *numbers.entry(zone_key(node)).or_insert_with(|| {
            zones.push(Vec::new());
            zones.len() - 1
        });
        zones[zone].push(index);
    }
    let rounds = zones.iter().map(Vec::len).max().unwrap_or(0);
    (0..rounds)
        .flat_map(|round| zones.iter().filter_map(move |zone| zone.get(round).copied()))
        .collect()
}
