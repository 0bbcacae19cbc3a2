//! Pods and pod templates.

use std::sync::Arc;

use serde::Deserialize;

use crate::model::names::{NodeName, Str};
use crate::model::pod::{
    ContainerResources, Phase, Pod, PodResourceClaim, PodSpec, PodStatus, ResizeStatus,
    SchedulerName,
};
use crate::model::resources::Resources;
use crate::model::workload::PodTemplate;

use super::container::{RawContainer, RawResources};
use super::defaults;
use super::intern::Interner;
use super::meta::{RawCondition, RawMeta, RawTemplateMeta, conditions, time};
use super::selectors::{RawAffinity, RawSpread, RawToleration};
use super::volumes::RawVolume;
use super::wire::{Amounts, List, Present, Rare, Text, Texts, Word};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawPod<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawPodSpec<'a>,
    #[serde(borrow)]
    status: RawPodStatus<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawPodSpec<'a> {
    #[serde(borrow)]
    node_name: Text<'a>,
    #[serde(borrow)]
    scheduler_name: Text<'a>,
    priority: Option<i32>,
    #[serde(borrow)]
    priority_class_name: Text<'a>,
    #[serde(borrow)]
    preemption_policy: Text<'a>,
    #[serde(borrow)]
    node_selector: Texts<'a>,
    #[serde(borrow)]
    affinity: Option<RawAffinity<'a>>,
    #[serde(borrow)]
    tolerations: List<RawToleration<'a>>,
    #[serde(borrow)]
    topology_spread_constraints: List<RawSpread<'a>>,
    #[serde(borrow)]
    containers: List<RawContainer<'a>>,
    #[serde(borrow)]
    init_containers: List<RawContainer<'a>>,
    #[serde(borrow)]
    ephemeral_containers: List<RawContainer<'a>>,
    #[serde(borrow)]
    overhead: Amounts<'a>,
    #[serde(borrow)]
    resources: Option<RawResources<'a>>,
    #[serde(borrow)]
    volumes: List<RawVolume<'a>>,
    #[serde(borrow)]
    scheduling_gates: List<RawNamed<'a>>,
    host_network: Option<bool>,
    host_users: Option<bool>,
    #[serde(borrow)]
    resource_claims: List<RawPodResourceClaim<'a>>,
    #[serde(borrow)]
    restart_policy: Text<'a>,
    termination_grace_period_seconds: Option<i64>,
    scheduling_group: Option<Present>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawNamed<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawPodResourceClaim<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    resource_claim_name: Text<'a>,
    #[serde(borrow)]
    resource_claim_template_name: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawPodStatus<'a> {
    #[serde(borrow)]
    phase: Text<'a>,
    #[serde(borrow)]
    reason: Text<'a>,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(borrow)]
    nominated_node_name: Text<'a>,
    #[serde(borrow)]
    start_time: Text<'a>,
    #[serde(borrow)]
    conditions: List<RawCondition<'a>>,
    #[serde(borrow)]
    container_statuses: Rare<RawContainerStatus<'a>, Reported>,
    #[serde(borrow)]
    init_container_statuses: Rare<RawContainerStatus<'a>, Reported>,
    #[serde(borrow)]
    allocated_resources: Option<Amounts<'a>>,
    #[serde(borrow)]
    resources: Option<RawResources<'a>>,
    #[serde(borrow)]
    resource_claim_statuses: List<RawClaimStatus<'a>>,
    #[serde(borrow)]
    extended_resource_claim_status: RawClaimStatus<'a>,
}

/// What a container's status must have to matter: `resources` or `allocatedResources`.
#[derive(Debug)]
struct Reported;

impl Word for Reported {
    const NAME: &'static str = "landed/only with esources";
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawContainerStatus<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    allocated_resources: Option<Amounts<'a>>,
    #[serde(borrow)]
    resources: Option<RawResources<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawClaimStatus<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    resource_claim_name: Text<'a>,
}

/// `spec.template` of a workload.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawPodTemplate<'a> {
    #[serde(borrow)]
    metadata: RawTemplateMeta<'a>,
    #[serde(borrow)]
    spec: RawPodSpec<'a>,
}

impl RawPod<'_> {
    pub fn read(&self, interner: &mut Interner) -> Pod {
        let spec = self.spec.read(interner);
        Pod {
            meta: self.metadata.read(interner),
            node_name: interner.some(&self.spec.node_name).map(NodeName),
            spec: interner.spec(spec),
            status: self.status.read(interner),
        }
    }
}

impl RawPodTemplate<'_> {
    pub fn read(&self, interner: &mut Interner) -> PodTemplate {
        let spec = self.spec.read(interner);
        let (labels, annotations) = self.metadata.read(interner);
        PodTemplate { labels, annotations, spec: interner.spec(spec) }
    }
}

