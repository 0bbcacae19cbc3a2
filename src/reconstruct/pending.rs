//! `Pending`: what both components make, now, of a pod that waits.

use std::collections::BTreeSet;

use super::stories::PodStory;
use super::world::World;
use crate::karpenter::{self, Attempt, Batch, Limits, Plan, Refused, Tracing};
use crate::kube_scheduler::{Decision, Scheduler};

/// A pod that waits, as both components see it now.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What kube-scheduler would do.
    pub decision: Option<Decision>,
    /// What Karpenter would plan for all that wait, with everything that it tried for this pod.
    pub plan: Result<Plan, Refused>,
}

impl Pending {
    /// What Karpenter tried for the pod, in the first outcome.
    pub fn attempts(&self, pod: &PodStory) -> &[Attempt] {
        let outcome = self.plan.as_ref().ok().and_then(|plan| plan.outcomes.first());
        outcome.and_then(|outcome| outcome.trace.get(&pod.key)).map_or(&[], Vec::as_slice)
    }
}

/// How far outcomes are followed for a single pod.
const LIMITS: Limits = Limits { outcomes: 64, steps: 20_000 };

/// Asks both components about a pod that waits.
pub(super) fn pending(world: &World<'_>, pod: &PodStory) -> Pending {
    let state = &world.snapshot.objects;
    let mut state = state.clone();
    state.at = world.snapshot.taken_at;
    let mut scheduler =
        Scheduler::new(&state, world.setup.scheduler, world.setup.scheduler_version.clone());
    let decision = scheduler.schedule(&pod.key);
    let batch = Batch {
        tracing: Tracing::Pods(BTreeSet::from([pod.key.clone()])),
        limits: LIMITS,
        ..Batch::default()
    };
    let plan = karpenter::provision(&state, &batch, world.setup.provider, world.setup.karpenter);
    Pending { decision, plan }
}
