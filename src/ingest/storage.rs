//! Claims, volumes, classes, drivers, attachments; and namespaces.

use serde::Deserialize;

use crate::model::names::{NodeName, ObjectKey, Uid};
use crate::model::quantity::Quantity;
use crate::model::storage::{
    BindingMode, CsiDriver, CsiNode, CsiNodeDriver, CsiStorageCapacity, Namespace,
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeSource, StorageClass,
    VolumeAttachment,
};

use super::intern::Interner;
use super::meta::RawMeta;
use super::selectors::{RawLabelSelector, RawNodeSelector};
use super::volumes::RawClaimResources;
use super::wire::{Amounts, List, Present, Text};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawNamespace<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
}

impl RawNamespace<'_> {
    pub fn read(&self, interner: &mut Interner) -> Namespace {
        Namespace { meta: self.metadata.read(interner) }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawClaim<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawClaimSpec<'a>,
    #[serde(borrow)]
    status: RawPhase<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawPhase<'a> {
    #[serde(borrow)]
    phase: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawClaimSpec<'a> {
    #[serde(borrow)]
    volume_name: Text<'a>,
    #[serde(borrow)]
    storage_class_name: Option<Text<'a>>,
    #[serde(borrow)]
    resources: RawClaimResources<'a>,
    #[serde(borrow)]
    access_modes: List<Text<'a>>,
    #[serde(borrow)]
    volume_mode: Text<'a>,
    #[serde(borrow)]
    volume_attributes_class_name: Text<'a>,
    #[serde(borrow)]
    selector: Option<RawLabelSelector<'a>>,
}

impl RawClaim<'_> {
    pub fn read(&self, interner: &mut Interner) -> PersistentVolumeClaim {
        let spec = &self.spec;
        PersistentVolumeClaim {
            meta: self.metadata.read(interner),
            volume_name: interner.some(&spec.volume_name),
            storage_class_name: spec
                .storage_class_name
                .as_ref()
                .map(|name| interner.text(name.as_str())),
            storage: spec.resources.storage(),
            access_modes: interner.texts(&spec.access_modes.0),
            volume_mode: interner.some(&spec.volume_mode),
            volume_attributes_class_name: interner.some(&spec.volume_attributes_class_name),
            selector: spec.selector.as_ref().map(|selector| selector.read(interner)),
            phase: interner.some(&self.status.phase),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawVolumeObject<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawVolumeSpec<'a>,
    #[serde(borrow)]
    status: RawPhase<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawVolumeSpec<'a> {
    #[serde(borrow)]
    capacity: Amounts<'a>,
    #[serde(borrow)]
    access_modes: List<Text<'a>>,
    #[serde(borrow)]
    volume_mode: Text<'a>,
    #[serde(borrow)]
    storage_class_name: Text<'a>,
    #[serde(borrow)]
    volume_attributes_class_name: Text<'a>,
    #[serde(borrow)]
    claim_ref: Option<RawClaimKey<'a>>,
    #[serde(borrow)]
    node_affinity: Option<RawVolumeAffinity<'a>>,
    #[serde(borrow)]
    csi: Option<RawSource<'a>>,
    #[serde(borrow)]
    aws_elastic_block_store: Option<RawSource<'a>>,
    #[serde(borrow)]
    gce_persistent_disk: Option<RawSource<'a>>,
    #[serde(borrow)]
    azure_disk: Option<RawSource<'a>>,
    #[serde(borrow)]
    cinder: Option<RawSource<'a>>,
    #[serde(borrow)]
    portworx_volume: Option<RawSource<'a>>,
    host_path: Option<Present>,
    local: Option<Present>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawClaimKey<'a> {
    #[serde(borrow)]
    namespace: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    uid: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawVolumeAffinity<'a> {
    #[serde(borrow)]
    required: Option<RawNodeSelector<'a>>,
}

/// The fields of all kinds of sources; each kind uses some of them.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawSource<'a> {
    #[serde(borrow)]
    driver: Text<'a>,
    #[serde(borrow)]
    volume_handle: Text<'a>,
    #[serde(borrow, rename = "volumeID")]
    volume_id: Text<'a>,
    #[serde(borrow)]
    pd_name: Text<'a>,
    #[serde(borrow)]
    disk_name: Text<'a>,
    #[serde(borrow, rename = "diskURI")]
    disk_uri: Text<'a>,
}

impl RawVolumeObject<'_> {
    pub fn read(&self, interner: &mut Interner) -> PersistentVolume {
        let spec = &self.spec;
        let storage = spec.capacity.0.iter().find(|(name, _)| name.as_str() == "storage");
        let required = spec.node_affinity.as_ref().and_then(|affinity| affinity.required.as_ref());
        PersistentVolume {
            meta: self.metadata.read(interner),
            capacity: storage
                .map(|(_, amount)| Quantity::rounded_to_milli(*amount))
                .unwrap_or_default(),
            access_modes: interner.texts(&spec.access_modes.0),
            volume_mode: interner.some(&spec.volume_mode),
            storage_class_name: interner.some(&spec.storage_class_name),
            volume_attributes_class_name: interner.some(&spec.volume_attributes_class_name),
            claim: spec.claim_ref.as_ref().map(|claim| {
                let namespace = interner.text(claim.namespace.as_str());
                let uid = (!claim.uid.is_empty()).then(|| Uid::from(claim.uid.as_str()));
                (ObjectKey::new(namespace, claim.name.as_str()), uid)
            }),
            node_affinity: required.map(|required| required.read(interner)),
            source: spec.source(interner),
            phase: interner.some(&self.status.phase),
        }
    }
}

