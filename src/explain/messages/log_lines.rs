//! Lines of Karpenter's log that are worth reading.

use super::Message;

const LOG: &str = "Karpenter's log";

pub(super) const MESSAGES: &[Message] = &[
    Message {
        forms: &["relaxing soft constraints for pod since it previously failed to schedule"],
        origin: LOG,
        meaning: "Karpenter gives up a soft rule of the pod because no place satisfies it; the reason names which. It only does so when its simulation fails, not when a launch does.",
    },
    Message {
        forms: &["computed new nodeclaim(s) to fit pod(s)"],
        origin: LOG,
        meaning: "A pass planned new nodes: so many NodeClaims for so many pods.",
    },
    Message {
        forms: &["computed unready node(s) will fit pod(s)"],
        origin: LOG,
        meaning: "A pass counts on nodes that exist or are starting: nothing is launched for these pods.",
    },
    Message {
        forms: &["computing scheduling decision for provisionable pod(s)"],
        origin: LOG,
        meaning: "A pass begins: it looks at every pod that waits, not only at those that woke it.",
    },
    Message {
        forms: &["found provisionable pod(s)"],
        origin: LOG,
        meaning: "A pass is done with its plan.",
    },
    Message {
        forms: &["could not schedule pod"],
        origin: LOG,
        meaning: "Karpenter found neither a node nor a NodePool for the pod; the error names each NodePool's reason.",
    },
    Message {
        forms: &["which can prevent consolidation"],
        origin: LOG,
        meaning: "Pods have soft spreads or soft anti-affinity: Karpenter treats them as required while it can, so it may launch more nodes than kube-scheduler fills, and cannot always take them away again.",
    },
    Message {
        forms: &["instance types were excluded because they would breach limits"],
        origin: LOG,
        meaning: "The NodePool's limit leaves only smaller instance types.",
    },
    Message {
        forms: &["ignoring nodepool, not ready"],
        origin: LOG,
        meaning: "The NodePool or its NodeClass is not ready: it is passed over.",
    },
    Message {
        forms: &["scheduling simulation timed out"],
        origin: LOG,
        meaning: "A pass took longer than a minute: pods that it did not reach are planned for later, without an event.",
    },
    Message {
        forms: &["deferring scheduling decision"],
        origin: LOG,
        meaning: "Reserved capacity is held by other NodeClaims of the pass: the pod is planned for in the next.",
    },
];
