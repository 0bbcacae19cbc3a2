//! `Rejection`: why a plugin refuses, as a value, and upstream's words for it.

use crate::model::names::{PodKey, ResourceName, Str};
use crate::model::taint::Taint;

use super::version::Version;

/// A host port: address, protocol, port. An address or protocol that is not stated is `0.0.0.0` and `TCP`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostPort {
    /// `hostIP`.
    pub ip: Str,
    /// `protocol`.
    pub protocol: Str,
    /// `hostPort`.
    pub port: i32,
}

/// Why a plugin refuses a pod or a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rejection {
    /// SchedulingGates: the pod still has gates.
    SchedulingGates(Vec<Str>),
    /// NodeName: the pod names another node.
    NodeName,
    /// NodeUnschedulable: the node is cordoned.
    Unschedulable,
    /// TaintToleration: the first hard taint that the pod does not tolerate.
    UntoleratedTaint(Taint),
    /// NodeAffinity: the profile's added affinity does not match.
    EnforcedNodeAffinity,
    /// NodeAffinity: the pod's node selector or required affinity does not match.
    NodeAffinity,
    /// NodeAffinity: one term asks for two nodes by name.
    AffinityTermsConflict,
    /// NodePorts: a port that the pod wants is in use.
    HostPortInUse(HostPort),
    /// NodeResourcesFit: the node has as many pods as it allows.
    TooManyPods {
        /// Pods on the node.
        pods: i64,
        /// Pods that it allows.
        allowed: i64,
    },
    /// NodeResourcesFit: less is left than the pod asks for. In the unit that upstream counts in: cpu in thousandths.
    InsufficientResource {
        /// The resource.
        resource: ResourceName,
        /// What the pod asks for.
        requested: i64,
        /// What is in use.
        used: i64,
        /// What the node has.
        allocatable: i64,
    },
    /// VolumeRestrictions: an inline disk is in use on the node.
    DiskConflict {
        /// The pod that uses it.
        pod: PodKey,
    },
    /// VolumeRestrictions: a claim for one pod alone is in use.
    ReadWriteOncePodInUse,
    /// VolumeRestrictions, VolumeBinding, VolumeZone: a claim does not exist.
    ClaimNotFound(Str),
    /// NodeVolumeLimits: a claim does not exist.
    ClaimLookup {
        /// Namespace of the claim.
        namespace: Str,
        /// The claim.
        claim: Str,
    },
    /// NodeVolumeLimits: more volumes than the node can attach.
    VolumeLimit {
        /// The driver.
        driver: Str,
        /// Volumes attached.
        attached: i64,
        /// Volumes that the pod adds.
        new: i64,
        /// Volumes that the node can attach.
        limit: i64,
    },
    /// NodeVolumeLimits: the node lacks a driver that must be there.
    DriverNotInstalled(Str),
    /// VolumeBinding: the claim of an ephemeral volume does not exist yet.
    EphemeralClaimNotCreated(Str),
    /// VolumeBinding: a claim lost its volume.
    ClaimLost {
        /// The claim.
        claim: Str,
        /// The volume.
        volume: Str,
    },
    /// VolumeBinding: a claim is being deleted.
    ClaimBeingDeleted(Str),
    /// VolumeBinding, NodeVolumeLimits: the claim of an ephemeral volume belongs to something else.
    ClaimNotOwned {
        /// The claim.
        claim: Str,
        /// The pod.
        pod: PodKey,
    },
    /// VolumeBinding: a claim that binds at once is not bound.
    UnboundImmediateClaims,
    /// VolumeBinding: a bound volume is not reachable from the node.
    VolumeNodeAffinity,
    /// VolumeBinding: no volume for a claim, and none can be made.
    NoVolumeToBind,
    /// VolumeBinding: the node's storage has too little left.
    NotEnoughStorage,
    /// VolumeBinding: a claim is bound to a volume that is gone.
    BoundVolumeGone,
    /// VolumeZone: a volume is in another zone or region than the node.
    VolumeZone,
    /// VolumeZone: a claim has no name.
    ClaimWithoutName,
    /// VolumeZone: a claim has neither volume nor class.
    ClaimWithoutVolumeAndClass,
    /// VolumeZone: a class does not exist.
    StorageClassNotFound(Str),
    /// VolumeZone: a class does not say when it binds.
    BindingModeNotSet(Str),
    /// VolumeZone: a claim is not bound.
    VolumeWithoutName,
    /// VolumeZone: a volume does not exist.
    VolumeNotFound(Str),
    /// PodTopologySpread: the pod would make the spread too uneven.
    SpreadSkew {
        /// The constraint's `topologyKey`.
        topology_key: Str,
        /// The node's domain.
        domain: Str,
        /// Matching pods in the domain.
        count: i64,
        /// The smallest count of a domain.
        minimum: i64,
        /// 1 when the pod itself counts.
        itself: i64,
        /// The constraint's `maxSkew`.
        max_skew: i64,
    },
    /// PodTopologySpread: the node lacks the label of a constraint.
    SpreadMissingLabel(Str),
    /// InterPodAffinity: no matching pod is near.
    PodAffinity {
        /// The first `topologyKey` for which none is.
        topology_key: Str,
    },
    /// InterPodAffinity: a matching pod is near.
    PodAntiAffinity {
        /// The `topologyKey` within which it is.
        topology_key: Str,
    },
    /// InterPodAffinity: a pod that is near keeps the pod away.
    ExistingPodAntiAffinity {
        /// The `topologyKey` within which it is.
        topology_key: Str,
    },
    /// DynamicResources: one of its many texts.
    DynamicResources(Str),
    /// NodeDeclaredFeatures: the kubelet lacks these.
    MissingFeatures(Vec<Str>),
    /// A plugin's PreFilter left only other nodes; the names of the plugins, in order.
    NotSelectedBy(Vec<&'static str>),
    /// The plugins' PreFilters leave no node in common; the names of the plugins, in order.
    NoNodeSelectedBy(Vec<&'static str>),
    /// DefaultPreemption: no pod on the node is less important.
    NoVictims,
    /// DefaultPreemption: nothing on the node can be changed.
    PreemptionNotHelpful,
    /// A plugin's failure, in its words.
    Failure(Str),
}

impl Rejection {
    /// What upstream writes.
    pub fn message(&self, version: &Version) -> String {
        match self {
            Self::SchedulingGates(gates) => {
                format!("waiting for scheduling gates: [{}]", gates.join(" "))
            }
            Self::NodeName => "node(s) didn't match the requested node name".into(),
            Self::Unschedulable => "node(s) were unschedulable".into(),
            Self::UntoleratedTaint(taint) if !version.since(34) => {
                format!("node(s) had untolerated taint {{{}: {}}}", taint.key, taint.value)
            }
            Self::UntoleratedTaint(_) => "node(s) had untolerated taint(s)".into(),
            Self::EnforcedNodeAffinity => {
                "node(s) didn't match scheduler-enforced node affinity".into()
            }
            Self::NodeAffinity => "node(s) didn't match Pod's node affinity/selector".into(),
            Self::AffinityTermsConflict => "pod affinity terms conflict".into(),
            Self::HostPortInUse(_) => {
                "node(s) didn't have free ports for the requested pod ports".into()
            }
            Self::TooManyPods { .. } => "Too many pods".into(),
            Self::InsufficientResource { resource, .. } => format!("Insufficient {resource}"),
            Self::DiskConflict { .. } => "node(s) had no available disk".into(),
            Self::ReadWriteOncePodInUse if !version.since(34) => {
                "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode".into()
            }
            Self::ReadWriteOncePodInUse => {
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod".into()
            }
            Self::ClaimNotFound(claim) => format!("persistentvolumeclaim \"{claim}\" not found"),
            Self::ClaimLookup { namespace, claim } => format!(
                "looking up PVC {namespace}/{claim}: persistentvolumeclaim \"{claim}\" not found"
            ),
            Self::VolumeLimit { .. } => "node(s) exceed max volume count".into(),
            Self::DriverNotInstalled(driver) => {
                format!("{driver} CSI driver is not installed on the node")
            }
            Self::EphemeralClaimNotCreated(claim) => format!(
                "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{claim}\""
            ),
            Self::ClaimLost { claim, volume } => format!(
                "persistentvolumeclaim \"{claim}\" bound to non-existent persistentvolume \"{volume}\""
            ),
            Self::ClaimBeingDeleted(claim) => {
                format!("persistentvolumeclaim \"{claim}\" is being deleted")
            }
            Self::ClaimNotOwned { claim, pod } => format!(
                "PVC {}/{claim} was not created for pod {pod} (pod is not owner)",
                pod.namespace
            ),
            Self::UnboundImmediateClaims => {
                "pod has unbound immediate PersistentVolumeClaims".into()
            }
            Self::VolumeNodeAffinity => {
                "node(s) didn't match PersistentVolume's node affinity".into()
            }
            Self::NoVolumeToBind => {
                "node(s) didn't find available persistent volumes to bind".into()
            }
            Self::NotEnoughStorage => "node(s) did not have enough free storage".into(),
            Self::BoundVolumeGone => {
                "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)".into()
            }
            Self::VolumeZone => "node(s) had no available volume zone".into(),
            Self::ClaimWithoutName => "PersistentVolumeClaim had no name".into(),
            Self::ClaimWithoutVolumeAndClass => {
                "PersistentVolumeClaim had no pv name and storageClass name".into()
            }
            Self::StorageClassNotFound(class) => {
                format!("storageclass.storage.k8s.io \"{class}\" not found")
            }
            Self::BindingModeNotSet(class) => {
                format!("VolumeBindingMode not set for StorageClass \"{class}\"")
            }
            Self::VolumeWithoutName => "PersistentVolume had no name".into(),
            Self::VolumeNotFound(volume) => format!("persistentvolume \"{volume}\" not found"),
            Self::SpreadSkew { .. } => {
                "node(s) didn't match pod topology spread constraints".into()
            }
            Self::SpreadMissingLabel(_) => {
                "node(s) didn't match pod topology spread constraints (missing required label)"
                    .into()
            }
            Self::PodAffinity { .. } => "node(s) didn't match pod affinity rules".into(),
            Self::PodAntiAffinity { .. } => "node(s) didn't match pod anti-affinity rules".into(),
            Self::ExistingPodAntiAffinity { .. } => {
                "node(s) didn't satisfy existing pods anti-affinity rules".into()
            }
            Self::MissingFeatures(_) => "node(s) didn't match Pod's required features".into(),
            Self::NotSelectedBy(plugins) => {
                format!("node(s) didn't satisfy plugin(s) [{}]", plugins.join(" "))
            }
            Self::NoNodeSelectedBy(plugins) => no_node_selected_by(plugins),
            Self::NoVictims => "No preemption victims found for incoming pod".into(),
            Self::PreemptionNotHelpful => "Preemption is not helpful for scheduling".into(),
            Self::DynamicResources(text) | Self::Failure(text) => text.to_string(),
        }
    }
}

fn no_node_selected_by(plugins: &[&str]) -> String {
    match plugins {
        [plugin] => format!("node(s) didn't satisfy plugin {plugin}"),
        several => {
            format!("node(s) didn't satisfy plugin(s) [{}] simultaneously", several.join(" "))
        }
    }
}
