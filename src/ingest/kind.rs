//! `Kind`: which objects are read. All others are passed over.

use crate::model::workload::WorkloadKind;

/// A kind of object that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Pod,
    Node,
    NodePool,
    NodeClaim,
    NodeClass,
    NodeOverlay,
    CapacityBuffer,
    PodTemplate,
    Workload(WorkloadKind),
    Service,
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    CsiNode,
    CsiDriver,
    CsiStorageCapacity,
    VolumeAttachment,
    PodDisruptionBudget,
    PriorityClass,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
    DeviceClass,
    Event,
    ConfigMap,
}

impl Kind {
    /// The kind of an object; none for those that are passed over, Secrets among them.
    pub fn of(api_version: &str, kind: &str) -> Option<Self> {
        let group = group(api_version);
        let is = |wanted: &str| group == wanted;
        let found = match kind {
            "Pod" if is("") => Self::Pod,
            "Node" if is("") => Self::Node,
            "NodePool" if is("karpenter.sh") => Self::NodePool,
            "NodeClaim" if is("karpenter.sh") => Self::NodeClaim,
            "NodeOverlay" if is("karpenter.sh") => Self::NodeOverlay,
            "CapacityBuffer" if is("autoscaling.x-k8s.io") => Self::CapacityBuffer,
            "PodTemplate" if is("") => Self::PodTemplate,
            "DaemonSet" if is("apps") => Self::Workload(WorkloadKind::DaemonSet),
            "Deployment" if is("apps") => Self::Workload(WorkloadKind::Deployment),
            "ReplicaSet" if is("apps") => Self::Workload(WorkloadKind::ReplicaSet),
            "StatefulSet" if is("apps") => Self::Workload(WorkloadKind::StatefulSet),
            "ReplicationController" if is("") => {
                Self::Workload(WorkloadKind::ReplicationController)
            }
            "Job" if is("batch") => Self::Workload(WorkloadKind::Job),
            "CronJob" if is("batch") => Self::Workload(WorkloadKind::CronJob),
            "Service" if is("") => Self::Service,
            "Namespace" if is("") => Self::Namespace,
            "PersistentVolume" if is("") => Self::PersistentVolume,
            "PersistentVolumeClaim" if is("") => Self::PersistentVolumeClaim,
            "StorageClass" if is("storage.k8s.io") => Self::StorageClass,
            "CSINode" if is("storage.k8s.io") => Self::CsiNode,
            "CSIDriver" if is("storage.k8s.io") => Self::CsiDriver,
            "CSIStorageCapacity" if is("storage.k8s.io") => Self::CsiStorageCapacity,
            "VolumeAttachment" if is("storage.k8s.io") => Self::VolumeAttachment,
            "PodDisruptionBudget" if is("policy") => Self::PodDisruptionBudget,
            "PriorityClass" if is("scheduling.k8s.io") => Self::PriorityClass,
            "ResourceClaim" if is("resource.k8s.io") => Self::ResourceClaim,
            "ResourceClaimTemplate" if is("resource.k8s.io") => Self::ResourceClaimTemplate,
            "ResourceSlice" if is("resource.k8s.io") => Self::ResourceSlice,
            "DeviceClass" if is("resource.k8s.io") => Self::DeviceClass,
            "Event" if is("") || is("events.k8s.io") => Self::Event,
            "ConfigMap" if is("") => Self::ConfigMap,
            _ if !group.is_empty() && kind.ends_with("NodeClass") => Self::NodeClass,
            _ => return None,
        };
        Some(found)
    }

    /// The kind as kubectl names it in front of a slash.
    pub const fn resource(self) -> &'static str {
        match self {
            Self::Pod => "pod",
            Self::Node => "node",
            Self::NodePool => "nodepool",
            Self::NodeClaim => "nodeclaim",
            Self::NodeClass => "nodeclass",
            Self::NodeOverlay => "nodeoverlay",
            Self::CapacityBuffer => "capacitybuffer",
            Self::PodTemplate => "podtemplate",
            Self::Workload(kind) => match kind {
                WorkloadKind::DaemonSet => "daemonset",
                WorkloadKind::Deployment => "deployment",
                WorkloadKind::ReplicaSet => "replicaset",
                WorkloadKind::StatefulSet => "statefulset",
                WorkloadKind::ReplicationController => "replicationcontroller",
                WorkloadKind::Job => "job",
                WorkloadKind::CronJob => "cronjob",
            },
            Self::Service => "service",
            Self::Namespace => "namespace",
            Self::PersistentVolume => "persistentvolume",
            Self::PersistentVolumeClaim => "persistentvolumeclaim",
            Self::StorageClass => "storageclass",
            Self::CsiNode => "csinode",
            Self::CsiDriver => "csidriver",
            Self::CsiStorageCapacity => "csistoragecapacity",
            Self::VolumeAttachment => "volumeattachment",
            Self::PodDisruptionBudget => "poddisruptionbudget",
            Self::PriorityClass => "priorityclass",
            Self::ResourceClaim => "resourceclaim",
            Self::ResourceClaimTemplate => "resourceclaimtemplate",
            Self::ResourceSlice => "resourceslice",
            Self::DeviceClass => "deviceclass",
            Self::Event => "event",
            Self::ConfigMap => "configmap",
        }
    }
}

/// The group of an `apiVersion`; empty for the core group.
pub(crate) fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}
