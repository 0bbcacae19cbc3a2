//! The plugins, one file each, under upstream's names.

mod default_preemption;
mod dynamic_resources;
pub(crate) mod image_locality;
mod inter_pod_affinity;
mod inter_pod_affinity_score;
mod node_affinity;
mod node_declared_features;
mod node_name;
mod node_ports;
mod node_resources_balanced_allocation;
mod node_resources_fit;
mod node_unschedulable;
mod node_volume_limits;
mod pod_topology_spread;
mod pod_topology_spread_score;
mod scheduling_gates;
pub(crate) mod taint_toleration;
mod volume_binding;
mod volume_binding_score;
mod volume_restrictions;
mod volume_zone;

pub(crate) use default_preemption::{Asked, preempt};
pub(crate) use dynamic_resources::post_filter as dynamic_resources_post_filter;

use super::framework::Plugin;
use super::version::Version;

/// `DefaultPreemption`, which acts when no node is feasible.
pub(crate) const DEFAULT_PREEMPTION: &str = "DefaultPreemption";
/// `DynamicResources`, which gives back claims when no node is feasible.
pub(crate) const DYNAMIC_RESOURCES: &str = "DynamicResources";

/// The default plugins that filter, score or keep pods from the queue, in upstream's order, each with its default weight
/// and the first minor release in which it is on by default.
pub(crate) const PLUGINS: [(Plugin, i64, u32); 18] = [
    (scheduling_gates::PLUGIN, 0, 0),
    (node_name::PLUGIN, 0, 0),
    (node_unschedulable::PLUGIN, 0, 0),
    (taint_toleration::PLUGIN, 3, 0),
    (node_affinity::PLUGIN, 2, 0),
    (node_ports::PLUGIN, 0, 0),
    (node_resources_fit::PLUGIN, 1, 0),
    (volume_restrictions::PLUGIN, 0, 0),
    (node_volume_limits::PLUGIN, 0, 0),
    (volume_binding::PLUGIN, 0, 0),
    (volume_zone::PLUGIN, 0, 0),
    (pod_topology_spread::PLUGIN, 2, 0),
    (inter_pod_affinity::PLUGIN, 2, 0),
    (dynamic_resources::PLUGIN, 2, 34),
    (Plugin::named(DEFAULT_PREEMPTION), 0, 0),
    (node_resources_balanced_allocation::PLUGIN, 1, 0),
    (image_locality::PLUGIN, 1, 0),
    (node_declared_features::PLUGIN, 0, 36),
];

/// Upstream's plugins that have no part in where a pod goes, or are off by default and not modelled.
pub(crate) const NEUTRAL: [&str; 3] = ["PrioritySort", "DefaultBinder", "NodePreferAvoidPods"];

/// The places in `PLUGINS` of those that a release has on by default, in its order.
pub(crate) fn default_order(version: &Version) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..PLUGINS.len()).filter(|at| version.since(PLUGINS[*at].2)).collect();
    if !version.since(37) {
        // NodeUnschedulable came before NodeName.
        let name = order.iter().position(|at| PLUGINS[*at].0.name == "NodeName");
        if let Some(at) = name.filter(|at| at + 1 < order.len()) {
            order.swap(at, at + 1);
        }
    }
    order
}
