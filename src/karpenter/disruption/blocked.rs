//! `Blocked`: one thing that keeps Karpenter from taking a node away, in upstream's words.

use std::fmt;

use crate::model::names::{InstanceTypeName, NodeName, NodePoolName, ObjectKey, PodKey, Str};
use crate::model::time::Timestamp;

use super::Reason;

/// Why a node stays. [`fmt::Display`] gives the text of the event that upstream publishes, or ours where it is silent.
#[derive(Clone, Debug, PartialEq)]
pub enum Blocked {
    /// No NodeClaim belongs to the node.
    NotManaged,
    /// The NodeClaim has no Node yet.
    NoNode,
    /// The machine restarts (since 1.15).
    Rebooting,
    /// It is going away already, or a command that takes it away runs.
    Deleting,
    /// The Node is neither registered nor initialized.
    NotRegistered,
    /// The Node is registered, but not initialized.
    NotInitialized,
    /// Karpenter expects a pod there.
    Nominated {
        /// When that expectation lapses.
        until: Timestamp,
    },
    /// The Node carries `karpenter.sh/do-not-disrupt: "true"`.
    DoNotDisrupt,
    /// The Node lacks the label `karpenter.sh/nodepool`.
    NoNodePoolLabel,
    /// Its NodePool is not there, or has no instance types.
    NodePoolNotFound(NodePoolName),
    /// A pod on it carries `karpenter.sh/do-not-disrupt`.
    PodDoNotDisrupt {
        /// The pod.
        pod: PodKey,
        /// When the annotation's duration is over; `None`: never by itself.
        until: Option<Timestamp>,
    },
    /// Several PodDisruptionBudgets cover a pod on it.
    SeveralBudgets {
        /// The pod.
        pod: PodKey,
        /// The budgets.
        budgets: Vec<ObjectKey>,
    },
    /// A PodDisruptionBudget allows no disruption of a pod on it now.
    PodDisruptionBudget {
        /// The pod.
        pod: PodKey,
        /// The budget.
        budget: ObjectKey,
    },
    /// Its NodePool is static: `spec.replicas` is set.
    StaticNodePool(NodePoolName),
    /// `consolidateAfter: Never`.
    ConsolidationDisabled(NodePoolName),
    /// A CapacityBuffer counts on its room.
    BufferPods(NodeName),
    /// Pods run on it that need another place.
    NotEmpty,
    /// It is empty, so emptiness and not consolidation is about it.
    Empty,
    /// `consolidateAfter` has not passed since the last pod came or went, or since the node was initialized.
    NotConsolidatable {
        /// When it will have; `None` while the NodeClaim is not initialized.
        until: Option<Timestamp>,
    },
    /// Nothing drifted.
    NotDrifted,
    /// Its instance type is not among its NodePool's.
    InstanceTypeNotFound(InstanceTypeName),
    /// It lacks a label that its price follows from.
    NoLabel(Str),
    /// `consolidationPolicy: WhenEmpty`.
    OnlyWhenEmpty(NodePoolName),
    /// The NodePool's disruption budgets leave nothing.
    Budget {
        /// Which of the reasons of a budget.
        reason: Reason,
        /// How many nodes may go at once.
        allowed: u64,
        /// How many are going.
        disrupting: u64,
        /// When a window closes so that the node could go; `None`: no schedule will help.
        until: Option<Timestamp>,
    },
    /// Not every pod would have a place: which, and why not.
    PodsWouldNotSchedule(Vec<(PodKey, String)>),
    /// More than one new node would be needed.
    SeveralCandidates(usize),
    /// A spot node may not be replaced by a spot node.
    SpotToSpotDisabled,
    /// Fewer cheaper spot types than a replacement of spot by spot needs.
    TooFewSpotTypes(usize),
    /// The types that are cheaper no longer meet `minValues` of these keys.
    MinValues(Vec<Str>),
    /// No type that would do is cheaper.
    NotCheaper,
    /// What is saved is not worth what is moved (policy `Balanced`, since 1.14).
    Unbalanced {
        /// Savings as a share of the pool's cost, over disruption as a share of the pool's.
        score: f64,
    },
}

