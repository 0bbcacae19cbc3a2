//! Karpenter's events.

use super::Message;

const POD: &str = "Karpenter's event on the pod";
const NODE: &str = "Karpenter's event on the node or NodeClaim";

pub(super) const MESSAGES: &[Message] = &[
    Message {
        forms: &[
            "Pod should schedule on: nodeclaim/{claim}",
            "Pod should schedule on: machine/{claim}",
            "Pod should schedule on: node/{claim}",
        ],
        origin: "Nominated, Karpenter's event on the pod",
        meaning: "Karpenter's plan: it counts on {claim} for the pod. It reserves nothing; kube-scheduler does not know of it and takes the first node that fits. At most 5 such events are sent a second, one a pod in two minutes.",
    },
    Message {
        forms: &["Failed to schedule pod, "],
        origin: "FailedScheduling, Karpenter's event on the pod",
        meaning: "Karpenter found neither a node nor a NodePool for the pod; the reasons follow, one a NodePool, joined by semicolons. It is repeated every 5 minutes at most.",
    },
    Message {
        forms: &["nominated for this pod failed to launch: {reason}"],
        origin: POD,
        meaning: "The cloud had no capacity for the NodeClaim that was made for the pod: {reason}. Karpenter deletes the claim and plans anew; a preference that shaped it is not given up for that.",
    },
    Message {
        forms: &["NodePool requirements filtered out all compatible available instance types"],
        origin: "NoCompatibleInstanceTypes, Karpenter's event on the NodePool",
        meaning: "The NodePool's own requirements leave no instance type: it is out of the game before any pod is looked at.",
    },
    Message {
        forms: &["Missing karpenter.sh/unregistered taint"],
        origin: "UnregisteredTaintMissing, Karpenter's event on the NodeClaim",
        meaning: "The node joined without the taint that keeps pods off until Karpenter has registered it: the image or its user data does not set it, and pods may come too early.",
    },
    Message {
        forms: &["Can't replace with a cheaper node"],
        origin: NODE,
        meaning: "Consolidation looked at the node and found no cheaper one that would take its pods: it stays.",
    },
    Message {
        forms: &["Can't remove without creating {number} candidates"],
        origin: NODE,
        meaning: "Removing the node would need {number} new ones: it stays.",
    },
    Message {
        forms: &[
            "not all pods would schedule, {pod} => {reason}",
            "Not all pods would schedule, {pod} => {reason}",
        ],
        origin: NODE,
        meaning: "The node stays because {pod} would have no other place: {reason}.",
    },
    Message {
        forms: &[
            "has consolidation disabled",
            "has consolidation policy WhenEmpty, but node is not empty",
        ],
        origin: NODE,
        meaning: "The NodePool's disruption settings keep the node: consolidation is off, or acts on empty nodes only.",
    },
    Message {
        forms: &[
            "SpotToSpotConsolidation is disabled",
            "SpotToSpotConsolidation requires 15 cheaper instance type options",
        ],
        origin: NODE,
        meaning: "A spot node is replaced by another spot node only with the feature gate SpotToSpotConsolidation, and with 15 cheaper types to choose from.",
    },
    Message {
        forms: &["Node is nominated for a pending pod", "machine is nominated"],
        origin: "DisruptionBlocked, Karpenter's event on the node or NodeClaim",
        meaning: "For some 20 seconds after a plan counts on a node, it is not disrupted.",
    },
    Message {
        forms: &["Node isn't initialized", "node isn't initialized"],
        origin: "DisruptionBlocked, Karpenter's event on the node or NodeClaim",
        meaning: "The node is not initialized: startup taints stand, it is not ready, or a resource is missing. It is not consolidated until then.",
    },
    Message {
        forms: &[
            "has \"karpenter.sh/do-not-disrupt\" annotation",
            "Pdb prevents pod evictions",
            "pdb prevents pod evictions",
        ],
        origin: "DisruptionBlocked, Karpenter's event on the node or NodeClaim",
        meaning: "A pod on the node may not be moved: by its own annotation, or by a PodDisruptionBudget that allows no disruption now.",
    },
    Message {
        forms: &["No allowed disruptions"],
        origin: "DisruptionBlocked, Karpenter's event on the NodePool",
        meaning: "The NodePool's budgets allow no further disruption at the moment.",
    },
    Message {
        forms: &["Disrupting Node: {reason}", "Disrupting NodeClaim: {reason}"],
        origin: "DisruptionTerminating, Karpenter's event on the node or NodeClaim",
        meaning: "Karpenter takes the node away: {reason}.",
    },
    Message {
        forms: &["expected {expected} of resource {resource}, but found {found}"],
        origin: "FailedConsistencyCheck, Karpenter's event on the NodeClaim",
        meaning: "The machine offers less {resource} than Karpenter had predicted ({found} of {expected}): pods that were planned for it may not fit.",
    },
];
