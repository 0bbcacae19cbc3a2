//! Disruption, read-only: what Karpenter would take away, what keeps it from doing so, and what would become of the pods.
//!
//! [`Disruptions`] prepares a cluster once; [`Disruptions::assess`] answers for one node, [`assess`] does both. What
//! Karpenter only has in memory comes in as [`Memory`]. Consolidation is that of a single node: which of several nodes
//! a command takes together, and which of them goes first, is left open.

mod blocked;
mod budget;
mod candidate;
mod consolidatable;
mod cost;
mod cron;
mod decision;
mod drift;
mod emptiness;
mod expiration;
mod nomination;
mod price;
mod simulation;
mod underutilized;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use blocked::{Blocked, Told};
pub use budget::Allowance;
pub use consolidatable::{Consolidatable, Policy, When};
pub use decision::{Action, Decision, Destination, Move, Replacement};
pub use drift::Drift;
pub use nomination::Memory;
pub(super) use simulation::Simulation;

use super::batch::Batch;
use super::cloud_provider::CloudProvider;
use super::provision::{Refused, with_types};
use super::requirements::RequirementSets;
use super::rescheduling::is_reschedulable;
use super::settings::Settings;
use super::state_node::{StateNode, state_nodes};
use super::vocabulary::Vocabulary;
use crate::model::cluster_state::ClusterState;
use crate::model::gap::{Gap, GapKind};
use crate::model::instance_type::InstanceType;
use crate::model::labels;
use crate::model::meta::{condition, is_true};
use crate::model::names::{NamespaceName, NodeClaimName, NodeName, NodePoolName, PodKey, Str};
use crate::model::nodepool::NodePool;
use crate::model::pod::Pod;
use crate::model::taint::Effect;
use crate::model::time::{Span, Timestamp};
use crate::model::workload::PodDisruptionBudget;
use budget::PoolNodes;

/// Why a node would go, by the names that budgets and conditions use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// No pod needs it.
    Empty,
    /// It is no longer as its NodePool would make it.
    Drifted,
    /// Its pods fit elsewhere or onto something cheaper.
    Underutilized,
}

impl Reason {
    /// The name in a budget's `reasons` and in the condition `DisruptionReason`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::Drifted => "Drifted",
            Self::Underutilized => "Underutilized",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How much of the question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only what the objects say: quick, for a list of all nodes.
    Checks,
    /// Also where the pods would go: one provisioning pass for each method that comes to it.
    Simulated,
}

/// What disruption comes to for one node.
#[derive(Clone, Debug)]
pub struct NodeDisruption {
    /// Its name for Karpenter: the Node's, or the NodeClaim's until it is registered.
    pub name: Str,
    /// The Node, where there is one.
    pub node: Option<NodeName>,
    /// The NodeClaim, where there is one.
    pub node_claim: Option<NodeClaimName>,
    /// Its NodePool.
    pub node_pool: Option<NodePoolName>,
    /// What the NodePool says of consolidation.
    pub policy: Option<Policy>,
    /// What it costs an hour; `None` where its instance type is not known.
    pub price: Option<f64>,
    /// The pods on it that would need another place.
    pub pods: Vec<PodKey>,
    /// What it costs to move them: 1, and about 1 for each.
    pub cost: f64,
    /// Whether it counts as empty: the cost is not above 1.
    pub is_empty: bool,
    /// Where it stands with `consolidateAfter`.
    pub consolidatable: Consolidatable,
    /// What drifted.
    pub drift: Option<Drift>,
    /// When it expires, whatever else holds; `None` where it never does.
    pub expires: Option<Timestamp>,
    /// The reason of the NodeClaim's condition `DisruptionReason`, while a command runs.
    pub underway: Option<Str>,
    /// What bars every method, in the order in which upstream asks; upstream tells only of the first.
    pub barred: Vec<Blocked>,
    /// Each method, in the order in which they are tried.
    pub methods: Vec<Method>,
    /// NodeClaims that are not launched: until they are, Karpenter takes nothing away.
    pub waits_for: Vec<NodeClaimName>,
    /// What had to be assumed.
    pub gaps: Vec<Gap>,
}

/// What one method comes to.
#[derive(Clone, Debug)]
pub struct Method {
    /// For which reason it takes nodes away.
    pub reason: Reason,
    /// What is in its way, beside what bars every method; as far as it is heeded.
    pub blocked: Vec<Blocked>,
    /// How many nodes of the pool may go for this reason.
    pub allowance: Option<Allowance>,
    /// What it would do once nothing is in its way: more than one where chance decides; empty where it was not asked.
    pub decisions: Vec<Decision>,
    /// When at the earliest the node could go: once all that wears off by itself has, and the 15 s are over for which
    /// a command of emptiness or consolidation is held. `None`: not by the passing of time alone.
    pub earliest: Option<Timestamp>,
}

