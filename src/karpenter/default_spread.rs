//! The spread that pods without one of their own get from `SCHEDULER_CONFIG`.

use crate::model::cluster_state::ClusterState;
use crate::model::labels::Labels;
use crate::model::pod::Pod;
use crate::model::selector::{Expression, LabelSelector, Operator, matches_all};
use crate::model::spread::TopologySpreadConstraint;
use crate::model::workload::WorkloadKind;

use super::settings::Settings;

/// The constraints that a pod is given; none where it has its own, or nothing says which pods are its kind.
pub(super) fn default_constraints(
    pod: &Pod,
    state: &ClusterState,
    settings: &Settings,
) -> Vec<TopologySpreadConstraint> {
    let has_own = !pod.spec.topology_spread_constraints.is_empty();
    if settings.default_constraints.is_empty() || has_own {
        return Vec::new();
    }
    let selector = selector(pod, state);
    if selector.is_empty() {
        return Vec::new();
    }
    let defaults = settings.default_constraints.iter();
    defaults
        .map(|constraint| TopologySpreadConstraint {
            label_selector: Some(selector.clone()),
            ..constraint.clone()
        })
        .collect()
}

/// What the pod's Services and its controller select.
fn selector(pod: &Pod, state: &ClusterState) -> LabelSelector {
    let services = state.services.iter().filter(|service| {
        service.meta.namespace == pod.meta.namespace
            && service.selector.as_ref().is_some_and(|own| matches_all(own, &pod.meta.labels))
    });
    let mut labels = Labels::default();
    for service in services {
        labels = labels.with(service.selector.iter().flatten().cloned());
    }
    let mut match_expressions = Vec::new();
    let owner = pod.meta.controller().and_then(|controller| {
        state.workloads.iter().find(|workload| {
            workload.kind.as_str() == &*controller.kind
                && workload.meta.name == controller.name
                && workload.meta.namespace == pod.meta.namespace
        })
    });
    if let Some(owner) = owner
        && let Some(own) = &owner.selector
    {
        match owner.kind {
            WorkloadKind::ReplicationController => {
                labels = labels.with(own.match_labels.iter().cloned());
            }
            WorkloadKind::ReplicaSet | WorkloadKind::StatefulSet => {
                match_expressions.extend(own.match_labels.iter().map(|(key, value)| Expression {
                    key: key.clone(),
                    operator: Operator::In,
                    values: vec![value.clone()],
                }));
                match_expressions.extend(own.match_expressions.iter().cloned());
            }
            WorkloadKind::DaemonSet
            | WorkloadKind::Deployment
            | WorkloadKind::Job
            | WorkloadKind::CronJob => {}
        }
    }
    LabelSelector { match_labels: labels, match_expressions }
}
