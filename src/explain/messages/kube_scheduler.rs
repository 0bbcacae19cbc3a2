//! kube-scheduler's reasons: its FailedScheduling event, and the PodScheduled condition.

use super::Message;

pub(super) const MESSAGES: &[Message] = &[
    Message {
        forms: &["no nodes available to schedule pods"],
        origin: "kube-scheduler",
        meaning: "There was no node at all.",
    },
    Message {
        forms: &["Insufficient {resource}"],
        origin: "kube-scheduler, plugin NodeResourcesFit",
        meaning: "So many nodes have less {resource} left than the pod asks for; what counts are requests, not use.",
    },
    Message {
        forms: &["Too many pods"],
        origin: "kube-scheduler, plugin NodeResourcesFit",
        meaning: "The nodes hold as many pods as they allow (maxPods).",
    },
    Message {
        forms: &["node(s) had untolerated taint", "that the pod didn't tolerate"],
        origin: "kube-scheduler, plugin TaintToleration",
        meaning: "The nodes have a taint that the pod does not tolerate. On a node that is starting it may be karpenter.sh/unregistered, not-ready, or a startup taint, and go away.",
    },
    Message {
        forms: &[
            "didn't match Pod's node affinity",
            "didn't satisfy plugin(s) [NodeAffinity]",
            "didn't match node selector",
        ],
        origin: "kube-scheduler, plugin NodeAffinity",
        meaning: "The nodes do not have the labels that the pod's node selector or required affinity asks for.",
    },
    Message {
        forms: &["didn't match pod topology spread constraints"],
        origin: "kube-scheduler, plugin PodTopologySpread",
        meaning: "The pod would make the spread more uneven than maxSkew allows; or, where it says so, the node lacks the topology label.",
    },
    Message {
        forms: &["didn't match pod affinity rules"],
        origin: "kube-scheduler, plugin InterPodAffinity",
        meaning: "No pod that the pod must be near is there.",
    },
    Message {
        forms: &["didn't match pod anti-affinity rules"],
        origin: "kube-scheduler, plugin InterPodAffinity",
        meaning: "A pod that the pod must not be near is there.",
    },
    Message {
        forms: &["didn't satisfy existing pods anti-affinity rules"],
        origin: "kube-scheduler, plugin InterPodAffinity",
        meaning: "The rule belongs to pods that are there already: their required anti-affinity selects this pod.",
    },
    Message {
        forms: &[
            "didn't match PersistentVolume's node affinity",
            "had volume node affinity conflict",
        ],
        origin: "kube-scheduler, plugin VolumeBinding",
        meaning: "The pod's volume cannot be reached from the nodes: it is in another zone.",
    },
    Message {
        forms: &["didn't find available persistent volumes to bind"],
        origin: "kube-scheduler, plugin VolumeBinding",
        meaning: "No free volume fits the pod's claim on the nodes, and none can be made there.",
    },
    Message {
        forms: &["pod has unbound immediate PersistentVolumeClaims"],
        origin: "kube-scheduler, plugin VolumeBinding",
        meaning: "A claim whose class binds at once is not bound: the provisioner has not done its work, or the class does not exist.",
    },
    Message {
        forms: &["did not have enough free storage"],
        origin: "kube-scheduler, plugin VolumeBinding",
        meaning: "The storage that the nodes reach has too little left for the claim.",
    },
    Message {
        forms: &["exceed max volume count"],
        origin: "kube-scheduler, plugin NodeVolumeLimits",
        meaning: "The nodes have as many volumes attached as they allow.",
    },
    Message {
        forms: &["had no available volume zone"],
        origin: "kube-scheduler, plugin VolumeZone",
        meaning: "The pod's volume is in another zone than the nodes.",
    },
    Message {
        forms: &["had no available disk", "ReadWriteOncePod"],
        origin: "kube-scheduler, plugin VolumeRestrictions",
        meaning: "The pod's volume is in use, and may be used once only.",
    },
    Message {
        forms: &["didn't have free ports for the requested pod ports"],
        origin: "kube-scheduler, plugin NodePorts",
        meaning: "A host port that the pod asks for is taken on the nodes.",
    },
    Message {
        forms: &["node(s) were unschedulable"],
        origin: "kube-scheduler, plugin NodeUnschedulable",
        meaning: "The nodes are cordoned.",
    },
    Message {
        forms: &["No preemption victims found for incoming pod"],
        origin: "kube-scheduler, plugin DefaultPreemption",
        meaning: "No pod of lower priority is there whose removal would make room.",
    },
    Message {
        forms: &["Preemption is not helpful for scheduling"],
        origin: "kube-scheduler, plugin DefaultPreemption",
        meaning: "On these nodes nothing that could be removed stands in the way: it is a taint, a label or a volume.",
    },
    Message {
        forms: &["not eligible due to preemptionPolicy=Never"],
        origin: "kube-scheduler, plugin DefaultPreemption",
        meaning: "The pod's PriorityClass does not let it preempt.",
    },
    Message {
        forms: &["Preempted by pod {pod} on node {node}", "Preempted by a pod on node {node}"],
        origin: "Preempted, kube-scheduler's event on the victim",
        meaning: "A pod of higher priority took the room on {node}.",
    },
    Message {
        forms: &["Successfully assigned {pod} to {node}"],
        origin: "Scheduled, kube-scheduler's event on the pod",
        meaning: "kube-scheduler bound {pod} to {node}. Whether Karpenter had meant it for that node, kubectl landed explain tells.",
    },
    Message {
        forms: &["pod didn't trigger scale-up"],
        origin: "NotTriggerScaleUp, Cluster Autoscaler's event",
        meaning: "This is Cluster Autoscaler, not Karpenter: both run in this cluster, or did.",
    },
];