impl NodeDisruption {
    /// The method for a reason.
    pub fn method(&self, reason: Reason) -> Option<&Method> {
        self.methods.iter().find(|method| method.reason == reason)
    }

    /// When at the earliest the node could go, and for which reason; `None` for the reason stands for expiration.
    pub fn earliest(&self) -> Option<(Timestamp, Option<Reason>)> {
        let methods = self.methods.iter();
        let methods = methods.filter_map(|method| Some((method.earliest?, Some(method.reason))));
        methods.chain(self.expires.map(|at| (at, None))).min_by_key(|(at, _)| *at)
    }

    /// The texts of the events that upstream would publish on the node at its next look.
    pub fn told(&self) -> Vec<(Told, String)> {
        if let Some(first) = self.barred.first() {
            let first = Some(first).filter(|first| first.told() != Told::Nowhere);
            return first.map(|first| (first.told(), first.to_string())).into_iter().collect();
        }
        let mut told = Vec::new();
        for method in &self.methods {
            let kept = method.decisions.iter().filter_map(|decision| match &decision.action {
                Action::Keep(blocked) => Some(blocked),
                Action::Delete | Action::Replace(_) => None,
            });
            // Upstream's filters stop at the first; what a simulation says comes only behind all of them.
            let first: Vec<&Blocked> = match method.blocked.first() {
                Some(first) => vec![first],
                None => kept.collect(),
            };
            for blocked in first {
                let line = (blocked.told(), blocked.to_string());
                if blocked.told() != Told::Nowhere && !told.contains(&line) {
                    told.push(line);
                }
            }
        }
        told
    }
}

/// A NodePool with its instance types.
#[derive(Debug)]
struct PoolTypes {
    pool: Arc<NodePool>,
    types: FxHashMap<Str, Arc<InstanceType>>,
    nodes: PoolNodes,
}

/// What is known of one node before any method is asked.
struct Facts<'a> {
    node: &'a StateNode,
    pool: Option<&'a PoolTypes>,
    policy: Option<Policy>,
    instance_type: Option<&'a InstanceType>,
    price: f64,
    cost: f64,
    is_empty: bool,
    consolidatable: Consolidatable,
}

impl Facts<'_> {
    /// `consolidateAfter` where it has not passed; nothing where it never will.
    fn too_young(&self, at: Option<Timestamp>) -> Option<Blocked> {
        let never = self.policy.is_some_and(|policy| policy.after.is_none());
        (!never && !self.consolidatable.holds(at))
            .then_some(Blocked::NotConsolidatable { until: self.consolidatable.due })
    }
}

/// A cluster, prepared for questions about its nodes. The cluster's moment is "now".
pub struct Disruptions<'a> {
    state: &'a ClusterState,
    provider: &'a dyn CloudProvider,
    then: Option<Box<dyn CloudProvider>>,
    settings: &'a Settings,
    memory: Memory,
    nodes: Vec<StateNode>,
    by_name: FxHashMap<Str, usize>,
    pods: BTreeMap<NodeName, Vec<&'a Arc<Pod>>>,
    budgets: FxHashMap<&'a NamespaceName, Vec<&'a PodDisruptionBudget>>,
    pools: FxHashMap<Str, PoolTypes>,
    waits_for: Vec<NodeClaimName>,
    gaps: Vec<Gap>,
}

/// What disruption comes to for one node, by its name or its NodeClaim's; `None` where there is none of that name.
pub fn assess(
    state: &ClusterState,
    provider: &dyn CloudProvider,
    settings: &Settings,
    memory: &Memory,
    node: &str,
) -> Result<Option<NodeDisruption>, Refused> {
    Disruptions::new(state, provider, settings, memory.clone())?.assess(node, Depth::Simulated)
}

