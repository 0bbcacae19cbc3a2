//! `Plan`: what Karpenter would do with a batch; every outcome that chance allows, and every reason on the way.

use std::collections::BTreeMap;

use crate::model::gap::Gap;
use crate::model::instance_type::InstanceType;
use crate::model::labels::Labels;
use crate::model::names::{NodeClaimName, NodeName, NodePoolName, PodKey, Str};
use crate::model::nodepool::NodeRequirement;
use crate::model::resources::Resources;
use crate::model::taint::Taint;
use std::sync::Arc;

use super::pod_error::PodError;
use super::preferences::Relaxation;
use super::refusal::Refusal;

/// What one provisioning pass may come to.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Every outcome; the first is the one in which each choice falls on the smallest name.
    pub outcomes: Vec<Outcome>,
    /// Whether there are outcomes beyond those, because a limit was reached.
    pub capped: bool,
    /// The pods of the batch, in the order in which they are first tried.
    pub batch: Vec<PodKey>,
    /// Pods that were wanted but did not enter the batch.
    pub left_out: Vec<LeftOut>,
    /// NodeClaims that were not launched yet: in a cluster, the pass would wait for them.
    pub waits_for: Vec<NodeClaimName>,
    /// What had to be assumed.
    pub gaps: Vec<Gap>,
}

impl Plan {
    /// Whether chance plays no part and nothing was cut.
    pub fn is_certain(&self) -> bool {
        self.outcomes.len() == 1 && !self.capped
    }
}

/// A pod that did not enter the batch.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Which.
    pub pod: PodKey,
    /// Why, in upstream's words.
    pub reasons: Vec<String>,
    /// Whether upstream tells of it with an event.
    pub is_told: bool,
}

/// One way the pass may end.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Nodes that exist or are being started and that take pods of the batch, by name.
    pub existing_nodes: Vec<ExistingNodePlacement>,
    /// NodeClaims that would be created, in the order of their making.
    pub new_node_claims: Vec<NewNodeClaim>,
    /// Pods for which no place was found.
    pub pod_errors: BTreeMap<PodKey, PodError>,
    /// Rules that were given up, in the order of the attempts; a pod that is tried again gives up anew.
    pub relaxations: Vec<(PodKey, Relaxation)>,
    /// The attempts of the pods that tracing was asked for.
    pub trace: BTreeMap<PodKey, Vec<Attempt>>,
}

impl Outcome {
    /// Where a pod is placed; `None` when it is nowhere.
    pub fn placement(&self, pod: &PodKey) -> Option<Candidate> {
        let node = self.existing_nodes.iter().find(|node| node.pods.contains(pod));
        let claim = || self.new_node_claims.iter().position(|claim| claim.pods.contains(pod));
        match node {
            Some(node) => Some(Candidate::ExistingNode(node.name.clone())),
            None => claim().map(Candidate::InFlight),
        }
    }
}

/// An existing node with the pods that it is expected to take.
#[derive(Clone, Debug, PartialEq)]
pub struct ExistingNodePlacement {
    /// Its name for Karpenter: the Node's, or the NodeClaim's until it is registered.
    pub name: Str,
    /// The Node, where there is one.
    pub node: Option<NodeName>,
    /// The NodeClaim, where there is one.
    pub node_claim: Option<NodeClaimName>,
    /// Pods of the batch, in the order of their placement.
    pub pods: Vec<PodKey>,
}

/// A NodeClaim that would be created.
#[derive(Clone, Debug)]
pub struct NewNodeClaim {
    /// Its NodePool.
    pub node_pool: NodePoolName,
    /// Labels that it would carry, without those that a random value is drawn for.
    pub labels: Labels,
    /// Requirements, by key; without the instance types, which are listed apart.
    pub requirements: Vec<NodeRequirement>,
    /// What its pods and DaemonSets ask for.
    pub requests: Resources,
    /// The instance types that it may be, cheapest first.
    pub instance_types: Vec<Arc<InstanceType>>,
    /// The cheapest price, where any offering can be had.
    pub price: Option<f64>,
    /// Taints of the template.
    pub taints: Vec<Taint>,
    /// Startup taints of the template.
    pub startup_taints: Vec<Taint>,
    /// Pods of the batch, in the order of their placement.
    pub pods: Vec<PodKey>,
    /// The requirements before capacity types without an offering were taken out, with those of the instance types.
    pub(super) unnarrowed: Arc<[NodeRequirement]>,
}

/// One attempt to place a pod: everything that was tried with one state of its preferences.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// How often the pod had been tried before.
    pub round: usize,
    /// What had been given up in this round before.
    pub relaxed: Vec<Relaxation>,
    /// Every candidate in the order of trial, up to the one that took the pod.
    pub candidates: Vec<(Candidate, CandidateVerdict)>,
}

/// Something that may take a pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Candidate {
    /// A node that exists or is being started, by its name for Karpenter.
    ExistingNode(Str),
    /// A NodeClaim made earlier in the pass: its place in `Outcome::new_node_claims`.
    InFlight(usize),
    /// A new NodeClaim of a pool.
    New(NodePoolName),
}

/// What became of a candidate.
#[derive(Clone, Debug)]
pub enum CandidateVerdict {
    /// It takes the pod.
    Takes(Vec<Narrowing>),
    /// The first thing that stands against it.
    Refuses(Box<Refusal>),
}

/// How a placement narrowed what a NodeClaim may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Narrowing {
    /// Through what.
    pub step: NarrowingStep,
    /// What was asked, as requirements.
    pub requirements: Vec<NodeRequirement>,
    /// How many instance types remained.
    pub remaining_types: Option<usize>,
}

/// What narrowed a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NarrowingStep {
    /// The pod's own node selector and affinity.
    PodRequirements,
    /// The pod's volumes: which of their alternatives, counted from 0.
    VolumeAlternative(usize),
    /// Spread and affinity over other pods.
    Topology,
    /// Room, offerings and requirements of instance types.
    InstanceTypes,
}
