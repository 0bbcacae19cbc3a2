//! Which fields of each kind a dump keeps. What is not named here is left out, also what a later API adds.

use std::collections::BTreeMap;

/// A field: kept whole, or only these parts of it. Lists do not show: a part is a part of each element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields {
    /// The parts that are kept; empty: all.
    pub(super) parts: BTreeMap<String, Fields>,
}

/// The fields of a kind beside `apiVersion`, `kind` and `metadata`; none: the kind is not kept at all.
pub(super) fn fields(api_version: &str, kind: &str) -> Option<Fields> {
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let text = match (group, kind) {
        ("", "Pod") => "spec(@podSpec) status(@podStatus)",
        ("", "PodTemplate") => "template(metadata(labels annotations) spec(@podSpec))",
        ("apps" | "", "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet" | "ReplicationController") => {
            "spec(selector replicas template(metadata(labels annotations) spec(@podSpec)) volumeClaimTemplates(metadata(name) spec))
             status(replicas readyReplicas)"
        }
        ("batch", "Job") => "spec(selector parallelism completions suspend template(metadata(labels annotations) spec(@podSpec)))",
        ("batch", "CronJob") => {
            "spec(schedule suspend jobTemplate(spec(parallelism template(metadata(labels annotations) spec(@podSpec)))))"
        }
        ("", "Node") => {
            "spec(providerID unschedulable taints)
             status(capacity allocatable conditions images declaredFeatures features volumesAttached
             nodeInfo(kubeletVersion osImage architecture operatingSystem kernelVersion))"
        }
        // Only of the two that hold settings: see `redact`.
        ("", "ConfigMap") => "data",
        ("", "Namespace") => "status(phase)",
        ("", "Service") => "spec(selector type)",
        ("", "PersistentVolumeClaim") => {
            "spec(volumeName storageClassName resources accessModes volumeMode volumeAttributesClassName selector) status(phase)"
        }
        ("", "PersistentVolume") => {
            "spec(capacity accessModes volumeMode storageClassName volumeAttributesClassName claimRef(namespace name uid)
             nodeAffinity csi(driver volumeHandle) awsElasticBlockStore(volumeID) gcePersistentDisk(pdName)
             azureDisk(diskName diskURI) cinder(volumeID) portworxVolume(volumeID) hostPath(type) local(fsType)) status(phase)"
        }
        ("storage.k8s.io", "StorageClass") => "provisioner volumeBindingMode allowedTopologies reclaimPolicy",
        ("storage.k8s.io", "CSINode") => "spec(drivers(name nodeID allocatable topologyKeys))",
        ("storage.k8s.io", "CSIDriver") => "spec",
        ("storage.k8s.io", "CSIStorageCapacity") => "storageClassName nodeTopology capacity maximumVolumeSize",
        ("storage.k8s.io", "VolumeAttachment") => "spec(attacher nodeName source(persistentVolumeName)) status(attached)",
        ("policy", "PodDisruptionBudget") => {
            "spec status(disruptionsAllowed disruptedPods currentHealthy desiredHealthy expectedPods)"
        }
        ("scheduling.k8s.io", "PriorityClass") => "value globalDefault preemptionPolicy",
        // What a driver is configured with is opaque: it stays out.
        ("resource.k8s.io", "ResourceClaim") => {
            "spec(devices(requests constraints)) status(allocation(devices(results) nodeSelector allocationTimestamp) reservedFor)"
        }
        ("resource.k8s.io", "ResourceClaimTemplate") => "spec(spec(devices(requests constraints)))",
        ("resource.k8s.io", "DeviceClass") => "spec(selectors extendedResourceName)",
        ("resource.k8s.io", "ResourceSlice")
        | ("autoscaling.x-k8s.io", "CapacityBuffer")
        | ("karpenter.sh", "NodeClaim") => "spec status",
        ("karpenter.sh", "NodePool") => {
            "spec(template(metadata(labels annotations) spec) weight limits replicas disruption) status(resources conditions nodes)"
        }
        ("karpenter.sh", "NodeOverlay") => "spec status(conditions)",
        ("" | "events.k8s.io", "Event") => {
            "involvedObject(kind namespace name uid) regarding(kind namespace name uid) type reason message note action
             source(component) deprecatedSource(component) reportingComponent reportingController eventTime
             firstTimestamp lastTimestamp deprecatedFirstTimestamp deprecatedLastTimestamp count deprecatedCount
             series(count lastObservedTime)"
        }
        _ if !group.is_empty() && kind.ends_with("NodeClass") => {
            "spec(amiFamily amiSelectorTerms subnetSelectorTerms securityGroupSelectorTerms capacityReservationSelectorTerms
             kubelet blockDeviceMappings(deviceName rootVolume ebs(volumeSize volumeType)) instanceStorePolicy
             networkInterfaces(networkCardIndex interfaceType) placementGroupSelector
             associatePublicIPAddress detailedMonitoring placement imageFamily imageVersion osDiskSizeGB maxPods fipsMode
             nodeRegistrationDelay)
             status(subnets amis securityGroups capacityReservations conditions kubernetesVersion images)"
        }
        _ => return None,
    };
    Some(Fields { parts: parse(text) })
}

