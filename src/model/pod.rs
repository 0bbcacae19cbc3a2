//! `Pod`: what runs somewhere, or waits to.

use std::sync::Arc;

use super::affinity::Affinity;
use super::labels::Labels;
use super::meta::{Condition, Meta};
use super::names::{NodeName, PodKey, Str};
use super::resources::Resources;
use super::shared::{Common, Shared};
use super::spread::TopologySpreadConstraint;
use super::taint::{Taint, Toleration};
use super::time::Timestamp;

/// A pod. Pods of one owner share their `spec`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pod {
    /// `metadata`.
    pub meta: Meta,
    /// `spec.nodeName`: where the pod is bound.
    pub node_name: Option<NodeName>,
    /// The rest of `spec`.
    pub spec: Arc<PodSpec>,
    /// `status`.
    pub status: PodStatus,
}

impl Pod {
    /// Namespace and name.
    pub fn key(&self) -> PodKey {
        self.meta.pod_key()
    }

    /// `spec.priority`; zero when unset.
    pub fn priority(&self) -> i32 {
        self.spec.priority.unwrap_or(0)
    }

    /// Whether the pod has run to its end, one way or the other.
    pub fn is_terminal(&self) -> bool {
        matches!(self.status.phase, Phase::Succeeded | Phase::Failed)
    }

    /// Whether one of the pod's tolerations lets it on in spite of the taint.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        self.spec.tolerations.iter().any(|toleration| toleration.tolerates(taint))
    }

    /// Whether a DaemonSet made the pod.
    pub fn is_daemon(&self) -> bool {
        self.meta
            .owners
            .iter()
            .any(|owner| &*owner.kind == "DaemonSet" && owner.api_version.starts_with("apps/"))
    }
}

/// What a pod asks for: the part of `spec` that pods of one template share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PodSpec {
    /// `schedulerName`, with the API server's default.
    pub scheduler_name: SchedulerName,
    /// `priority`.
    pub priority: Option<i32>,
    /// `priorityClassName`.
    pub priority_class_name: Option<Str>,
    /// Whether `preemptionPolicy` is `Never`.
    pub never_preempts: bool,
    /// `nodeSelector`.
    pub node_selector: Labels,
    /// `affinity`.
    pub affinity: Common<Affinity>,
    /// `tolerations`.
    pub tolerations: Shared<Toleration>,
    /// `topologySpreadConstraints`.
    pub topology_spread_constraints: Shared<TopologySpreadConstraint>,
    /// `containers`.
    pub containers: Vec<Container>,
    /// `initContainers`.
    pub init_containers: Vec<Container>,
    /// `overhead`.
    pub overhead: Resources,
    /// `resources`: requests of the pod as a whole.
    pub pod_requests: Option<Resources>,
    /// `resources`: limits of the pod as a whole.
    pub pod_limits: Option<Resources>,
    /// `volumes` that can tie a pod to a place or count against a limit.
    pub volumes: Vec<PodVolume>,
    /// `schedulingGates`.
    pub scheduling_gates: Vec<Str>,
    /// `hostNetwork`.
    pub host_network: bool,
    /// `hostUsers`.
    pub host_users: Option<bool>,
    /// `resourceClaims`.
    pub resource_claims: Vec<PodResourceClaim>,
    /// `restartPolicy`; empty when unset.
    pub restart_policy: Option<Str>,
    /// `terminationGracePeriodSeconds`.
    pub termination_grace_seconds: Option<i64>,
    /// Whether a volume mount of an ephemeral container has bind mount options.
    pub ephemeral_containers_bind_mount_options: bool,
    /// Whether `schedulingGroup` is set: such a pod is scheduled with its group where that gate is on.
    pub has_scheduling_group: bool,
}

/// `schedulerName`: text whose default is `default-scheduler`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SchedulerName(pub Str);

impl Default for SchedulerName {
    fn default() -> Self {
        Self("default-scheduler".into())
    }
}

/// One container of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Container {
    /// `name`.
    pub name: Option<Str>,
    /// `image`; empty when unset.
    pub image: Option<Str>,
    /// `resources.requests`, with the limits copied where a request is missing, as the API server does.
    pub requests: Resources,
    /// `resources.limits`.
    pub limits: Resources,
    /// Names in `requests` that the object does not state: they were copied from the limits. Empty for nearly all.
    pub requests_from_limits: Vec<super::names::ResourceName>,
    /// `resources.claims`, by name.
    pub claims: Vec<Str>,
    /// `ports`.
    pub ports: Shared<ContainerPort>,
    /// Whether `restartPolicy` is `Always`: an init container that is a sidecar.
    pub restarts_always: bool,
    /// Whether a restart rule has the action `RestartAllContainers`.
    pub restarts_all_containers: bool,
    /// Whether a volume mount has `bindMountOptions`.
    pub has_bind_mount_options: bool,
}

