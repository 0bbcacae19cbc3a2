//! `Decision`: what kube-scheduler would do with one pod, and all that it would say on the way.

use crate::model::gap::Gap;
use crate::model::names::{NodeName, PodKey, Str};

use super::rejection::Rejection;
use super::version::Version;

/// What a plugin's refusal means for the pod. Upstream's status codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// Other pods are in the way: preemption may help.
    Unschedulable,
    /// Nothing on the node can be changed to make the pod fit.
    UnschedulableAndUnresolvable,
    /// The plugin failed, which ends the attempt.
    Error,
}

impl Code {
    /// Upstream's name of the code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unschedulable => "Unschedulable",
            Self::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
            Self::Error => "Error",
        }
    }

    /// Whether removing pods could change the answer.
    pub const fn preemption_may_help(self) -> bool {
        matches!(self, Self::Unschedulable)
    }
}

/// One plugin's refusal of a pod or of a node, with every reason that it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The plugin, by upstream's name.
    pub plugin: &'static str,
    /// What the refusal means.
    pub code: Code,
    /// Why; `Rejection::message` has upstream's words.
    pub reasons: Vec<Rejection>,
}

/// What a plugin said of the pod before any node was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreFilterVerdict {
    /// The plugin, by upstream's name.
    pub plugin: &'static str,
    /// What it said.
    pub outcome: PreFilterOutcome,
}

/// What a plugin can say of a pod before any node is looked at. Plugins that just agree are not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreFilterOutcome {
    /// The plugin has nothing to say on this pod: its filter is not asked.
    Skips,
    /// Only these nodes come into question, in the order of their names.
    Narrows(Vec<NodeName>),
    /// No node will do.
    Refuses(Refusal),
}

/// One scorer's value for one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginScore {
    /// The plugin, by upstream's name.
    pub plugin: &'static str,
    /// The value that the plugin gave.
    pub raw: i64,
    /// The value from 0 to 100, made so over all feasible nodes.
    pub normalized: i64,
    /// The weight of the plugin.
    pub weight: i64,
    /// `normalized × weight`.
    pub weighted: i64,
}

/// Everything that was said of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeVerdict {
    /// The node.
    pub node: NodeName,
    /// Every filter that refuses the node when asked alone, in plugin order; nominated pods are not counted.
    pub refusals: Vec<Refusal>,
    /// The refusal that decides: the first in plugin order, with the nominated pods counted. `None`: the node is
    /// feasible, or it was not looked at.
    pub first: Option<Refusal>,
    /// Whether the search was narrowed to other nodes, so that this one was not looked at.
    pub outside_search: bool,
    /// The scores in plugin order, of a feasible node. Skipped scorers are left out.
    pub scores: Vec<PluginScore>,
    /// The sum of the weighted scores, of a feasible node.
    pub total: Option<i64>,
}

impl NodeVerdict {
    /// Whether the pod may go to the node.
    pub const fn is_feasible(&self) -> bool {
        self.total.is_some()
    }

    /// The score of a plugin.
    pub fn score(&self, plugin: &str) -> Option<&PluginScore> {
        self.scores.iter().find(|score| score.plugin == plugin)
    }
}

/// A node that preemption could free for the pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The node.
    pub node: NodeName,
    /// The pods that would have to go, the most important first; those that are already terminating count.
    pub victims: Vec<PodKey>,
    /// The victims that would be deleted, in the order of their names: those of `victims` that are not terminating yet
    /// (until 1.34 all of them).
    pub deleted: Vec<PodKey>,
    /// How many victims a PodDisruptionBudget would protect.
    pub violations: usize,
}

/// What preemption would do for a pod without a feasible node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preemption {
    /// What is appended to the unschedulable message; empty when nothing is.
    pub message: String,
    /// The node that preemption would nominate. Where several are equal, the first by name.
    pub nominated: Option<Candidate>,
    /// All nodes among which upstream would pick without a rule, in the order of their names; `nominated` is among them.
    pub equals: Vec<Candidate>,
    /// What stands against each node after every less important pod is taken off, where that is not simply "not helpful".
    pub refused: Vec<(NodeName, Refusal)>,
}

