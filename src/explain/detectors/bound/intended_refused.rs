//! When the pod was bound, kube-scheduler refused the node that Karpenter meant for it.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;

/// The code.
pub const CODE: &str = "intended-refused";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    if matches!(case.class, Class::AsIntended | Class::NotKarpenter) {
        return Vec::new();
    }
    let Some(node) = case.landing.intended().and_then(|place| place.node.as_ref()) else {
        return Vec::new();
    };
    let Some(decision) = case.decision() else { return Vec::new() };
    let Some(verdict) = decision.nodes.iter().find(|verdict| verdict.node == *node) else {
        return Vec::new();
    };
    let Some(first) = verdict.first.as_ref().or_else(|| verdict.refusals.first()) else {
        return Vec::new();
    };
    let reasons: Vec<String> =
        first.reasons.iter().map(|reason| reason.message(&decision.version)).collect();
    let named = words::node(node);
    let summary = if case.waits() {
        format!(
            "The node that Karpenter means for the pod, {named}, refuses it now: {} ({}).",
            reasons.join(", "),
            first.plugin
        )
    } else {
        format!(
            "When the pod was bound, {named}, which Karpenter meant for it, refused it: {} ({}).",
            reasons.join(", "),
            first.plugin
        )
    };
    let sure = if case.waits() { Confidence::Proven } else { Confidence::Consistent };
    let mut cause = Cause::new(CODE, case.class, summary).confidence(sure);
    for refusal in &verdict.refusals {
        let reasons: Vec<String> =
            refusal.reasons.iter().map(|reason| reason.message(&decision.version)).collect();
        cause = cause.because(
            Evidence::replay(format!("{} refuses {named}: {}", refusal.plugin, reasons.join(", ")))
                .value(reasons.join(", ")),
        );
    }
    let room = case.rooms.get(node);
    if let Some(room) = room {
        cause = cause.because(Evidence::replay(format!(
            "free on {named} then: {}",
            words::resources(&room.free)
        )));
    }
    vec![cause.advise(Advice::new(
        "Karpenter's plan is no reservation: what changes on the node after it, other pods, taints, allocatable, decides.",
    ))]
}
