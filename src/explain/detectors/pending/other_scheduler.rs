//! Another scheduler looks after the pod.

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::what_if::{self, PlannedPlace};
use crate::explain::words;
use crate::model::names::NodeName;

/// The code.
pub const CODE: &str = "other-scheduler";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let Some(pod) = case.pod() else { return Vec::new() };
    let scheduler = &pod.spec.scheduler_name.0;
    if case.landing.world.setup.scheduler.profile(scheduler).is_some() {
        return Vec::new();
    }
    let name = case.pod_name();
    let mut summary = format!(
        "The pod is scheduled by a custom scheduler: spec.schedulerName is {scheduler}. This tool cannot replay {scheduler}: what it shows is the view of the default plugins."
    );
    let story = case.landing.pod;
    let said = story.scheduler_refusals.iter().rev().find(|message| message.reporter == *scheduler);
    let mut cause =
        Cause::new(CODE, if case.waits() { Class::Constraint } else { case.class }, String::new())
            .confidence(Confidence::Consistent)
            .because(
                Evidence::object(
                    &name,
                    "spec.schedulerName",
                    format!("spec.schedulerName is {scheduler}"),
                )
                .value(scheduler.to_string()),
            );
    if let Some(message) = said {
        summary.push_str(&format!(
            " {scheduler} refuses it: \"{}\". Its rules are known to neither Karpenter nor the default scheduler's plugins.",
            message.text.trim_end_matches('.')
        ));
        cause = cause.because(Evidence::event(
            &name,
            message,
            format!("the FailedScheduling event comes from {scheduler}"),
        ));
    }
    cause = cause.because_of(default_view(case));
    if let Some(node) = nominated_for(case) {
        summary.push_str(&format!(
            " Karpenter's simulation puts it on {node}: so it nominates that node for ever and sees no need of a new one."
        ));
    }
    cause.summary = summary;
    vec![
        cause
            .advise(Advice::new(format!(
                "Express the limit in a way that both understand: maxPods of the node, an extended resource, a topology spread or a pod anti-affinity. Karpenter then launches where {scheduler} has no room."
            )))
            .advise(Advice::new("Or let the default scheduler place these pods.")),
    ]
}

/// The existing node that Karpenter counts on.
fn nominated_for(case: &Case<'_, '_, '_>) -> Option<String> {
    let planned = case.plan().and_then(|plan| what_if::placement(plan, &case.landing.pod.key));
    match planned {
        Some(PlannedPlace::Existing(node)) => Some(format!("node/{node}")),
        _ => case.landing.intended().and_then(|place| place.node.as_ref()).map(words::node),
    }
}

fn default_view(case: &Case<'_, '_, '_>) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    if let Some(decision) = case.decision() {
        for node in decision.feasible.iter().take(3) {
            evidence.push(Evidence::replay(format!(
                "by the default plugins the pod fits {}: {}",
                words::node(node),
                free(case, node)
            )));
        }
    }
    if let Some(node) = nominated_for(case) {
        evidence.push(Evidence::replay(format!(
            "Karpenter's simulation says the same: it places the pod on {node} and launches nothing"
        )));
    }
    if let Some(nomination) = case.landing.pod.nominations.last() {
        let times = if nomination.count > 1 {
            format!(", {} times", nomination.count)
        } else {
            String::new()
        };
        evidence.push(Evidence::nomination(
            case.pod_name(),
            nomination,
            format!("Karpenter nominated it{times}"),
        ));
    }
    evidence
}

/// What is free of what the pod asks for.
fn free(case: &Case<'_, '_, '_>, node: &NodeName) -> String {
    let parts: Vec<String> = case
        .requests()
        .iter()
        .map(|(name, amount)| {
            let free = words::amount(name.as_str(), case.free(node, name.as_str()));
            format!("{free} {name} free, {} asked", words::amount(name.as_str(), *amount))
        })
        .collect();
    parts.join("; ")
}
