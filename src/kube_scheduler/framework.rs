//! What a plugin is, and what it is given and gives back.

use std::ops::Deref;
use std::sync::Arc;

use crate::model::gap::Gap;
use crate::model::names::NodeName;
use crate::model::pod::{Pod, PodSpec};

use super::cluster::Cluster;
use super::configuration::Arguments;
use super::decision::Code;
use super::node_info::NodeInfo;
use super::pod_info::PodInfo;
use super::rejection::Rejection;
use super::version::Version;

/// The highest score that a node can get from one plugin.
pub(crate) const MAX_NODE_SCORE: i64 = 100;

/// One of kube-scheduler's plugins. What it works out once per pod is captured by the closure that sees the nodes.
pub(crate) struct Plugin {
    /// Upstream's name.
    pub(crate) name: &'static str,
    /// Whether the pod may be queued.
    pub(crate) pre_enqueue: Option<fn(&Cycle<'_>) -> Option<Rejection>>,
    /// Looks at the pod, and gives what looks at the nodes.
    pub(crate) filter: Option<for<'a> fn(&'a Cycle<'_>) -> PreFiltered<'a>>,
    /// The first minor release in which the plugin has a PreFilter; without one its filter is asked for every pod.
    pub(crate) pre_filter_since: Option<u32>,
    /// Scores the feasible nodes.
    pub(crate) score: Option<fn(&Cycle<'_>, &[&NodeInfo]) -> Scoring>,
    /// What of the pod the plugin does not model, or cannot know.
    pub(crate) gaps: Option<fn(&Cycle<'_>) -> Vec<Gap>>,
}

impl Plugin {
    /// A plugin that does nothing.
    pub(crate) const fn named(name: &'static str) -> Self {
        Self {
            name,
            pre_enqueue: None,
            filter: None,
            pre_filter_since: None,
            score: None,
            gaps: None,
        }
    }
}

/// One attempt to schedule one pod: all that a plugin may look at.
pub(crate) struct Cycle<'a> {
    /// The state, without the pod.
    pub(crate) cluster: &'a Cluster,
    /// The pod.
    pub(crate) info: &'a PodInfo,
    /// The arguments of the profile's plugins.
    pub(crate) arguments: &'a Arguments,
    /// Whether the scorers' PreScore runs; a configuration can switch it off for a plugin.
    pub(crate) pre_scores: bool,
}

impl Cycle<'_> {
    /// The pod.
    pub(crate) fn pod(&self) -> &Pod {
        &self.info.pod
    }

    /// The pod's specification.
    pub(crate) fn spec(&self) -> &PodSpec {
        &self.info.pod.spec
    }

    /// The release that is replayed.
    pub(crate) fn version(&self) -> &Version {
        &self.cluster.version
    }
}

/// What a plugin says of the pod before any node is looked at.
pub(crate) enum PreFiltered<'a> {
    /// It has nothing to say on this pod.
    Skips,
    /// No node will do.
    Refuses(Code, Vec<Rejection>),
    /// Each node is looked at.
    PerNode(Check<'a>),
    /// Only these nodes come into question, and each of them is looked at.
    Narrowed(Vec<NodeName>, Check<'a>),
}

impl<'a> PreFiltered<'a> {
    /// Each node is looked at.
    pub(crate) fn per_node(check: impl Fn(&Trial<'_>) -> Verdict + 'a) -> Self {
        Self::PerNode(Box::new(check))
    }

    /// No node will do, whatever happens to other pods.
    pub(crate) fn refuses(reason: Rejection) -> Self {
        Self::Refuses(Code::UnschedulableAndUnresolvable, vec![reason])
    }
}

/// Looks at one node.
pub(crate) type Check<'a> = Box<dyn Fn(&Trial<'_>) -> Verdict + 'a>;

/// A node as it would be with some pods more and some less.
pub(crate) struct Trial<'a> {
    /// The node with these changes.
    pub(crate) info: &'a NodeInfo,
    /// Pods that are thought on it.
    pub(crate) added: &'a [Arc<PodInfo>],
    /// Pods that are thought away.
    pub(crate) removed: &'a [Arc<PodInfo>],
}

impl<'a> Trial<'a> {
    /// The node as it is.
    pub(crate) const fn bare(node: &'a NodeInfo) -> Self {
        Self { info: node, added: &[], removed: &[] }
    }

    /// Every pod that is thought on the node or away, with 1 or -1.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (&PodInfo, i64)> {
        let added = self.added.iter().map(|pod| (&**pod, 1));
        added.chain(self.removed.iter().map(|pod| (&**pod, -1)))
    }

    /// Whether the node is as it is.
    pub(crate) const fn is_bare(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

impl Deref for Trial<'_> {
    type Target = NodeInfo;

    fn deref(&self) -> &NodeInfo {
        self.info
    }
}

/// What a filter says of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The pod may go there.
    Fits,
    /// It may not.
    Rejects(Code, Vec<Rejection>),
}

impl Verdict {
    /// Refuses for a reason that only other pods' leaving can remove.
    pub(crate) fn unschedulable(reason: Rejection) -> Self {
        Self::Rejects(Code::Unschedulable, vec![reason])
    }

    /// Refuses for a reason that nothing can remove.
    pub(crate) fn unresolvable(reason: Rejection) -> Self {
        Self::Rejects(Code::UnschedulableAndUnresolvable, vec![reason])
    }

    /// Fits when there is no reason against it.
    pub(crate) fn unresolvable_if(reason: Option<Rejection>) -> Self {
        reason.map_or(Self::Fits, Self::unresolvable)
    }
}

/// What a scorer says of the feasible nodes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scoring {
    /// It has nothing to say on this pod.
    Skips,
    /// A value for each node, in the order given, and how they become 0 to 100.
    Scores(Vec<i64>, Normalize),
    /// It fails, which ends the attempt.
    Fails(String),
}

/// How raw values become 0 to 100.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Normalize {
    /// They are so already.
    Not,
    /// In proportion to the highest value.
    HigherIsBetter,
    /// 100 less that.
    LowerIsBetter,
    /// The plugin has a way of its own; these are the results.
    Own(Vec<i64>),
}

impl Normalize {
    /// The values from 0 to 100. As upstream's `DefaultNormalizeScore`.
    pub(crate) fn apply(&self, raw: &[i64]) -> Vec<i64> {
        let reverse = match self {
            Self::Not => return raw.to_vec(),
            Self::Own(normalized) => return normalized.clone(),
            Self::HigherIsBetter => false,
            Self::LowerIsBetter => true,
        };
        let highest = raw.iter().copied().max().unwrap_or(0).max(0);
        raw.iter()
            .map(|score| {
                if highest == 0 {
                    return if reverse { MAX_NODE_SCORE } else { *score };
                }
                let share = MAX_NODE_SCORE.wrapping_mul(*score) / highest;
                if reverse { MAX_NODE_SCORE - share } else { share }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_taken_in_proportion_to_the_highest() {
        for (raw, way, expected) in [
            ([0, 1, 3], Normalize::LowerIsBetter, [100, 67, 0]),
            ([0, 0, 0], Normalize::LowerIsBetter, [100, 100, 100]),
            ([10, 30, 0], Normalize::HigherIsBetter, [33, 100, 0]),
            ([0, 0, 0], Normalize::HigherIsBetter, [0, 0, 0]),
            ([7, 8, 9], Normalize::Not, [7, 8, 9]),
        ] {
            assert_eq!(way.apply(&raw), expected, "{raw:?} {way:?}");
        }
    }
}
