//! Disruption, read-only: what Karpenter would take away, what keeps it from doing so, and what would become of the pods.
//!
//! [`Disruptions`] prepares a cluster once; [`Disruptions::assess`] answers for one node, [`assess`] does both. What
//! Karpenter only has in memory comes in as [`Memory`]. Consolidation is that of a single node: which of several nodes
//! a command takes together, and which of them goes first, is left open.

mod blocked;
mod budget;
mod candidate;
mod consolidatable;
mod cost;
mod cron;
mod decision;
mod disruptions;
mod drift;
mod emptiness;
mod expiration;
mod facts;
mod methods;
mod nomination;
mod price;
mod simulation;
mod underutilized;

use std::fmt;

pub use blocked::{Blocked, Told};
pub use budget::Allowance;
pub use consolidatable::{Consolidatable, Policy, When};
pub use decision::{Action, Decision, Destination, Move, Replacement};
pub use disruptions::Disruptions;
pub use drift::Drift;
pub use nomination::Memory;
pub(super) use simulation::Simulation;

use super::cloud_provider::CloudProvider;
use super::provision::Refused;
use super::settings::Settings;
use crate::model::cluster_state::ClusterState;
use crate::model::gap::Gap;
use crate::model::names::{NodeClaimName, NodeName, NodePoolName, PodKey, Str};
use crate::model::time::Timestamp;

/// Why a node would go, by the names that budgets and conditions use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// No pod needs it.
    Empty,
    /// It is no longer as its NodePool would make it.
    Drifted,
    /// Its pods fit elsewhere or onto something cheaper.
    Underutilized,
}

impl Reason {
    /// The name in a budget's `reasons` and in the condition `DisruptionReason`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::Drifted => "Drifted",
            Self::Underutilized => "Underutilized",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How much of the question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only what the objects say: quick, for a list of all nodes.
    Checks,
    /// Also where the pods would go: one provisioning pass for each method that comes to it.
    Simulated,
}

/// What disruption comes to for one node.
#[derive(Clone, Debug)]
pub struct NodeDisruption {
    /// Its name for Karpenter: the Node's, or the NodeClaim's until it is registered.
    pub name: Str,
    /// The Node, where there is one.
    pub node: Option<NodeName>,
    /// The NodeClaim, where there is one.
    pub node_claim: Option<NodeClaimName>,
    /// Its NodePool.
    pub node_pool: Option<NodePoolName>,
    /// What the NodePool says of consolidation.
    pub policy: Option<Policy>,
    /// What it costs an hour; `None` where its instance type is not known.
    pub price: Option<f64>,
    /// The pods on it that would need another place.
    pub pods: Vec<PodKey>,
    /// What it costs to move them: 1, and about 1 for each.
    pub cost: f64,
    /// Whether it counts as empty: the cost is not above 1.
    pub is_empty: bool,
    /// Where it stands with `consolidateAfter`.
    pub consolidatable: Consolidatable,
    /// What drifted.
    pub drift: Option<Drift>,
    /// When it expires, whatever else holds; `None` where it never does.
    pub expires: Option<Timestamp>,
    /// The reason of the NodeClaim's condition `DisruptionReason`, while a command runs.
    pub underway: Option<Str>,
    /// What bars every method, in the order in which upstream asks; upstream tells only of the first.
    pub barred: Vec<Blocked>,
    /// Each method, in the order in which they are tried.
    pub methods: Vec<Method>,
    /// NodeClaims that are not launched: until they are, Karpenter takes nothing away.
    pub waits_for: Vec<NodeClaimName>,
    /// What had to be assumed.
    pub gaps: Vec<Gap>,
}

/// What one method comes to.
#[derive(Clone, Debug)]
pub struct Method {
    /// For which reason it takes nodes away.
    pub reason: Reason,
    /// What is in its way, beside what bars every method; as far as it is heeded.
    pub blocked: Vec<Blocked>,
    /// How many nodes of the pool may go for this reason.
    pub allowance: Option<Allowance>,
    /// What it would do once nothing is in its way: more than one where chance decides; empty where it was not asked.
    pub decisions: Vec<Decision>,
    /// When at the earliest the node could go: once all that wears off by itself has, and the 15 s are over for which
    /// a command of emptiness or consolidation is held. `None`: not by the passing of time alone.
    pub earliest: Option<Timestamp>,
}

impl NodeDisruption {
    /// The method for a reason.
    pub fn method(&self, reason: Reason) -> Option<&Method> {
        self.methods.iter().find(|method| method.reason == reason)
    }

    /// When at the earliest the node could go, and for which reason; `None` for the reason stands for expiration.
    pub fn earliest(&self) -> Option<(Timestamp, Option<Reason>)> {
        let methods = self.methods.iter();
        let methods = methods.filter_map(|method| Some((method.earliest?, Some(method.reason))));
        methods.chain(self.expires.map(|at| (at, None))).min_by_key(|(at, _)| *at)
    }

    /// The texts of the events that upstream would publish on the node at its next look.
    pub fn told(&self) -> Vec<(Told, String)> {
        if let Some(first) = self.barred.first() {
            let first = Some(first).filter(|first| first.told() != Told::Nowhere);
            return first.map(|first| (first.told(), first.to_string())).into_iter().collect();
        }
        let mut told = Vec::new();
        for method in &self.methods {
            let kept = method.decisions.iter().filter_map(|decision| match &decision.action {
                Action::Keep(blocked) => Some(blocked),
                Action::Delete | Action::Replace(_) => None,
            });
            // Upstream's filters stop at the first; what a simulation says comes only behind all of them.
            let first: Vec<&Blocked> = match method.blocked.first() {
                Some(first) => vec![first],
                None => kept.collect(),
            };
            for blocked in first {
                let line = (blocked.told(), blocked.to_string());
                if blocked.told() != Told::Nowhere && !told.contains(&line) {
                    told.push(line);
                }
            }
        }
        told
    }
}

/// What disruption comes to for one node, by its name or its NodeClaim's; `None` where there is none of that name.
pub fn assess(
    state: &ClusterState,
    provider: &dyn CloudProvider,
    settings: &Settings,
    memory: &Memory,
    node: &str,
) -> Result<Option<NodeDisruption>, Refused> {
    Disruptions::new(state, provider, settings, memory.clone())?.assess(node, Depth::Simulated)
}
