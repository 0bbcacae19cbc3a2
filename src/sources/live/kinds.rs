//! `KINDS`: what is read from a cluster, in which versions, and the rights that it takes. Never a Secret, never a
//! ConfigMap list.

/// When a kind is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Every answer needs it.
    Always,
    /// An answer is complete without it where the cluster does not serve it.
    IfServed,
    /// Only a dump keeps it, so that later versions can use it.
    DumpOnly,
}

/// A kind of object, in every version that is understood.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// API group; empty for the core.
    pub group: &'static str,
    /// Understood versions, the best first.
    pub versions: &'static [&'static str],
    /// The resource's name in paths and rules.
    pub plural: &'static str,
    /// `kind`.
    pub kind: &'static str,
    /// Whether its objects live in namespaces.
    pub is_namespaced: bool,
    /// When it is read.
    pub need: Need,
}

const fn cluster(
    group: &'static str,
    versions: &'static [&'static str],
    plural: &'static str,
    kind: &'static str,
    need: Need,
) -> Kind {
    Kind { group, versions, plural, kind, is_namespaced: false, need }
}

const fn namespaced(
    group: &'static str,
    versions: &'static [&'static str],
    plural: &'static str,
    kind: &'static str,
    need: Need,
) -> Kind {
    Kind { group, versions, plural, kind, is_namespaced: true, need }
}

const V1: &[&str] = &["v1"];
const DRA: &[&str] = &["v1", "v1beta2", "v1beta1"];

/// What is read, the longest lists first. Provider NodeClasses are found by discovery: [`NODE_CLASS_GROUPS`].
pub const KINDS: &[Kind] = &[
    namespaced("", V1, "pods", "Pod", Need::Always),
    cluster("", V1, "nodes", "Node", Need::Always),
    namespaced("", V1, "events", "Event", Need::Always),
    namespaced("apps", V1, "replicasets", "ReplicaSet", Need::Always),
    cluster("karpenter.sh", &["v1", "v1beta1"], "nodepools", "NodePool", Need::Always),
    cluster("karpenter.sh", &["v1", "v1beta1"], "nodeclaims", "NodeClaim", Need::Always),
    cluster(
        "karpenter.sh",
        &["v1", "v1beta1", "v1alpha1"],
        "nodeoverlays",
        "NodeOverlay",
        Need::IfServed,
    ),
    namespaced(
        "autoscaling.x-k8s.io",
        &["v1", "v1beta1", "v1alpha1"],
        "capacitybuffers",
        "CapacityBuffer",
        Need::IfServed,
    ),
    cluster("", V1, "namespaces", "Namespace", Need::Always),
    namespaced("", V1, "services", "Service", Need::Always),
    namespaced("", V1, "replicationcontrollers", "ReplicationController", Need::Always),
    namespaced("", V1, "persistentvolumeclaims", "PersistentVolumeClaim", Need::Always),
    cluster("", V1, "persistentvolumes", "PersistentVolume", Need::Always),
    namespaced("", V1, "podtemplates", "PodTemplate", Need::DumpOnly),
    namespaced("apps", V1, "daemonsets", "DaemonSet", Need::Always),
    namespaced("apps", V1, "deployments", "Deployment", Need::Always),
    namespaced("apps", V1, "statefulsets", "StatefulSet", Need::Always),
    namespaced("batch", V1, "jobs", "Job", Need::DumpOnly),
    namespaced("batch", V1, "cronjobs", "CronJob", Need::DumpOnly),
    namespaced("policy", V1, "poddisruptionbudgets", "PodDisruptionBudget", Need::Always),
    cluster("scheduling.k8s.io", V1, "priorityclasses", "PriorityClass", Need::Always),
    cluster("storage.k8s.io", V1, "storageclasses", "StorageClass", Need::Always),
    cluster("storage.k8s.io", V1, "csinodes", "CSINode", Need::Always),
    cluster("storage.k8s.io", V1, "csidrivers", "CSIDriver", Need::Always),
    namespaced("storage.k8s.io", V1, "csistoragecapacities", "CSIStorageCapacity", Need::Always),
    cluster("storage.k8s.io", V1, "volumeattachments", "VolumeAttachment", Need::Always),
    namespaced("resource.k8s.io", DRA, "resourceclaims", "ResourceClaim", Need::IfServed),
    namespaced(
        "resource.k8s.io",
        DRA,
        "resourceclaimtemplates",
        "ResourceClaimTemplate",
        Need::IfServed,
    ),
    cluster("resource.k8s.io", DRA, "resourceslices", "ResourceSlice", Need::IfServed),
    cluster("resource.k8s.io", DRA, "deviceclasses", "DeviceClass", Need::IfServed),
];