impl RawVolumeSpec<'_> {
    fn source(&self, interner: &mut Interner) -> PersistentVolumeSource {
        let mut text = |text: &Text<'_>| interner.text(text.as_str());
        if let Some(csi) = &self.csi {
            PersistentVolumeSource::Csi {
                driver: text(&csi.driver),
                handle: csi.volume_handle.as_str().into(),
            }
        } else if let Some(disk) = &self.aws_elastic_block_store {
            PersistentVolumeSource::AwsElasticBlockStore(text(&disk.volume_id))
        } else if let Some(disk) = &self.gce_persistent_disk {
            PersistentVolumeSource::GcePersistentDisk(text(&disk.pd_name))
        } else if let Some(disk) = &self.azure_disk {
            PersistentVolumeSource::AzureDisk(text(&disk.disk_name), text(&disk.disk_uri))
        } else if let Some(disk) = &self.cinder {
            PersistentVolumeSource::Cinder(text(&disk.volume_id))
        } else if let Some(disk) = &self.portworx_volume {
            PersistentVolumeSource::Portworx(text(&disk.volume_id))
        } else if self.host_path.is_some() {
            PersistentVolumeSource::HostPath
        } else if self.local.is_some() {
            PersistentVolumeSource::Local
        } else {
            PersistentVolumeSource::Other
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawStorageClass<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    provisioner: Text<'a>,
    #[serde(borrow)]
    volume_binding_mode: Text<'a>,
    #[serde(borrow)]
    allowed_topologies: List<RawTopology<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawTopology<'a> {
    #[serde(borrow)]
    match_label_expressions: List<RawTopologyExpression<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawTopologyExpression<'a> {
    #[serde(borrow)]
    key: Text<'a>,
    #[serde(borrow)]
    values: List<Text<'a>>,
}

impl RawStorageClass<'_> {
    pub fn read(&self, interner: &mut Interner) -> StorageClass {
        let mut topology = |topology: &RawTopology<'_>| {
            let expressions = topology.match_label_expressions.0.iter().map(|expression| {
                (interner.text(expression.key.as_str()), interner.texts(&expression.values.0))
            });
            expressions.collect::<Vec<_>>()
        };
        let allowed_topologies = self.allowed_topologies.0.iter().map(&mut topology).collect();
        StorageClass {
            meta: self.metadata.read(interner),
            provisioner: interner.some(&self.provisioner),
            binding_mode: match self.volume_binding_mode.as_str() {
                "Immediate" => Some(BindingMode::Immediate),
                "WaitForFirstConsumer" => Some(BindingMode::WaitForFirstConsumer),
                _ => None,
            },
            allowed_topologies,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawCsiNode<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawCsiNodeSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawCsiNodeSpec<'a> {
    #[serde(borrow)]
    drivers: List<RawCsiNodeDriver<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawCsiNodeDriver<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow, rename = "nodeID")]
    node_id: Text<'a>,
    #[serde(borrow)]
    topology_keys: List<Text<'a>>,
    allocatable: Option<RawCount>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawCount {
    count: Option<i32>,
}

impl RawCsiNode<'_> {
    pub fn read(&self, interner: &mut Interner) -> CsiNode {
        let drivers = self.spec.drivers.0.iter().map(|driver| CsiNodeDriver {
            name: interner.text(driver.name.as_str()),
            node_id: interner.text(driver.node_id.as_str()),
            topology_keys: interner.texts(&driver.topology_keys.0),
            count: driver.allocatable.as_ref().and_then(|allocatable| allocatable.count),
        });
        let drivers = drivers.collect();
        CsiNode { meta: self.metadata.read(interner), drivers }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawCsiDriver<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    spec: RawCsiDriverSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawCsiDriverSpec {
    attach_required: Option<bool>,
    storage_capacity: Option<bool>,
    prevent_pod_scheduling_if_missing: Option<bool>,
}

impl RawCsiDriver<'_> {
    pub fn read(&self, interner: &mut Interner) -> CsiDriver {
        CsiDriver {
            meta: self.metadata.read(interner),
            attach_required: self.spec.attach_required,
            storage_capacity: self.spec.storage_capacity,
            prevent_pod_scheduling_if_missing: self.spec.prevent_pod_scheduling_if_missing,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawCapacity<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    storage_class_name: Text<'a>,
    #[serde(borrow)]
    node_topology: Option<RawLabelSelector<'a>>,
    capacity: Option<Quantity>,
    maximum_volume_size: Option<Quantity>,
}

impl RawCapacity<'_> {
    pub fn read(&self, interner: &mut Interner) -> CsiStorageCapacity {
        CsiStorageCapacity {
            meta: self.metadata.read(interner),
            storage_class_name: interner.some(&self.storage_class_name),
            node_topology: self.node_topology.as_ref().map(|selector| selector.read(interner)),
            capacity: self.capacity,
            maximum_volume_size: self.maximum_volume_size,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawAttachment<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    spec: RawAttachmentSpec<'a>,
    status: RawAttachmentStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawAttachmentSpec<'a> {
    #[serde(borrow)]
    attacher: Text<'a>,
    #[serde(borrow)]
    node_name: Text<'a>,
    #[serde(borrow)]
    source: RawAttachmentSource<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawAttachmentSource<'a> {
    #[serde(borrow)]
    persistent_volume_name: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawAttachmentStatus {
    attached: Option<bool>,
}

impl RawAttachment<'_> {
    pub fn read(&self, interner: &mut Interner) -> VolumeAttachment {
        VolumeAttachment {
            meta: self.metadata.read(interner),
            attacher: interner.some(&self.spec.attacher),
            node_name: interner.some(&self.spec.node_name).map(NodeName),
            persistent_volume: interner.some(&self.spec.source.persistent_volume_name),
            attached: self.status.attached.unwrap_or(false),
        }
    }
}
