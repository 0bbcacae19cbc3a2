//! Storage: the objects that tie a pod to a place or limit what a node can attach.

use super::labels::Labels;
use super::meta::Meta;
use super::names::{NodeName, ObjectKey, Str, Uid};
use super::quantity::Quantity;
use super::selector::{LabelSelector, NodeSelectorTerm};

/// A PersistentVolumeClaim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersistentVolumeClaim {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.volumeName`; absent while unbound.
    pub volume_name: Option<Str>,
    /// `spec.storageClassName`: `Some("")` asks for no class.
    pub storage_class_name: Option<Str>,
    /// `spec.resources.requests.storage`.
    pub storage: Option<Quantity>,
    /// `spec.accessModes`.
    pub access_modes: Vec<Str>,
    /// `spec.volumeMode`.
    pub volume_mode: Option<Str>,
    /// `spec.volumeAttributesClassName`.
    pub volume_attributes_class_name: Option<Str>,
    /// `spec.selector`.
    pub selector: Option<LabelSelector>,
    /// `status.phase`.
    pub phase: Option<Str>,
}

/// A PersistentVolume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersistentVolume {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.capacity.storage`.
    pub capacity: Quantity,
    /// `spec.accessModes`.
    pub access_modes: Vec<Str>,
    /// `spec.volumeMode`.
    pub volume_mode: Option<Str>,
    /// `spec.storageClassName`.
    pub storage_class_name: Option<Str>,
    /// `spec.volumeAttributesClassName`.
    pub volume_attributes_class_name: Option<Str>,
    /// `spec.claimRef`: the claim, with its UID where it is known.
    pub claim: Option<(ObjectKey, Option<Uid>)>,
    /// `spec.nodeAffinity.required.nodeSelectorTerms`.
    pub node_affinity: Option<Vec<NodeSelectorTerm>>,
    /// What holds the data.
    pub source: PersistentVolumeSource,
    /// `status.phase`.
    pub phase: Option<Str>,
}

/// What holds a PersistentVolume's data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PersistentVolumeSource {
    /// `csi`.
    Csi {
        /// `driver`.
        driver: Str,
        /// `volumeHandle`.
        handle: Str,
    },
    /// `awsElasticBlockStore.volumeID`.
    AwsElasticBlockStore(Str),
    /// `gcePersistentDisk.pdName`.
    GcePersistentDisk(Str),
    /// `azureDisk`: `diskName` and `diskURI`.
    AzureDisk(Str, Str),
    /// `cinder.volumeID`.
    Cinder(Str),
    /// `portworxVolume.volumeID`.
    Portworx(Str),
    /// `hostPath`.
    HostPath,
    /// `local`.
    Local,
    /// Anything else.
    #[default]
    Other,
}

/// A StorageClass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StorageClass {
    /// `metadata`.
    pub meta: Meta,
    /// `provisioner`.
    pub provisioner: Option<Str>,
    /// `volumeBindingMode`.
    pub binding_mode: Option<BindingMode>,
    /// `allowedTopologies`: alternatives; each is a list of keys with their values.
    pub allowed_topologies: Vec<Vec<(Str, Vec<Str>)>>,
}

/// When a claim is bound to a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingMode {
    /// As soon as the claim exists.
    Immediate,
    /// When a pod that uses it is scheduled.
    WaitForFirstConsumer,
}

/// A CSINode: what drivers a node has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CsiNode {
    /// `metadata`; its name is the node's.
    pub meta: Meta,
    /// `spec.drivers`.
    pub drivers: Vec<CsiNodeDriver>,
}

/// One driver on a node.
#[derive(Clone, Debug, PartialEq)]
pub struct CsiNodeDriver {
    /// `name`.
    pub name: Str,
    /// `nodeID`.
    pub node_id: Str,
    /// `topologyKeys`.
    pub topology_keys: Vec<Str>,
    /// `allocatable.count`.
    pub count: Option<i32>,
}

/// A CSIDriver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CsiDriver {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.attachRequired`.
    pub attach_required: Option<bool>,
    /// `spec.storageCapacity`.
    pub storage_capacity: Option<bool>,
    /// `spec.preventPodSchedulingIfMissing`.
    pub prevent_pod_scheduling_if_missing: Option<bool>,
}

/// A CSIStorageCapacity: how much a class has left somewhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CsiStorageCapacity {
    /// `metadata`.
    pub meta: Meta,
    /// `storageClassName`.
    pub storage_class_name: Option<Str>,
    /// `nodeTopology`.
    pub node_topology: Option<LabelSelector>,
    /// `capacity`.
    pub capacity: Option<Quantity>,
    /// `maximumVolumeSize`.
    pub maximum_volume_size: Option<Quantity>,
}

/// A VolumeAttachment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeAttachment {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.attacher`: the driver.
    pub attacher: Option<Str>,
    /// `spec.nodeName`.
    pub node_name: Option<NodeName>,
    /// `spec.source.persistentVolumeName`.
    pub persistent_volume: Option<Str>,
    /// `status.attached`.
    pub attached: bool,
}

/// A Namespace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Namespace {
    /// `metadata`.
    pub meta: Meta,
}

impl Namespace {
    /// `metadata.labels`.
    pub fn labels(&self) -> &Labels {
        &self.meta.labels
    }
}