/// Where upstream tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// An event `DisruptionBlocked` on the Node and the NodeClaim.
    DisruptionBlocked,
    /// An event `Unconsolidatable` on the Node and the NodeClaim.
    Unconsolidatable,
    /// An event on the NodePool.
    OnNodePool,
    /// Nowhere.
    Nowhere,
}

impl Blocked {
    /// Where upstream tells of it.
    pub fn told(&self) -> Told {
        match self {
            Self::NoNode
            | Self::Rebooting
            | Self::Deleting
            | Self::NotRegistered
            | Self::NotInitialized
            | Self::Nominated { .. }
            | Self::DoNotDisrupt
            | Self::NoNodePoolLabel
            | Self::NodePoolNotFound(_)
            | Self::PodDoNotDisrupt { .. }
            | Self::SeveralBudgets { .. }
            | Self::PodDisruptionBudget { .. } => Told::DisruptionBlocked,
            Self::ConsolidationDisabled(_)
            | Self::BufferPods(_)
            | Self::InstanceTypeNotFound(_)
            | Self::NoLabel(_)
            | Self::OnlyWhenEmpty(_)
            | Self::PodsWouldNotSchedule(_)
            | Self::SeveralCandidates(_)
            | Self::SpotToSpotDisabled
            | Self::TooFewSpotTypes(_)
            | Self::MinValues(_)
            | Self::NotCheaper => Told::Unconsolidatable,
            Self::Budget { .. } | Self::Unbalanced { .. } => Told::OnNodePool,
            Self::NotManaged
            | Self::StaticNodePool(_)
            | Self::NotEmpty
            | Self::Empty
            | Self::NotConsolidatable { .. }
            | Self::NotDrifted => Told::Nowhere,
        }
    }

    /// When it wears off by itself; `None`: not by the passing of time alone.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            Self::Nominated { until } => Some(*until),
            Self::PodDoNotDisrupt { until, .. }
            | Self::NotConsolidatable { until }
            | Self::Budget { until, .. } => *until,
            _ => None,
        }
    }

    /// A code for it, kebab-case; it never changes or comes back with another meaning.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotManaged => "not-managed",
            Self::NoNode => "no-node",
            Self::Rebooting => "rebooting",
            Self::Deleting => "deleting",
            Self::NotRegistered => "not-registered",
            Self::NotInitialized => "not-initialized",
            Self::Nominated { .. } => "nominated",
            Self::DoNotDisrupt => "do-not-disrupt",
            Self::NoNodePoolLabel => "no-nodepool-label",
            Self::NodePoolNotFound(_) => "nodepool-not-found",
            Self::PodDoNotDisrupt { .. } => "pod-do-not-disrupt",
            Self::SeveralBudgets { .. } => "several-pdbs",
            Self::PodDisruptionBudget { .. } => "pdb",
            Self::StaticNodePool(_) => "static-nodepool",
            Self::ConsolidationDisabled(_) => "consolidation-disabled",
            Self::BufferPods(_) => "buffer-pods",
            Self::NotEmpty => "not-empty",
            Self::Empty => "empty",
            Self::NotConsolidatable { .. } => "consolidate-after",
            Self::NotDrifted => "not-drifted",
            Self::InstanceTypeNotFound(_) => "instance-type-not-found",
            Self::NoLabel(_) => "no-label",
            Self::OnlyWhenEmpty(_) => "when-empty",
            Self::Budget { .. } => "budget",
            Self::PodsWouldNotSchedule(_) => "pods-would-not-schedule",
            Self::SeveralCandidates(_) => "several-candidates",
            Self::SpotToSpotDisabled => "spot-to-spot-disabled",
            Self::TooFewSpotTypes(_) => "too-few-spot-types",
            Self::MinValues(_) => "min-values",
            Self::NotCheaper => "not-cheaper",
            Self::Unbalanced { .. } => "unbalanced",
        }
    }
}

