//! `Objects`: what plugins look up beside pods and nodes, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::cluster_state::ClusterState;
use crate::model::dra::{DeviceClass, ResourceClaim, ResourceSlice};
use crate::model::labels::Labels;
use crate::model::names::{NamespaceName, NodeName, ObjectKey, Str};
use crate::model::selector::LabelSelector;
use crate::model::storage::{
    CsiDriver, CsiNode, CsiStorageCapacity, Namespace, PersistentVolume, PersistentVolumeClaim,
    StorageClass, VolumeAttachment,
};
use crate::model::workload::{PodDisruptionBudget, Service, Workload, WorkloadKind};

/// What plugins look up, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    /// Namespaces.
    pub(crate) namespaces: BTreeMap<NamespaceName, Arc<Namespace>>,
    /// Services, by namespace.
    pub(crate) services: BTreeMap<NamespaceName, Vec<Arc<Service>>>,
    /// Selectors of what can own pods.
    pub(crate) owners: BTreeMap<(WorkloadKind, ObjectKey), Arc<Workload>>,
    /// Disruption budgets, by namespace.
    pub(crate) budgets: BTreeMap<NamespaceName, Vec<Arc<PodDisruptionBudget>>>,
    /// PersistentVolumeClaims. Hash maps here and below: there may be as many as pods, and they are looked up only.
    pub(crate) claims: FxHashMap<ObjectKey, Arc<PersistentVolumeClaim>>,
    /// PersistentVolumes.
    pub(crate) volumes: FxHashMap<Str, Arc<PersistentVolume>>,
    /// PersistentVolumes by the name of their class, in the order of their names.
    pub(crate) volumes_of_class: BTreeMap<Str, Vec<Arc<PersistentVolume>>>,
    /// StorageClasses.
    pub(crate) storage_classes: BTreeMap<Str, Arc<StorageClass>>,
    /// CSINodes.
    pub(crate) csi_nodes: FxHashMap<Str, Arc<CsiNode>>,
    /// CSIDrivers.
    pub(crate) csi_drivers: BTreeMap<Str, Arc<CsiDriver>>,
    /// CSIStorageCapacities by the name of their class, in the order of their names.
    pub(crate) storage_capacities: BTreeMap<Str, Vec<Arc<CsiStorageCapacity>>>,
    /// VolumeAttachments, by node.
    pub(crate) attachments: FxHashMap<NodeName, Vec<Arc<VolumeAttachment>>>,
    /// ResourceClaims.
    pub(crate) resource_claims: BTreeMap<ObjectKey, Arc<ResourceClaim>>,
    /// ResourceSlices, in the order of their names.
    pub(crate) resource_slices: Vec<Arc<ResourceSlice>>,
    /// DeviceClasses.
    pub(crate) device_classes: BTreeMap<Str, Arc<DeviceClass>>,
}

impl Objects {
    /// Sorts what a state has.
    pub(crate) fn of(state: &ClusterState) -> Self {
        let mut objects = Self::default();
        for namespace in &state.namespaces {
            let name = NamespaceName(namespace.meta.name.clone());
            objects.namespaces.insert(name, Arc::clone(namespace));
        }
        objects.services = grouped(&state.services, |it| it.meta.namespace.clone());
        objects.budgets = grouped(&state.pod_disruption_budgets, |it| it.meta.namespace.clone());
        objects.owners = state
            .workloads
            .iter()
            .map(|workload| ((workload.kind, workload.meta.key()), Arc::clone(workload)))
            .collect();
        objects.claims = state
            .persistent_volume_claims
            .iter()
            .map(|claim| (claim.meta.key(), Arc::clone(claim)))
            .collect();
        objects.volumes = state
            .persistent_volumes
            .iter()
            .map(|volume| (volume.meta.name.clone(), Arc::clone(volume)))
            .collect();
        objects.volumes_of_class = grouped(&state.persistent_volumes, class_of_volume);
        objects.storage_classes = by_name(&state.storage_classes, |it| &it.meta.name);
        objects.csi_nodes =
            state.csi_nodes.iter().map(|it| (it.meta.name.clone(), Arc::clone(it))).collect();
        objects.csi_drivers = by_name(&state.csi_drivers, |it| &it.meta.name);
        objects.storage_capacities = grouped(&state.csi_storage_capacities, |it| {
            it.storage_class_name.clone().unwrap_or_else(|| Str::from(""))
        });
        for attachment in &state.volume_attachments {
            if let Some(node) = &attachment.node_name {
                let list = objects.attachments.entry(node.clone()).or_default();
                list.push(Arc::clone(attachment));
            }
        }
        objects.resource_claims = state
            .resource_claims
            .iter()
            .map(|claim| (claim.meta.key(), Arc::clone(claim)))
            .collect();
        objects.resource_slices.clone_from(&state.resource_slices);
        objects.device_classes = by_name(&state.device_classes, |it| &it.meta.name);
        objects
    }

    /// The labels of a namespace; none when there is no such object.
    pub(crate) fn namespace_labels(&self, name: &NamespaceName) -> Labels {
        self.namespaces.get(name).map_or_else(Labels::default, |it| it.meta.labels.clone())
    }

    /// The namespaces that a selector selects.
    pub(crate) fn namespaces_of<'a>(
        &'a self,
        selector: &'a LabelSelector,
    ) -> impl Iterator<Item = &'a NamespaceName> {
        self.namespaces
            .iter()
            .filter(|(_, namespace)| {
                super::selectors::selects(Some(selector), &namespace.meta.labels)
            })
            .map(|(name, _)| name)
    }
}

/// The class of a volume: the annotation of old times first. As upstream's `GetPersistentVolumeClass`.
pub(crate) fn class_of_volume(volume: &PersistentVolume) -> Str {
    let annotated = volume.meta.annotations.get(CLASS_ANNOTATION);
    annotated.or(volume.storage_class_name.as_ref()).cloned().unwrap_or_else(|| Str::from(""))
}

/// The class of a claim: the annotation of old times first; empty when there is none. As upstream's
/// `GetPersistentVolumeClaimClass`.
pub(crate) fn class_of_claim(claim: &PersistentVolumeClaim) -> Str {
    let annotated = claim.meta.annotations.get(CLASS_ANNOTATION);
    annotated.or(claim.storage_class_name.as_ref()).cloned().unwrap_or_else(|| Str::from(""))
}

const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

fn grouped<K: Ord, T>(list: &[Arc<T>], key: impl Fn(&T) -> K) -> BTreeMap<K, Vec<Arc<T>>> {
    let mut groups: BTreeMap<K, Vec<Arc<T>>> = BTreeMap::new();
    for object in list {
        groups.entry(key(object)).or_default().push(Arc::clone(object));
    }
    groups
}

fn by_name<T>(list: &[Arc<T>], name: impl Fn(&T) -> &Str) -> BTreeMap<Str, Arc<T>> {
    list.iter().map(|object| (name(object).clone(), Arc::clone(object))).collect()
}
