//! The codes of causes, with what each means. A code never changes its meaning.

use super::detectors::{bound, pending};

/// Every code, in the order of the detectors, with what it means.
pub const CODES: &[(&str, &str)] = &[
    (
        pending::startup_taint::CODE,
        "A node that Karpenter counts on carries a startup taint that nothing removes. Karpenter ignores such taints until the node is initialized, kube-scheduler does not.",
    ),
    (
        pending::preference_hardened::CODE,
        "Karpenter took the heaviest preferred node affinity as required. It gives it up only when its simulation fails, so it stays when a launch fails.",
    ),
    (
        pending::launch_failed::CODE,
        "The NodeClaim that was made for the pod could not be launched: the cloud had no capacity, or refused.",
    ),
    (
        pending::prefers_no_karpenter_node::CODE,
        "The pod prefers, or requires, nodes without karpenter.sh/nodepool: Karpenter leaves it out without an event.",
    ),
    (
        pending::restricted_label::CODE,
        "The pod asks for a label that Karpenter does not let pods ask for: it is dropped before the simulation.",
    ),
    (
        pending::dra_ignored::CODE,
        "The pod uses resource claims (DRA), which Karpenter sets aside by default.",
    ),
    (
        pending::other_scheduler::CODE,
        "Another scheduler looks after the pod; its rules are known neither to Karpenter nor to this tool.",
    ),
    (
        pending::plan_not_kept::CODE,
        "The node that was launched for the pod is there, but kube-scheduler gave its room to other pods first.",
    ),
    (
        pending::existing_pods_anti_affinity::CODE,
        "Pods that are there already have a required anti-affinity that selects this pod.",
    ),
    (pending::volume_limit::CODE, "The node can attach no further volume."),
    (
        pending::spread_pins_zone::CODE,
        "A hard topology spread leaves one domain only, and so decides where the new node must be.",
    ),
    (
        pending::daemon_overhead::CODE,
        "DaemonSets that set only limits make the node larger: limits count as requests.",
    ),
    (pending::volume_place::CODE, "The pod's volumes can be reached from none of the nodes."),
    (
        pending::nodepool_limit::CODE,
        "The NodePools that could serve the pod have reached their limits.",
    ),
    (pending::no_nodepool_fits::CODE, "No NodePool can ever launch a node for the pod."),
    (pending::waits_for_node::CODE, "A node for the pod is on its way."),
    (
        pending::waits_for_node::FROZEN,
        "A NodeClaim that is not launched yet holds all of Karpenter's provisioning back.",
    ),
    (pending::no_node_fits::CODE, "Every existing node refuses the pod."),
    (bound::preempted::CODE, "A pod of higher priority took the pod's place."),
    (
        bound::room_freed::CODE,
        "Pods left an older node while the node that was launched for the pod was on its way, and kube-scheduler took that room.",
    ),
    (
        bound::ready_first::CODE,
        "Another node was ready before the one that was launched for the pod.",
    ),
    (
        bound::took_others_room::CODE,
        "The pod took room on a node that was launched for other pods.",
    ),
    (
        bound::soft_rule_sized::CODE,
        "Karpenter counted a soft spread or anti-affinity as required and launched nodes for it; kube-scheduler only scores it.",
    ),
    (
        bound::equal_pods_swapped::CODE,
        "Equal pods changed places: every node got as many as planned. Harmless.",
    ),
    (
        bound::had_room_already::CODE,
        "There was room when kube-scheduler looked: Karpenter was never asked.",
    ),
    (
        bound::had_room_already::WEIGHTS,
        "There was room when kube-scheduler looked: weights order NodePools only when Karpenter launches something.",
    ),
    (
        bound::allocatable_mispredicted::CODE,
        "Karpenter expected a node to offer less than it then did, so a pod that would have fitted got a node of its own.",
    ),
    (
        bound::intended_refused::CODE,
        "kube-scheduler refused the node that Karpenter meant for the pod.",
    ),
    (
        bound::outscored::CODE,
        "Both nodes would have taken the pod; kube-scheduler scored the other one higher.",
    ),
    (
        bound::outscored::TIE,
        "Several nodes scored the same: chance, or the order of looking, decided.",
    ),
    (
        bound::sampled_out::CODE,
        "kube-scheduler looks only for so many feasible nodes: a better one may never have been scored.",
    ),
    (bound::relaxed_preference::CODE, "Karpenter gave up soft rules to find a place for the pod."),
];

/// What a code means.
pub fn meaning(code: &str) -> Option<&'static str> {
    CODES.iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning)
}
