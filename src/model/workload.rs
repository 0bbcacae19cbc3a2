//! Workloads: the owners of pods, and what selects pods.

use std::sync::Arc;

use super::labels::Labels;
use super::meta::Meta;
use super::names::Str;
use super::pod::PodSpec;
use super::selector::LabelSelector;
use super::time::Timestamp;

/// What kind of owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkloadKind {
    /// `apps/v1 DaemonSet`.
    DaemonSet,
    /// `apps/v1 Deployment`.
    Deployment,
    /// `apps/v1 ReplicaSet`.
    ReplicaSet,
    /// `apps/v1 StatefulSet`.
    StatefulSet,
    /// `v1 ReplicationController`.
    ReplicationController,
    /// `batch/v1 Job`.
    Job,
    /// `batch/v1 CronJob`.
    CronJob,
}

impl WorkloadKind {
    /// The kind as written in a manifest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DaemonSet => "DaemonSet",
            Self::Deployment => "Deployment",
            Self::ReplicaSet => "ReplicaSet",
            Self::StatefulSet => "StatefulSet",
            Self::ReplicationController => "ReplicationController",
            Self::Job => "Job",
            Self::CronJob => "CronJob",
        }
    }
}

/// An owner of pods.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// `kind`.
    pub kind: WorkloadKind,
    /// `metadata`.
    pub meta: Meta,
    /// `spec.selector`; a ReplicationController's map as `matchLabels`.
    pub selector: Option<LabelSelector>,
    /// `spec.replicas`, or a Job's `parallelism`.
    pub replicas: Option<i64>,
    /// `spec.template`.
    pub template: PodTemplate,
}

/// What a workload's pods look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodTemplate {
    /// `metadata.labels`.
    pub labels: Labels,
    /// `metadata.annotations`, only those on the allow-list of `ingest`.
    pub annotations: Labels,
    /// `spec`.
    pub spec: Arc<PodSpec>,
}

/// A PodTemplate object, as CapacityBuffers refer to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodTemplateObject {
    /// `metadata`.
    pub meta: Meta,
    /// `template`.
    pub template: PodTemplate,
}

/// A Service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.selector`.
    pub selector: Option<Labels>,
}

/// A PriorityClass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriorityClass {
    /// `metadata`.
    pub meta: Meta,
    /// `value`.
    pub value: i32,
    /// `globalDefault`.
    pub global_default: bool,
    /// `preemptionPolicy`.
    pub preemption_policy: Option<Str>,
}

/// A number or a percentage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntOrPercent {
    /// A number.
    Int(i64),
    /// A text, such as `50%`.
    Text(Str),
}

/// A PodDisruptionBudget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodDisruptionBudget {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.selector`.
    pub selector: Option<LabelSelector>,
    /// `spec.minAvailable`.
    pub min_available: Option<IntOrPercent>,
    /// `spec.maxUnavailable`.
    pub max_unavailable: Option<IntOrPercent>,
    /// `spec.unhealthyPodEvictionPolicy`.
    pub unhealthy_pod_eviction_policy: Option<Str>,
    /// `status.disruptionsAllowed`.
    pub disruptions_allowed: i32,
    /// `status.disruptedPods`: names, and when.
    pub disrupted_pods: Vec<(Str, Option<Timestamp>)>,
}

/// A Lease; kept where a controller's holder matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.holderIdentity`.
    pub holder: Option<Str>,
    /// `spec.acquireTime`.
    pub acquired: Option<Timestamp>,
    /// `spec.renewTime`.
    pub renewed: Option<Timestamp>,
}
