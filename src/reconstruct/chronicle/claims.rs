//! The lives of NodeClaims and their nodes, from objects, events and Karpenter's log.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::super::moment::{Clock, Moment};
use super::super::stories::{ClaimStory, NodeStory};
use super::{parse, pods};
use crate::model::event::{Event, LogRecord};
use crate::model::labels;
use crate::model::meta::condition;
use crate::model::names::{InstanceTypeName, NodeClaimName, NodeName, NodePoolName, Str};
use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;
use crate::model::selector::Operator;
use crate::model::snapshot::Snapshot;

type Claims = BTreeMap<NodeClaimName, ClaimStory>;
type Nodes = BTreeMap<NodeName, NodeStory>;

/// The stories of all NodeClaims and nodes.
pub(super) fn stories(snapshot: &Snapshot) -> (Claims, Nodes) {
    let (there, gone) = (&snapshot.objects, &snapshot.departed);
    let gone_claims = gone.node_claims.iter().map(|claim| {
        let story = claim_object(claim);
        (claim.name(), ClaimStory { last: story.object, object: None, ..story })
    });
    let claims_there = there.node_claims.iter().map(|claim| (claim.name(), claim_object(claim)));
    let mut claims: Claims = gone_claims.chain(claims_there).collect();
    let gone_nodes = gone.nodes.iter().map(|node| {
        let story = node_object(node);
        (node.name(), NodeStory { last: story.object, object: None, ..story })
    });
    let nodes_there = there.nodes.iter().map(|node| (node.name(), node_object(node)));
    let mut nodes: Nodes = gone_nodes.chain(nodes_there).collect();
    for event in &snapshot.events {
        match &*event.regarding.kind {
            "NodeClaim" if !event.regarding.name.is_empty() => {
                tell_claim(claim_named(&mut claims, &event.regarding.name), event);
            }
            "Node" if !event.regarding.name.is_empty() => tell_node(&mut nodes, event),
            "Pod" if &*event.reason == "Nominated" => tell_nominated(&mut claims, event),
            _ => {}
        }
    }
    for record in &snapshot.karpenter_log {
        tell_log(&mut claims, &mut nodes, record);
    }
    link(&mut claims, &mut nodes);
    name_pools(&mut claims, snapshot);
    (claims, nodes)
}

fn claim_named<'a>(claims: &'a mut Claims, name: &str) -> &'a mut ClaimStory {
    let name = NodeClaimName::from(name);
    claims.entry(name.clone()).or_insert_with(|| ClaimStory::new(name))
}

fn claim_object(claim: &Arc<NodeClaim>) -> ClaimStory {
    let since = |kind| claim.since(kind).map(|at| Moment::whole_second(at, Clock::Karpenter));
    let server = |at| Moment::whole_second(at, Clock::ApiServer);
    let label = |key| claim.meta.labels.get(key).cloned();
    ClaimStory {
        object: Some(Arc::clone(claim)),
        node_pool: claim.node_pool(),
        created: claim.meta.created.map(server),
        launched: since("Launched"),
        registered: since("Registered"),
        initialized: since("Initialized"),
        deleted: claim.meta.deletion.map(server),
        node: claim.node_name.clone(),
        requests: Some(claim.requests.clone()),
        instance_type: label(labels::INSTANCE_TYPE).map(InstanceTypeName),
        zone: label(labels::ZONE),
        capacity_type: label(labels::CAPACITY_TYPE),
        ..ClaimStory::new(claim.name())
    }
}

fn node_object(node: &Arc<Node>) -> NodeStory {
    let ready = condition(&node.conditions, "Ready").filter(|ready| &*ready.status == "True");
    let owner =
        node.meta.owners.iter().find(|owner| matches!(&*owner.kind, "NodeClaim" | "Machine"));
    NodeStory {
        name: node.name(),
        object: Some(Arc::clone(node)),
        last: None,
        claim: owner.map(|owner| NodeClaimName(owner.name.clone())),
        created: node.meta.created.map(|at| Moment::whole_second(at, Clock::ApiServer)),
        ready: ready
            .and_then(|ready| ready.changed)
            .map(|at| Moment::whole_second(at, Clock::Kubelet)),
        deleted: node.meta.deletion.map(|at| Moment::whole_second(at, Clock::ApiServer)),
    }
}

/// A condition's step to true, and what Karpenter says of the claim.
fn tell_claim(claim: &mut ClaimStory, event: &Event) {
    let Some((moment, _)) = pods::moments(event) else { return };
    let became_true = event.message.contains("-> True");
    match &*event.reason {
        "Launched" if became_true => fill(&mut claim.launched, moment),
        "Registered" if became_true => fill(&mut claim.registered, moment),
        "Initialized" if became_true => fill(&mut claim.initialized, moment),
        "DisruptionTerminating" => {
            claim.disrupted = pods::message(event);
            if claim.object.is_none() {
                fill(&mut claim.deleted, moment);
            }
        }
        "InsufficientCapacityError" | "NodeClassNotReady" | "LaunchFailed" => {
            claim.failed = pods::message(event);
        }
        _ => {}
    }
    if claim.object.is_none() {
        // Nothing can be said of a claim that is not there yet.
        let earlier = claim.created.is_none_or(|created| moment.at < created.at);
        if earlier && claim.reconcile_id.is_none() {
            claim.created = Some(moment);
        }
    }
}

fn fill(slot: &mut Option<Moment>, moment: Moment) {
    if slot.is_none() {
        *slot = Some(moment);
    }
}

