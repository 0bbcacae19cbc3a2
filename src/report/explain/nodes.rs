//! What both components made of each node, and Karpenter of each NodePool.

use std::collections::BTreeMap;

use super::super::{KarpenterView, Node, NodePool, Refusal, Role, Room, Score};
use super::Rooms;
use crate::karpenter::{Candidate, CandidateVerdict};
use crate::kube_scheduler::{Decision, NodeVerdict};
use crate::model::cluster_state::ClusterState;
use crate::model::labels;
use crate::model::names::NodeName;
use crate::reconstruct::Landing;

pub(super) fn nodes(
    landing: &Landing<'_, '_>,
    state: &ClusterState,
    decision: Option<&Decision>,
    rooms: &Rooms,
) -> Vec<Node> {
    let Some(decision) = decision else { return Vec::new() };
    let intended = landing.intended().and_then(|place| place.node.clone());
    let actual = landing.pod.node.clone();
    let pick = decision.pick.clone().or_else(|| decision.best.first().cloned());
    let karpenter = karpenter_views(landing);
    let mut nodes: Vec<Node> = decision
        .nodes
        .iter()
        .map(|verdict| {
            let is = |role: &Option<NodeName>| role.as_ref() == Some(&verdict.node);
            let roles = [
                (Role::Intended, is(&intended)),
                (Role::SchedulerPick, is(&pick)),
                (Role::Actual, is(&actual)),
            ];
            let roles = roles.into_iter().filter(|(_, is)| *is).map(|(role, _)| role).collect();
            let view = karpenter.get(verdict.node.as_str());
            Node {
                karpenter: view.cloned(),
                ..node(landing, state, verdict, roles, rooms, &decision.version)
            }
        })
        .collect();
    nodes.sort_by(|a, b| {
        let key = |node: &Node| {
            (
                node.roles.first().copied().map_or(9, |role| role as u8),
                !node.feasible,
                std::cmp::Reverse(node.total),
            )
        };
        key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
    });
    nodes
}

fn node(
    landing: &Landing<'_, '_>,
    state: &ClusterState,
    verdict: &NodeVerdict,
    roles: Vec<Role>,
    rooms: &Rooms,
    version: &crate::kube_scheduler::Version,
) -> Node {
    let object = state.node(&verdict.node);
    let story = landing.world.chronicle.nodes.get(&verdict.node);
    let label =
        |key: &str| object.and_then(|node| node.meta.labels.value(key)).map(ToOwned::to_owned);
    let room = rooms.get(&verdict.node);
    let first = verdict.first.as_ref().map(|refusal| refusal.plugin);
    Node {
        name: verdict.node.to_string(),
        roles,
        node_claim: story.and_then(|story| story.claim.as_ref()).map(ToString::to_string),
        node_pool: label(labels::NODEPOOL),
        instance_type: label(labels::INSTANCE_TYPE),
        zone: label(labels::ZONE),
        capacity_type: label(labels::CAPACITY_TYPE),
        existed: object.is_some(),
        ready: story.and_then(|story| story.ready).map(|moment| moment.at),
        feasible: verdict.is_feasible(),
        refusals: verdict
            .refusals
            .iter()
            .map(|refusal| Refusal {
                plugin: refusal.plugin.to_owned(),
                reasons: refusal.reasons.iter().map(|reason| reason.message(version)).collect(),
                detail: None,
                first: first == Some(refusal.plugin),
                preemption_helps: refusal.code.preemption_may_help(),
            })
            .collect(),
        scores: verdict
            .scores
            .iter()
            .map(|score| Score {
                plugin: score.plugin.to_owned(),
                raw: score.raw,
                normalized: score.normalized,
                weight: score.weight,
                weighted: score.weighted,
            })
            .collect(),
        total: verdict.total,
        free: room.map(|room| Room::from(&room.free)),
        pods: room.map(|room| room.pods as u64),
        karpenter: None,
    }
}

/// What Karpenter made of each existing node for a pod that waits.
fn karpenter_views(landing: &Landing<'_, '_>) -> BTreeMap<String, KarpenterView> {
    let mut views = BTreeMap::new();
    let Some(pending) = &landing.pending else { return views };
    for attempt in pending.attempts(landing.pod) {
        for (candidate, verdict) in &attempt.candidates {
            if let Candidate::ExistingNode(name) = candidate {
                views.insert(name.to_string(), view(verdict));
            }
        }
    }
    views
}

fn view(verdict: &CandidateVerdict) -> KarpenterView {
    match verdict {
        CandidateVerdict::Takes(_) => KarpenterView { accepts: true, stage: None, reason: None },
        CandidateVerdict::Refuses(refusal) => KarpenterView {
            accepts: false,
            stage: Some(refusal.stage()),
            reason: Some(refusal.to_string()),
        },
    }
}

/// What each NodePool's new node would be to a pod that waits.
pub(super) fn node_pools(landing: &Landing<'_, '_>) -> Vec<NodePool> {
    let Some(pending) = &landing.pending else { return Vec::new() };
    let Some(last) = pending.attempts(landing.pod).last() else { return Vec::new() };
    let of_pool = last.candidates.iter().filter_map(|(candidate, verdict)| match candidate {
        Candidate::New(pool) => Some((pool, verdict)),
        _ => None,
    });
    of_pool
        .map(|(pool, verdict)| NodePool {
            name: pool.to_string(),
            weight: landing.world.snapshot.objects.node_pool(pool).and_then(|pool| pool.weight),
            karpenter: view(verdict),
        })
        .collect()
}
