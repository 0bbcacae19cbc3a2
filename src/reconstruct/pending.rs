//! `Pending`: what both components make, now, of a pod that waits.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use super::stories::PodStory;
use super::world::{World, held};
use crate::karpenter::{self, Attempt, Batch, Limits, Plan, Refused, Tracing};
use crate::kube_scheduler::{Decision, Scheduler};
use crate::model::cluster_state::ClusterState;
use crate::model::names::PodKey;

/// A pod that waits, as both components see it now.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What kube-scheduler would do.
    pub decision: Option<Decision>,
    /// What Karpenter would plan for all that wait, with everything that it tried for this pod.
    pub plan: Arc<Result<Plan, Refused>>,
}

impl Pending {
    /// The plan, where the replay models it.
    pub fn plan(&self) -> Option<&Plan> {
        (*self.plan).as_ref().ok()
    }

    /// What Karpenter tried for the pod, in the first outcome.
    pub fn attempts(&self, pod: &PodStory) -> &[Attempt] {
        let outcome = self.plan().and_then(|plan| plan.outcomes.first());
        outcome.and_then(|outcome| outcome.trace.get(&pod.key)).map_or(&[], Vec::as_slice)
    }
}

/// Both components' answers about the cluster as it is now, for several pods that wait: what they share is worked out once.
#[derive(Debug)]
pub(super) struct Now {
    pods: BTreeSet<PodKey>,
    scheduler: Mutex<Scheduler>,
    plan: Arc<Result<Plan, Refused>>,
}

impl Now {
    /// Prepares the answers for some pods.
    pub(super) fn of(world: &World<'_>, pods: BTreeSet<PodKey>) -> Self {
        let state = state_now(world);
        let plan = Arc::new(plan_for(world, &state, pods.clone()));
        Self { pods, scheduler: Mutex::new(scheduler_of(world, &state)), plan }
    }
}

/// How far outcomes are followed for a single pod.
const LIMITS: Limits = Limits { outcomes: 64, steps: 20_000 };

/// Asks both components about a pod that waits.
pub(super) fn pending(world: &World<'_>, pod: &PodStory) -> Pending {
    if let Some(now) = world.now().filter(|now| now.pods.contains(&pod.key)) {
        let decision = held(&now.scheduler).schedule(&pod.key);
        return Pending { decision, plan: Arc::clone(&now.plan) };
    }
    let state = state_now(world);
    let decision = scheduler_of(world, &state).schedule(&pod.key);
    let plan = plan_for(world, &state, BTreeSet::from([pod.key.clone()]));
    Pending { decision, plan: Arc::new(plan) }
}

fn state_now(world: &World<'_>) -> ClusterState {
    ClusterState { at: world.snapshot.taken_at, ..world.snapshot.objects.clone() }
}

fn scheduler_of(world: &World<'_>, state: &ClusterState) -> Scheduler {
    Scheduler::new(state, world.setup.scheduler, world.setup.scheduler_version.clone())
}

fn plan_for(
    world: &World<'_>,
    state: &ClusterState,
    pods: BTreeSet<PodKey>,
) -> Result<Plan, Refused> {
    let batch = Batch { tracing: Tracing::Pods(pods), limits: LIMITS, ..Batch::default() };
    karpenter::provision(state, &batch, world.setup.provider, world.setup.karpenter)
}
