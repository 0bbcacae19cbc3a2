//! `Forecast`: what Karpenter would launch for workloads, and where kube-scheduler would then put their pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::karpenter::{
    Batch, BatchPods, CloudProvider, Limits, Outcome, PodError, PreferencePolicy, Refusal,
    Settings, provision,
};
use crate::kube_scheduler::{Configuration, Scheduler, Version};
use crate::model::cluster_state::ClusterState;
use crate::model::names::{NodeName, PodKey, Str};
use crate::model::pod::Pod;

use super::claims;
use super::context::Context;
use super::launch::{self, Launched};
use super::overlay;
use super::pods;
use super::template::Template;

/// Passes after which a forecast ends in any case: each launches at least one node.
const MOST_PASSES: usize = 25;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The workload.
    pub template: &'a Template,
    /// How many pods of it.
    pub replicas: i64,
}

/// What would come of applying workloads together, under one preference policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forecast {
    /// The nodes that Karpenter would launch, in the order of their making.
    pub nodes: Vec<PlannedNode>,
    /// Where kube-scheduler would put each pod.
    pub bound: BTreeMap<PodKey, NodeName>,
    /// Pods that Karpenter finds no place for, and why.
    pub unplaced: BTreeMap<PodKey, String>,
    /// Pods that have a place in the plan and that kube-scheduler leaves pending, with its last message.
    pub left: BTreeMap<PodKey, String>,
    /// Pods that Karpenter finds no place for at first because limits are reached, with the NodePools.
    pub beyond_limits: BTreeMap<PodKey, Vec<Str>>,
    /// Pods that kube-scheduler leaves pending on the nodes that were launched for them at first, with its message.
    pub late: BTreeMap<PodKey, String>,
    /// Rules that Karpenter gave up, with how many pods gave up each.
    pub given_up: BTreeMap<String, usize>,
    /// Whether chance plays no part in Karpenter's plan.
    pub is_certain: bool,
}

/// A node that Karpenter would launch.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedNode {
    /// A name for it in this forecast.
    pub name: NodeName,
    /// The pass in which it is launched, from 0: later ones are for pods that kube-scheduler left pending.
    pub pass: usize,
    /// Its NodePool.
    pub node_pool: Str,
    /// The cheapest instance type.
    pub instance_type: Str,
    /// How many instance types the claim leaves to the cloud.
    pub type_options: usize,
    /// Its zone, where the provider's choice is known.
    pub zone: Option<Str>,
    /// `spot`, `on-demand` or `reserved`.
    pub capacity_type: Option<Str>,
    /// Its price an hour.
    pub price: Option<f64>,
    /// The pods that it is launched for.
    pub planned: Vec<PodKey>,
    /// The pods that kube-scheduler puts on it.
    pub bound: Vec<PodKey>,
}

impl Forecast {
    /// The price of all nodes an hour; none where one is not known.
    pub fn price(&self) -> Option<f64> {
        self.nodes.iter().map(|node| node.price).sum()
    }

    /// Nodes of the first pass: what Karpenter launches before kube-scheduler has said anything.
    pub fn first_pass(&self) -> usize {
        self.nodes.iter().filter(|node| node.pass == 0).count()
    }

    /// Nodes on which no pod ends up.
    pub fn empty_nodes(&self) -> usize {
        self.nodes.iter().filter(|node| node.bound.is_empty()).count()
    }
}

/// Why nothing can be forecast.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotForecast {
    /// There is no NodePool.
    #[error("there is no NodePool, neither in the files nor in a cluster")]
    NoNodePools,
    /// The instance types are not known.
    #[error("the instance types of the NodePools are not known")]
    NoInstanceTypes,
    /// Something that the replay does not model.
    #[error("{0}")]
    NotModelled(String),
}

/// How kube-scheduler is set up.
#[derive(Clone, Debug, Default)]
pub struct SchedulerSetup {
    /// Its configuration.
    pub configuration: Configuration,
    /// Its release.
    pub version: Version,
}

