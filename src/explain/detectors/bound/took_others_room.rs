//! A pod that no pass planned for took room on a node that was launched for other pods.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;

/// The code.
pub const CODE: &str = "took-others-room";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    if case.class != Class::Race || case.landing.was_planned() {
        return Vec::new();
    }
    let Some(node) = &case.landing.pod.node else { return Vec::new() };
    let launched: Vec<String> =
        case.landing.world.launched_for(node).iter().map(words::pod).collect();
    if launched.is_empty() {
        return Vec::new();
    }
    let named = words::node(node);
    let summary = format!(
        "{named} was launched for {}; the pod was waiting too, and kube-scheduler put it there first: a nomination reserves nothing.",
        words::list(&launched, 5)
    );
    let mut cause = Cause::new(CODE, Class::Race, summary)
        .confidence(Confidence::Consistent)
        .because(Evidence::object(
            case.landing.actual.as_ref().map(words::place_and_claim).unwrap_or_default(),
            "spec.resources.requests",
            format!("the NodeClaim was made for {}", words::list(&launched, 5)),
        ));
    for message in &case.landing.pod.karpenter_refusals {
        cause = cause.because(Evidence::event(
            case.pod_name(),
            message,
            "Karpenter had found no place for the pod",
        ));
    }
    let waiting: Vec<String> = case
        .landing
        .world
        .launched_for(node)
        .iter()
        .filter(|key| {
            let object = case.landing.world.snapshot.objects.pod(key);
            object.is_some_and(|pod| pod.node_name.is_none() && !pod.is_terminal())
        })
        .map(words::pod)
        .collect();
    if !waiting.is_empty() {
        let summary = format!("{} still waits: its place is taken", words::list(&waiting, 5));
        cause = cause.because(Evidence::object("pods", "spec.nodeName", summary));
    }
    vec![cause.advise(Advice::new(
        "Give the pods that must not wait a higher priority: they are queued first, and may preempt. Or raise what limits Karpenter, so that every pod gets its room.",
    ))]
}
