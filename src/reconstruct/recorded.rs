//! The cluster at a moment that was recorded: known, not rebuilt.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::state_at::Instant;
use crate::model::cluster_state::ClusterState;
use crate::model::history::{ChangeKind, Object};
use crate::model::names::PodKey;
use crate::model::snapshot::Snapshot;
use crate::model::time::Span;

/// How long after a change the recorder sees it: the network's way, and the API server's.
const LATENCY: Span = Span(20_000_000);

/// The state at a moment within a stretch in which every change was recorded; none outside of one.
pub(super) fn recorded(snapshot: &Snapshot, instant: &Instant) -> Option<ClusterState> {
    let at = instant.at;
    if !snapshot.recorded.iter().any(|stretch| stretch.from <= at && at <= stretch.to) {
        return None;
    }
    let seen_by = at.plus(LATENCY);
    let mut last: BTreeMap<(u8, &str, &str), &Object> = BTreeMap::new();
    for change in &snapshot.history {
        // What was listed at the beginning was there before.
        let is_later = change.seen.is_none_or(|seen| seen > seen_by);
        let was_there = change.kind == ChangeKind::Listed
            && change.object.meta().created.is_none_or(|created| created <= at);
        if is_later && !(was_there && is_first_list(snapshot, change.seen)) {
            continue;
        }
        let meta = change.object.meta();
        let key = (rank(&change.object), meta.namespace.as_str(), &*meta.name);
        if change.kind == ChangeKind::Deleted {
            last.remove(&key);
        } else {
            last.insert(key, &change.object);
        }
    }
    let mut state = ClusterState { at: Some(at), ..snapshot.objects.clone() };
    empty_tracked(&mut state);
    for object in last.into_values() {
        take(&mut state, object);
    }
    for pod in &mut state.pods {
        settle(pod, snapshot, instant);
    }
    Some(state)
}

/// Whether a list was the one that a stretch began with: a large cluster takes a while to be listed.
fn is_first_list(snapshot: &Snapshot, seen: Option<crate::model::time::Timestamp>) -> bool {
    seen.is_some_and(|seen| {
        snapshot.recorded.iter().any(|stretch| {
            let after = seen.since(stretch.from);
            after >= Span(0) && after <= Span::seconds(60)
        })
    })
}

/// Pods that count as bound, or as not bound, whatever was written when.
fn settle(pod: &mut Arc<crate::model::pod::Pod>, snapshot: &Snapshot, instant: &Instant) {
    let key = pod.meta.pod_key();
    if instant.released.contains(&key) && pod.node_name.is_some() {
        Arc::make_mut(pod).node_name = None;
    }
    if instant.assumed.contains(&key) && pod.node_name.is_none() {
        let bound = bound_node(snapshot, &key);
        Arc::make_mut(pod).node_name = bound;
    }
}

/// The node that a pod was bound to in the end.
fn bound_node(snapshot: &Snapshot, key: &PodKey) -> Option<crate::model::names::NodeName> {
    if let Some(node) = snapshot.objects.pod(key).and_then(|pod| pod.node_name.clone()) {
        return Some(node);
    }
    snapshot.history.iter().rev().find_map(|change| match &change.object {
        Object::Pod(pod) if pod.meta.pod_key() == *key => pod.node_name.clone(),
        _ => None,
    })
}

/// A place for each kind, so that equal names of different kinds do not meet.
fn rank(object: &Object) -> u8 {
    match object {
        Object::Pod(_) => 0,
        Object::Node(_) => 1,
        Object::NodeClaim(_) => 2,
        Object::NodePool(_) => 3,
        Object::PersistentVolumeClaim(_) => 4,
        Object::PersistentVolume(_) => 5,
        Object::VolumeAttachment(_) => 6,
        Object::CsiNode(_) => 7,
        // In a state, workloads stand in the order of their kinds.
        Object::Workload(workload) => 8 + workload.kind as u8,
    }
}

fn empty_tracked(state: &mut ClusterState) {
    state.pods.clear();
    state.nodes.clear();
    state.node_claims.clear();
    state.node_pools.clear();
    state.persistent_volume_claims.clear();
    state.persistent_volumes.clear();
    state.volume_attachments.clear();
    state.csi_nodes.clear();
    state.workloads.clear();
}

fn take(state: &mut ClusterState, object: &Object) {
    match object.clone() {
        Object::Pod(object) => state.pods.push(object),
        Object::Node(object) => state.nodes.push(object),
        Object::NodeClaim(object) => state.node_claims.push(object),
        Object::NodePool(object) => state.node_pools.push(object),
        Object::PersistentVolumeClaim(object) => state.persistent_volume_claims.push(object),
        Object::PersistentVolume(object) => state.persistent_volumes.push(object),
        Object::VolumeAttachment(object) => state.volume_attachments.push(object),
        Object::CsiNode(object) => state.csi_nodes.push(object),
        Object::Workload(object) => state.workloads.push(object),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::history::{Change, Stretch};
    use crate::model::time::Timestamp;
    use crate::testing::pod;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000 + second)
    }

    fn change(kind: ChangeKind, second: i64, name: &str, node: &str) -> Change {
        let bare = pod(name).namespace("a");
        let built = if node.is_empty() { bare.build() } else { bare.on(node).build() };
        Change { seen: Some(at(second)), kind, object: Object::Pod(Arc::new(built)) }
    }

    #[test]
    fn a_recorded_moment_shows_what_was_there_then() {
        let snapshot = Snapshot {
            history: vec![
                change(ChangeKind::Listed, 1, "gone", "n"),
                change(ChangeKind::Added, 10, "web", ""),
                change(ChangeKind::Deleted, 20, "gone", "n"),
                change(ChangeKind::Modified, 30, "web", "n"),
            ],
            recorded: vec![Stretch { from: at(0), to: at(60) }],
            ..Snapshot::default()
        };
        let pods = |second: i64| {
            let state = recorded(&snapshot, &Instant::at(at(second)))?;
            let shown = state.pods.iter().map(|pod| {
                format!(
                    "{}@{}",
                    pod.meta.name,
                    pod.node_name.as_ref().map_or("", |node| node.as_str())
                )
            });
            Some(shown.collect::<Vec<_>>().join(" "))
        };
        assert_eq!(pods(0).as_deref(), Some("gone@n"), "listed a little later, and there before");
        assert_eq!(pods(15).as_deref(), Some("gone@n web@"));
        assert_eq!(pods(25).as_deref(), Some("web@"));
        assert_eq!(pods(30).as_deref(), Some("web@n"));
        assert_eq!(pods(61), None, "nothing was recorded then");
        let mut released = Instant::at(at(30));
        released.released.insert(PodKey { namespace: "a".into(), name: "web".into() });
        let state = recorded(&snapshot, &released).expect("a recorded moment");
        assert_eq!(state.pods[0].node_name, None);
    }
}
