//! `Scene`: what a change is tried on: the cluster before Karpenter planned for the pod, and again when it was bound.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::karpenter::Settings;
use crate::model::cluster_state::ClusterState;
use crate::model::labels;
use crate::model::names::{NodeName, NodePoolName, PodKey};
use crate::model::nodeclaim::NodeClaim;
use crate::model::pod::{Pod, PodSpec};
use crate::model::taint::Taint;
use crate::reconstruct::{Landing, World};

/// What a change is tried on.
#[derive(Clone)]
pub struct Scene<'w> {
    /// All that is known.
    pub world: &'w World<'w>,
    /// The pod.
    pub pod: PodKey,
    /// The cluster before the pod was planned for; the pod waits.
    pub state: ClusterState,
    /// Karpenter's settings.
    pub settings: Settings,
    /// The pods of the same template that wait, this one among them: a change of the template changes them all.
    pub peers: BTreeSet<PodKey>,
    /// Taints that a change declares as startup taints: they are gone when the pod is bound.
    pub passing: Vec<Taint>,
    /// The cluster when the pod was bound, without the nodes that the pass launched, and the pod as it was then.
    pub at_binding: Option<(ClusterState, Arc<Pod>)>,
}

impl<'w> Scene<'w> {
    /// The scene of a landing; `None` when no state of its past can be rebuilt.
    pub fn of(landing: &Landing<'w, 'w>) -> Option<Self> {
        let world = landing.world;
        let key = &landing.pod.key;
        let passes = landing.intent.plans.iter().filter_map(|planned| planned.pass);
        // A pod that waits is asked about as things are now; one that was bound, as they were when it was planned for.
        let planned = passes
            .filter(|_| landing.pending.is_none())
            .filter_map(|pass| Some((pass, world.state_of(pass)?)))
            .find(|(_, state)| state.pod(key).is_some_and(|pod| pod.node_name.is_none()));
        let (state, launched) = if let Some((pass, state)) = planned {
            let created = world.passes.get(pass).map(|pass| &pass.created);
            let nodes: BTreeSet<NodeName> = created
                .into_iter()
                .flatten()
                .filter_map(|claim| world.chronicle.claims.get(claim)?.node.clone())
                .collect();
            (state, nodes)
        } else {
            let state = match &landing.binding {
                Some(binding) => binding.state.clone(),
                None => world.snapshot.objects.clone(),
            };
            (state, BTreeSet::new())
        };
        state.pod(key).filter(|pod| pod.node_name.is_none())?;
        let at_binding = landing.binding.as_ref().map(|binding| {
            let mut then = binding.state.clone();
            let is_gone = |node: &NodeName| launched.contains(node);
            then.nodes.retain(|node| !is_gone(&node.name()));
            then.pods.retain(|pod| !pod.node_name.as_ref().is_some_and(is_gone));
            (then, Arc::clone(&binding.pod))
        });
        let mut peers = BTreeSet::from([key.clone()]);
        if let Some(owner) = &landing.pod.owner {
            let waits = |key: &PodKey| state.pod(key).is_some_and(|pod| pod.node_name.is_none());
            let siblings = world.chronicle.pods_of(owner).map(|pod| pod.key.clone());
            peers.extend(siblings.filter(waits));
        }
        let settings = world.setup.karpenter.clone();
        Some(Self {
            world,
            pod: key.clone(),
            state,
            settings,
            peers,
            passing: Vec::new(),
            at_binding,
        })
    }

    /// The pod's spec.
    pub fn spec(&self) -> Option<&PodSpec> {
        self.state.pod(&self.pod).map(|pod| &*pod.spec)
    }

    /// Declares a taint as a startup taint of a NodePool and of what it has launched: a node that carries it is not
    /// initialized yet.
    pub(super) fn declare(&mut self, pool: &NodePoolName, taint: &Taint) {
        let is_it = |other: &Taint| other.key == taint.key && other.effect == taint.effect;
        for own in self.state.node_pools.iter_mut().filter(|own| own.name() == *pool) {
            Arc::make_mut(own).template.startup_taints.push(taint.clone());
        }
        let mut starting: BTreeSet<NodeName> = BTreeSet::new();
        for node in &mut self.state.nodes {
            if node.meta.labels.get(labels::NODEPOOL) == Some(&pool.0)
                && node.taints.iter().any(is_it)
            {
                let node = Arc::make_mut(node);
                node.meta.labels = node.meta.labels.without(&[labels::INITIALIZED]);
                starting.insert(node.name());
            }
        }
        let is_starting = |claim: &&mut Arc<NodeClaim>| {
            claim.node_name.as_ref().is_some_and(|node| starting.contains(node))
        };
        for claim in self.state.node_claims.iter_mut().filter(is_starting) {
            Arc::make_mut(claim).startup_taints.push(taint.clone());
        }
        self.passing.push(taint.clone());
    }

    /// Changes every pod of the template.
    pub(super) fn change_pods(&mut self, change: &dyn Fn(&mut PodSpec)) {
        for pod in self.state.pods.iter_mut().filter(|pod| self.peers.contains(&pod.key())) {
            change(Arc::make_mut(&mut Arc::make_mut(pod).spec));
        }
        if let Some((_, pod)) = &mut self.at_binding {
            change(Arc::make_mut(&mut Arc::make_mut(pod).spec));
        }
    }
}
