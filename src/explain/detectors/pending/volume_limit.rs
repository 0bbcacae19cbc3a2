//! A node can attach no further volume.

use std::collections::BTreeSet;

use super::super::Case;
use super::super::facts::refused_for;
use super::prefers_no_karpenter_node::told;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::what_if::{self, PlannedPlace};
use crate::explain::words;
use crate::kube_scheduler::Rejection;
use crate::model::names::NodeName;
use crate::model::pod::{Pod, VolumeSource};
use std::sync::Arc;

/// The code.
pub const CODE: &str = "volume-limit";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(pod), Some(decision), true) = (case.pod(), case.decision(), case.waits()) else {
        return Vec::new();
    };
    refused_for(decision, |rejection| matches!(rejection, Rejection::VolumeLimit { .. }))
        .take(3)
        .filter_map(|(verdict, rejection)| match rejection {
            Rejection::VolumeLimit { driver, attached, new, limit } => {
                Some(cause(case, pod, &verdict.node, (driver, *attached, *new, *limit)))
            }
            _ => None,
        })
        .collect()
}

/// Claims that pods on a node use.
fn in_use(case: &Case<'_, '_, '_>, node: &NodeName) -> Vec<String> {
    let on_node = case
        .state
        .pods
        .iter()
        .filter(|pod| pod.node_name.as_ref() == Some(node) && !pod.is_terminal());
    let claims: BTreeSet<String> = on_node.flat_map(|pod| claims_of(pod)).collect();
    claims.into_iter().collect()
}

/// The claims of a pod's volumes.
pub(in crate::explain::detectors) fn claims_of(pod: &Pod) -> Vec<String> {
    let name = |volume: &crate::model::pod::PodVolume| match &volume.source {
        VolumeSource::PersistentVolumeClaim(claim) => Some(claim.to_string()),
        VolumeSource::Ephemeral { .. } => Some(format!("{}-{}", pod.meta.name, volume.name)),
        _ => None,
    };
    pod.spec.volumes.iter().filter_map(name).collect()
}

fn cause(
    case: &Case<'_, '_, '_>,
    pod: &Arc<Pod>,
    node: &NodeName,
    counts: (&str, i64, i64, i64),
) -> Cause {
    let (driver, attached, new, limit) = counts;
    let named = words::node(node);
    let used = in_use(case, node);
    let more = if new == 1 { "one more".to_owned() } else { format!("{new} more") };
    let summary = format!(
        "Volume limits: {named} may attach {limit} volumes of {driver}, {attached} are in use, and the pod needs {more}."
    );
    let mut cause = Cause::new(CODE, Class::Constraint, summary)
        .because(
            Evidence::object(
                format!("csinode/{node}"),
                "spec.drivers[].allocatable.count",
                format!("CSINode {node}: {driver} allocatable count {limit}"),
            )
            .value(limit.to_string()),
        )
        .because(Evidence::object(
            &named,
            "pods' volumes",
            format!("volumes in use on {named}: {attached} ({})", words::list(&used, 8)),
        ))
        .because(Evidence::object(
            case.pod_name(),
            "spec.volumes",
            format!("the pod's own volumes: {}", words::list(&claims_of(pod), 4)),
        ));
    let places = case.volume_places();
    let has_places = !places.is_empty();
    cause = cause.because_of(places);
    if has_places {
        cause = cause.because(Evidence::inferred("a new node must be where the volume is"));
    }
    if case.has_room(node) {
        let free: Vec<String> = case
            .requests()
            .iter()
            .map(|(name, _)| {
                format!(
                    "{} {name} free",
                    words::amount(name.as_str(), case.free(node, name.as_str()))
                )
            })
            .collect();
        cause = cause.because(Evidence::replay(format!(
            "resources are not the reason: {named} has {}",
            free.join(", ")
        )));
    }
    if let Some(PlannedPlace::New(claim)) =
        case.plan().and_then(|plan| what_if::placement(plan, &case.landing.pod.key))
    {
        cause = cause.because(Evidence::replay(format!(
            "Karpenter honours the limit too and plans {}",
            told(claim)
        )));
    }
    cause = cause.because(Evidence::inferred(
        "if the CSINode were missing or had no count, both components would assume no limit, and the pod would be bound and then fail to attach",
    ));
    let mut state = case.state.clone();
    for csi in state.csi_nodes.iter_mut().filter(|csi| csi.meta.name == node.0) {
        let mut unlimited = (**csi).clone();
        for known in &mut unlimited.drivers {
            known.count = None;
        }
        *csi = Arc::new(unlimited);
    }
    let flips = what_if::accepts(&what_if::decide(case.landing.world, &state, pod), node);
    let outcome = if flips {
        format!("kube-scheduler accepts {named}")
    } else {
        format!("kube-scheduler still refuses {named}")
    };
    cause
        .unless(Counterfactual::new("without the limit", outcome, flips))
        .advise(Advice::new("Let Karpenter launch the second node, or choose instance types that can attach more volumes."))
        .advise(Advice::new("Fewer or larger volumes for each pod, or spreading these pods over nodes, keep below the limit."))
}
