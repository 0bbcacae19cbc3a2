//! `Disruptions`: a cluster, prepared once for questions about its nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Memory;
use super::budget::PoolNodes;
use crate::karpenter::batch::{Batch, Limits};
use crate::karpenter::capacity_buffer::virtual_pods;
use crate::karpenter::cloud_provider::CloudProvider;
use crate::karpenter::provision::{Refused, provision, with_types};
use crate::karpenter::requirements::RequirementSets;
use crate::karpenter::settings::Settings;
use crate::karpenter::state_node::{StateNode, state_nodes};
use crate::karpenter::vocabulary::Vocabulary;
use crate::model::cluster_state::ClusterState;
use crate::model::gap::{Gap, GapKind};
use crate::model::instance_type::InstanceType;
use crate::model::meta::is_true;
use crate::model::names::{NamespaceName, NodeClaimName, NodeName, PodKey, Str};
use crate::model::nodepool::NodePool;
use crate::model::pod::Pod;
use crate::model::taint::Effect;
use crate::model::time::Timestamp;
use crate::model::workload::PodDisruptionBudget;

/// A cluster, prepared for questions about its nodes. The cluster's moment is "now".
pub struct Disruptions<'a> {
    pub(super) state: &'a ClusterState,
    pub(super) provider: &'a dyn CloudProvider,
    pub(super) then: Option<Box<dyn CloudProvider>>,
    pub(super) settings: &'a Settings,
    pub(super) memory: Memory,
    pub(super) nodes: Vec<StateNode>,
    pub(super) by_name: FxHashMap<Str, usize>,
    pub(super) pods: BTreeMap<NodeName, Vec<&'a Arc<Pod>>>,
    pub(super) budgets: FxHashMap<&'a NamespaceName, Vec<&'a PodDisruptionBudget>>,
    pub(super) pools: FxHashMap<Str, PoolTypes>,
    pub(super) waits_for: Vec<NodeClaimName>,
    pub(super) gaps: Vec<Gap>,
}

/// A NodePool with its instance types.
#[derive(Debug)]
pub(super) struct PoolTypes {
    pub(super) pool: Arc<NodePool>,
    pub(super) types: FxHashMap<Str, Arc<InstanceType>>,
    pub(super) nodes: PoolNodes,
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
        if state.pod_disruption_budgets.is_empty() {
            let detail = "none in the input: that they keep no pod where it is, is assumed";
            let gap = Gap::new(GapKind::Assumed, "poddisruptionbudgets", detail);
            gaps.push(gap.hint("add the output of: kubectl get pdb -A -o json"));
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

    pub(super) fn nomination(&self, node: &StateNode) -> Option<Timestamp> {
        let names = node.node.iter().map(|node| &node.meta.name);
        let names = names.chain(node.claim.iter().map(|claim| &claim.meta.name));
        let until = names.filter_map(|name| self.memory.nominated.get(name)).max().copied()?;
        self.state.at.is_none_or(|at| until > at).then_some(until)
    }

    /// Finds the nodes on whose room a CapacityBuffer counts, as the last pass of Karpenter will have.
    fn find_buffered(&mut self) -> Result<(), Refused> {
        if !self.settings.gates.capacity_buffer || self.state.capacity_buffers.is_empty() {
            return Ok(());
        }
        let stand_ins: BTreeSet<PodKey> = virtual_pods(self.state).iter().map(Pod::key).collect();
        let marked = self.memory.marked.clone();
        let batch = Batch { marked, limits: Limits::FIRST, ..Batch::default() };
        let plan = provision(self.state, &batch, self.provider(), self.settings)?;
        for placement in plan.outcomes.iter().flat_map(|outcome| &outcome.existing_nodes) {
            if placement.pods.iter().any(|pod| stand_ins.contains(pod)) {
                self.memory.buffered.insert(placement.name.clone());
            }
        }
        Ok(())
    }

    pub(super) fn provider(&self) -> &dyn CloudProvider {
        self.then.as_deref().unwrap_or(self.provider)
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn pods_on(&self, node: &StateNode) -> &[&'a Arc<Pod>] {
        let name = node.node.as_ref().map(|node| node.name());
        name.and_then(|name| self.pods.get(&name)).map_or(&[], Vec::as_slice)
    }
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
    let told: FxHashSet<&Str> = state
        .node_claims
        .iter()
        .filter(|claim| claim.is("DisruptionReason"))
        .filter_map(|claim| claim.provider_id.as_ref())
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
        .filter(|node| node.provider_id.as_ref().is_some_and(|id| told.contains(id)))
        .map(|node| node.name())
        .collect()
}

pub(super) fn sets(provider: &dyn CloudProvider, settings: &Settings) -> RequirementSets {
    let well_known = provider.well_known_labels();
    RequirementSets::new(Vocabulary::new(settings.version, &well_known))
}
