//! Which pods take part in a pass, and why others do not. As `Provisioner.Schedule` up to the scheduler.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::cluster_state::ClusterState;
use crate::model::names::{NodeName, PodKey};
use crate::model::pod::{Pod, PodStatus};

use super::batch::{Batch, BatchPods};
use super::capacity_buffer::virtual_pods;
use super::plan::LeftOut;
use super::requirements::RequirementSets;
use super::rescheduling::{is_owned_by, takes_part};
use super::settings::Settings;
use super::state_node::StateNode;
use super::validation::{LabelRules, validate};
use super::volumes::Storage;

/// A pod that takes part.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) pod: Arc<Pod>,
    /// The state node that it leaves, where that is why it takes part.
    pub(super) leaves: Option<usize>,
}

/// The pods of a batch, in upstream's order: pending ones, virtual ones, those of nodes that go away.
#[derive(Debug, Default)]
pub(super) struct ChosenPods {
    pub(super) pods: Vec<Chosen>,
    pub(super) left_out: Vec<LeftOut>,
}

/// The cluster with some bound pods made pending again.
pub(super) fn unbound<'a>(state: &'a ClusterState, batch: &Batch) -> Cow<'a, [Arc<Pod>]> {
    if batch.unbind.is_empty() {
        return Cow::Borrowed(&state.pods);
    }
    let unbind = |pod: &Arc<Pod>| {
        if batch.unbind.contains(&pod.key()) { Arc::new(as_pending(pod)) } else { Arc::clone(pod) }
    };
    Cow::Owned(state.pods.iter().map(unbind).collect())
}

/// A pod as it was while it waited.
fn as_pending(pod: &Pod) -> Pod {
    Pod { node_name: None, status: PodStatus::unschedulable(), ..pod.clone() }
}

/// Whether Karpenter makes room for a pod. As `pod.IsProvisionable`.
pub(super) fn is_provisionable(pod: &Pod) -> bool {
    let is_unschedulable = pod.status.conditions.iter().any(|condition| {
        &*condition.kind == "PodScheduled" && &*condition.reason == "Unschedulable"
    });
    let nominated = pod.status.nominated_node_name.as_ref();
    is_unschedulable
        && pod.node_name.is_none()
        && nominated.is_none_or(|node| node.as_str().is_empty())
        && !is_owned_by(pod, "apps/v1", "DaemonSet")
        && !is_owned_by(pod, "v1", "Node")
}

/// Chooses the pods of a batch.
pub(super) fn choose(
    state: &ClusterState,
    pods: &[Arc<Pod>],
    batch: &Batch,
    nodes: &[StateNode],
    settings: &Settings,
    rules: &LabelRules,
    sets: &mut RequirementSets,
) -> ChosenPods {
    let storage = Storage::of(state);
    let mut chosen = ChosenPods::default();
    let wants = |key: &PodKey| match &batch.pods {
        BatchPods::All => true,
        BatchPods::Only(keys) => keys.contains(key),
    };
    let is_named = matches!(batch.pods, BatchPods::Only(_));
    for pod in pods.iter().filter(|pod| pod.node_name.is_none()) {
        if is_named && !wants(&pod.key()) {
            continue;
        }
        if !is_provisionable(pod) {
            if is_named {
                let reasons = vec!["it is not a pod that Karpenter makes room for".to_owned()];
                chosen.left_out.push(LeftOut { pod: pod.key(), reasons, is_told: false });
            }
            continue;
        }
        match validate(pod, rules, &storage, sets) {
            None => {
                chosen.pods.push(Chosen { pod: Arc::clone(pod), leaves: None });
            }
            Some(invalid) => chosen.left_out.push(LeftOut {
                pod: pod.key(),
                reasons: invalid.reasons,
                is_told: invalid.is_told,
            }),
        }
    }
    if settings.gates.capacity_buffer {
        let standing_in = virtual_pods(state).into_iter().filter(|pod| wants(&pod.key()));
        chosen.pods.extend(standing_in.map(|pod| Chosen { pod: Arc::new(pod), leaves: None }));
    }
    let leaving = leaving(state, pods, nodes, settings).into_iter();
    chosen.pods.extend(
        leaving
            .filter(|(_, pod)| wants(&pod.key()))
            .map(|(node, pod)| Chosen { pod, leaves: Some(node) }),
    );
    chosen
}

/// The pods that nodes which go away leave behind, node by node.
fn leaving(
    state: &ClusterState,
    pods: &[Arc<Pod>],
    nodes: &[StateNode],
    settings: &Settings,
) -> Vec<(usize, Arc<Pod>)> {
    let deleting: FxHashMap<NodeName, usize> = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.is_deleting)
        .filter_map(|(index, node)| Some((node.node.as_ref()?.name(), index)))
        .collect();
    if deleting.is_empty() {
        return Vec::new();
    }
    let bound = pods.iter().filter_map(|pod| {
        let node = deleting.get(pod.node_name.as_ref()?)?;
        takes_part(pod, state, settings.version).then(|| (*node, Arc::clone(pod)))
    });
    let mut bound: Vec<(usize, Arc<Pod>)> = bound.collect();
    bound.sort_by_key(|(node, _)| *node);
    bound
}

/// The pods that leave a node: bound ones that take part.
pub(super) fn leaving_pods(chosen: &[Chosen]) -> FxHashSet<*const Pod> {
    let leaving = chosen.iter().filter(|chosen| chosen.leaves.is_some());
    leaving.map(|chosen| Arc::as_ptr(&chosen.pod)).collect()
}
