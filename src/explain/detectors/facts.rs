//! Facts that several detectors ask for.

use std::sync::Arc;

use super::Case;
use crate::explain::words;
use crate::karpenter::Plan;
use crate::kube_scheduler::{Decision, NodeVerdict, Rejection};
use crate::model::names::NodeName;
use crate::model::pod::Pod;
use crate::model::quantity::Quantity;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::resources::Resources;

impl<'c> Case<'c, '_, '_> {
    /// The pod, as it was before it was bound.
    pub(super) fn pod(&self) -> Option<&'c Arc<Pod>> {
        let story = self.landing.pod;
        let waits = story.object.as_ref().filter(|pod| pod.node_name.is_none());
        waits.or_else(|| story.unbound())
    }

    /// The pod as kubectl names it.
    pub(super) fn pod_name(&self) -> String {
        words::pod(&self.landing.pod.key)
    }

    /// What the pod asks for.
    pub(super) fn requests(&self) -> Resources {
        self.pod().map(|pod| spec_requests(&pod.spec, RequestRules::default())).unwrap_or_default()
    }

    /// Whether the pod waits.
    pub(super) fn waits(&self) -> bool {
        self.landing.pending.is_some()
    }

    /// kube-scheduler's decision: of the binding, or now.
    pub(super) fn decision(&self) -> Option<&'c Decision> {
        let bound = self.landing.binding.as_ref().map(|binding| &binding.decision);
        bound.or_else(|| self.landing.pending.as_ref()?.decision.as_ref())
    }

    /// Karpenter's plan, now, for all that waits.
    pub(super) fn plan(&self) -> Option<&'c Plan> {
        self.landing.pending.as_ref()?.plan()
    }

    /// What is free of a resource on a node.
    pub(super) fn free(&self, node: &NodeName, resource: &str) -> Quantity {
        self.rooms.get(node).map(|room| room.free.amount(resource)).unwrap_or_default()
    }

    /// Whether a node has room for what the pod asks for.
    pub(super) fn has_room(&self, node: &NodeName) -> bool {
        let Some(room) = self.rooms.get(node) else { return false };
        self.requests()
            .iter()
            .all(|(name, amount)| room.free.get(name.as_str()).is_none_or(|free| free >= *amount))
    }
}

/// The verdicts of nodes that some reason refuses.
pub(super) fn refused_for<'d>(
    decision: &'d Decision,
    reason: impl Fn(&Rejection) -> bool + 'd,
) -> impl Iterator<Item = (&'d NodeVerdict, &'d Rejection)> + 'd {
    decision.nodes.iter().filter_map(move |verdict| {
        let mut reasons = verdict.refusals.iter().flat_map(|refusal| &refusal.reasons);
        reasons.find(|rejection| reason(rejection)).map(|rejection| (verdict, rejection))
    })
}

/// The distinct messages by which nodes are refused, each with the nodes, in the order of their frequency.
pub(super) fn refusals_by_message(decision: &Decision) -> Vec<(String, Vec<NodeName>)> {
    let mut by_message: std::collections::BTreeMap<String, Vec<NodeName>> =
        std::collections::BTreeMap::new();
    for verdict in &decision.nodes {
        let first = verdict.first.as_ref().or_else(|| verdict.refusals.first());
        for reason in first.iter().flat_map(|refusal| &refusal.reasons) {
            by_message
                .entry(reason.message(&decision.version))
                .or_default()
                .push(verdict.node.clone());
        }
    }
    let mut list: Vec<_> = by_message.into_iter().collect();
    list.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    list
}

impl Case<'_, '_, '_> {
    /// Where the pod's bound volumes can be reached.
    pub(super) fn volume_places(&self) -> Vec<crate::explain::Evidence> {
        use crate::explain::Evidence;
        let Some(pod) = self.pod() else { return Vec::new() };
        let mut places = Vec::new();
        for name in super::pending::volume_limit::claims_of(pod) {
            let claim = self.state.persistent_volume_claims.iter().find(|claim| {
                claim.meta.namespace == pod.meta.namespace && *claim.meta.name == *name
            });
            let Some(bound) = claim.and_then(|claim| claim.volume_name.as_ref()) else { continue };
            let Some(volume) =
                self.state.persistent_volumes.iter().find(|volume| volume.meta.name == *bound)
            else {
                continue;
            };
            let zones: Vec<&str> = volume
                .node_affinity
                .iter()
                .flatten()
                .flat_map(|term| &term.match_expressions)
                .filter(|expression| expression.key.contains("zone"))
                .flat_map(|expression| expression.values.iter().map(|value| &**value))
                .collect();
            if zones.is_empty() {
                continue;
            }
            let zones = zones.join(" or ");
            places.push(
                Evidence::object(
                    format!("persistentvolume/{bound}"),
                    "spec.nodeAffinity",
                    format!("the pod's volume {name} (persistentvolume/{bound}) is in {zones}"),
                )
                .value(zones),
            );
        }
        places
    }
}
