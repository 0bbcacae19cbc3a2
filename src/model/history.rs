//! `Change`: one step in the life of an object, as a watch or the flight recorder saw it.

use std::sync::Arc;

use super::meta::Meta;
use super::node::Node;
use super::nodeclaim::NodeClaim;
use super::nodepool::NodePool;
use super::pod::Pod;
use super::storage::{CsiNode, PersistentVolume, PersistentVolumeClaim, VolumeAttachment};
use super::time::Timestamp;
use super::workload::Workload;

/// One step in the life of an object. `meta.resource_version` orders changes of different objects: one counter
/// serves a whole cluster.
#[derive(Clone, Debug)]
pub struct Change {
    /// When it was seen, by the recorder's clock: never before it happened, and normally within a second of it. None
    /// where the recording does not tell.
    pub seen: Option<Timestamp>,
    /// What happened.
    pub kind: ChangeKind,
    /// The object after the change; for a deletion, its last state.
    pub object: Object,
}

/// A time in which every change was recorded: the state at any moment of it is known, not rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its first moment: all objects had been listed by then or shortly after.
    pub from: Timestamp,
    /// Its last moment.
    pub to: Timestamp,
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It was there when the recording began, or began again after a break.
    Listed,
    /// It was created.
    Added,
    /// It was changed.
    Modified,
    /// It went away.
    Deleted,
}

/// An object of a kind whose history is worth keeping.
#[derive(Clone, Debug)]
pub enum Object {
    /// A pod.
    Pod(Arc<Pod>),
    /// A node.
    Node(Arc<Node>),
    /// A NodeClaim.
    NodeClaim(Arc<NodeClaim>),
    /// A NodePool.
    NodePool(Arc<NodePool>),
    /// A DaemonSet, Deployment, ReplicaSet, StatefulSet.
    Workload(Arc<Workload>),
    /// A PersistentVolumeClaim.
    PersistentVolumeClaim(Arc<PersistentVolumeClaim>),
    /// A PersistentVolume.
    PersistentVolume(Arc<PersistentVolume>),
    /// A VolumeAttachment.
    VolumeAttachment(Arc<VolumeAttachment>),
    /// A CSINode.
    CsiNode(Arc<CsiNode>),
}

impl Object {
    /// The object's metadata.
    pub fn meta(&self) -> &Meta {
        match self {
            Self::Pod(object) => &object.meta,
            Self::Node(object) => &object.meta,
            Self::NodeClaim(object) => &object.meta,
            Self::NodePool(object) => &object.meta,
            Self::Workload(object) => &object.meta,
            Self::PersistentVolumeClaim(object) => &object.meta,
            Self::PersistentVolume(object) => &object.meta,
            Self::VolumeAttachment(object) => &object.meta,
            Self::CsiNode(object) => &object.meta,
        }
    }
}