/// How many pods upstream names when not all would have a place.
const PODS_NAMED: usize = 5;

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotManaged => f.write_str("Node isn't managed by karpenter"),
            Self::NoNode => f.write_str("Nodeclaim does not have an associated node"),
            Self::Rebooting => f.write_str("Node is rebooting"),
            Self::Deleting => f.write_str("Node is deleting or marked for deletion"),
            Self::NotRegistered => f.write_str("Node isn't initialized nor registered"),
            Self::NotInitialized => f.write_str("Node isn't initialized"),
            Self::Nominated { .. } => f.write_str("Node is nominated for a pending pod"),
            Self::DoNotDisrupt => f.write_str(
                "Disruption is blocked through the \"karpenter.sh/do-not-disrupt\" annotation",
            ),
            Self::NoNodePoolLabel => {
                f.write_str("Node doesn't have required label (label=karpenter.sh/nodepool)")
            }
            Self::NodePoolNotFound(pool) => write!(f, "NodePool not found (NodePool={pool})"),
            Self::PodDoNotDisrupt { pod, .. } => {
                write!(f, "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod={pod})")
            }
            Self::SeveralBudgets { budgets, .. } => {
                let names: Vec<String> = budgets.iter().map(ToString::to_string).collect();
                let names = names.join(" ");
                write!(f, "Eviction does not support multiple PDBs (PodDisruptionBudget=[{names}])")
            }
            Self::PodDisruptionBudget { budget, .. } => {
                write!(f, "Pdb prevents pod evictions (PodDisruptionBudget=[{budget}])")
            }
            Self::StaticNodePool(pool) => {
                write!(f, "NodePool \"{pool}\" is static: its nodes are not consolidated")
            }
            Self::ConsolidationDisabled(pool) => {
                write!(f, "NodePool \"{pool}\" has consolidation disabled")
            }
            Self::BufferPods(node) => write!(f, "Node \"{node}\" has buffer pods"),
            Self::NotEmpty => f.write_str("Pods on it would need another place"),
            Self::Empty => f.write_str("No pod on it needs another place"),
            Self::NotConsolidatable { until: Some(until) } => {
                write!(f, "consolidateAfter has not passed: not before {until}")
            }
            Self::NotConsolidatable { until: None } => {
                f.write_str("consolidateAfter has not begun: the NodeClaim isn't initialized")
            }
            Self::NotDrifted => f.write_str("Nothing drifted"),
            Self::InstanceTypeNotFound(name) => write!(f, "Instance Type \"{name}\" not found"),
            Self::NoLabel(label) => write!(f, "Node does not have label \"{label}\""),
            Self::OnlyWhenEmpty(pool) => write!(
                f,
                "NodePool \"{pool}\" has consolidation policy WhenEmpty, but node is not empty"
            ),
            Self::Budget { reason, .. } => write!(
                f,
                "No allowed disruptions for disruption reason {reason} due to blocking budget"
            ),
            Self::PodsWouldNotSchedule(pods) => {
                f.write_str("Not all pods would schedule,")?;
                for (pod, error) in pods.iter().take(PODS_NAMED) {
                    write!(f, " {pod} => {error}")?;
                }
                // Upstream leaves a space behind each pod that it names.
                f.write_str(" ")
            }
            Self::SeveralCandidates(count) => {
                write!(f, "Can't remove without creating {count} candidates")
            }
            Self::SpotToSpotDisabled => f.write_str(
                "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
            ),
            Self::TooFewSpotTypes(count) => write!(
                f,
                "SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to consolidate, got {count}"
            ),
            Self::MinValues(keys) => write!(
                f,
                "Filtering by price: minValues requirement is not met for label(s) (label(s)=[{}])",
                keys.join(" ")
            ),
            Self::NotCheaper => f.write_str("Can't replace with a cheaper node"),
            Self::Unbalanced { score } => write!(f, "score {score:.2} < threshold 0.50"),
        }
    }
}