impl RawPodSpec<'_> {
    fn read(&self, interner: &mut Interner) -> PodSpec {
        interner.begin_spec();
        let tolerations = self.tolerations.0.iter().map(|raw| raw.read(interner)).collect();
        let tolerations = interner.tolerations(tolerations);
        let affinity = self.affinity.as_ref().map(|affinity| affinity.read(interner));
        let affinity = interner.affinity(affinity.unwrap_or_default());
        let spread = &self.topology_spread_constraints.0;
        let spread = spread.iter().map(|raw| raw.read(interner)).collect();
        let mut containers = |list: &List<RawContainer<'_>>| {
            list.0.iter().map(|container| container.read(interner)).collect::<Vec<_>>()
        };
        let (regular, init) = (containers(&self.containers), containers(&self.init_containers));
        let pod_limits =
            self.resources.as_ref().map(|resources| interner.resources(&resources.limits));
        let pod_requests = self.resources.as_ref().map(|resources| {
            let requests = amounts(resources.requests.as_ref(), interner).unwrap_or_default();
            defaults::pod_level_requests(requests, pod_limits.as_ref(), &regular, &init)
        });
        PodSpec {
            scheduler_name: SchedulerName(defaults::scheduler_name(
                self.scheduler_name.as_str(),
                interner,
            )),
            priority: self.priority,
            priority_class_name: interner.some(&self.priority_class_name),
            never_preempts: self.preemption_policy.as_str() == "Never",
            node_selector: interner.labels(&self.node_selector),
            affinity,
            tolerations,
            topology_spread_constraints: interner.spread(spread),
            containers: regular,
            init_containers: init,
            overhead: interner.resources(&self.overhead),
            pod_requests: pod_requests.filter(|requests| !requests.is_empty()),
            pod_limits: pod_limits.filter(|limits| !limits.is_empty()),
            volumes: self.volumes.0.iter().filter_map(|raw| raw.read(interner)).collect(),
            scheduling_gates: self
                .scheduling_gates
                .0
                .iter()
                .map(|gate| interner.text(gate.name.as_str()))
                .collect(),
            host_network: self.host_network.unwrap_or(false),
            host_users: self.host_users,
            resource_claims: self
                .resource_claims
                .0
                .iter()
                .map(|claim| PodResourceClaim {
                    name: interner.text(claim.name.as_str()),
                    claim_name: interner.some(&claim.resource_claim_name),
                    template_name: interner.some(&claim.resource_claim_template_name),
                })
                .collect(),
            restart_policy: interner.some(&self.restart_policy),
            termination_grace_seconds: self.termination_grace_period_seconds,
            ephemeral_containers_bind_mount_options: self
                .ephemeral_containers
                .0
                .iter()
                .any(RawContainer::has_bind_mount_options),
            has_scheduling_group: self.scheduling_group.is_some(),
        }
    }
}

impl RawPodStatus<'_> {
    fn read(&self, interner: &mut Interner) -> PodStatus {
        let conditions = conditions(&self.conditions, interner);
        PodStatus {
            phase: match self.phase.as_str() {
                "Running" => Phase::Running,
                "Succeeded" => Phase::Succeeded,
                "Failed" => Phase::Failed,
                "Unknown" => Phase::Unknown,
                _ => Phase::Pending,
            },
            reason: interner.some(&self.reason),
            message: interner.some(&self.message),
            nominated_node_name: interner.some(&self.nominated_node_name).map(NodeName),
            start_time: time(&self.start_time),
            conditions: interner.conditions(conditions),
            resize: self.resize(interner).map(Box::new),
            resource_claim_names: self.resource_claim_names(interner),
            extended_resource_claim: interner
                .some(&self.extended_resource_claim_status.resource_claim_name),
        }
    }

    fn resource_claim_names(&self, interner: &mut Interner) -> Arc<[(Str, Option<Str>)]> {
        let list = &self.resource_claim_statuses.0;
        if list.is_empty() {
            return Arc::default();
        }
        let entry = |claim: &RawClaimStatus<'_>| {
            let name = interner.text(claim.name.as_str());
            (name, interner.some(&claim.resource_claim_name))
        };
        list.iter().map(entry).collect()
    }

    fn resize(&self, interner: &mut Interner) -> Option<ResizeStatus> {
        let mut reported = |list: &Rare<RawContainerStatus<'_>, Reported>| {
            let reported = list.0.iter().filter_map(|status| status.read(interner));
            reported.collect::<Vec<_>>()
        };
        let containers = reported(&self.container_statuses);
        let init_containers = reported(&self.init_container_statuses);
        let allocated = amounts(self.allocated_resources.as_ref(), interner);
        let is_reported = !containers.is_empty()
            || !init_containers.is_empty()
            || allocated.is_some()
            || self.resources.is_some();
        is_reported.then(|| ResizeStatus {
            containers,
            init_containers,
            allocated,
            requests: self
                .resources
                .as_ref()
                .and_then(|resources| amounts(resources.requests.as_ref(), interner)),
            has_resources: self.resources.is_some(),
        })
    }
}

impl RawContainerStatus<'_> {
    fn read(&self, interner: &mut Interner) -> Option<ContainerResources> {
        if self.allocated_resources.is_none() && self.resources.is_none() {
            return None;
        }
        Some(ContainerResources {
            name: interner.text(self.name.as_str()),
            allocated: amounts(self.allocated_resources.as_ref(), interner),
            has_resources: self.resources.is_some(),
            requests: self
                .resources
                .as_ref()
                .and_then(|resources| amounts(resources.requests.as_ref(), interner)),
        })
    }
}

fn amounts(amounts: Option<&Amounts<'_>>, interner: &mut Interner) -> Option<Resources> {
    amounts.map(|amounts| interner.resources(amounts))
}
