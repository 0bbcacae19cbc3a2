//! The pass that planned for the pod, and what came of it for the pods of its owner.

use std::collections::BTreeSet;

use super::super::{Batch, BatchNode};
use crate::reconstruct::Landing;
use crate::reconstruct::intent::Planned;

/// How many pods of the owner each node was meant to get, and how many came.
pub(super) fn batch(landing: &Landing<'_, '_>) -> Option<Batch> {
    let planned = landing.intent.first()?;
    let group = &landing.group;
    if group.intents.is_empty() {
        return None;
    }
    let replay = planned.pass.and_then(|pass| landing.world.replay(pass));
    let mut names: BTreeSet<String> = group.first_targets.iter().cloned().collect();
    names.extend(group.came.keys().cloned());
    let chronicle = &landing.world.chronicle;
    let nodes = names.into_iter().map(|name| {
        let node = chronicle.nodes.get(name.as_str());
        let claim = node
            .and_then(|node| chronicle.claims.get(node.claim.as_ref()?))
            .or_else(|| chronicle.claims.get(name.as_str()));
        BatchNode {
            node: node.map(|node| node.name.to_string()),
            node_claim: claim.map(|claim| claim.name.to_string()),
            node_pool: claim.and_then(|claim| claim.node_pool.as_ref()).map(ToString::to_string),
            instance_type: claim
                .and_then(|claim| claim.instance_type.as_ref())
                .map(ToString::to_string),
            zone: claim.and_then(|claim| claim.zone.as_ref()).map(ToString::to_string),
            new: claim.is_some_and(|claim| was_created_by(landing, planned, claim)),
            planned: group
                .first
                .as_ref()
                .map(|first| first.get(&name).copied().unwrap_or(0) as u64),
            bound: group.came.get(&name).copied().unwrap_or(0) as u64,
        }
    });
    let mut nodes: Vec<BatchNode> = nodes.collect();
    nodes.sort_by_key(|node| !node.new);
    Some(Batch {
        time: Some(planned.at),
        pods: replay.map_or(group.intents.len(), |replay| replay.places.len()) as u64,
        pods_of_owner: Some(group.intents.len() as u64),
        nodes,
        new_nodes: replay
            .and_then(|replay| replay.plan.outcomes.first())
            .map(|outcome| outcome.new_node_claims.len() as u64),
        new_nodes_ignoring_preferences: planned
            .pass
            .and_then(|pass| landing.world.new_nodes_ignoring_preferences(pass))
            .map(|nodes| nodes as u64),
        ..Batch::default()
    })
}

fn was_created_by(
    landing: &Landing<'_, '_>,
    planned: &Planned,
    claim: &crate::reconstruct::stories::ClaimStory,
) -> bool {
    let pass = planned.pass.and_then(|pass| landing.world.passes.get(pass));
    match pass {
        Some(pass) => pass.created.contains(&claim.name),
        None => claim
            .created
            .is_some_and(|created| created.at.since(planned.at).0.abs() <= 2_000_000_000),
    }
}
