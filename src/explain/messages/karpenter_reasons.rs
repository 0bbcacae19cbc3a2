//! Karpenter's reasons inside FailedScheduling and Unconsolidatable.

use super::Message;

const REASON: &str = "a reason of Karpenter's, for one NodePool or node";

pub(super) const MESSAGES: &[Message] = &[
    Message {
        forms: &["did not tolerate taint (taint={taint})", "did not tolerate {taint}"],
        origin: REASON,
        meaning: "The candidate has the taint {taint}, and the pod does not tolerate it.",
    },
    Message {
        forms: &[
            "incompatible requirements, label \"{key}\" does not have known values",
            "label \"{key}\" does not have known values",
        ],
        origin: REASON,
        meaning: "The pod asks for the label {key}, which the NodePool does not offer: neither its labels nor its requirements name it.",
    },
    Message {
        forms: &["incompatible requirements, key {key}, {wanted} not in {there}"],
        origin: REASON,
        meaning: "The pod wants {wanted}, the candidate offers {there}: they have no value of {key} in common.",
    },
    Message {
        forms: &["unsatisfiable topology constraint for {kind}, key={key}"],
        origin: REASON,
        meaning: "No domain of {key} is left by the pod's or another pod's {kind}. The counts behind it are pods that count in each domain; a hostname-placeholder is a planned node.",
    },
    Message {
        forms: &[
            "no instance type met",
            "no instance type had enough resources",
            "no instance type has enough resources",
            "no instance type has the required offering",
            "no instance type which",
            "no instance type satisfied resources",
        ],
        origin: REASON,
        meaning: "Of the NodePool's instance types none fits the requirements, has room for the pod with the DaemonSets, and can be had in an allowed zone and capacity type. A DaemonSet's host port can be behind it, too.",
    },
    Message {
        forms: &[
            "all available instance types exceed limits for nodepool (NodePool={pool})",
            "all available instance types exceed limits for nodepool: \"{pool}\"",
            "node limits have been exhausted for nodepool (NodePool={pool})",
        ],
        origin: REASON,
        meaning: "NodePool {pool} has reached spec.limits. With a single NodePool this is said of every pending pod, also of those that it could never serve.",
    },
    Message {
        forms: &["nodepool requirements filtered out all available instance types"],
        origin: REASON,
        meaning: "No NodePool has any instance type left.",
    },
    Message {
        forms: &["no dynamic nodepools found"],
        origin: REASON,
        meaning: "There is no NodePool that Karpenter may use: none exists, none is ready, or all are static.",
    },
    Message {
        forms: &["incompatible volume requirements"],
        origin: REASON,
        meaning: "The pod's volumes are where the candidate cannot be; with volumes in several zones no node can serve it.",
    },
    Message {
        forms: &["would exceed volume limit"],
        origin: REASON,
        meaning: "The node, or every instance type, may attach fewer volumes than the pods need.",
    },
    Message {
        forms: &[
            "persistentvolumeclaim bound to non-existent persistentvolume",
            "unbound pvc must define a storage class",
            "pvc with immediate volume binding mode must be bound",
        ],
        origin: REASON,
        meaning: "A volume claim of the pod is not in order: Karpenter leaves the pod out until it is.",
    },
    Message {
        forms: &[
            "using label {label} is not allowed",
            "label {label} is restricted",
            "label domain \"{label}\" is restricted",
        ],
        origin: REASON,
        meaning: "{label} belongs to Karpenter or the provider and may not be asked for: the pod is dropped before the simulation. To ask for any node of Karpenter, use karpenter.sh/nodepool Exists.",
    },
    Message {
        forms: &[
            "pod has Dynamic Resource Allocation requirements",
            "no instance type can satisfy the allocation",
        ],
        origin: REASON,
        meaning: "The pod uses resource claims, which Karpenter sets aside by default (IGNORE_DRA_REQUESTS): nothing is launched for it.",
    },
    Message {
        forms: &[
            "minValues requirement",
            "due to minValues incompatibility",
            "requirements with 'minValues'",
        ],
        origin: REASON,
        meaning: "Fewer instance types, zones or families are left than minValues demands.",
    },
    Message {
        forms: &["node selector term with matchFields is not supported"],
        origin: REASON,
        meaning: "Karpenter does not plan for pods that name a node by matchFields.",
    },
    Message {
        forms: &["configured to not run on a Karpenter provisioned node"],
        origin: REASON,
        meaning: "The pod's rules or its heaviest preference rule out karpenter.sh/nodepool: Karpenter leaves it out without an event.",
    },
    Message {
        forms: &[
            "incompatible with nodepool \"{pool}\"",
            "incompatible with provisioner \"{pool}\"",
        ],
        origin: REASON,
        meaning: "Older releases put this in front of each reason: what follows is why {pool} cannot serve the pod.",
    },
    Message {
        forms: &["StartupTaint \"{taint}\" still exists"],
        origin: "condition Initialized of a NodeClaim",
        meaning: "The startup taint {taint} has not been removed: the node is not initialized, takes no pod that does not tolerate it, and Karpenter still counts on it.",
    },
    Message {
        forms: &["Resource \"{resource}\" was requested but not registered"],
        origin: "condition Initialized of a NodeClaim",
        meaning: "Pods were promised {resource}, and the node does not offer it yet: a device plugin is missing or not ready.",
    },
];
