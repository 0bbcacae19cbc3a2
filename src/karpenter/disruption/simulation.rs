//! What would become of a node's pods if it went: a provisioning pass without the node. As `disruption.SimulateScheduling`.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::consolidatable::{Consolidatable, Policy};
use super::decision::{Destination, Move};
use super::{Disruptions, Reason};
use crate::karpenter::batch::{Batch, Limits};
use crate::karpenter::batch_pods::is_provisionable;
use crate::karpenter::plan::{NewNodeClaim, Outcome, Plan};
use crate::karpenter::pod_error::PodError;
use crate::karpenter::provision::{Refused, simulate};
use crate::karpenter::state_node::StateNode;
use crate::model::names::{NodeName, PodKey, Str};

/// What a pass is about that asks whether nodes could go.
#[derive(Clone, Debug, Default)]
pub(in crate::karpenter) struct Simulation {
    /// The nodes that would go.
    pub(in crate::karpenter) candidates: FxHashSet<NodeName>,
    /// Nodes, by their name for Karpenter, that are too young to take pods that run elsewhere.
    pub(in crate::karpenter) young: FxHashSet<Str>,
}

/// One way in which the simulation may end.
pub(super) struct Simulated {
    pub(super) moves: Vec<Move>,
    pub(super) claims: Vec<NewNodeClaim>,
    /// Bound pods without a place.
    pub(super) errors: Vec<(PodKey, String)>,
}

/// How far outcomes that chance allows are followed for one node.
const LIMITS: Limits = Limits { outcomes: 16, steps: 50_000 };

impl Disruptions<'_> {
    /// Asks where the pods of a node would go.
    pub(super) fn simulated(
        &self,
        node: &StateNode,
        reason: Reason,
    ) -> Result<Vec<Simulated>, Refused> {
        let name = node.node.as_ref().map(|node| node.name());
        let candidates: FxHashSet<NodeName> = name.clone().into_iter().collect();
        let mut marked = self.memory.marked.clone();
        marked.extend(name.clone());
        let batch = Batch { marked, limits: LIMITS, ..Batch::default() };
        let holds_back = reason == Reason::Underutilized && self.settings.version.since(14, 0);
        let young = if holds_back { self.young() } else { FxHashSet::default() };
        let simulation = Simulation { candidates, young };
        let plan = simulate(self.state, &batch, self.provider(), self.settings, &simulation)?;
        Ok(plan.outcomes.iter().map(|outcome| self.read(outcome, &plan, name.as_ref())).collect())
    }

    /// Nodes that are still under their pool's `consolidateAfter`.
    fn young(&self) -> FxHashSet<Str> {
        let young = self.nodes.iter().filter(|node| {
            let Some(claim) = node.claim.as_deref() else { return false };
            let pool = node.labels().get(crate::model::labels::NODEPOOL);
            let Some(pool) = pool.and_then(|name| self.pools.get(name)) else { return false };
            let policy = Policy::of(&pool.pool);
            policy.after.is_some_and(|after| after.0 > 0)
                && !Consolidatable::of(claim, policy).holds(self.state.at)
        });
        young.map(|node| node.name().clone()).collect()
    }

    fn read(&self, outcome: &Outcome, plan: &Plan, candidate: Option<&NodeName>) -> Simulated {
        let mut errors: BTreeMap<PodKey, String> = BTreeMap::new();
        let mut places: FxHashMap<&PodKey, Destination> = FxHashMap::default();
        for placement in &outcome.existing_nodes {
            let is_ready =
                self.find(&placement.name).is_none_or(|node| self.nodes[node].is_initialized());
            for pod in &placement.pods {
                let to = Destination::Existing {
                    name: placement.name.clone(),
                    node: placement.node.clone(),
                };
                places.insert(pod, to);
                if is_ready || self.leaves_another(pod, candidate) {
                    continue;
                }
                let mut names = Vec::new();
                names.extend(placement.node_claim.iter().map(|name| format!("nodeclaim/{name}")));
                names.extend(placement.node.iter().map(|name| format!("node/{name}")));
                let names = names.join(", ");
                let error = format!("would schedule against uninitialized {names}");
                errors.insert(pod.clone(), error);
            }
        }
        for (place, claim) in outcome.new_node_claims.iter().enumerate() {
            places.extend(claim.pods.iter().map(|pod| (pod, Destination::New(place))));
        }
        errors
            .extend(outcome.pod_errors.iter().map(|(pod, error)| (pod.clone(), error.to_string())));
        let unplaced = plan.batch.iter().chain(plan.left_out.iter().map(|left| &left.pod));
        for pod in unplaced.filter(|pod| !places.contains_key(*pod)) {
            errors.entry(pod.clone()).or_insert_with(|| PodError::NoNodePools.to_string());
        }
        errors.retain(|pod, _| {
            self.state.pod(pod).is_some_and(|pod| pod.node_name.is_some() && !is_provisionable(pod))
        });
        let own = plan.batch.iter().chain(plan.left_out.iter().map(|left| &left.pod));
        let own = own.filter(|pod| candidate.is_some() && self.node_of(pod) == candidate);
        let mut moves: Vec<Move> = own
            .map(|pod| {
                let nowhere = errors.get(pod).map(|error| Destination::Nowhere(error.clone()));
                let to = nowhere.or_else(|| places.get(pod).cloned());
                let to = to.unwrap_or_else(|| Destination::Nowhere(String::new()));
                Move { pod: pod.clone(), to }
            })
            .collect();
        moves.sort_by(|a, b| a.pod.cmp(&b.pod));
        moves.dedup();
        Simulated {
            moves,
            claims: outcome.new_node_claims.clone(),
            errors: errors.into_iter().collect(),
        }
    }

    fn node_of(&self, pod: &PodKey) -> Option<&NodeName> {
        self.state.pod(pod)?.node_name.as_ref()
    }

    /// Whether a pod leaves a node that goes away anyhow.
    fn leaves_another(&self, pod: &PodKey, candidate: Option<&NodeName>) -> bool {
        let Some(name) = self.node_of(pod) else { return false };
        Some(name) != candidate
            && self.find(&name.0).is_some_and(|node| self.nodes[node].is_deleting)
    }
}
