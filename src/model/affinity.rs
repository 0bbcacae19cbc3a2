//! Affinity: rules that tie a pod to nodes, and to other pods.

use super::names::{NamespaceName, Str};
use super::selector::{LabelSelector, NodeSelectorTerm};

/// A pod's `spec.affinity`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Affinity {
    /// `nodeAffinity`.
    pub node: Option<NodeAffinity>,
    /// `podAffinity`.
    pub pod: Option<PodAffinity>,
    /// `podAntiAffinity`.
    pub pod_anti: Option<PodAffinity>,
}

/// Rules over nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeAffinity {
    /// `requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`: one of them must hold.
    pub required: Option<Vec<NodeSelectorTerm>>,
    /// `preferredDuringSchedulingIgnoredDuringExecution`.
    pub preferred: Vec<PreferredSchedulingTerm>,
}

/// A node rule that only counts towards the score.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PreferredSchedulingTerm {
    /// `weight`, 1 to 100.
    pub weight: i32,
    /// `preference`.
    pub preference: NodeSelectorTerm,
}

/// Rules over other pods: to be near them, or away from them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PodAffinity {
    /// `requiredDuringSchedulingIgnoredDuringExecution`: all of them must hold.
    pub required: Vec<PodAffinityTerm>,
    /// `preferredDuringSchedulingIgnoredDuringExecution`.
    pub preferred: Vec<WeightedPodAffinityTerm>,
}

/// One rule over other pods.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodAffinityTerm {
    /// `labelSelector`: which pods; absent selects none.
    pub label_selector: Option<LabelSelector>,
    /// `topologyKey`: what counts as near.
    pub topology_key: Str,
    /// `namespaces`.
    pub namespaces: Vec<NamespaceName>,
    /// `namespaceSelector`.
    pub namespace_selector: Option<LabelSelector>,
    /// `matchLabelKeys`: the API server has merged them into the selector.
    pub match_label_keys: Vec<Str>,
    /// `mismatchLabelKeys`: the API server has merged them into the selector.
    pub mismatch_label_keys: Vec<Str>,
}

/// A rule over other pods that only counts towards the score.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WeightedPodAffinityTerm {
    /// `weight`, 1 to 100.
    pub weight: i32,
    /// `podAffinityTerm`.
    pub term: PodAffinityTerm,
}