impl<'a> Disruptions<'a> {
    /// Prepares a cluster. What the objects tell of commands that run is added to the memory.
    pub fn new(
        state: &'a ClusterState,
        provider: &'a dyn CloudProvider,
        settings: &'a Settings,
        mut memory: Memory,
    ) -> Result<Self, Refused> {
        let then = state.at.and_then(|moment| provider.at(moment));
        let at_moment = then.as_deref().unwrap_or(provider);
        memory.marked.extend(marked_by_objects(state));
        let batch = Batch { marked: memory.marked.clone(), ..Batch::default() };
        let found = state_nodes(state, &batch, at_moment, |_| true);
        let mut by_name = FxHashMap::default();
        for (place, node) in found.all.iter().enumerate() {
            by_name.extend(node.claim.iter().map(|claim| (claim.meta.name.clone(), place)));
            by_name.extend(node.node.iter().map(|node| (node.meta.name.clone(), place)));
        }
        let mut budgets: FxHashMap<&NamespaceName, Vec<&PodDisruptionBudget>> =
            FxHashMap::default();
        for budget in &state.pod_disruption_budgets {
            budgets.entry(&budget.meta.namespace).or_default().push(budget);
        }
        let mut sets = sets(at_moment, settings);
        let supported = state.node_pools.iter();
        let supported = supported.filter(|pool| at_moment.supports(&pool.template.node_class));
        let listed =
            with_types(supported.cloned().collect(), state, at_moment, settings, &mut sets)?;
        let mut pools: FxHashMap<Str, PoolTypes> = listed
            .into_iter()
            .filter(|(_, types)| !types.is_empty())
            .map(|(pool, types)| {
                let types = types.into_iter().map(|model| (model.name.0.clone(), model)).collect();
                let name = pool.meta.name.clone();
                (name, PoolTypes { pool, types, nodes: PoolNodes::default() })
            })
            .collect();
        for node in &found.all {
            if let Some(pool) = node.node_pool().and_then(|name| pools.get_mut(name)) {
                count(node, settings, &mut pool.nodes);
            }
        }
        let mut gaps = at_moment.gaps();
        if state.at.is_none() {
            let detail = "it is not known when the snapshot was taken, so nothing wears off";
            gaps.push(Gap::new(GapKind::Missing, "time of the snapshot", detail));
        }
        let mut prepared = Self {
            state,
            provider,
            settings,
            memory,
            nodes: found.all,
            by_name,
            pods: state.pods_by_node(),
            budgets,
            pools,
            waits_for: found.unlaunched,
            gaps,
            then,
        };
        prepared.find_buffered()?;
        Ok(prepared)
    }

    /// The names of all nodes, as [`Disruptions::assess`] takes them, in order.
    pub fn names(&self) -> Vec<Str> {
        let mut names: Vec<Str> = self.nodes.iter().map(|node| node.name().clone()).collect();
        names.sort();
        names
    }

    /// What disruption comes to for one node, by its name or its NodeClaim's; `None` where there is none of that name.
    pub fn assess(&self, name: &str, depth: Depth) -> Result<Option<NodeDisruption>, Refused> {
        let Some(place) = self.find(name) else { return Ok(None) };
        let node = &self.nodes[place];
        let mut sets = sets(self.provider(), self.settings);
        let pods = self.pods_on(node);
        let facts = self.facts(node, pods);
        let pool = facts.pool.map(|pool| &*pool.pool);
        let drift = drift::drift(node, pool, &mut sets);
        let barred = self.barred(node, pods);
        let mut methods = Vec::new();
        if node.is_managed() {
            for reason in self.order() {
                let method = self.method(&facts, reason, &barred, drift.as_ref(), depth, &mut sets);
                methods.push(method?);
            }
        }
        let claim = node.claim.as_deref();
        Ok(Some(NodeDisruption {
            name: node.name().clone(),
            node: node.node.as_ref().map(|node| node.name()),
            node_claim: claim.map(crate::model::nodeclaim::NodeClaim::name),
            node_pool: node.node_pool().cloned().map(NodePoolName),
            policy: facts.policy,
            price: facts.instance_type.map(|_| facts.price),
            pods: pods.iter().filter(|pod| is_reschedulable(pod)).map(|pod| pod.key()).collect(),
            cost: facts.cost,
            is_empty: facts.is_empty,
            consolidatable: facts.consolidatable,
            drift,
            expires: claim.and_then(expiration::expires),
            underway: claim.and_then(|claim| {
                let told = condition(&claim.conditions, "DisruptionReason")?;
                (&*told.status == "True").then(|| told.reason.clone())
            }),
            barred,
            methods,
            waits_for: self.waits_for.clone(),
            gaps: self.gaps.clone(),
        }))
    }

    /// The reasons in the order in which their methods are tried.
    fn order(&self) -> [Reason; 3] {
        if self.settings.version.since(5, 0) {
            [Reason::Empty, Reason::Drifted, Reason::Underutilized]
        } else {
            [Reason::Drifted, Reason::Empty, Reason::Underutilized]
        }
    }

