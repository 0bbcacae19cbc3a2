//! The anti-affinity of pods that are there already keeps the pod away.

use std::sync::Arc;

use super::super::Case;
use super::super::facts::refused_for;
use super::prefers_no_karpenter_node::told;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::what_if::{self, PlannedPlace};
use crate::explain::words;
use crate::kube_scheduler::Rejection;
use crate::model::affinity::PodAffinityTerm;
use crate::model::labels::Labels;
use crate::model::names::NodeName;
use crate::model::pod::Pod;

/// The code.
pub const CODE: &str = "existing-pods-anti-affinity";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(pod), Some(decision), true) = (case.pod(), case.decision(), case.waits()) else {
        return Vec::new();
    };
    let refused: Vec<NodeName> = refused_for(decision, |rejection| {
        matches!(rejection, Rejection::ExistingPodAntiAffinity { .. })
    })
    .map(|(verdict, _)| verdict.node.clone())
    .collect();
    if refused.is_empty() {
        return Vec::new();
    }
    let guards: Vec<(&Arc<Pod>, &PodAffinityTerm)> = case
        .state
        .pods
        .iter()
        .filter(|other| other.node_name.is_some() && !other.is_terminal())
        .filter_map(|other| {
            let anti = other.spec.affinity.pod_anti.as_ref()?;
            anti.required
                .iter()
                .find(|term| selects(case, other, term, pod))
                .map(|term| (other, term))
        })
        .collect();
    if guards.is_empty() {
        return Vec::new();
    }
    vec![cause(case, pod, &refused, &guards)]
}

/// Whether an anti-affinity term of another pod selects this one.
fn selects(case: &Case<'_, '_, '_>, other: &Pod, term: &PodAffinityTerm, pod: &Pod) -> bool {
    let by_selector = term.namespace_selector.as_ref().is_some_and(|selector| {
        let labels =
            case.state.namespaces.iter().find(|known| known.meta.name == pod.meta.namespace.0);
        labels.map_or_else(|| selector.is_empty(), |namespace| selector.matches(namespace.labels()))
    });
    let own = term.namespaces.is_empty()
        && term.namespace_selector.is_none()
        && other.meta.namespace == pod.meta.namespace;
    let in_namespace = own || by_selector || term.namespaces.contains(&pod.meta.namespace);
    in_namespace
        && term.label_selector.as_ref().is_some_and(|selector| selector.matches(&pod.meta.labels))
}

/// The labels of the pod that a term looks at.
fn looked_at(pod: &Pod, term: &PodAffinityTerm) -> String {
    let selector = term.label_selector.clone().unwrap_or_default();
    let keys = selector
        .match_labels
        .iter()
        .map(|(key, _)| key)
        .chain(selector.match_expressions.iter().map(|e| &e.key));
    let labels: Labels =
        keys.filter_map(|key| Some((key.clone(), pod.meta.labels.get(key)?.clone()))).collect();
    labels.to_string()
}

fn cause(
    case: &Case<'_, '_, '_>,
    pod: &Arc<Pod>,
    refused: &[NodeName],
    guards: &[(&Arc<Pod>, &PodAffinityTerm)],
) -> Cause {
    let name = case.pod_name();
    let label = looked_at(pod, guards[0].1);
    let named: Vec<String> = guards
        .iter()
        .map(|(guard, _)| {
            let node = guard
                .node_name
                .as_ref()
                .map(|node| format!(" on {}", words::node(node)))
                .unwrap_or_default();
            format!("pod/{}{node}", guard.meta.name)
        })
        .collect();
    let own = pod.spec.affinity.pod_anti.as_ref().is_none_or(|anti| anti.required.is_empty());
    let by = &guards[0].1.topology_key;
    let mut summary = format!(
        "Pod anti-affinity of the pods already there: the pod carries the label {label}, and {} have required anti-affinity against that label by {by}; the rule counts in both directions.",
        words::list(&named, 4)
    );
    if own {
        summary.push_str(" The pod itself has no such rule.");
    }
    let mut cause = Cause::new(CODE, Class::Constraint, summary).because(
        Evidence::object(&name, "metadata.labels", format!("the pod carries {label}"))
            .value(label.clone()),
    );
    for (guard, term) in guards.iter().take(6) {
        let carries = term
            .label_selector
            .as_ref()
            .is_some_and(|selector| selector.matches(&guard.meta.labels));
        let itself = if carries { "" } else { "; it does not carry the label itself" };
        let node = guard.node_name.as_ref().map(words::node).unwrap_or_default();
        let selector = term.label_selector.as_ref().map(ToString::to_string).unwrap_or_default();
        cause = cause.because(
            Evidence::object(
                format!("pod/{}", guard.meta.name),
                "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                format!(
                    "pod/{} on {node} keeps pods with {selector} off its {}{itself}",
                    guard.meta.name, term.topology_key
                ),
            )
            .value(selector),
        );
    }
    let roomy: Vec<String> = refused
        .iter()
        .filter(|node| case.has_room(node))
        .map(|node| {
            format!(
                "{} has {} cpu free",
                words::node(node),
                words::amount("cpu", case.free(node, "cpu"))
            )
        })
        .collect();
    if !roomy.is_empty() {
        cause = cause.because(Evidence::replay(format!(
            "room is not the reason: {}",
            words::list(&roomy, 4)
        )));
    }
    let all = case.decision().map_or(0, |decision| decision.nodes.len());
    cause = cause.because(Evidence::replay(format!(
        "both components honour it: kube-scheduler refuses {} of {all} nodes by InterPodAffinity (existing pods anti-affinity rules)",
        refused.len()
    )));
    if let Some(PlannedPlace::New(claim)) =
        case.plan().and_then(|plan| what_if::placement(plan, &case.landing.pod.key))
    {
        cause = cause.because(Evidence::replay(format!(
            "Karpenter plans a node of its own for the pod: {}",
            told(claim)
        )));
    }
    let without = what_if::without_pods(case.state, |other| {
        guards.iter().any(|(guard, _)| {
            guard.meta.name == other.meta.name && guard.meta.namespace == other.meta.namespace
        })
    });
    let decision = what_if::decide(case.landing.world, &without, pod);
    let now: Vec<String> =
        decision.feasible.iter().filter(|node| refused.contains(node)).map(words::node).collect();
    let outcome = if now.is_empty() {
        "kube-scheduler still refuses these nodes".to_owned()
    } else {
        format!("kube-scheduler accepts {}", words::list(&now, 3))
    };
    cause
        .unless(Counterfactual::new("without these pods", outcome, !now.is_empty()))
        .advise(Advice::new(format!("Take the label {label} off the pod if it was not meant to be kept apart.")))
        .advise(Advice::new("Or narrow the anti-affinity of those pods, or make it preferred: then it is only scored."))
}
