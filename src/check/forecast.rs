//! `Forecast`: what Karpenter would launch for workloads, and where kube-scheduler would then put their pods.

use std::collections::{BTreeMap, BTreeSet};

use crate::karpenter::{CloudProvider, Outcome, PodError, PreferencePolicy};
use crate::kube_scheduler::{Configuration, Version};
use crate::model::names::{NodeName, PodKey, Str};

use super::context::Context;
use super::passes::Run;
use super::template::Template;

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
        // The sum of nothing is -0.
        self.nodes.iter().map(|node| node.price).sum::<Option<f64>>().map(|sum| sum + 0.0)
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
    let outcome = in_an_empty_cluster(context, wanted)?;
    Ok(outcome.map(|outcome| outcome.pod_errors).unwrap_or_default())
}

/// The NodePool that Karpenter would launch the first node of workloads from, in a cluster without nodes.
pub(crate) fn first_choice(context: &Context, wanted: &[Wanted<'_>]) -> Option<Str> {
    let outcome = in_an_empty_cluster(context, wanted).ok()??;
    outcome.new_node_claims.first().map(|claim| claim.node_pool.0.clone())
}

fn in_an_empty_cluster(
    context: &Context,
    wanted: &[Wanted<'_>],
) -> Result<Option<Outcome>, CannotForecast> {
    let provider = provider_of(context)?;
    let mut run = Run::new(context, wanted, context.settings.preference_policy, provider);
    let own: BTreeSet<PodKey> = run.pending.iter().map(|pod| pod.key()).collect();
    run.state.nodes.clear();
    run.state.node_claims.clear();
    run.state.pods.retain(|pod| own.contains(&pod.key()));
    Ok(run.outcome()?.outcome)
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