/// What would come of applying workloads together.
pub fn forecast(
    context: &Context,
    wanted: &[Wanted<'_>],
    policy: PreferencePolicy,
    setup: &SchedulerSetup,
) -> Result<Forecast, CannotForecast> {
    let provider = provider_of(context)?;
    let mut run = Run::new(context, wanted, policy, provider);
    run.passes(setup)?;
    let mut forecast = run.forecast;
    forecast.left.retain(|pod, _| !forecast.unplaced.contains_key(pod));
    Ok(forecast)
}

/// The nodes of Karpenter's first pass alone, without kube-scheduler's part: much less work.
pub fn launched_first(
    context: &Context,
    wanted: &[Wanted<'_>],
    policy: PreferencePolicy,
) -> Result<Forecast, CannotForecast> {
    let provider = provider_of(context)?;
    let mut run = Run::new(context, wanted, policy, provider);
    run.provision(0)?;
    Ok(run.forecast)
}

/// What Karpenter says of pods for which it launches nothing, in a cluster without nodes.
pub(crate) fn refused(
    context: &Context,
    wanted: &[Wanted<'_>],
) -> Result<BTreeMap<PodKey, PodError>, CannotForecast> {
    let provider = provider_of(context)?;
    let mut run = Run::new(context, wanted, context.settings.preference_policy, provider);
    let own: BTreeSet<PodKey> = run.pending.iter().map(|pod| pod.key()).collect();
    run.state.nodes.clear();
    run.state.node_claims.clear();
    run.state.pods.retain(|pod| own.contains(&pod.key()));
    let outcome = run.outcome()?.outcome;
    Ok(outcome.map(|outcome| outcome.pod_errors).unwrap_or_default())
}

fn provider_of(context: &Context) -> Result<&dyn CloudProvider, CannotForecast> {
    if context.pools().is_empty() {
        return Err(CannotForecast::NoNodePools);
    }
    if context.pools().iter().all(|view| view.all_types.is_empty()) {
        return Err(CannotForecast::NoInstanceTypes);
    }
    context.provider.as_deref().ok_or(CannotForecast::NoInstanceTypes)
}

/// What Karpenter says of the pods that are pending.
struct Answer {
    outcome: Option<Outcome>,
    /// Pods that it leaves out before it plans, and why.
    left_out: BTreeMap<PodKey, String>,
    is_certain: bool,
}

/// A forecast while it is being made.
struct Run<'a> {
    provider: &'a dyn CloudProvider,
    settings: Settings,
    state: ClusterState,
    /// Pods that are not bound yet, in the order in which they are made.
    pending: Vec<Arc<Pod>>,
    forecast: Forecast,
}

impl<'a> Run<'a> {
    fn new(
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
        let mut replaced = Replaced::new();
        for one in wanted {
            let manifest = &one.template.manifest;
            replaced.insert((
                manifest.namespace.clone(),
                manifest.kind.clone(),
                manifest.name.clone(),
            ));
            let offspring = pods::offspring(one.template, one.replicas, &context.cluster);
            let (made, claims) = claims::with_claims(manifest, offspring.pods, &context.cluster);
            over.workloads.extend(offspring.replica_set);
            over.persistent_volume_claims.extend(claims);
            by_workload.push(made);
        }
        let pending = as_made(by_workload);
        // Pods of an earlier version of a workload make way for those that are asked about.
        with_children(&mut replaced, &context.cluster);
        state.pods.retain(|pod| !is_of(pod, &replaced));
        over.pods.clone_from(&pending);
        keep_existing_claims(&state, &mut over);
        overlay::lay_over(&mut state, over);
        Self { provider, settings, state, pending, forecast: Forecast::default() }
    }

    /// Karpenter and kube-scheduler in turn, until no pod is left or no node comes any more.
    fn passes(&mut self, setup: &SchedulerSetup) -> Result<(), CannotForecast> {
        // kube-scheduler comes first: what fits on nodes that are there never reaches Karpenter.
        self.schedule(setup);
        for pass in 0..MOST_PASSES {
            if self.pending.is_empty() {
                return Ok(());
            }
            let launched = self.provision(pass)?;
            if launched.is_empty() {
                return Ok(());
            }
            let mut over = ClusterState::default();
            for one in launched {
                over.pods.extend(launch::daemon_pods(&one.node, &self.state));
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
    fn outcome(&self) -> Result<Answer, CannotForecast> {
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
    fn provision(&mut self, pass: usize) -> Result<Vec<Launched>, CannotForecast> {
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
        let mut launched = Vec::new();
        for claim in &outcome.new_node_claims {
            let number = self.forecast.nodes.len() + 1;
            let Some(one) = launch::launch(claim, number, self.provider) else { continue };
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
            launched.push(one);
        }
        Ok(launched)
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

/// The objects whose pods make way: namespace, kind and name.
type Replaced = BTreeSet<(String, String, String)>;

/// Adds what stands between these objects and their pods: the ReplicaSets of a Deployment, the Jobs of a CronJob.
fn with_children(objects: &mut Replaced, cluster: &ClusterState) {
    let children: Vec<_> = cluster
        .workloads
        .iter()
        .filter_map(|one| {
            let owner = one.meta.controller()?;
            let namespace = one.meta.namespace.to_string();
            let parent = (namespace.clone(), owner.kind.to_string(), owner.name.to_string());
            let own = (namespace, one.kind.as_str().to_owned(), one.meta.name.to_string());
            objects.contains(&parent).then_some(own)
        })
        .collect();
    objects.extend(children);
}

/// Whether a pod is one of these objects, or was made by one of them.
fn is_of(pod: &Pod, objects: &Replaced) -> bool {
    let namespace = pod.meta.namespace.to_string();
    let has = |kind: &str, name: &str| {
        objects.contains(&(namespace.clone(), kind.to_owned(), name.to_owned()))
    };
    let Some(owner) = pod.meta.controller() else { return has("Pod", &pod.meta.name) };
    // A dump may lack the ReplicaSet or Job in between: it has its owner's name and a suffix.
    let by_name = || {
        owner.name.rsplit_once('-').is_some_and(|(name, _)| {
            (&*owner.kind == "ReplicaSet" && has("Deployment", name))
                || (&*owner.kind == "Job" && has("CronJob", name))
        })
    };
    has(&owner.kind, &owner.name) || by_name()
}