    fn method(
        &self,
        facts: &Facts<'_>,
        reason: Reason,
        barred: &[Blocked],
        drift: Option<&Drift>,
        depth: Depth,
        sets: &mut RequirementSets,
    ) -> Result<Method, Refused> {
        let blocked = match reason {
            Reason::Empty => self.not_empty(facts),
            Reason::Drifted => self.not_drifted(facts, drift),
            Reason::Underutilized => self.not_consolidated(facts),
        };
        let decisions = if depth == Depth::Simulated && is_asked(reason, facts, &blocked) {
            self.decisions(facts, reason, sets)?
        } else {
            Vec::new()
        };
        let claim = facts.node.claim.as_deref();
        let is_eventual = reason == Reason::Drifted
            && claim.is_some_and(|claim| claim.termination_grace_period.is_some());
        let heeded = barred.iter().filter(|it| !(is_eventual && candidate::is_about_pods(it)));
        let stays = !decisions.is_empty() && !decisions.iter().any(Decision::removes);
        let earliest = if stays { None } else { self.earliest(reason, heeded.chain(&blocked)) };
        Ok(Method {
            reason,
            allowance: facts.pool.map(|pool| self.allowance(pool, reason)),
            blocked,
            decisions,
            earliest,
        })
    }

    /// When all that is in the way has worn off.
    fn earliest<'b>(
        &self,
        reason: Reason,
        mut blocked: impl Iterator<Item = &'b Blocked>,
    ) -> Option<Timestamp> {
        // For so long a command waits before it is checked again and carried out.
        const WAIT: Span = Span::seconds(15);
        let now = self.state.at?;
        let free = blocked.try_fold(now, |free, blocked| Some(free.max(blocked.until()?)))?;
        Some(if reason == Reason::Drifted { free } else { free.plus(WAIT) })
    }

    fn decisions(
        &self,
        facts: &Facts<'_>,
        reason: Reason,
        sets: &mut RequirementSets,
    ) -> Result<Vec<Decision>, Refused> {
        if reason == Reason::Empty {
            let savings = Some(facts.price);
            return Ok(vec![Decision { action: Action::Delete, moves: Vec::new(), savings }]);
        }
        let outcomes = self.simulated(facts.node, reason)?;
        let mut decisions: Vec<Decision> = Vec::new();
        for outcome in outcomes {
            let decision = match reason {
                Reason::Drifted => drift::replace(facts, outcome),
                _ => self.consolidate(facts, outcome, sets),
            };
            let is_known = decisions.iter().any(|known| known.is_like(&decision));
            if !is_known {
                decisions.push(decision);
            }
        }
        Ok(decisions)
    }

    fn not_drifted(&self, facts: &Facts<'_>, drift: Option<&Drift>) -> Vec<Blocked> {
        let Some(pool) = facts.pool else { return Vec::new() };
        let mut blocked = Vec::new();
        if drift.is_none() {
            blocked.push(Blocked::NotDrifted);
        }
        let allowance = self.allowance(pool, Reason::Drifted);
        blocked.extend(emptiness::over_budget(allowance, Reason::Drifted));
        blocked
    }

    fn facts<'s>(&'s self, node: &'s StateNode, pods: &[&Arc<Pod>]) -> Facts<'s> {
        let pool = node.node_pool().and_then(|name| self.pools.get(name));
        let policy = pool.map(|pool| Policy::of(&pool.pool));
        let type_name = node.labels().get(labels::INSTANCE_TYPE);
        let instance_type = pool.zip(type_name).and_then(|(pool, name)| pool.types.get(name));
        let instance_type = instance_type.map(|model| &**model);
        let version = self.settings.version;
        let cost = cost::of_node(pods.iter().map(|pod| &***pod), version);
        let is_empty = match version.since(14, 0) {
            true => cost <= 1.0,
            false => !pods.iter().any(|pod| is_reschedulable(pod)),
        };
        let consolidatable = node.claim.as_deref().zip(policy);
        Facts {
            node,
            pool,
            policy,
            instance_type,
            price: instance_type.map_or(0.0, |model| price::of_node(model, node.labels())),
            cost,
            is_empty,
            consolidatable: consolidatable
                .map(|(claim, policy)| Consolidatable::of(claim, policy))
                .unwrap_or_default(),
        }
    }

    fn allowance(&self, pool: &PoolTypes, reason: Reason) -> Allowance {
        budget::allowance(&pool.pool, pool.nodes, reason, self.state.at)
    }

    /// What a pool's nodes cost an hour, and what it costs to move all their pods.
    fn pool_totals(&self, pool: &Str) -> (f64, f64) {
        let nodes = self.nodes.iter().filter(|node| node.node_pool() == Some(pool));
        nodes.fold((0.0, 0.0), |(price, cost), node| {
            let facts = self.facts(node, self.pods_on(node));
            (price + facts.price, cost + facts.cost)
        })
    }

    fn nomination(&self, node: &StateNode) -> Option<Timestamp> {
        let names = node.node.iter().map(|node| &node.meta.name);
        let names = names.chain(node.claim.iter().map(|claim| &claim.meta.name));
        let until = names.filter_map(|name| self.memory.nominated.get(name)).max().copied()?;
        self.state.at.is_none_or(|at| until > at).then_some(until)
    }

    /// Finds the nodes on whose room a CapacityBuffer counts, as the last pass of Karpenter will have.
    fn find_buffered(&mut self) -> Result<(), Refused> {
        use super::batch::Limits;
        use super::capacity_buffer::virtual_pods;
        if !self.settings.gates.capacity_buffer || self.state.capacity_buffers.is_empty() {
            return Ok(());
        }
        let stand_ins: std::collections::BTreeSet<PodKey> =
            virtual_pods(self.state).iter().map(Pod::key).collect();
        let marked = self.memory.marked.clone();
        let batch = Batch { marked, limits: Limits::FIRST, ..Batch::default() };
        let plan = super::provision::provision(self.state, &batch, self.provider(), self.settings)?;
        for placement in plan.outcomes.iter().flat_map(|outcome| &outcome.existing_nodes) {
            if placement.pods.iter().any(|pod| stand_ins.contains(pod)) {
                self.memory.buffered.insert(placement.name.clone());
            }
        }
        Ok(())
    }

    fn provider(&self) -> &dyn CloudProvider {
        self.then.as_deref().unwrap_or(self.provider)
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    fn pods_on(&self, node: &StateNode) -> &[&'a Arc<Pod>] {
        let name = node.node.as_ref().map(|node| node.name());
        name.and_then(|name| self.pods.get(&name)).map_or(&[], Vec::as_slice)
    }
}

