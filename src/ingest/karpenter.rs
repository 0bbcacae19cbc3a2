//! Karpenter's objects: NodePool and NodeClaim of `karpenter.sh/v1` and `v1beta1`, overlays, buffers, NodeClasses.

use serde::Deserialize;
use serde_json::Value;

use crate::model::names::{NodeName, Str};
use crate::model::nodeclaim::NodeClaim;
use crate::model::nodepool::{
    Budget, CapacityBuffer, Disruption, NodeClaimTemplateSpec, NodeClass, NodeClassRef,
    NodeOverlay, NodePool, NodeRequirement,
};
use crate::model::resources::Resources;
use crate::model::selector::Operator;

use super::intern::Interner;
use super::meta::{RawCondition, RawMeta, RawTemplateMeta, conditions, time};
use super::selectors::{RawTaint, taints};
use super::wire::{Amounts, List, NumberOrText, Text};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawRequirement<'a> {
    #[serde(borrow)]
    key: Text<'a>,
    #[serde(borrow)]
    operator: Text<'a>,
    #[serde(borrow)]
    values: List<Text<'a>>,
    min_values: Option<i64>,
}

impl RawRequirement<'_> {
    pub fn read(&self, interner: &mut Interner) -> NodeRequirement {
        NodeRequirement {
            key: interner.text(self.key.as_str()),
            operator: Operator::parse(self.operator.as_str()),
            values: interner.texts(&self.values.0),
            min_values: self.min_values,
        }
    }
}

fn requirements(raw: &List<RawRequirement<'_>>, interner: &mut Interner) -> Vec<NodeRequirement> {
    raw.0.iter().map(|requirement| requirement.read(interner)).collect()
}

/// Amounts of a custom resource: the API server stores them as written.
pub(crate) fn as_written(amounts: &Amounts<'_>, interner: &mut Interner) -> Resources {
    amounts.0.iter().map(|(name, amount)| (interner.resource_name(name), *amount)).collect()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawNodeClassRef<'a> {
    #[serde(borrow)]
    group: Text<'a>,
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow, rename = "apiVersion")]
    api_version: Text<'a>,
}

impl RawNodeClassRef<'_> {
    fn read(&self, interner: &mut Interner) -> NodeClassRef {
        // `v1beta1` has the group in `apiVersion`.
        let old_group = self.api_version.as_str().split_once('/').map(|(group, _)| group);
        NodeClassRef {
            group: interner
                .some(&self.group)
                .or_else(|| old_group.map(|group| interner.text(group))),
            kind: interner.some(&self.kind),
            name: interner.some(&self.name),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawNodePool<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawNodePoolSpec<'a>,
    #[serde(borrow)]
    status: RawNodePoolStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawNodePoolSpec<'a> {
    #[serde(borrow)]
    template: RawTemplate<'a>,
    weight: Option<i32>,
    #[serde(borrow)]
    limits: Option<Amounts<'a>>,
    replicas: Option<i64>,
    #[serde(borrow)]
    disruption: RawDisruption<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawNodePoolStatus<'a> {
    #[serde(borrow)]
    resources: Amounts<'a>,
    #[serde(borrow)]
    conditions: List<RawCondition<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawTemplate<'a> {
    #[serde(borrow)]
    metadata: RawTemplateMeta<'a>,
    #[serde(borrow)]
    spec: RawNodeSpec<'a>,
}

/// The `spec` of a NodeClaim, and of a NodePool's template.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawNodeSpec<'a> {
    #[serde(borrow)]
    requirements: List<RawRequirement<'a>>,
    #[serde(borrow)]
    resources: RawRequests<'a>,
    #[serde(borrow)]
    taints: List<RawTaint<'a>>,
    #[serde(borrow)]
    startup_taints: List<RawTaint<'a>>,
    #[serde(borrow)]
    node_class_ref: RawNodeClassRef<'a>,
    #[serde(borrow)]
    expire_after: Text<'a>,
    #[serde(borrow)]
    termination_grace_period: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawRequests<'a> {
    #[serde(borrow)]
    requests: Amounts<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawDisruption<'a> {
    #[serde(borrow)]
    consolidation_policy: Text<'a>,
    #[serde(borrow)]
    consolidate_after: Text<'a>,
    #[serde(borrow)]
    budgets: List<RawBudget<'a>>,
    /// `v1beta1` has it here.
    #[serde(borrow)]
    expire_after: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawBudget<'a> {
    #[serde(borrow)]
    nodes: Option<NumberOrText<'a>>,
    #[serde(borrow)]
    reasons: Option<List<Text<'a>>>,
    #[serde(borrow)]
    schedule: Text<'a>,
    #[serde(borrow)]
    duration: Text<'a>,
}

