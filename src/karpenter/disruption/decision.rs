//! `Decision`: what Karpenter would do with a node and its pods.

use crate::karpenter::plan::NewNodeClaim;
use crate::model::names::{NodeName, PodKey, Str};

use super::Blocked;

/// One way in which a look at a node may end.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What would be done.
    pub action: Action,
    /// Where its pods would go.
    pub moves: Vec<Move>,
    /// What would be saved an hour, in what the provider counts; `None` where nothing is done.
    pub savings: Option<f64>,
}

/// What would be done with a node.
#[derive(Clone, Debug)]
pub enum Action {
    /// It is deleted; its pods have room elsewhere.
    Delete,
    /// New nodes are launched first.
    Replace(Vec<Replacement>),
    /// It stays, and why.
    Keep(Blocked),
}

/// A NodeClaim that would take a node's place; its instance types are those that are left.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// The claim.
    pub claim: NewNodeClaim,
    /// The least that it may cost.
    pub price: Option<f64>,
    /// The most that its cheapest type may come to cost.
    pub worst_price: Option<f64>,
    /// Whether it may only be launched as spot, for else it could cost more than what it replaces.
    pub only_spot: bool,
}

/// Where a pod would go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The pod.
    pub pod: PodKey,
    /// Where to.
    pub to: Destination,
}

/// A place for a pod, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A node that exists or is being started.
    Existing {
        /// Its name for Karpenter.
        name: Str,
        /// The Node, where there is one.
        node: Option<NodeName>,
    },
    /// A new node, by its place among the replacements.
    New(usize),
    /// Nowhere, and why.
    Nowhere(String),
}

impl Decision {
    /// Whether the node would go.
    pub fn removes(&self) -> bool {
        !matches!(self.action, Action::Keep(_))
    }

    /// Whether two come to the same: the same is done, for the same pods and by the same types.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let same = |a: &Replacement, b: &Replacement| {
            let (a, b) = (&a.claim, &b.claim);
            a.node_pool == b.node_pool
                && a.requirements == b.requirements
                && a.instance_types.len() == b.instance_types.len()
                && a.instance_types.iter().zip(&b.instance_types).all(|(a, b)| a.name == b.name)
        };
        self.moves == other.moves
            && match (&self.action, &other.action) {
                (Action::Delete, Action::Delete) => true,
                (Action::Keep(a), Action::Keep(b)) => a == b,
                (Action::Replace(a), Action::Replace(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
                }
                _ => false,
            }
    }
}
