//! `NodePool`: what Karpenter may launch. `NodeOverlay` and `CapacityBuffer` stand beside it.

use super::labels::Labels;
use super::meta::{Condition, Meta};
use super::names::{NodePoolName, Str};
use super::resources::Resources;
use super::selector::Operator;
use super::taint::Taint;

/// A NodePool, in the shape of `karpenter.sh/v1`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodePool {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.template`.
    pub template: NodeClaimTemplateSpec,
    /// `spec.weight`.
    pub weight: Option<i32>,
    /// `spec.limits`.
    pub limits: Option<Resources>,
    /// `spec.replicas`: set for a static pool.
    pub replicas: Option<i64>,
    /// `spec.disruption`.
    pub disruption: Disruption,
    /// `status.resources`: what its nodes sum up to.
    pub used: Resources,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}

impl NodePool {
    /// `metadata.name`.
    pub fn name(&self) -> NodePoolName {
        NodePoolName(self.meta.name.clone())
    }
}

/// What a NodePool's nodes look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeClaimTemplateSpec {
    /// `metadata.labels`.
    pub labels: Labels,
    /// `metadata.annotations`.
    pub annotations: Labels,
    /// `spec.requirements`, in the order of the manifest.
    pub requirements: Vec<NodeRequirement>,
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
}

/// A requirement with the number of values that must stay possible.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeRequirement {
    /// `key`.
    pub key: Str,
    /// `operator`.
    pub operator: Operator,
    /// `values`, in the order of the manifest.
    pub values: Vec<Str>,
    /// `minValues`.
    pub min_values: Option<i64>,
}

/// Where the provider's own settings of a node are.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeClassRef {
    /// `group`.
    pub group: Option<Str>,
    /// `kind`.
    pub kind: Option<Str>,
    /// `name`.
    pub name: Option<Str>,
}

/// When Karpenter may take nodes away.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disruption {
    /// `consolidationPolicy`, as written.
    pub consolidation_policy: Option<Str>,
    /// `consolidateAfter`, as written.
    pub consolidate_after: Option<Str>,
    /// `budgets`.
    pub budgets: Vec<Budget>,
}

/// How many nodes may go at once, and when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budget {
    /// `nodes`: a number or a percentage, as written.
    pub nodes: Option<Str>,
    /// `reasons`; none stands for every reason.
    pub reasons: Option<Vec<Str>>,
    /// `schedule`, as written.
    pub schedule: Option<Str>,
    /// `duration`, as written.
    pub duration: Option<Str>,
}

/// A provider's NodeClass: its conditions, and its `spec` as JSON for the provider's own arithmetic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeClass {
    /// `metadata`.
    pub meta: Meta,
    /// `group` of `apiVersion`.
    pub group: Option<Str>,
    /// `kind`.
    pub kind: Option<Str>,
    /// `spec`.
    pub spec: serde_json::Value,
    /// `status`, without its conditions.
    pub status: serde_json::Value,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}

/// A NodeOverlay: other prices or more capacity for some instance types.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeOverlay {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.requirements`.
    pub requirements: Vec<NodeRequirement>,
    /// `spec.price`, as written.
    pub price: Option<Str>,
    /// `spec.priceAdjustment`, as written.
    pub price_adjustment: Option<Str>,
    /// `spec.capacity`.
    pub capacity: Resources,
    /// `spec.weight`.
    pub weight: Option<i32>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}

/// A CapacityBuffer: pods that are not there, but for which room is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CapacityBuffer {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.podTemplateRef.name`.
    pub pod_template: Option<Str>,
    /// `spec.scalableRef`: kind and name.
    pub scalable: Option<(Str, Str)>,
    /// `spec.replicas`.
    pub replicas: Option<i64>,
    /// `spec.percentage`.
    pub percentage: Option<i64>,
    /// `spec.limits`.
    pub limits: Option<Resources>,
    /// `spec.provisioningStrategy`.
    pub strategy: Option<Str>,
    /// `status.podTemplateRef.name`.
    pub status_pod_template: Option<Str>,
    /// `status.podTemplateGeneration`.
    pub status_pod_template_generation: Option<i64>,
    /// `status.replicas`.
    pub status_replicas: Option<i64>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}
