//! Another pod took the pod's place.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::reconstruct::stories::IncidentKind;

/// The code.
pub const CODE: &str = "preempted";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let Some(incident) = case.landing.pod.incident(IncidentKind::Preempted) else {
        return Vec::new();
    };
    let text = incident.message.text.trim_end_matches('.');
    let by =
        text.split_whitespace().find(|word| word.len() == 36 && word.matches('-').count() == 4);
    let preemptor = by.and_then(|uid| {
        case.landing.world.snapshot.objects.pods.iter().find(|pod| pod.meta.uid.as_str() == uid)
    });
    let mut summary = format!("Another pod of higher priority needed the room: {text}.");
    if let Some(pod) = preemptor {
        summary.push_str(&format!(
            " That is pod/{} in namespace {}, with priority {}.",
            pod.meta.name,
            pod.meta.namespace,
            pod.priority()
        ));
    }
    vec![
        Cause::new(CODE, Class::Preempted, summary)
            .confidence(Confidence::Proven)
            .because(Evidence::event(case.pod_name(), &incident.message, "kube-scheduler preempted the pod"))
            .advise(Advice::new(
                "Give the pod a PriorityClass that is not below the other's, or give the other one preemptionPolicy: Never; a PodDisruptionBudget is honoured where possible only.",
            )),
    ]
}
