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

/// Hands a macro every list of a `ClusterState`: its name, what one of its objects is called, and what tells apart two objects
/// of one namespace and name.
macro_rules! each_list {
    ($with:ident) => {
        $with! {
            nodes: "node", |_| ();
            pods: "pod", |_| ();
            node_pools: "nodepool", |_| ();
            node_claims: "nodeclaim", |_| ();
            node_classes: "nodeclass", |class| (class.group.clone(), class.kind.clone());
            node_overlays: "nodeoverlay", |_| ();
            capacity_buffers: "capacitybuffer", |_| ();
            pod_templates: "podtemplate", |_| ();
            workloads: "workload", |workload| workload.kind as u8;
            services: "service", |_| ();
            namespaces: "namespace", |_| ();
            persistent_volumes: "persistentvolume", |_| ();
            persistent_volume_claims: "persistentvolumeclaim", |_| ();
            storage_classes: "storageclass", |_| ();
            csi_nodes: "csinode", |_| ();
            csi_drivers: "csidriver", |_| ();
            csi_storage_capacities: "csistoragecapacity", |_| ();
            volume_attachments: "volumeattachment", |_| ();
            pod_disruption_budgets: "poddisruptionbudget", |_| ();
            priority_classes: "priorityclass", |_| ();
            resource_claims: "resourceclaim", |_| ();
            resource_claim_templates: "resourceclaimtemplate", |_| ();
            resource_slices: "resourceslice", |_| ();
            device_classes: "deviceclass", |_| ();
        }
    };
}
pub(crate) use each_list;

impl ClusterState {
    /// Takes all objects of another state: after its own, not sorted, and each as often as it is there.
    pub fn extend(&mut self, other: Self) {
        macro_rules! extend {
            ($($list:ident: $_what:literal, $_kind:expr;)+) => {
                // All fields are named: a new list that `each_list` forgets does not compile.
                let Self { at: _, $($list),+ } = other;
                $(self.$list.extend($list);)+
            };
        }
        each_list!(extend);
    }

    /// The same without its nodes, NodeClaims and pods: what a state of another moment is built upon.
    #[must_use]
    pub fn without_machines(&self) -> Self {
        macro_rules! clone {
            ($($list:ident: $_what:literal, $_kind:expr;)+) => {
                Self {
                    at: self.at,
                    $($list: match stringify!($list) {
                        "nodes" | "pods" | "node_claims" => Vec::new(),
                        _ => self.$list.clone(),
                    }),+
                }
            };
        }
        each_list!(clone)
    }

    /// Whether it holds the very same objects as another: shared, not only equal.
    pub fn is_same(&self, other: &Self) -> bool {
        macro_rules! same {
            ($($list:ident: $_what:literal, $_kind:expr;)+) => {
                true $(&& are_same(&self.$list, &other.$list))+
            };
        }
        each_list!(same)
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

fn are_same<T>(list: &[Arc<T>], other: &[Arc<T>]) -> bool {
    list.len() == other.len() && list.iter().zip(other).all(|(a, b)| Arc::ptr_eq(a, b))
}

/// Finds an object by name in a list that is in the order of the names.
fn find<'a, T>(list: &'a [Arc<T>], name: &str, name_of: impl Fn(&T) -> &str) -> Option<&'a Arc<T>> {
    list.binary_search_by(|object| name_of(object).cmp(name)).ok().map(|index| &list[index])
}
