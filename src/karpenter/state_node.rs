//! `StateNode`: a machine as Karpenter sees it: a Node, a launched NodeClaim, or both as one. As `state.StateNode`.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::cluster_state::ClusterState;
use crate::model::labels::{self, Labels};
use crate::model::names::{NodeClaimName, Str};
use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;
use crate::model::taint::{Effect, Taint};

use super::batch::Batch;
use super::cloud_provider::CloudProvider;
use super::version::Version;

/// One machine.
#[derive(Clone, Debug)]
pub(super) struct StateNode {
    pub(super) node: Option<Arc<Node>>,
    pub(super) claim: Option<Arc<NodeClaim>>,
    /// Whether it is going away: its pods need another place, and it takes none.
    pub(super) is_deleting: bool,
}

impl StateNode {
    pub(super) fn is_managed(&self) -> bool {
        self.claim.is_some()
    }

    pub(super) fn is_registered(&self) -> bool {
        !self.is_managed() || self.node_label_is_true(labels::REGISTERED)
    }

    pub(super) fn is_initialized(&self) -> bool {
        !self.is_managed() || self.node_label_is_true(labels::INITIALIZED)
    }

    fn node_label_is_true(&self, key: &str) -> bool {
        self.node.as_ref().is_some_and(|node| node.meta.labels.value(key) == Some("true"))
    }

    /// What counts: the Node, or the NodeClaim until the Node is registered.
    fn meta(&self) -> (&Str, &Labels) {
        match (&self.node, &self.claim) {
            (Some(node), _) if self.is_registered() => (&node.meta.name, &node.meta.labels),
            (_, Some(claim)) => (&claim.meta.name, &claim.meta.labels),
            (Some(node), None) => (&node.meta.name, &node.meta.labels),
            (None, None) => unreachable!("a state node has a Node or a NodeClaim"),
        }
    }

    pub(super) fn name(&self) -> &Str {
        self.meta().0
    }

    pub(super) fn labels(&self) -> &Labels {
        self.meta().1
    }

    pub(super) fn hostname(&self) -> &Str {
        let label = self.labels().get(labels::HOSTNAME);
        label.filter(|label| !label.is_empty()).unwrap_or(self.name())
    }

    pub(super) fn node_pool(&self) -> Option<&Str> {
        self.labels().get(labels::NODEPOOL)
    }

    /// The taints that will stay, as `StateNode.Taints`.
    pub(super) fn taints(&self, version: Version) -> Vec<Taint> {
        let claim = self.claim.as_deref();
        let taints = match (&self.node, claim) {
            (Some(node), _) if self.is_registered() => &node.taints,
            (_, Some(claim)) => &claim.taints,
            (Some(node), None) => &node.taints,
            (None, None) => return Vec::new(),
        };
        let Some(claim) = claim else { return taints.clone() };
        let reboots = version.since(15, 0) && claim.is("Rebooting");
        if self.is_initialized() && !reboots {
            return taints.clone();
        }
        let same = |a: &Taint, b: &Taint| a.key == b.key && a.effect == b.effect;
        let passes = |taint: &Taint| {
            is_ephemeral(taint, version)
                || claim.startup_taints.iter().any(|startup| same(startup, taint))
        };
        taints.iter().filter(|taint| !passes(taint)).cloned().collect()
    }

    /// Its size, with one for the node itself.
    pub(super) fn capacity(&self) -> Resources {
        let mut capacity = self.resources(|node| &node.capacity, |claim| &claim.capacity);
        capacity.set("nodes".into(), Quantity::units(1));
        capacity
    }

    /// What pods may use of it.
    pub(super) fn allocatable(&self) -> Resources {
        self.resources(|node| &node.allocatable, |claim| &claim.allocatable)
    }