/// A nomination is sent when the claim is made or, for one that is there, later.
fn tell_nominated(claims: &mut Claims, event: &Event) {
    let (Some(name), node) = parse::nominated(&event.message) else { return };
    let Some((moment, _)) = pods::moments(event) else { return };
    let claim = claim_named(claims, name.as_str());
    if claim.node.is_none() {
        claim.node = node;
    }
    if claim.object.is_none() && claim.created.is_none_or(|created| moment.at < created.at) {
        claim.created = Some(moment);
    }
}

fn tell_node(nodes: &mut Nodes, event: &Event) {
    let Some((moment, _)) = pods::moments(event) else { return };
    let name = NodeName(event.regarding.name.clone());
    let node = nodes.entry(name.clone()).or_insert_with(|| NodeStory {
        name,
        object: None,
        last: None,
        claim: None,
        created: None,
        ready: None,
        deleted: None,
    });
    if node.object.is_some() {
        return;
    }
    match &*event.reason {
        "RemovingNode" | "DisruptionTerminating" => fill(&mut node.deleted, moment),
        _ => {
            if node.created.is_none_or(|created| moment.at < created.at) {
                node.created = Some(moment);
            }
        }
    }
}

/// Karpenter's log tells the same to the millisecond, and of claims that are gone.
fn tell_log(claims: &mut Claims, nodes: &mut Nodes, record: &LogRecord) {
    let Some(time) = record.time else { return };
    let moment = Moment::precise(time, Clock::Karpenter);
    let Some(name) = parse::named(record, "NodeClaim") else { return };
    match &*record.message {
        "created nodeclaim" => {
            let claim = claim_named(claims, name);
            claim.created = Some(moment);
            claim.reconcile_id = text(record, "reconcileID");
            claim.node_pool = claim
                .node_pool
                .take()
                .or_else(|| parse::named(record, "NodePool").map(NodePoolName::from));
            if claim.requests.is_none() {
                claim.requests = record.fields.get("requests").map(resources);
            }
        }
        "launched nodeclaim" => {
            let claim = claim_named(claims, name);
            claim.launched = Some(moment);
            claim.instance_type = claim
                .instance_type
                .take()
                .or_else(|| text(record, "instance-type").map(InstanceTypeName));
            claim.zone = claim.zone.take().or_else(|| text(record, "zone"));
            claim.capacity_type =
                claim.capacity_type.take().or_else(|| text(record, "capacity-type"));
        }
        "registered nodeclaim" | "initialized nodeclaim" => {
            let node = parse::named(record, "Node").map(NodeName::from);
            let claim = claim_named(claims, name);
            if record.message.starts_with("registered") {
                claim.registered = Some(moment);
            } else {
                claim.initialized = Some(moment);
            }
            if let Some(node) = node {
                claim.node = Some(node.clone());
                let claim = claim.name.clone();
                nodes
                    .entry(node.clone())
                    .or_insert_with(|| NodeStory {
                        name: node,
                        object: None,
                        last: None,
                        claim: None,
                        created: Some(moment),
                        ready: None,
                        deleted: None,
                    })
                    .claim = Some(claim);
            }
        }
        "deleted nodeclaim" | "deleted node" | "tainted node" | "failed launching nodeclaim" => {
            let claim = claim_named(claims, name);
            if record.message.starts_with("deleted") && claim.object.is_none() {
                fill(&mut claim.deleted, moment);
            }
        }
        _ => {}
    }
}

fn text(record: &LogRecord, field: &str) -> Option<Str> {
    record.fields.get(field)?.as_str().map(Str::from)
}

/// Amounts by name, from a log line's JSON.
fn resources(value: &Value) -> Resources {
    let mut resources = Resources::new();
    for (name, amount) in value.as_object().into_iter().flatten() {
        let parsed = match amount {
            Value::String(text) => text.parse().ok(),
            other => other.as_i64().map(Quantity::units),
        };
        if let Some(amount) = parsed {
            resources.set(name.as_str().into(), amount);
        }
    }
    resources
}

/// Ties claims and nodes together where only one side names the other.
fn link(claims: &mut Claims, nodes: &mut Nodes) {
    for claim in claims.values() {
        if let Some(node) = claim.node.as_ref().and_then(|name| nodes.get_mut(name)) {
            node.claim.get_or_insert_with(|| claim.name.clone());
        }
    }
    for node in nodes.values() {
        if let Some(claim) = node.claim.as_ref().and_then(|name| claims.get_mut(name)) {
            claim.node.get_or_insert_with(|| node.name.clone());
            if claim.node_pool.is_none() {
                let object = node.object.as_ref().or(node.last.as_ref());
                let pool = object.and_then(|node| node.meta.labels.get(labels::NODEPOOL).cloned());
                claim.node_pool = pool.map(NodePoolName);
            }
        }
    }
}

/// A claim is named after its pool, with five letters behind: enough for one that is gone. Where the pool allows a
/// single zone or capacity type, the claim was there.
fn name_pools(claims: &mut Claims, snapshot: &Snapshot) {
    for claim in claims.values_mut() {
        if claim.node_pool.is_none() {
            let stem =
                claim.name.as_str().rsplit_once('-').map(|(stem, _)| NodePoolName::from(stem));
            claim.node_pool = stem.filter(|name| snapshot.objects.node_pool(name).is_some());
        }
        let Some(pool) = claim.node_pool.as_ref().and_then(|name| snapshot.objects.node_pool(name))
        else {
            continue;
        };
        let only = |key: &str| {
            let requirement =
                pool.template.requirements.iter().find(|requirement| &*requirement.key == key)?;
            let single = requirement.operator == Operator::In && requirement.values.len() == 1;
            single.then(|| requirement.values[0].clone())
        };
        claim.zone = claim.zone.take().or_else(|| only(labels::ZONE));
        claim.capacity_type = claim.capacity_type.take().or_else(|| only(labels::CAPACITY_TYPE));
    }
}
