//! `TopologySpreadConstraint`: how evenly pods stand over the domains of a topology.

use super::names::Str;
use super::selector::LabelSelector;

/// What happens when a spread cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhenUnsatisfiable {
    /// The pod stays pending.
    DoNotSchedule,
    /// The node scores lower.
    ScheduleAnyway,
}

/// Whether a kind of node counts for a spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeInclusionPolicy {
    /// Nodes that the pod could not go to are left out.
    Honor,
    /// All nodes count.
    Ignore,
}

/// One of a pod's `topologySpreadConstraints`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopologySpreadConstraint {
    /// `maxSkew`.
    pub max_skew: i32,
    /// `topologyKey`.
    pub topology_key: Str,
    /// `whenUnsatisfiable`.
    pub when_unsatisfiable: WhenUnsatisfiable,
    /// `labelSelector`: which pods count; absent selects none.
    pub label_selector: Option<LabelSelector>,
    /// `minDomains`.
    pub min_domains: Option<i32>,
    /// `nodeAffinityPolicy`; the default is to honour.
    pub node_affinity_policy: Option<NodeInclusionPolicy>,
    /// `nodeTaintsPolicy`; the default is to ignore.
    pub node_taints_policy: Option<NodeInclusionPolicy>,
    /// `matchLabelKeys`.
    pub match_label_keys: Vec<Str>,
}
