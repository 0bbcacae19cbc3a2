//! The pod asks for a label that Karpenter does not let pods ask for.

use super::super::Case;
use super::super::facts::refusals_by_message;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::{what_if, words};
use crate::karpenter::PodError;
use crate::model::pod::Pod;
use std::sync::Arc;

/// The code.
pub const CODE: &str = "restricted-label";

/// Labels that Karpenter puts on nodes itself while they run.
const RUN_TIME: [&str; 2] = ["karpenter.sh/registered", "karpenter.sh/initialized"];

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(pod), Some(plan)) = (case.pod(), case.plan()) else { return Vec::new() };
    let key = &case.landing.pod.key;
    let invalid = plan.outcomes.first().and_then(|outcome| outcome.pod_errors.get(key));
    let from_error: Vec<String> = match invalid {
        Some(PodError::Invalid(reasons)) => reasons.clone(),
        _ => Vec::new(),
    };
    let left_out = plan.left_out.iter().find(|left| left.pod == *key);
    let reasons = left_out.map(|left| left.reasons.clone()).into_iter().flatten().chain(from_error);
    let mut causes = Vec::new();
    for reason in reasons {
        let Some(label) = restricted(&reason) else { continue };
        causes.push(cause(case, pod, label, &reason));
    }
    causes.dedup_by(|a, b| a.summary == b.summary);
    causes
}

/// The label of `using label K is not allowed …`, or of older words.
fn restricted(reason: &str) -> Option<&str> {
    let (_, rest) = reason.split_once("label ")?;
    let label = rest.split_whitespace().next()?;
    (reason.contains("is not allowed") || reason.contains("is restricted")).then_some(label)
}

fn cause(case: &Case<'_, '_, '_>, pod: &Pod, label: &str, reason: &str) -> Cause {
    let name = case.pod_name();
    let value = pod.spec.node_selector.value(label);
    let (field, asked) = match value {
        Some(value) => ("spec.nodeSelector", format!("{label}: \"{value}\"")),
        None => ("spec.affinity.nodeAffinity", label.to_owned()),
    };
    let run_time = RUN_TIME.contains(&label);
    let domain = if run_time {
        "the key is in Karpenter's own restricted domain and is put on nodes at run time"
    } else {
        "the key is in a restricted domain"
    };
    let matching = case.state.nodes.iter().filter(|node| match value {
        Some(value) => node.meta.labels.value(label) == Some(value),
        None => node.meta.labels.contains(label),
    });
    let matching = matching.count();
    let mut summary = format!(
        "The pod requires the restricted label {asked}: {domain}. Karpenter ignores a pod that requires it: it is rejected before the simulation, and nothing is launched."
    );
    if matching > 0 {
        summary.push_str(" Existing nodes match it, so kube-scheduler accepts the selector.");
    }
    let mut cause = Cause::new(CODE, Class::Constraint, summary)
        .because(
            Evidence::object(&name, field, format!("{field} asks for {asked}"))
                .value(asked.clone()),
        )
        .because(Evidence::replay(format!(
            "Karpenter drops the pod from the batch: {}",
            shortened(reason)
        )));
    if matching > 0 {
        cause = cause.because(Evidence::object(
            "node",
            "metadata.labels",
            format!("nodes that carry the label: {matching}"),
        ));
    }
    if let Some(decision) = case.decision() {
        for (message, nodes) in refusals_by_message(decision) {
            let nodes: Vec<String> = nodes.iter().map(words::node).collect();
            cause = cause.because(Evidence::replay(format!(
                "kube-scheduler's only complaint about {} is {message}",
                words::list(&nodes, 4)
            )));
        }
    }
    cause = cause.because(Evidence::inferred(format!(
        "a NodePool cannot be made to offer {label} either: it is restricted there too"
    )));
    let mut without = pod.clone();
    let mut spec = (*pod.spec).clone();
    spec.node_selector = spec.node_selector.without(&[label]);
    if let Some(terms) = spec.affinity.node.as_mut().and_then(|affinity| affinity.required.as_mut())
    {
        for term in terms.iter_mut() {
            term.match_expressions.retain(|expression| &*expression.key != label);
        }
    }
    without.spec = Arc::new(spec);
    let state = what_if::with_pod(case.state, without);
    let then = what_if::plan(case.landing.world, &state, case.landing.world.setup.karpenter);
    let place = then.as_ref().and_then(|plan| what_if::placement(plan, &case.landing.pod.key));
    let (outcome, flips) = match &place {
        Some(what_if::PlannedPlace::New(claim)) => {
            (format!("Karpenter launches {}", super::prefers_no_karpenter_node::told(claim)), true)
        }
        Some(what_if::PlannedPlace::Existing(node)) => {
            (format!("Karpenter plans the pod for {node}"), true)
        }
        None => ("Karpenter has no place for the pod either".to_owned(), false),
    };
    cause
        .unless(Counterfactual::new(format!("without {label}"), outcome, flips))
        .advise(
            Advice::new("To ask for any node of Karpenter, require karpenter.sh/nodepool with the operator Exists, or a pool's name.")
                .manifest(
                    "affinity:\n  nodeAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n      nodeSelectorTerms:\n      - matchExpressions:\n        - key: karpenter.sh/nodepool\n          operator: Exists\n",
                ),
        )
}

/// Upstream's words without the long list of well-known labels.
fn shortened(reason: &str) -> String {
    reason.split("; specify").next().unwrap_or(reason).to_owned()
}
