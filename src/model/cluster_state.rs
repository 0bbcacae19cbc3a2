//! `ClusterState`: the cluster at one instant. What the engines are given.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::dra::{DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice};
use super::names::{NodeClaimName, NodeName, NodePoolName, PodKey};
use super::node::Node;
use super::nodeclaim::NodeClaim;
use super::nodepool::{CapacityBuffer, NodeClass, NodeOverlay, NodePool};
use super::pod::Pod;
use super::storage::{
    CsiDriver, CsiNode, CsiStorageCapacity, Namespace, PersistentVolume, PersistentVolumeClaim,
    StorageClass, VolumeAttachment,
};
use super::time::Timestamp;
use super::workload::{PodDisruptionBudget, PodTemplateObject, PriorityClass, Service, Workload};

/// All objects of a cluster at one instant, each list in the order of namespace and name, as the API server lists
/// them. Objects are shared: a state that differs in a few of them is cheap to make.
#[derive(Clone, Debug, Default)]
pub struct ClusterState {
    /// The instant; decides what "now" means for ages and grace periods.
    pub at: Option<Timestamp>,
    /// Nodes.
    pub nodes: Vec<Arc<Node>>,
    /// Pods.
    pub pods: Vec<Arc<Pod>>,
    /// NodePools.
    pub node_pools: Vec<Arc<NodePool>>,
    /// NodeClaims.
    pub node_claims: Vec<Arc<NodeClaim>>,
    /// The provider's NodeClasses, of any kind.
    pub node_classes: Vec<Arc<NodeClass>>,
    /// NodeOverlays.
    pub node_overlays: Vec<Arc<NodeOverlay>>,
    /// CapacityBuffers.
    pub capacity_buffers: Vec<Arc<CapacityBuffer>>,
    /// PodTemplates.
    pub pod_templates: Vec<Arc<PodTemplateObject>>,
    /// DaemonSets, Deployments, ReplicaSets, StatefulSets, ReplicationControllers, Jobs, CronJobs; ordered by kind first.
    pub workloads: Vec<Arc<Workload>>,
    /// Services.
    pub services: Vec<Arc<Service>>,
    /// Namespaces.
    pub namespaces: Vec<Arc<Namespace>>,
    /// PersistentVolumes.
    pub persistent_volumes: Vec<Arc<PersistentVolume>>,
    /// PersistentVolumeClaims.
    pub persistent_volume_claims: Vec<Arc<PersistentVolumeClaim>>,
    /// StorageClasses.
    pub storage_classes: Vec<Arc<StorageClass>>,
    /// CSINodes.
    pub csi_nodes: Vec<Arc<CsiNode>>,
    /// CSIDrivers.
    pub csi_drivers: Vec<Arc<CsiDriver>>,
    /// CSIStorageCapacities.
    pub csi_storage_capacities: Vec<Arc<CsiStorageCapacity>>,
    /// VolumeAttachments.
    pub volume_attachments: Vec<Arc<VolumeAttachment>>,
    /// PodDisruptionBudgets.
    pub pod_disruption_budgets: Vec<Arc<PodDisruptionBudget>>,
    /// PriorityClasses.
    pub priority_classes: Vec<Arc<PriorityClass>>,
    /// ResourceClaims.
    pub resource_claims: Vec<Arc<ResourceClaim>>,
    /// ResourceClaimTemplates.
    pub resource_claim_templates: Vec<Arc<ResourceClaimTemplate>>,
    /// ResourceSlices.
    pub resource_slices: Vec<Arc<ResourceSlice>>,
    /// DeviceClasses.
    pub device_classes: Vec<Arc<DeviceClass>>,
}

/// Appends each list of one state to that of another.
macro_rules! extend_lists {
    ($to:ident, $from:ident: $($list:ident),+ $(,)?) => {
        // All fields are named: a new list that is forgotten here does not compile.
        let Self { at: _, $($list),+ } = $from;
        $($to.$list.extend($list);)+
    };
}

impl ClusterState {
    /// Takes all objects of another state: after its own, not sorted, and each as often as it is there.
    pub fn extend(&mut self, other: Self) {
        extend_lists!(
            self,
            other:
            nodes,
            pods,
            node_pools,
            node_claims,
            node_classes,
            node_overlays,
            capacity_buffers,
            pod_templates,
            workloads,
            services,
            namespaces,
            persistent_volumes,
            persistent_volume_claims,
            storage_classes,
            csi_nodes,
            csi_drivers,
            csi_storage_capacities,
            volume_attachments,
            pod_disruption_budgets,
            priority_classes,
            resource_claims,
            resource_claim_templates,
            resource_slices,
            device_classes,
        );
    }

    /// A pod by its key.
    pub fn pod(&self, key: &PodKey) -> Option<&Arc<Pod>> {
        let wanted = (&*key.namespace.0, &*key.name);
        let found = self
            .pods
            .binary_search_by(|pod| (&*pod.meta.namespace.0, &*pod.meta.name).cmp(&wanted));
        found.ok().map(|index| &self.pods[index])
    }

    /// A node by its name.
    pub fn node(&self, name: &NodeName) -> Option<&Arc<Node>> {
        find(&self.nodes, name.as_str(), |node| &node.meta.name)
    }

    /// A NodeClaim by its name.
    pub fn node_claim(&self, name: &NodeClaimName) -> Option<&Arc<NodeClaim>> {
        find(&self.node_claims, name.as_str(), |claim| &claim.meta.name)
    }

    /// A NodePool by its name.
    pub fn node_pool(&self, name: &NodePoolName) -> Option<&Arc<NodePool>> {
        find(&self.node_pools, name.as_str(), |pool| &pool.meta.name)
    }

    /// The pods bound to each node, terminal ones too; made in one pass, so ask once and keep it.
    pub fn pods_by_node(&self) -> BTreeMap<NodeName, Vec<&Arc<Pod>>> {
        let mut by_node: BTreeMap<NodeName, Vec<&Arc<Pod>>> = BTreeMap::new();
        for pod in &self.pods {
            if let Some(node) = &pod.node_name {
                by_node.entry(node.clone()).or_default().push(pod);
            }
        }
        by_node
    }
}

/// Finds an object by name in a list that is in the order of the names.
fn find<'a, T>(list: &'a [Arc<T>], name: &str, name_of: impl Fn(&T) -> &str) -> Option<&'a Arc<T>> {
    list.binary_search_by(|object| name_of(object).cmp(name)).ok().map(|index| &list[index])
}
