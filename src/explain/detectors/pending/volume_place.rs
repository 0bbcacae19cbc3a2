//! The pod's volumes can be reached from nowhere that it could go.

use super::super::Case;
use super::super::facts::refused_for;
use super::volume_limit::claims_of;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::kube_scheduler::Rejection;
use crate::model::labels::ZONE;

/// The code.
pub const CODE: &str = "volume-out-of-reach";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(pod), Some(decision), true) = (case.pod(), case.decision(), case.waits()) else {
        return Vec::new();
    };
    let of_volume = |rejection: &Rejection| {
        matches!(
            rejection,
            Rejection::NoVolumeToBind
                | Rejection::VolumeNodeAffinity
                | Rejection::VolumeZone
                | Rejection::NotEnoughStorage
                | Rejection::UnboundImmediateClaims
                | Rejection::BoundVolumeGone
        )
    };
    let refused: Vec<_> = refused_for(decision, of_volume).collect();
    let Some((_, first)) = refused.first() else { return Vec::new() };
    let nodes: Vec<String> =
        refused.iter().map(|(verdict, _)| words::node(&verdict.node)).collect();
    let claims = claims_of(pod);
    let what = first.message(&decision.version);
    let mut summary = format!("The pod's volume keeps it off {}: {what}.", words::list(&nodes, 4));
    let intended = case.landing.intended().and_then(|place| place.node.clone());
    let wrong = intended.filter(|node| refused.iter().any(|(verdict, _)| verdict.node == *node));
    if let Some(node) = &wrong {
        let zone = case
            .state
            .node(node)
            .and_then(|node| node.meta.labels.value(ZONE))
            .unwrap_or("another zone");
        summary.push_str(&format!(
            " Karpenter launched {} in {zone} for it and goes on counting that node as the pod's, so it launches nothing else: it knows the place of a volume only from a bound claim or from the class's allowedTopologies.",
            words::node(node)
        ));
    }
    let mut cause = Cause::new(CODE, Class::Constraint, summary)
        .confidence(Confidence::Proven)
        .because(Evidence::object(
            case.pod_name(),
            "spec.volumes",
            format!("the pod uses {}", words::list(&claims, 4)),
        ));
    for (verdict, rejection) in refused.iter().take(4) {
        let zone = case.state.node(&verdict.node).and_then(|node| node.meta.labels.value(ZONE));
        let zone = zone.map(|zone| format!(" ({zone})")).unwrap_or_default();
        let message = rejection.message(&decision.version);
        cause = cause.because(Evidence::replay(format!(
            "kube-scheduler refuses {}{zone}: {message}",
            words::node(&verdict.node)
        )));
    }
    cause = cause.because_of(case.volume_places()).because_of(free_volumes(case, &claims));
    vec![
        cause
            .advise(Advice::new("Tell Karpenter where the volume is: allowedTopologies in the StorageClass, or bind the claim to its volume beforehand (spec.volumeName)."))
            .advise(Advice::new("Or pin the pod to the volume's zone with a node selector; it can then not move to another zone, but neither can the volume.")),
    ]
}

/// Where volumes are that an unbound claim could take.
fn free_volumes(case: &Case<'_, '_, '_>, claims: &[String]) -> Vec<Evidence> {
    let unbound = case.state.persistent_volume_claims.iter().filter(|claim| {
        claim.meta.namespace == case.landing.pod.key.namespace
            && claims.contains(&claim.meta.name.to_string())
            && claim.volume_name.is_none()
    });
    let classes: Vec<_> = unbound.filter_map(|claim| claim.storage_class_name.clone()).collect();
    let free = case.state.persistent_volumes.iter().filter(|volume| {
        volume.claim.is_none()
            && volume.storage_class_name.as_ref().is_some_and(|class| classes.contains(class))
    });
    free.take(4)
        .filter_map(|volume| {
            let zones: Vec<&str> = volume
                .node_affinity
                .iter()
                .flatten()
                .flat_map(|term| &term.match_expressions)
                .flat_map(|expression| expression.values.iter().map(|value| &**value))
                .collect();
            (!zones.is_empty()).then(|| {
                Evidence::object(
                    format!("persistentvolume/{}", volume.meta.name),
                    "spec.nodeAffinity",
                    format!("a volume that would do is in {}", zones.join(" or ")),
                )
            })
        })
        .collect()
}
