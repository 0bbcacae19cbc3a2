//! The difference between what Karpenter counted on when it launched a machine and what its node then offered.
//!
//! Karpenter plans with the NodeClaim's `status.allocatable`; kube-scheduler sees the Node's. Where the node offers
//! less, a pod that was planned for it may not fit.

use serde::Serialize;

use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::quantity::Quantity;
use crate::model::resources::{CPU, EPHEMERAL_STORAGE, MEMORY, PODS};

/// One resource of which the node offers another amount than was counted on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The resource.
    pub resource: String,
    /// The NodeClaim's `status.allocatable`.
    pub predicted: Quantity,
    /// The Node's `status.allocatable`.
    pub registered: Quantity,
    /// By how much the machine itself has more; negative where it has less. The Node's `status.capacity` less the
    /// NodeClaim's.
    pub machine: Quantity,
    /// By how much the kubelet keeps more; negative where it keeps less.
    pub kept: Quantity,
    /// What that points to.
    pub because: Because,
}

impl Difference {
    /// Whether the node offers less than was counted on.
    pub fn is_shortfall(&self) -> bool {
        self.registered < self.predicted
    }

    /// What the node offers beyond what was counted on; negative where it offers less.
    pub fn amount(&self) -> Quantity {
        self.registered.minus(self.predicted)
    }
}

/// What a difference points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// Karpenter estimates how much memory the hypervisor takes; the machine shows how much it is.
    MemoryEstimated,
    /// The kubelet keeps another amount for itself than Karpenter reckons with.
    KubeletKeepsOther,
    /// Both.
    MemoryAndKubelet,
    /// The disk is smaller once it is formatted: on every node.
    DiskFormatted,
    /// The kubelet takes another number of pods than Karpenter reckons with.
    OtherPodLimit,
    /// No driver has announced the resource on the node.
    NotAnnounced,
    /// The node has another amount of the resource.
    OtherAmount,
}

impl Because {
    /// What it means, as a sentence without a full stop.
    pub const fn words(self) -> &'static str {
        match self {
            Self::MemoryEstimated => {
                "Karpenter estimates the memory that the hypervisor takes, and the machine shows another amount"
            }
            Self::KubeletKeepsOther => {
                "the kubelet keeps another amount for itself than Karpenter reckons with: image, user data or \
                 spec.kubelet of the NodeClass"
            }
            Self::MemoryAndKubelet => {
                "the machine shows another amount of memory than Karpenter estimated, and the kubelet keeps another \
                 amount for itself"
            }
            Self::DiskFormatted => "a disk is smaller once it is formatted",
            Self::OtherPodLimit => {
                "the kubelet takes another number of pods than Karpenter reckons with: maxPods or prefix delegation \
                 that only the node's own configuration has"
            }
            Self::NotAnnounced => {
                "no device plugin or driver has announced the resource on the node"
            }
            Self::OtherAmount => "the node has another amount of the resource",
        }
    }
}

/// The resources of which a node offers another amount than its NodeClaim's status says, in the order of their names.
/// Empty as long as either has no status yet.
pub fn predicted_vs_registered(claim: &NodeClaim, node: &Node) -> Vec<Difference> {
    if claim.allocatable.is_empty() || node.allocatable.is_empty() {
        return Vec::new();
    }
    let told = claim.allocatable.iter();
    let differing = told.filter_map(|(name, predicted)| {
        let name = name.as_str();
        let listed = node.allocatable.get(name);
        let registered = listed.unwrap_or_default();
        if registered == *predicted {
            return None;
        }
        let (on_node, in_claim) = (node.capacity.amount(name), claim.capacity.amount(name));
        let machine = on_node.minus(in_claim);
        let kept = on_node.minus(registered).minus(in_claim.minus(*predicted));
        let is_missing = listed.is_none() || registered.is_zero() && on_node.is_zero();
        Some(Difference {
            resource: name.to_owned(),
            predicted: *predicted,
            registered,
            machine,
            kept,
            because: because(name, is_missing, (machine, kept)),
        })
    });
    differing.collect()
}

fn because(name: &str, is_missing: bool, (machine, kept): (Quantity, Quantity)) -> Because {
    match name {
        EPHEMERAL_STORAGE => Because::DiskFormatted,
        PODS => Because::OtherPodLimit,
        MEMORY | CPU => match (machine.is_zero(), kept.is_zero()) {
            (false, true) if name == MEMORY => Because::MemoryEstimated,
            (false, false) if name == MEMORY => Because::MemoryAndKubelet,
            (true, _) => Because::KubeletKeepsOther,
            (false, _) => Because::OtherAmount,
        },
        _ if is_missing => Because::NotAnnounced,
        _ => Because::OtherAmount,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::Resources;

    fn resources(text: &str) -> Resources {
        let pair = |pair: &str| {
            let (name, amount) = pair.split_once('=').expect("name=amount");
            (name.into(), amount.parse().expect("a quantity"))
        };
        text.split_whitespace().map(pair).collect()
    }

    /// Capacity and allocatable of the NodeClaim, then of the Node; what differs, and why.
    fn compare(claim: (&str, &str), node: (&str, &str)) -> Vec<String> {
        let claim = NodeClaim {
            capacity: resources(claim.0),
            allocatable: resources(claim.1),
            ..NodeClaim::default()
        };
        let node =
            Node { capacity: resources(node.0), allocatable: resources(node.1), ..Node::default() };
        let differing = predicted_vs_registered(&claim, &node).into_iter();
        differing.map(|it| format!("{} {} {:?}", it.resource, it.amount(), it.because)).collect()
    }

    #[test]
    fn a_difference_points_to_its_reason() {
        let m5_large = ("cpu=2 memory=7577Mi pods=29", "cpu=1930m memory=6903Mi pods=29");
        for (case, node, expected) in [
            ("the same", m5_large, vec![]),
            (
                "the hypervisor takes less",
                ("cpu=2 memory=7633Mi pods=29", "cpu=1930m memory=6959Mi pods=29"),
                vec!["memory 56Mi MemoryEstimated"],
            ),
            (
                "the kubelet keeps memory for 110 pods",
                ("cpu=2 memory=7577Mi pods=110", "cpu=1930m memory=6012Mi pods=110"),
                vec!["memory -891Mi KubeletKeepsOther", "pods 81 OtherPodLimit"],
            ),
            (
                "both",
                ("cpu=2 memory=7633Mi pods=29", "cpu=1500m memory=6000Mi pods=29"),
                vec!["cpu -430m KubeletKeepsOther", "memory -903Mi MemoryAndKubelet"],
            ),
            ("no status yet", ("", ""), vec![]),
        ] {
            assert_eq!(compare(m5_large, node), expected, "{case}");
        }
    }

    #[test]
    fn a_device_that_nobody_announces_is_missing() {
        let claim = ("cpu=4 nvidia.com/gpu=1", "cpu=4 nvidia.com/gpu=1");
        let expected = ["nvidia.com/gpu -1 NotAnnounced"];
        assert_eq!(compare(claim, ("cpu=4", "cpu=4")), expected);
        assert_eq!(compare(claim, ("cpu=4 nvidia.com/gpu=0", "cpu=4 nvidia.com/gpu=0")), expected);
    }
}