/// Whether it is worth asking what a method would do: what is in its way passes by itself, or is about the pods.
fn is_asked(reason: Reason, facts: &Facts<'_>, blocked: &[Blocked]) -> bool {
    if facts.node.node.is_none() || facts.pool.is_none() {
        return false;
    }
    let wont = |blocked: &Blocked| match blocked {
        Blocked::NotEmpty
        | Blocked::Empty
        | Blocked::NotDrifted
        | Blocked::StaticNodePool(_)
        | Blocked::ConsolidationDisabled(_)
        | Blocked::OnlyWhenEmpty(_)
        | Blocked::InstanceTypeNotFound(_)
        | Blocked::NoLabel(_) => true,
        Blocked::BufferPods(_) => reason == Reason::Empty,
        _ => false,
    };
    !blocked.iter().any(wont)
}

/// Counts a node for the budgets of its pool.
fn count(node: &StateNode, settings: &Settings, nodes: &mut PoolNodes) {
    let Some((claim, object)) = node.claim.as_deref().zip(node.node.as_deref()) else { return };
    let reboots = settings.version.since(15, 0) && claim.is("Rebooting");
    if !(node.is_initialized() || reboots) || claim.is("InstanceTerminating") {
        return;
    }
    nodes.total += 1;
    if node.is_deleting || reboots || !is_true(&object.conditions, "Ready") {
        nodes.disrupting += 1;
    }
}

/// Nodes whose command runs, as far as both the taint and the NodeClaim's condition say so.
fn marked_by_objects(state: &ClusterState) -> Vec<NodeName> {
    let told: FxHashMap<&Str, ()> = state
        .node_claims
        .iter()
        .filter(|claim| claim.is("DisruptionReason"))
        .filter_map(|claim| Some((claim.provider_id.as_ref()?, ())))
        .collect();
    if told.is_empty() {
        return Vec::new();
    }
    let tainted = state.nodes.iter().filter(|node| {
        node.taints.iter().any(|taint| {
            &*taint.key == "karpenter.sh/disrupted" && taint.effect == Effect::NoSchedule
        })
    });
    tainted
        .filter(|node| node.provider_id.as_ref().is_some_and(|id| told.contains_key(id)))
        .map(|node| node.name())
        .collect()
}

fn sets(provider: &dyn CloudProvider, settings: &Settings) -> RequirementSets {
    let well_known = provider.well_known_labels();
    RequirementSets::new(Vocabulary::new(settings.version, &well_known))
}