/// One port of a container.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContainerPort {
    /// `containerPort`.
    pub container_port: i32,
    /// `hostPort`; zero when unset.
    pub host_port: i32,
    /// `hostIP`; empty when unset.
    pub host_ip: Str,
    /// `protocol`; empty when unset.
    pub protocol: Str,
}

/// One volume of a pod.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PodVolume {
    /// `name`.
    pub name: Str,
    /// Where its data is.
    pub source: VolumeSource,
}

/// Where a pod's volume has its data. Sources that matter to neither component are not kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VolumeSource {
    /// `persistentVolumeClaim.claimName`.
    PersistentVolumeClaim(Str),
    /// `ephemeral.volumeClaimTemplate`: the claim is named after the pod and the volume.
    Ephemeral {
        /// `spec.storageClassName` of the template.
        storage_class_name: Option<Str>,
        /// `spec.resources.requests.storage` of the template.
        storage: Option<super::quantity::Quantity>,
    },
    /// `gcePersistentDisk`.
    GcePersistentDisk {
        /// `pdName`.
        name: Str,
        /// `readOnly`.
        read_only: bool,
    },
    /// `awsElasticBlockStore`.
    AwsElasticBlockStore {
        /// `volumeID`.
        id: Str,
        /// `readOnly`.
        read_only: bool,
    },
    /// `azureDisk`.
    AzureDisk {
        /// `diskURI`.
        uri: Str,
    },
    /// `cinder`.
    Cinder {
        /// `volumeID`.
        id: Str,
    },
    /// `portworxVolume`.
    Portworx {
        /// `volumeID`.
        id: Str,
    },
    /// `iscsi`.
    Iscsi {
        /// `iqn`.
        iqn: Str,
        /// `readOnly`.
        read_only: bool,
    },
    /// `rbd`.
    Rbd {
        /// `monitors`.
        monitors: Vec<Str>,
        /// `pool`; empty when unset.
        pool: Str,
        /// `image`.
        image: Str,
        /// `readOnly`.
        read_only: bool,
    },
    /// `csi`: an inline volume of a driver.
    Csi {
        /// `driver`.
        driver: Str,
    },
    /// `image`: an image that is mounted.
    Image {
        /// `reference`.
        reference: Str,
    },
}

/// One of `spec.resourceClaims`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PodResourceClaim {
    /// `name`.
    pub name: Str,
    /// `resourceClaimName`.
    pub claim_name: Option<Str>,
    /// `resourceClaimTemplateName`.
    pub template_name: Option<Str>,
}

/// A pod's `status.phase`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Not all containers have started.
    #[default]
    Pending,
    /// At least one container runs.
    Running,
    /// All containers ended well.
    Succeeded,
    /// All containers ended, one of them badly.
    Failed,
    /// The node was lost.
    Unknown,
}

/// A pod's `status`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodStatus {
    /// `phase`.
    pub phase: Phase,
    /// `reason`, such as `Evicted`.
    pub reason: Option<Str>,
    /// `message`.
    pub message: Option<Str>,
    /// `nominatedNodeName`.
    pub nominated_node_name: Option<NodeName>,
    /// `startTime`.
    pub start_time: Option<Timestamp>,
    /// `conditions`.
    pub conditions: Arc<[Condition]>,
    /// What in-place resize has reported; absent for nearly all pods.
    pub resize: Option<Box<ResizeStatus>>,
    /// `resourceClaimStatuses`: the claim of each entry of `spec.resourceClaims` that comes from a template.
    pub resource_claim_names: Arc<[(Str, Option<Str>)]>,
    /// `extendedResourceClaimStatus.resourceClaimName`.
    pub extended_resource_claim: Option<Str>,
}

impl PodStatus {
    /// That of a pod that kube-scheduler found no node for: Karpenter waits for this condition.
    pub fn unschedulable() -> Self {
        let condition = Condition {
            kind: "PodScheduled".into(),
            status: "False".into(),
            reason: "Unschedulable".into(),
            message: "".into(),
            changed: None,
            observed_generation: None,
        };
        Self { phase: Phase::Pending, conditions: Arc::from([condition]), ..Self::default() }
    }
}

/// What the kubelet reported of a pod's resources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResizeStatus {
    /// `containerStatuses` that carry resources.
    pub containers: Vec<ContainerResources>,
    /// `initContainerStatuses` that carry resources.
    pub init_containers: Vec<ContainerResources>,
    /// `allocatedResources` of the pod as a whole.
    pub allocated: Option<Resources>,
    /// `resources.requests` of the pod as a whole; `Some` with nothing listed when only `resources` is set.
    pub requests: Option<Resources>,
    /// Whether `resources` of the pod as a whole is set.
    pub has_resources: bool,
}

/// What the kubelet reported of one container's resources.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerResources {
    /// `name`.
    pub name: Str,
    /// `allocatedResources`.
    pub allocated: Option<Resources>,
    /// Whether `resources` is set.
    pub has_resources: bool,
    /// `resources.requests`.
    pub requests: Option<Resources>,
}
