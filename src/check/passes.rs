//! The passes of a forecast: Karpenter and kube-scheduler in turn, over pods that are not there yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::karpenter::launched::{self, Launched};
use crate::karpenter::{
    Batch, BatchPods, CloudProvider, Limits, Outcome, PodError, PreferencePolicy, Refusal,
    Settings, provision,
};
use crate::kube_scheduler::Scheduler;
use crate::model::cluster_state::ClusterState;
use crate::model::names::{PodKey, Str};
use crate::model::pod::Pod;

use super::context::Context;
use super::forecast::{CannotForecast, Forecast, PlannedNode, SchedulerSetup, Wanted};
use super::replaced::Replaced;
use super::{claims, overlay, pods};

/// Passes after which a forecast ends in any case: each launches at least one node.
const MOST_PASSES: usize = 25;

/// What Karpenter says of the pods that are pending.
pub(super) struct Answer {
    pub outcome: Option<Outcome>,
    /// Pods that it leaves out before it plans, and why.
    left_out: BTreeMap<PodKey, String>,
    is_certain: bool,
}

/// A forecast while it is being made.
pub(super) struct Run<'a> {
    provider: &'a dyn CloudProvider,
    settings: Settings,
    pub state: ClusterState,
    /// Pods that are not bound yet, in the order in which they are made.
    pub pending: Vec<Arc<Pod>>,
    pub forecast: Forecast,
}

