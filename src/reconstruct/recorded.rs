//! The cluster at a moment that was recorded: known, not rebuilt.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::state_at::Instant;
use crate::model::cluster_state::ClusterState;
use crate::model::history::{Change, ChangeKind, Object, Stretch};
use crate::model::names::{NodeName, PodKey};
use crate::model::pod::Pod;
use crate::model::snapshot::Snapshot;
use crate::model::time::{Span, Timestamp};

/// How long after a change the recorder sees it: the network's way, and the API server's.
const LATENCY: Span = Span(20_000_000);

/// The changes of each object, found once: a state looks up what it needs and walks no history.
#[derive(Clone, Debug, Default)]
pub(super) struct Recording {
    /// Places in the history, oldest first; objects in the order of kind, namespace and name, in which a state lists them.
    objects: Vec<Vec<usize>>,
}

impl Recording {
    /// The changes of a snapshot's history.
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        if snapshot.recorded.is_empty() {
            return Self::default();
        }
        let mut objects: BTreeMap<(u8, &str, &str), Vec<usize>> = BTreeMap::new();
        for (index, change) in snapshot.history.iter().enumerate() {
            objects.entry(key_of(change)).or_default().push(index);
        }
        let mut objects: Vec<Vec<usize>> = objects.into_values().collect();
        for changes in &mut objects {
            // Of equal moments, the order of the recording stands.
            changes.sort_by_key(|&index| snapshot.history[index].seen);
        }
        Self { objects }
    }

    /// The changes of one pod.
    fn pod(&self, snapshot: &Snapshot, key: &PodKey) -> &[usize] {
        let wanted = (POD, key.namespace.as_str(), &*key.name);
        let key_at = |changes: &Vec<usize>| key_of(&snapshot.history[changes[0]]);
        let found = self.objects.binary_search_by(|changes| key_at(changes).cmp(&wanted));
        found.map_or(&[], |at| &self.objects[at])
    }
}

fn key_of(change: &Change) -> (u8, &str, &str) {
    let meta = change.object.meta();
    (rank(&change.object), meta.namespace.as_str(), &*meta.name)
}

/// The state at a moment within a stretch in which every change was recorded; none outside of one.
pub(super) fn recorded(
    snapshot: &Snapshot,
    recording: &Recording,
    instant: &Instant,
) -> Option<ClusterState> {
    let at = instant.at;
    let stretch =
        snapshot.recorded.iter().find(|stretch| stretch.from <= at && at <= stretch.to)?;
    let seen_by = at.plus(LATENCY);
    let mut state = ClusterState { at: Some(at), ..snapshot.objects.without_machines() };
    empty_tracked(&mut state);
    for changes in &recording.objects {
        let before = changes.partition_point(|&index| {
            snapshot.history[index].seen.is_none_or(|seen| seen <= seen_by)
        });
        // A large cluster takes a while to be listed: what the stretch began with was there before it was seen.
        let later = changes.get(before).map(|&index| &snapshot.history[index]);
        let listed = later.filter(|change| was_there(change, stretch, at));
        let last = changes[..before].last().map(|&index| &snapshot.history[index]);
        match listed.or(last) {
            Some(change) if change.kind != ChangeKind::Deleted => take(&mut state, &change.object),
            Some(_) | None => {}
        }
    }
    for key in &instant.released {
        let found = state.pod(key).is_some_and(|pod| pod.node_name.is_some());
        if found && let Some(pod) = pod_mut(&mut state, key) {
            Arc::make_mut(pod).node_name = None;
        }
    }
    for key in &instant.assumed {
        let found = state.pod(key).is_some_and(|pod| pod.node_name.is_none());
        if found && let Some(pod) = pod_mut(&mut state, key) {
            Arc::make_mut(pod).node_name = bound_node(snapshot, recording, key);
        }
    }
    Some(state)
}

/// Whether a list that a stretch began with shows what had been there already.
fn was_there(change: &Change, stretch: &Stretch, at: Timestamp) -> bool {
    change.kind == ChangeKind::Listed
        && change.object.meta().created.is_none_or(|created| created <= at)
        && change.seen.is_some_and(|seen| {
            let after = seen.since(stretch.from);
            after >= Span(0) && after <= Span::seconds(60)
        })
}

/// A pod of a state that lists its pods in their order.
fn pod_mut<'s>(state: &'s mut ClusterState, key: &PodKey) -> Option<&'s mut Arc<Pod>> {
    let wanted = (key.namespace.as_str(), &*key.name);
    let found = state
        .pods
        .binary_search_by(|pod| (pod.meta.namespace.as_str(), &*pod.meta.name).cmp(&wanted));
    state.pods.get_mut(found.ok()?)
}

/// The node that a pod was bound to in the end.
fn bound_node(snapshot: &Snapshot, recording: &Recording, key: &PodKey) -> Option<NodeName> {
    if let Some(node) = snapshot.objects.pod(key).and_then(|pod| pod.node_name.clone()) {
        return Some(node);
    }
    recording.pod(snapshot, key).iter().rev().find_map(|&index| {
        match &snapshot.history[index].object {
            Object::Pod(pod) => pod.node_name.clone(),
            _ => None,
        }
    })
}

/// The rank of pods.
const POD: u8 = 0;

/// A place for each kind, so that equal names of different kinds do not meet.
fn rank(object: &Object) -> u8 {
    match object {
        Object::Pod(_) => POD,
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
        let recording = Recording::of(&snapshot);
        let pods = |second: i64| {
            let state = recorded(&snapshot, &recording, &Instant::at(at(second)))?;
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
        let state = recorded(&snapshot, &recording, &released).expect("a recorded moment");
        assert_eq!(state.pods[0].node_name, None);
    }
}
