//! What if: the same question with something changed, put to both replays.

use std::sync::Arc;

use crate::karpenter::{self, Batch, Candidate, Limits, NewNodeClaim, Outcome, Plan};
use crate::kube_scheduler::{Decision, Scheduler};
use crate::model::cluster_state::ClusterState;
use crate::model::names::{NodeName, PodKey};
use crate::model::node::Node;
use crate::model::pod::Pod;
use crate::reconstruct::World;

/// How far outcomes are followed: whether something flips shows in the first ones.
const LIMITS: Limits = Limits { outcomes: 16, steps: 5_000 };

/// What Karpenter would plan for all that waits in a state.
pub fn plan(
    world: &World<'_>,
    state: &ClusterState,
    settings: &karpenter::Settings,
) -> Option<Plan> {
    let batch = Batch { limits: LIMITS, ..Batch::default() };
    karpenter::provision(state, &batch, world.setup.provider, settings).ok()
}

/// What kube-scheduler would do with a pod in a state.
pub fn decide(world: &World<'_>, state: &ClusterState, pod: &Arc<Pod>) -> Decision {
    Scheduler::new(state, world.setup.scheduler, world.setup.scheduler_version.clone())
        .schedule_pod(pod)
}

/// Where the first outcome places a pod.
pub fn placement<'p>(plan: &'p Plan, pod: &PodKey) -> Option<PlannedPlace<'p>> {
    let outcome = plan.outcomes.first()?;
    placement_in(outcome, pod)
}

/// Where an outcome places a pod.
pub fn placement_in<'p>(outcome: &'p Outcome, pod: &PodKey) -> Option<PlannedPlace<'p>> {
    match outcome.placement(pod)? {
        Candidate::ExistingNode(name) => Some(PlannedPlace::Existing(name.to_string())),
        Candidate::InFlight(index) => outcome.new_node_claims.get(index).map(PlannedPlace::New),
        Candidate::New(_) => None,
    }
}

/// A place in a plan.
#[derive(Clone, Debug)]
pub enum PlannedPlace<'p> {
    /// A node that exists or is being started, by its name for Karpenter.
    Existing(String),
    /// A new NodeClaim.
    New(&'p NewNodeClaim),
}

/// A state with one pod changed.
pub fn with_pod(state: &ClusterState, pod: Pod) -> ClusterState {
    let mut state = state.clone();
    let key = pod.key();
    for known in &mut state.pods {
        if known.meta.name == key.name && known.meta.namespace == key.namespace {
            *known = Arc::new(pod);
            break;
        }
    }
    state
}

/// A state with one node changed.
pub fn with_node(state: &ClusterState, node: Node) -> ClusterState {
    let mut state = state.clone();
    for known in &mut state.nodes {
        if known.meta.name == node.meta.name {
            *known = Arc::new(node);
            break;
        }
    }
    state
}

/// A state without some pods.
pub fn without_pods(state: &ClusterState, gone: impl Fn(&Pod) -> bool) -> ClusterState {
    let mut state = state.clone();
    state.pods.retain(|pod| !gone(pod));
    state
}

/// Whether kube-scheduler would let a pod onto a node.
pub fn accepts(decision: &Decision, node: &NodeName) -> bool {
    decision.feasible.contains(node)
}
