//! One object: from the bytes of the input to the model.

use std::sync::Arc;

use serde::Deserialize;

use crate::model::dra::{DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice};
use crate::model::event::Event;
use crate::model::history::Object as Tracked;
use crate::model::meta::Meta;
use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::nodepool::{CapacityBuffer, NodeClass, NodeOverlay, NodePool};
use crate::model::pod::Pod;
use crate::model::storage::{
    CsiDriver, CsiNode, CsiStorageCapacity, Namespace, PersistentVolume, PersistentVolumeClaim,
    StorageClass, VolumeAttachment,
};
use crate::model::workload::{
    PodDisruptionBudget, PodTemplateObject, PriorityClass, Service, Workload,
};

use super::intern::Interner;
use super::kind::{Kind, group};
use super::wire::Text;
use super::{dra, events, json as quick, karpenter, node, pod, storage, workload};

/// An object that was read.
#[derive(Clone, Debug)]
pub(crate) enum Object {
    Pod(Arc<Pod>),
    Node(Arc<Node>),
    NodePool(Arc<NodePool>),
    NodeClaim(Arc<NodeClaim>),
    NodeClass(Arc<NodeClass>),
    NodeOverlay(Arc<NodeOverlay>),
    CapacityBuffer(Arc<CapacityBuffer>),
    PodTemplate(Arc<PodTemplateObject>),
    Workload(Arc<Workload>),
    Service(Arc<Service>),
    Namespace(Arc<Namespace>),
    PersistentVolume(Arc<PersistentVolume>),
    PersistentVolumeClaim(Arc<PersistentVolumeClaim>),
    StorageClass(Arc<StorageClass>),
    CsiNode(Arc<CsiNode>),
    CsiDriver(Arc<CsiDriver>),
    CsiStorageCapacity(Arc<CsiStorageCapacity>),
    VolumeAttachment(Arc<VolumeAttachment>),
    PodDisruptionBudget(Arc<PodDisruptionBudget>),
    PriorityClass(Arc<PriorityClass>),
    ResourceClaim(Arc<ResourceClaim>),
    ResourceClaimTemplate(Arc<ResourceClaimTemplate>),
    ResourceSlice(Arc<ResourceSlice>),
    DeviceClass(Arc<DeviceClass>),
    Event(Box<(Meta, Event)>),
}

impl Object {
    /// The object as one whose history is kept; none for the other kinds.
    pub(crate) fn tracked(&self) -> Option<Tracked> {
        Some(match self {
            Self::Pod(object) => Tracked::Pod(object.clone()),
            Self::Node(object) => Tracked::Node(object.clone()),
            Self::NodeClaim(object) => Tracked::NodeClaim(object.clone()),
            Self::NodePool(object) => Tracked::NodePool(object.clone()),
            Self::Workload(object) => Tracked::Workload(object.clone()),
            Self::PersistentVolumeClaim(object) => Tracked::PersistentVolumeClaim(object.clone()),
            Self::PersistentVolume(object) => Tracked::PersistentVolume(object.clone()),
            Self::VolumeAttachment(object) => Tracked::VolumeAttachment(object.clone()),
            Self::CsiNode(object) => Tracked::CsiNode(object.clone()),
            _ => return None,
        })
    }
}

/// What an object is, read before the rest of it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Head<'a> {
    #[serde(borrow)]
    pub api_version: Text<'a>,
    #[serde(borrow)]
    pub kind: Text<'a>,
}

/// Reads a shape; `serde_json` has the last word on what the quick reader refuses.
fn decode<'a, T: Deserialize<'a>>(json: &'a str) -> serde_json::Result<T> {
    quick::from_str(json).or_else(|_| serde_json::from_str(json))
}

/// Reads an object of a kind. `api_version` and `kind` are as written: NodeClasses keep them.
pub(crate) fn read(
    of: Kind,
    head: &Head<'_>,
    json: &str,
    interner: &mut Interner,
) -> serde_json::Result<Option<Object>> {
    macro_rules! object {
        ($variant:ident, $raw:ty) => {{
            let raw: $raw = decode(json)?;
            Object::$variant(Arc::new(raw.read(interner)))
        }};
    }
    let object = match of {
        Kind::Pod => object!(Pod, pod::RawPod<'_>),
        Kind::Node => object!(Node, node::RawNode<'_>),
        Kind::NodePool => object!(NodePool, karpenter::RawNodePool<'_>),
        Kind::NodeClaim => object!(NodeClaim, karpenter::RawNodeClaim<'_>),
        Kind::NodeClass => {
            let raw: karpenter::RawNodeClass<'_> = decode(json)?;
            let (group, kind) = (group(head.api_version.as_str()), head.kind.as_str());
            Object::NodeClass(Arc::new(raw.read(group, kind, interner)))
        }
        Kind::NodeOverlay => object!(NodeOverlay, karpenter::RawOverlay<'_>),
        Kind::CapacityBuffer => object!(CapacityBuffer, karpenter::RawBuffer<'_>),
        Kind::PodTemplate => object!(PodTemplate, workload::RawPodTemplateObject<'_>),
        Kind::Workload(crate::model::workload::WorkloadKind::ReplicationController) => {
            object!(Workload, workload::RawController<'_>)
        }
        Kind::Workload(kind) => {
            let raw: workload::RawWorkload<'_> = decode(json)?;
            Object::Workload(Arc::new(raw.read(kind, interner)))
        }
        Kind::Service => object!(Service, workload::RawService<'_>),
        Kind::Namespace => object!(Namespace, storage::RawNamespace<'_>),
        Kind::PersistentVolume => object!(PersistentVolume, storage::RawVolumeObject<'_>),
        Kind::PersistentVolumeClaim => object!(PersistentVolumeClaim, storage::RawClaim<'_>),
        Kind::StorageClass => object!(StorageClass, storage::RawStorageClass<'_>),
        Kind::CsiNode => object!(CsiNode, storage::RawCsiNode<'_>),
        Kind::CsiDriver => object!(CsiDriver, storage::RawCsiDriver<'_>),
        Kind::CsiStorageCapacity => object!(CsiStorageCapacity, storage::RawCapacity<'_>),
        Kind::VolumeAttachment => object!(VolumeAttachment, storage::RawAttachment<'_>),
        Kind::PodDisruptionBudget => object!(PodDisruptionBudget, workload::RawBudget<'_>),
        Kind::PriorityClass => object!(PriorityClass, workload::RawPriorityClass<'_>),
        Kind::ResourceClaim => object!(ResourceClaim, dra::RawResourceClaim<'_>),
        Kind::ResourceClaimTemplate => {
            object!(ResourceClaimTemplate, dra::RawResourceClaimTemplate<'_>)
        }
        Kind::ResourceSlice => {
            let raw: dra::RawWithSpec<'_> = decode(json)?;
            Object::ResourceSlice(Arc::new(raw.read_slice(interner)))
        }
        Kind::DeviceClass => {
            let raw: dra::RawWithSpec<'_> = decode(json)?;
            Object::DeviceClass(Arc::new(raw.read_class(interner)))
        }
        Kind::Event => {
            let raw: events::RawEvent<'_> = decode(json)?;
            Object::Event(Box::new((raw.metadata.read(interner), raw.read(interner))))
        }
        Kind::ConfigMap => return Ok(None),
    };
    Ok(Some(object))
}
