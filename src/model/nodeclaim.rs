//! `NodeClaim`: one machine that Karpenter asked for, from the wish to the node.

use super::labels;
use super::meta::{Condition, Meta, condition, is_true};
use super::names::{NodeClaimName, NodeName, NodePoolName, Str};
use super::nodepool::{NodeClassRef, NodeRequirement};
use super::resources::Resources;
use super::taint::Taint;
use super::time::Timestamp;

/// A NodeClaim, in the shape of `karpenter.sh/v1`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeClaim {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.requirements`, in the order of the object.
    pub requirements: Vec<NodeRequirement>,
    /// `spec.resources.requests`: what the pods that it was made for ask for, with the DaemonSets'.
    pub requests: Resources,
    /// `spec.taints`.
    pub taints: Vec<Taint>,
    /// `spec.startupTaints`.
    pub startup_taints: Vec<Taint>,
    /// `spec.nodeClassRef`.
    pub node_class: NodeClassRef,
    /// `spec.expireAfter`, as written.
    pub expire_after: Option<Str>,
    /// `spec.terminationGracePeriod`, as written.
    pub termination_grace_period: Option<Str>,
    /// `status.providerID`; absent until launched.
    pub provider_id: Option<Str>,
    /// `status.nodeName`; absent until registered.
    pub node_name: Option<NodeName>,
    /// `status.imageID`.
    pub image_id: Option<Str>,
    /// `status.capacity`.
    pub capacity: Resources,
    /// `status.allocatable`.
    pub allocatable: Resources,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// `status.lastPodEventTime`.
    pub last_pod_event: Option<Timestamp>,
}

impl NodeClaim {
    /// `metadata.name`.
    pub fn name(&self) -> NodeClaimName {
        NodeClaimName(self.meta.name.clone())
    }

    /// The NodePool that it belongs to.
    pub fn node_pool(&self) -> Option<NodePoolName> {
        self.meta.labels.get(labels::NODEPOOL).cloned().map(NodePoolName)
    }

    /// Whether a condition is true, such as `Launched`, `Registered` or `Initialized`.
    pub fn is(&self, kind: &str) -> bool {
        is_true(&self.conditions, kind)
    }

    /// When a condition became true; `None` while it is not.
    pub fn since(&self, kind: &str) -> Option<Timestamp> {
        condition(&self.conditions, kind).filter(|condition| &*condition.status == "True")?.changed
    }
}