/// Provider NodeClasses that are known: API group and resource. Others are read too where the cluster serves a kind
/// that ends in `NodeClass` in a group that starts with `karpenter.`.
pub const NODE_CLASS_GROUPS: &[(&str, &str)] = &[
    ("karpenter.k8s.aws", "ec2nodeclasses"),
    ("karpenter.azure.com", "aksnodeclasses"),
    ("karpenter.k8s.gcp", "gcenodeclasses"),
    ("karpenter.k8s.oracle", "ocinodeclasses"),
    ("karpenter.k8s.alibabacloud", "ecsnodeclasses"),
    ("karpenter.kwok.sh", "kwoknodeclasses"),
    ("eks.amazonaws.com", "nodeclasses"),
];

/// The only ConfigMaps that are ever read, each by its name: namespace and name.
pub const CONFIG_MAPS: &[(&str, &str)] =
    &[("kube-system", "kube-scheduler-config"), ("kube-system", "karpenter-global-settings")];

/// A resource as one cluster serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// API group; empty for the core.
    pub group: String,
    /// The version that is read.
    pub version: String,
    /// The resource's name in paths and rules.
    pub plural: String,
    /// `kind`.
    pub kind: String,
    /// Whether its objects live in namespaces.
    pub is_namespaced: bool,
}

impl Resource {
    /// A kind in one of its versions.
    pub fn of(kind: &Kind, version: &str) -> Self {
        Self {
            group: kind.group.to_owned(),
            version: version.to_owned(),
            plural: kind.plural.to_owned(),
            kind: kind.kind.to_owned(),
            is_namespaced: kind.is_namespaced,
        }
    }

    /// `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            return self.version.clone();
        }
        format!("{}/{}", self.group, self.version)
    }

    /// The path of its list, of all namespaces or of one.
    pub fn path(&self, namespace: Option<&str>) -> String {
        let root = if self.group.is_empty() { "/api" } else { "/apis" };
        let mut path = format!("{root}/{}", self.api_version());
        if let Some(namespace) = namespace.filter(|_| self.is_namespaced) {
            path.push_str("/namespaces/");
            path.push_str(namespace);
        }
        path.push('/');
        path.push_str(&self.plural);
        path
    }

    /// As `kubectl get` takes it: `nodepools.karpenter.sh`, `pods`.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() {
            return self.plural.clone();
        }
        format!("{}.{}", self.plural, self.group)
    }

    /// ConfigMaps, of which no list is ever asked for.
    pub(super) fn config_maps() -> Self {
        Self {
            group: String::new(),
            version: "v1".to_owned(),
            plural: "configmaps".to_owned(),
            kind: "ConfigMap".to_owned(),
            is_namespaced: true,
        }
    }

    /// The least rule of a ClusterRole that allows reading it.
    pub fn rule(&self) -> String {
        format!(
            "- apiGroups: [\"{}\"]\n  resources: [\"{}\"]\n  verbs: [\"get\", \"list\"]",
            self.group, self.plural
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_config_maps_are_not_among_the_kinds() {
        for kind in KINDS {
            assert!(!["secrets", "configmaps"].contains(&kind.plural), "{}", kind.plural);
        }
    }

    #[test]
    fn a_path_names_group_version_and_namespace() {
        let pods = Resource::of(&KINDS[0], "v1");
        assert_eq!(pods.path(None), "/api/v1/pods");
        assert_eq!(pods.path(Some("shop")), "/api/v1/namespaces/shop/pods");
        let pools = KINDS
            .iter()
            .find(|kind| kind.plural == "nodepools")
            .map(|kind| Resource::of(kind, "v1"));
        let pools = pools.expect("NodePools are read");
        assert_eq!(pools.path(Some("shop")), "/apis/karpenter.sh/v1/nodepools");
        assert_eq!(pools.qualified(), "nodepools.karpenter.sh");
    }
}