const POD_SPEC: &str = "nodeName schedulerName priority priorityClassName preemptionPolicy nodeSelector affinity tolerations
    topologySpreadConstraints containers(@container) initContainers(@container) ephemeralContainers(@container) overhead
    resources schedulingGates hostNetwork hostUsers resourceClaims restartPolicy terminationGracePeriodSeconds
    schedulingGroup runtimeClassName os
    volumes(name persistentVolumeClaim ephemeral(volumeClaimTemplate(spec)) gcePersistentDisk(pdName readOnly)
      awsElasticBlockStore(volumeID readOnly) azureDisk(diskName diskURI readOnly) cinder(volumeID readOnly)
      portworxVolume(volumeID) iscsi(iqn lun targetPortal readOnly) rbd(monitors pool image readOnly)
      csi(driver readOnly) image(reference))";

const CONTAINER: &str =
    "name image resources ports(containerPort hostPort hostIP protocol) restartPolicy
    restartPolicyRules(action) volumeMounts(bindMountOptions) env(name) args"; // Of args only Karpenter's settings: see `redact`.

const POD_STATUS: &str = "phase reason message nominatedNodeName startTime conditions qosClass
    containerStatuses(name allocatedResources resources) initContainerStatuses(name allocatedResources resources)
    allocatedResources resources resourceClaimStatuses extendedResourceClaimStatus";

/// Reads `name`, `name(part part)` and the three shared texts by `@`.
fn parse(text: &str) -> BTreeMap<String, Fields> {
    let text = text
        .replace("@podSpec", POD_SPEC)
        .replace("@podStatus", POD_STATUS)
        .replace("@container", CONTAINER);
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    parts(&mut spaced.split_whitespace().peekable())
}

fn parts<'a>(
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
) -> BTreeMap<String, Fields> {
    let mut found = BTreeMap::new();
    while let Some(word) = words.next() {
        if word == ")" {
            break;
        }
        let is_partial = words.peek() == Some(&"(");
        if is_partial {
            words.next();
        }
        let parts = if is_partial { parts(words) } else { BTreeMap::new() };
        found.insert(word.to_owned(), Fields { parts });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_parts_are_read_and_secrets_have_no_fields() {
        let pod = fields("v1", "Pod").expect("pods are kept");
        let container = &pod.parts["spec"].parts["containers"];
        assert!(container.parts.contains_key("image") && !container.parts.contains_key("command"));
        assert_eq!(container.parts["env"].parts.keys().collect::<Vec<_>>(), ["name"]);
        assert!(pod.parts["status"].parts["conditions"].parts.is_empty());
        assert_eq!(fields("v1", "Secret"), None);
    }

    #[test]
    fn user_data_of_a_node_class_is_not_kept() {
        let class = fields("karpenter.k8s.aws/v1", "EC2NodeClass").expect("node classes are kept");
        assert!(!class.parts["spec"].parts.contains_key("userData"));
    }
}