impl RawNodePool<'_> {
    pub fn read(&self, interner: &mut Interner) -> NodePool {
        let (spec, template) = (&self.spec, &self.spec.template.spec);
        let expire_after = interner.some(&template.expire_after);
        let (labels, annotations) = spec.template.metadata.read(interner);
        NodePool {
            meta: self.metadata.read(interner),
            template: NodeClaimTemplateSpec {
                labels,
                annotations,
                requirements: requirements(&template.requirements, interner),
                taints: taints(&template.taints, interner),
                startup_taints: taints(&template.startup_taints, interner),
                node_class: template.node_class_ref.read(interner),
                expire_after: expire_after.or_else(|| interner.some(&spec.disruption.expire_after)),
                termination_grace_period: interner.some(&template.termination_grace_period),
            },
            weight: spec.weight,
            limits: spec.limits.as_ref().map(|limits| as_written(limits, interner)),
            replicas: spec.replicas,
            disruption: spec.disruption.read(interner),
            used: as_written(&self.status.resources, interner),
            conditions: conditions(&self.status.conditions, interner),
        }
    }
}

impl RawDisruption<'_> {
    fn read(&self, interner: &mut Interner) -> Disruption {
        Disruption {
            consolidation_policy: interner.some(&self.consolidation_policy),
            consolidate_after: interner.some(&self.consolidate_after),
            budgets: self
                .budgets
                .0
                .iter()
                .map(|budget| Budget {
                    nodes: budget.nodes.as_ref().map(|nodes| match nodes {
                        NumberOrText::Number(number) => interner.text(&number.to_string()),
                        NumberOrText::Text(text) => interner.text(text.as_str()),
                    }),
                    reasons: budget.reasons.as_ref().map(|reasons| interner.texts(&reasons.0)),
                    schedule: interner.some(&budget.schedule),
                    duration: interner.some(&budget.duration),
                })
                .collect(),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawNodeClaim<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawNodeSpec<'a>,
    #[serde(borrow)]
    status: RawNodeClaimStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawNodeClaimStatus<'a> {
    #[serde(borrow, rename = "providerID")]
    provider_id: Text<'a>,
    #[serde(borrow)]
    node_name: Text<'a>,
    #[serde(borrow, rename = "imageID")]
    image_id: Text<'a>,
    #[serde(borrow)]
    capacity: Amounts<'a>,
    #[serde(borrow)]
    allocatable: Amounts<'a>,
    #[serde(borrow)]
    conditions: List<RawCondition<'a>>,
    #[serde(borrow)]
    last_pod_event_time: Text<'a>,
}

impl RawNodeClaim<'_> {
    pub fn read(&self, interner: &mut Interner) -> NodeClaim {
        let (spec, status) = (&self.spec, &self.status);
        NodeClaim {
            meta: self.metadata.read(interner),
            requirements: requirements(&spec.requirements, interner),
            requests: as_written(&spec.resources.requests, interner),
            taints: taints(&spec.taints, interner),
            startup_taints: taints(&spec.startup_taints, interner),
            node_class: spec.node_class_ref.read(interner),
            expire_after: interner.some(&spec.expire_after),
            termination_grace_period: interner.some(&spec.termination_grace_period),
            provider_id: (!status.provider_id.is_empty())
                .then(|| Str::from(status.provider_id.as_str())),
            node_name: interner.some(&status.node_name).map(NodeName),
            image_id: interner.some(&status.image_id),
            capacity: as_written(&status.capacity, interner),
            allocatable: as_written(&status.allocatable, interner),
            conditions: conditions(&status.conditions, interner),
            last_pod_event: time(&status.last_pod_event_time),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawOverlay<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawOverlaySpec<'a>,
    #[serde(borrow)]
    status: RawConditions<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawConditions<'a> {
    #[serde(borrow)]
    conditions: List<RawCondition<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawOverlaySpec<'a> {
    #[serde(borrow)]
    requirements: List<RawRequirement<'a>>,
    #[serde(borrow)]
    price: Text<'a>,
    #[serde(borrow)]
    price_adjustment: Text<'a>,
    #[serde(borrow)]
    capacity: Amounts<'a>,
    weight: Option<i32>,
}

impl RawOverlay<'_> {
    pub fn read(&self, interner: &mut Interner) -> NodeOverlay {
        NodeOverlay {
            meta: self.metadata.read(interner),
            requirements: requirements(&self.spec.requirements, interner),
            price: interner.some(&self.spec.price),
            price_adjustment: interner.some(&self.spec.price_adjustment),
            capacity: as_written(&self.spec.capacity, interner),
            weight: self.spec.weight,
            conditions: conditions(&self.status.conditions, interner),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawBuffer<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawBufferSpec<'a>,
    #[serde(borrow)]
    status: RawBufferStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawBufferSpec<'a> {
    #[serde(borrow)]
    pod_template_ref: Option<RawRef<'a>>,
    #[serde(borrow)]
    scalable_ref: Option<RawRef<'a>>,
    replicas: Option<i64>,
    percentage: Option<i64>,
    #[serde(borrow)]
    limits: Option<Amounts<'a>>,
    #[serde(borrow)]
    provisioning_strategy: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawRef<'a> {
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawBufferStatus<'a> {
    #[serde(borrow)]
    pod_template_ref: Option<RawRef<'a>>,
    pod_template_generation: Option<i64>,
    replicas: Option<i64>,
    #[serde(borrow)]
    conditions: List<RawCondition<'a>>,
}

impl RawBuffer<'_> {
    pub fn read(&self, interner: &mut Interner) -> CapacityBuffer {
        let (spec, status) = (&self.spec, &self.status);
        let mut name = |reference: &Option<RawRef<'_>>| {
            reference.as_ref().and_then(|reference| interner.some(&reference.name))
        };
        let (pod_template, status_pod_template) =
            (name(&spec.pod_template_ref), name(&status.pod_template_ref));
        CapacityBuffer {
            meta: self.metadata.read(interner),
            pod_template,
            scalable: spec.scalable_ref.as_ref().map(|reference| {
                let kind = interner.text(reference.kind.as_str());
                (kind, interner.text(reference.name.as_str()))
            }),
            replicas: spec.replicas,
            percentage: spec.percentage,
            limits: spec.limits.as_ref().map(|limits| as_written(limits, interner)),
            strategy: interner.some(&spec.provisioning_strategy),
            status_pod_template,
            status_pod_template_generation: status.pod_template_generation,
            status_replicas: status.replicas,
            conditions: conditions(&status.conditions, interner),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawNodeClass<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    spec: Value,
    status: Value,
}

impl RawNodeClass<'_> {
    /// A provider's NodeClass of any kind. User data of a machine may hold anything and is dropped.
    pub fn read(mut self, group: &str, kind: &str, interner: &mut Interner) -> NodeClass {
        if let Some(spec) = self.spec.as_object_mut() {
            spec.remove("userData");
        }
        let listed = self.status.as_object_mut().and_then(|status| status.remove("conditions"));
        let listed = listed.unwrap_or_default();
        let raw = List::<RawCondition<'_>>::deserialize(&listed).unwrap_or_default();
        NodeClass {
            meta: self.metadata.read(interner),
            group: Some(interner.text(group)),
            kind: Some(interner.text(kind)),
            spec: self.spec,
            status: self.status,
            conditions: conditions(&raw, interner),
        }
    }
}