impl<'a> Run<'a> {
    pub fn new(
        context: &'a Context,
        wanted: &[Wanted<'_>],
        policy: PreferencePolicy,
        provider: &'a dyn CloudProvider,
    ) -> Self {
        let mut settings = context.settings.clone();
        settings.preference_policy = policy;
        let mut state = context.cluster.clone();
        let mut by_workload = Vec::new();
        let mut over = ClusterState::default();
        let mut replaced = Replaced::default();
        for one in wanted {
            let manifest = &one.template.manifest;
            replaced.add(&manifest.namespace, &manifest.kind, &manifest.name);
            let offspring = pods::offspring(one.template, one.replicas, &context.cluster);
            let (made, claims) = claims::with_claims(manifest, offspring.pods, &context.cluster);
            over.workloads.extend(offspring.replica_set);
            over.persistent_volume_claims.extend(claims);
            by_workload.push(made);
        }
        let pending = as_made(by_workload);
        // Pods of an earlier version of a workload make way for those that are asked about.
        replaced.add_children(&context.cluster);
        state.pods.retain(|pod| !replaced.has_made(pod));
        over.pods.clone_from(&pending);
        keep_existing_claims(&state, &mut over);
        overlay::lay_over(&mut state, over);
        Self { provider, settings, state, pending, forecast: Forecast::default() }
    }

    /// Karpenter and kube-scheduler in turn, until no pod is left or no node comes any more.
    pub fn passes(&mut self, setup: &SchedulerSetup) -> Result<(), CannotForecast> {
        // kube-scheduler comes first: what fits on nodes that are there never reaches Karpenter.
        self.schedule(setup);
        for pass in 0..MOST_PASSES {
            if self.pending.is_empty() {
                return Ok(());
            }
            let nodes = self.provision(pass)?;
            if nodes.is_empty() {
                return Ok(());
            }
            let mut over = ClusterState::default();
            for one in nodes {
                over.pods.extend(launched::daemon_pods(&one.node, &self.state));
                over.nodes.push(one.node);
            }
            overlay::lay_over(&mut self.state, over);
            self.schedule(setup);
            if pass == 0 {
                let planned = self.forecast.nodes.iter().flat_map(|node| &node.planned);
                let left = &self.forecast.left;
                let late = planned.filter_map(|pod| Some((pod.clone(), left.get(pod)?.clone())));
                self.forecast.late = late.collect();
            }
        }
        Ok(())
    }

    /// What Karpenter makes of the pods that are pending: the first outcome, and pods that it leaves out.
    pub fn outcome(&self) -> Result<Answer, CannotForecast> {
        let keys: BTreeSet<PodKey> = self.pending.iter().map(|pod| pod.key()).collect();
        let batch =
            Batch { pods: BatchPods::Only(keys), limits: Limits::FIRST, ..Batch::default() };
        let plan = provision(&self.state, &batch, self.provider, &self.settings)
            .map_err(|refused| CannotForecast::NotModelled(refused.to_string()))?;
        let is_certain = plan.is_certain();
        let left_out = plan.left_out.into_iter().map(|one| (one.pod, one.reasons.join("; ")));
        Ok(Answer {
            outcome: plan.outcomes.into_iter().next(),
            left_out: left_out.collect(),
            is_certain,
        })
    }

    /// One pass of Karpenter over the pods that are pending.
    pub fn provision(&mut self, pass: usize) -> Result<Vec<Launched>, CannotForecast> {
        let Answer { outcome, left_out, is_certain } = self.outcome()?;
        self.forecast.unplaced = left_out;
        let Some(outcome) = outcome else { return Ok(Vec::new()) };
        let errors = outcome.pod_errors.iter();
        self.forecast.unplaced.extend(errors.map(|(pod, error)| (pod.clone(), error.to_string())));
        if pass == 0 {
            self.forecast.is_certain = is_certain;
            self.note_relaxations(&outcome);
            for (pod, error) in &outcome.pod_errors {
                let pools = limited(error);
                if !pools.is_empty() {
                    self.forecast.beyond_limits.insert(pod.clone(), pools);
                }
            }
        }
        let mut nodes = Vec::new();
        for claim in &outcome.new_node_claims {
            let number = self.forecast.nodes.len() + 1;
            let Some(one) = launched::launch(claim, number, self.provider) else { continue };
            self.forecast.nodes.push(PlannedNode {
                name: one.node.name(),
                pass,
                node_pool: claim.node_pool.0.clone(),
                instance_type: one.instance_type.clone(),
                type_options: claim.instance_types.len(),
                zone: one.zone.clone(),
                capacity_type: one.capacity_type.clone(),
                price: one.price,
                planned: claim.pods.clone(),
                bound: Vec::new(),
            });
            nodes.push(one);
        }
        Ok(nodes)
    }

    fn note_relaxations(&mut self, outcome: &Outcome) {
        let pairs: BTreeSet<(String, &PodKey)> = outcome
            .relaxations
            .iter()
            .map(|(pod, given_up)| (given_up.field().to_owned(), pod))
            .collect();
        for (field, _) in pairs {
            *self.forecast.given_up.entry(field).or_default() += 1;
        }
    }

    /// kube-scheduler over the pods that are pending: the important ones first, then in the order of their making.
    fn schedule(&mut self, setup: &SchedulerSetup) {
        let mut queue = std::mem::take(&mut self.pending);
        queue.sort_by_key(|pod| std::cmp::Reverse(pod.priority()));
        self.forecast.left.clear();
        if self.state.nodes.is_empty() {
            self.pending = queue;
            return;
        }
        let keys: BTreeSet<PodKey> = queue.iter().map(|pod| pod.key()).collect();
        let mut others = self.state.clone();
        others.pods.retain(|pod| !keys.contains(&pod.key()));
        let mut scheduler = Scheduler::new(&others, &setup.configuration, setup.version.clone());
        for pod in queue {
            let decision = scheduler.schedule_pod(&pod);
            let node = decision.pick.clone().or_else(|| decision.best.first().cloned());
            match node {
                Some(node) if scheduler.assume(&pod, &node) => {
                    let key = pod.key();
                    if let Some(planned) =
                        self.forecast.nodes.iter_mut().find(|one| one.name == node)
                    {
                        planned.bound.push(key.clone());
                    }
                    self.forecast.unplaced.remove(&key);
                    self.forecast.bound.insert(key, node.clone());
                    let bound = Arc::new(Pod { node_name: Some(node), ..Pod::clone(&pod) });
                    others.pods.push(bound);
                }
                _ => {
                    let message = decision.message.or(decision.error).unwrap_or_default();
                    if !self.forecast.unplaced.contains_key(&pod.key()) {
                        self.forecast.left.insert(pod.key(), message);
                    }
                    others.pods.push(Arc::clone(&pod));
                    self.pending.push(pod);
                }
            }
        }
        others.pods.sort_by(|a, b| {
            (&a.meta.namespace, &a.meta.name).cmp(&(&b.meta.namespace, &b.meta.name))
        });
        self.state = others;
    }
}

/// Pods in the order in which controllers make them: all controllers at once, each one pod first, then two, four and so
/// on. As `slowStartBatch`.
fn as_made(by_workload: Vec<Vec<Arc<Pod>>>) -> Vec<Arc<Pod>> {
    let mut queues: Vec<_> = by_workload.into_iter().map(Vec::into_iter).collect();
    let mut made = Vec::new();
    let mut batch = 1;
    while queues.iter().any(|queue| queue.len() > 0) {
        for queue in &mut queues {
            made.extend(queue.by_ref().take(batch));
        }
        batch *= 2;
    }
    made
}

/// The NodePools whose limits an error is about.
fn limited(error: &PodError) -> Vec<Str> {
    let PodError::NewNodeClaims(refusals) = error else { return Vec::new() };
    let is_limit =
        |refusal: &Refusal| matches!(refusal, Refusal::TypeLimits { .. } | Refusal::NodeLimit(_));
    let limited = refusals.iter().filter(|(_, refusal)| is_limit(refusal));
    limited.map(|(pool, _)| pool.0.clone()).collect()
}

/// Claims that exist are not replaced by those that a controller would make anew.
fn keep_existing_claims(state: &ClusterState, over: &mut ClusterState) {
    let key = |claim: &crate::model::storage::PersistentVolumeClaim| claim.meta.key();
    let existing: BTreeSet<_> =
        state.persistent_volume_claims.iter().map(|claim| key(claim)).collect();
    over.persistent_volume_claims.retain(|claim| !existing.contains(&key(claim)));
}
