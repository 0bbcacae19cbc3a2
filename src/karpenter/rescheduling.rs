//! Which pods of a node that goes away need another place. As `pdb.Limits.IsCurrentlyReschedulable`.

use crate::model::cluster_state::ClusterState;
use crate::model::meta::condition;
use crate::model::pod::Pod;
use crate::model::taint::{Effect, Taint};
use crate::model::time::Timestamp;
use crate::model::workload::{IntOrPercent, PodDisruptionBudget};

use super::duration;
use super::version::Version;

/// The annotation that keeps a pod where it is.
const DO_NOT_DISRUPT: &str = "karpenter.sh/do-not-disrupt";

/// Whether the pod counts when its node goes away: it runs, or a StatefulSet will make it anew under the same name.
pub(crate) fn is_reschedulable(pod: &Pod) -> bool {
    let lives =
        is_active(pod) || (is_owned_by(pod, "apps/v1", "StatefulSet") && pod.meta.is_terminating());
    lives && !is_owned_by(pod, "apps/v1", "DaemonSet") && !is_owned_by(pod, "v1", "Node")
}

/// Whether a pod neither ended nor is ending.
pub(crate) fn is_active(pod: &Pod) -> bool {
    !pod.is_terminal() && !pod.meta.is_terminating()
}

/// Whether one of a pod's owners is of a kind.
pub(crate) fn is_owned_by(pod: &Pod, api_version: &str, kind: &str) -> bool {
    pod.meta.owners.iter().any(|owner| &*owner.api_version == api_version && &*owner.kind == kind)
}

/// Whether the annotation that keeps a pod where it is holds at a moment.
pub(crate) fn is_kept(pod: &Pod, at: Option<Timestamp>, version: Version) -> bool {
    let Some(text) = pod.meta.annotations.value(DO_NOT_DISRUPT) else { return false };
    if text == "true" {
        return true;
    }
    if !version.since(12, 0) {
        return false;
    }
    let Some(span) = duration::parse(text).filter(|span| span.0 > 0) else { return false };
    match (pod.status.start_time, at) {
        (Some(start), Some(at)) => at.since(start) < span,
        _ => true,
    }
}

/// When the annotation that keeps a pod where it is stops to hold; `None` where it does not by itself.
pub(crate) fn kept_until(pod: &Pod) -> Option<Timestamp> {
    let text = pod.meta.annotations.value(DO_NOT_DISRUPT)?;
    Some(pod.status.start_time?.plus(duration::parse(text)?))
}

/// Whether Karpenter would evict the pod to free its node.
pub(crate) fn is_evictable(pod: &Pod, at: Option<Timestamp>, version: Version) -> bool {
    let disrupted = Taint {
        key: "karpenter.sh/disrupted".into(),
        value: "".into(),
        effect: Effect::NoSchedule,
        added: None,
    };
    is_active(pod)
        && !pod.tolerates(&disrupted)
        && !is_owned_by(pod, "v1", "Node")
        && !is_kept(pod, at, version)
}

/// The disruption budgets that cover a pod.
pub(crate) fn budgets_of<'a>(
    pod: &'a Pod,
    state: &'a ClusterState,
) -> impl Iterator<Item = &'a PodDisruptionBudget> {
    let budgets = state.pod_disruption_budgets.iter().map(|budget| &**budget);
    budgets.filter(|budget| {
        budget.meta.namespace == pod.meta.namespace
            && budget.selector.as_ref().is_some_and(|selector| selector.matches(&pod.meta.labels))
    })
}

/// Whether a pod of a node that goes away takes part in the batch.
pub(super) fn takes_part(pod: &Pod, state: &ClusterState, version: Version) -> bool {
    if !is_reschedulable(pod) {
        return false;
    }
    if is_active(pod) && is_kept(pod, state.at, version) {
        return false;
    }
    !is_fully_blocked(pod, state, version)
}

fn is_fully_blocked(pod: &Pod, state: &ClusterState, version: Version) -> bool {
    if !is_evictable(pod, state.at, version) {
        return false;
    }
    let budgets: Vec<&PodDisruptionBudget> = budgets_of(pod, state).collect();
    if budgets.len() > 1 && version.since(9, 0) {
        return true;
    }
    budgets.iter().any(|budget| {
        let exempt = budget.unhealthy_pod_eviction_policy.as_deref() == Some("AlwaysAllow")
            && is_unready(pod);
        !exempt && allows_none(budget)
    })
}

/// Whether a pod says that it is not ready.
pub(crate) fn is_unready(pod: &Pod) -> bool {
    condition(&pod.status.conditions, "Ready").is_some_and(|ready| &*ready.status == "False")
}

/// Whether a budget can never allow a disruption.
fn allows_none(budget: &PodDisruptionBudget) -> bool {
    let none = match &budget.max_unavailable {
        Some(IntOrPercent::Int(number)) => *number == 0,
        Some(IntOrPercent::Text(text)) => &**text == "0%",
        None => false,
    };
    let all = matches!(&budget.min_available, Some(IntOrPercent::Text(text)) if &**text == "100%");
    none || all
}