    fn resources(
        &self,
        of_node: impl Fn(&Node) -> &Resources,
        of_claim: impl Fn(&NodeClaim) -> &Resources,
    ) -> Resources {
        match (&self.node, &self.claim) {
            (Some(node), Some(claim)) if !self.is_initialized() => {
                let mut resources = of_node(node).clone();
                for (name, amount) in of_claim(claim) {
                    if resources.amount(name.as_str()).is_zero() {
                        resources.set(name.clone(), *amount);
                    }
                }
                resources
            }
            (Some(node), _) => of_node(node).clone(),
            (None, Some(claim)) => of_claim(claim).clone(),
            (None, None) => Resources::new(),
        }
    }
}

/// Whether a taint passes by itself while a node starts.
fn is_ephemeral(taint: &Taint, version: Version) -> bool {
    match (&*taint.key, &taint.effect) {
        ("node.kubernetes.io/not-ready", Effect::NoExecute) => version.since(9, 0),
        ("karpenter.sh/rebooting", Effect::NoSchedule) => version.since(15, 0),
        (
            "node.kubernetes.io/not-ready"
            | "node.kubernetes.io/unreachable"
            | "node.cloudprovider.kubernetes.io/uninitialized",
            Effect::NoSchedule,
        )
        | ("karpenter.sh/unregistered", Effect::NoExecute) => true,
        (key, _) => version.since(13, 0) && key.starts_with("readiness.k8s.io/"),
    }
}

/// All state nodes, and the NodeClaims that are not launched.
#[derive(Debug, Default)]
pub(super) struct StateNodes {
    pub(super) all: Vec<StateNode>,
    pub(super) unlaunched: Vec<NodeClaimName>,
}

/// Joins Nodes and NodeClaims by provider ID. `is_readable` is asked whether a Node could be taken in at all.
pub(super) fn state_nodes(
    state: &ClusterState,
    batch: &Batch,
    provider: &dyn CloudProvider,
    is_readable: impl Fn(&Node) -> bool,
) -> StateNodes {
    let mut found = StateNodes::default();
    let mut by_provider_id: FxHashMap<Str, usize> = FxHashMap::default();
    for claim in &state.node_claims {
        if !provider.supports(&claim.node_class) {
            continue;
        }
        let Some(id) = claim.provider_id.as_ref().filter(|id| !id.is_empty()) else {
            found.unlaunched.push(claim.name());
            continue;
        };
        let node = StateNode { node: None, claim: Some(Arc::clone(claim)), is_deleting: false };
        if let Some(index) = by_provider_id.get(id) {
            found.all[*index] = node;
        } else {
            by_provider_id.insert(id.clone(), found.all.len());
            found.all.push(node);
        }
    }
    for node in &state.nodes {
        if !is_readable(node) {
            continue;
        }
        let labels = &node.meta.labels;
        let is_of_pool = labels.contains(labels::NODEPOOL);
        let id = node.provider_id.as_ref().filter(|id| !id.is_empty());
        if id.is_none() && is_of_pool {
            continue;
        }
        let is_unfinished = is_of_pool
            && !labels.contains(labels::INSTANCE_TYPE)
            && !labels.contains(labels::INITIALIZED);
        if is_unfinished {
            continue;
        }
        let id = id.unwrap_or(&node.meta.name);
        if let Some(index) = by_provider_id.get(id) {
            found.all[*index].node = Some(Arc::clone(node));
        } else {
            by_provider_id.insert(id.clone(), found.all.len());
            found.all.push(StateNode {
                node: Some(Arc::clone(node)),
                claim: None,
                is_deleting: false,
            });
        }
    }
    for node in &mut found.all {
        node.is_deleting = is_deleting(node, batch);
    }
    found
}

fn is_deleting(node: &StateNode, batch: &Batch) -> bool {
    let is_marked = node.node.as_ref().is_some_and(|node| batch.marked.contains(&node.name()));
    let object = match &node.claim {
        Some(claim) => claim.meta.is_terminating() || claim.is("InstanceTerminating"),
        None => node.node.as_ref().is_some_and(|node| node.meta.is_terminating()),
    };
    is_marked || object
}
