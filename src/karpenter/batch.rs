//! `Batch`: which pods one provisioning pass is asked about, and how much the answer should tell.

use std::collections::BTreeSet;

use crate::model::names::{NodeName, PodKey};

/// What one pass is asked.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Which pods.
    pub pods: BatchPods,
    /// Bound pods that are taken off their nodes first and asked about as if they were pending.
    pub unbind: BTreeSet<PodKey>,
    /// Nodes that Karpenter had decided to take away, which no object shows: they take no pods, and theirs take part.
    pub marked: BTreeSet<NodeName>,
    /// For which pods every refusal is kept.
    pub tracing: Tracing,
    /// How far the set of outcomes is followed.
    pub limits: Limits,
}

/// Which pods take part.
#[derive(Clone, Debug, Default)]
pub enum BatchPods {
    /// As Karpenter: all that are provisionable, and those of nodes that are going away.
    #[default]
    All,
    /// Only these of them.
    Only(BTreeSet<PodKey>),
}

/// For which pods the attempts are kept.
#[derive(Clone, Debug, Default)]
pub enum Tracing {
    /// For none: the plain answer, and the fastest.
    #[default]
    None,
    /// For these.
    Pods(BTreeSet<PodKey>),
    /// For all. Costs one value for each pod and candidate.
    All,
}

/// How far outcomes are followed where upstream leaves the choice to chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// At most so many distinct outcomes.
    pub outcomes: usize,
    /// At most so many candidates asked beyond those of the first outcome; copying and finishing count too.
    pub steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { outcomes: 1024, steps: 200_000 }
    }
}

impl Limits {
    /// Only the first outcome: each choice falls on the smallest name.
    pub const FIRST: Self = Self { outcomes: 1, steps: 0 };
}

impl Tracing {
    /// Whether a pod's attempts are kept.
    pub fn wants(&self, pod: &PodKey) -> bool {
        match self {
            Self::None => false,
            Self::Pods(pods) => pods.contains(pod),
            Self::All => true,
        }
    }
}