/// Something in the decision that chance decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Chance {
    /// Several nodes have the highest total. Up to 1.34 each is equally likely.
    TieAtRandom(Vec<NodeName>),
    /// Several nodes have the highest total. From 1.35 on the order in which parallel filters finish decides; `likely` is
    /// the node that a scheduler with one worker takes, and is likelier than any other.
    TieByArrival {
        /// The nodes, in the order of their names.
        nodes: Vec<NodeName>,
        /// The likeliest.
        likely: NodeName,
    },
    /// The scheduler looks only for so many feasible nodes and then stops: where it starts decides which. `Scheduler::odds`
    /// tells what that does to the pick.
    Sampling {
        /// How many feasible nodes are enough.
        enough: usize,
        /// How many feasible nodes there are.
        feasible: usize,
        /// How many nodes are searched.
        searched: usize,
    },
    /// Preemption has several nodes that are equal by every rule: each is as likely.
    PreemptionAtRandom(Vec<NodeName>),
    /// Preemption tries only some of the nodes, from a random one on.
    PreemptionSampling {
        /// How many nodes are tried.
        tried: usize,
        /// How many nodes could be tried.
        potential: usize,
    },
    /// The pod has a nominated node: when it still fits, the scheduler takes it unscored.
    NominatedFirst(NodeName),
}

/// What becomes of a pod when the scheduler stops looking before it has seen all feasible nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Odds {
    /// How often each node is picked, from 0 to 1; nodes that never are, are left out.
    pub picked: Vec<(NodeName, f64)>,
    /// How often each feasible node is among those that are scored, from 0 to 1.
    pub in_sample: Vec<(NodeName, f64)>,
    /// From how many places the search was started.
    pub starts: usize,
}

/// How the attempt ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The pod goes to this node, or, where chance has a part, likely does.
    Node(NodeName),
    /// No node is feasible.
    Unschedulable,
    /// The pod is not queued at all.
    NotQueued,
    /// The attempt ends with an error of a plugin.
    Error(String),
}

/// What kube-scheduler would do with one pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The pod.
    pub pod: PodKey,
    /// Where the pod is bound in the state that was asked.
    pub bound: Option<NodeName>,
    /// The release that was replayed.
    pub version: Version,
    /// The scheduler whose profile was used.
    pub scheduler_name: Str,
    /// The plugins that keep the pod from being queued.
    pub pre_enqueue: Vec<Refusal>,
    /// What was said of the pod before any node was looked at, in plugin order.
    pub pre_filter: Vec<PreFilterVerdict>,
    /// The scorers that have nothing to say on this pod, in plugin order.
    pub pre_score_skipped: Vec<&'static str>,
    /// Every node, in the order of the names.
    pub nodes: Vec<NodeVerdict>,
    /// The feasible nodes, in the order in which they are looked at.
    pub feasible: Vec<NodeName>,
    /// The feasible nodes of the highest total, in the order of their names.
    pub best: Vec<NodeName>,
    /// The node that a freshly started scheduler with one worker takes. `None` up to 1.34 when several tie.
    pub pick: Option<NodeName>,
    /// The unschedulable message, with what preemption adds to it.
    pub message: Option<String>,
    /// What preemption would do; absent when there is a feasible node.
    pub preemption: Option<Preemption>,
    /// What chance decides.
    pub chances: Vec<Chance>,
    /// The error that ends the attempt.
    pub error: Option<String>,
    /// What the replay cannot know or does not model, and that concerns this pod.
    pub gaps: Vec<Gap>,
}

impl Decision {
    /// How the attempt ends.
    pub fn ending(&self) -> Ending {
        if !self.pre_enqueue.is_empty() {
            return Ending::NotQueued;
        }
        if let Some(error) = &self.error {
            return Ending::Error(error.clone());
        }
        match self.pick.as_ref().or_else(|| self.best.first()) {
            Some(node) => Ending::Node(node.clone()),
            None => Ending::Unschedulable,
        }
    }

    /// What was said of a node.
    pub fn node(&self, name: &NodeName) -> Option<&NodeVerdict> {
        let found = self.nodes.binary_search_by(|verdict| verdict.node.cmp(name));
        found.ok().map(|index| &self.nodes[index])
    }
}
