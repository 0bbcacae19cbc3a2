//! A mere preference for nodes without Karpenter makes Karpenter leave the pod out, without a word.

use super::super::Case;
use super::super::facts::refusals_by_message;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::what_if::{self, PlannedPlace};
use crate::explain::words;
use crate::karpenter::NewNodeClaim;
use crate::model::affinity::PreferredSchedulingTerm;
use crate::model::labels;
use crate::model::pod::Pod;
use crate::model::selector::Operator;
use std::sync::Arc;

/// The code.
pub const CODE: &str = "prefers-no-karpenter-node";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Some(pod), Some(plan)) = (case.pod(), case.plan()) else { return Vec::new() };
    let left_out = plan.left_out.iter().find(|left| left.pod == case.landing.pod.key);
    let configured = left_out.is_some_and(|left| {
        left.reasons
            .iter()
            .any(|reason| reason.contains("configured to not run on a Karpenter provisioned node"))
    });
    if !configured {
        return Vec::new();
    }
    let without = without_terms(pod);
    let state = what_if::with_pod(case.state, without);
    let then = what_if::plan(case.landing.world, &state, case.landing.world.setup.karpenter);
    let place = then.as_ref().and_then(|plan| what_if::placement(plan, &case.landing.pod.key));
    let preferred = unwanted(pod).cloned();
    vec![match preferred {
        Some(term) => by_preference(case, &term, place.as_ref()),
        None => by_rule(case, pod),
    }]
}

fn unwanted(pod: &Pod) -> Option<&PreferredSchedulingTerm> {
    let affinity = pod.spec.affinity.node.as_ref()?;
    affinity.preferred.iter().filter(|term| is_unwanted(term)).max_by_key(|term| term.weight)
}

fn is_unwanted(term: &PreferredSchedulingTerm) -> bool {
    term.preference.match_expressions.iter().any(|expression| {
        &*expression.key == labels::NODEPOOL && expression.operator == Operator::DoesNotExist
    })
}

fn without_terms(pod: &Pod) -> Pod {
    let mut pod = pod.clone();
    let mut spec = (*pod.spec).clone();
    if let Some(affinity) = &mut spec.affinity.node {
        affinity.preferred.retain(|term| !is_unwanted(term));
    }
    pod.spec = Arc::new(spec);
    pod
}

fn by_preference(
    case: &Case<'_, '_, '_>,
    term: &PreferredSchedulingTerm,
    place: Option<&PlannedPlace<'_>>,
) -> Cause {
    let name = case.pod_name();
    let field = "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution";
    let summary = format!(
        "Preference relaxation does not come to it: the pod prefers nodes without the label karpenter.sh/nodepool (DoesNotExist, weight {}). Karpenter reads the pod's requirements with the heaviest preference included, concludes that the pod must not run on a Karpenter node, and drops it before the simulation, where relaxation would happen. For this reason alone it publishes no event, only a debug log line.",
        term.weight
    );
    let mut cause = Cause::new(CODE, Class::Constraint, summary)
        .because(
            Evidence::object(&name, field, format!("preferred node affinity karpenter.sh/nodepool DoesNotExist, weight {}", term.weight))
                .value("karpenter.sh/nodepool DoesNotExist"),
        )
        .because(Evidence::replay("Karpenter leaves the pod out of the batch: configured to not run on a Karpenter provisioned node"))
        .because_of(scheduler_view(case));
    let (outcome, flips) = match place {
        Some(PlannedPlace::New(claim)) => (format!("Karpenter launches {}", told(claim)), true),
        Some(PlannedPlace::Existing(node)) => (format!("Karpenter plans the pod for {node}"), true),
        None => ("Karpenter has no place for the pod either".to_owned(), false),
    };
    cause = cause.unless(Counterfactual::new("without the preference", outcome, flips));
    cause
        .advise(Advice::new("Take the preferred term out: as long as it is the heaviest preference, Karpenter does nothing for the pod."))
        .advise(Advice::new("To keep the pod off some pools, taint those pools or require a label that the wanted nodes have."))
}

fn by_rule(case: &Case<'_, '_, '_>, pod: &Pod) -> Cause {
    let name = case.pod_name();
    let selector = pod.spec.node_selector.to_string();
    Cause::new(
        CODE,
        Class::Constraint,
        "The pod's own rules leave no NodePool: karpenter.sh/nodepool must not exist for it. Karpenter leaves it out without an event.",
    )
    .because(Evidence::object(name, "spec.affinity, spec.nodeSelector", "its rules rule out every value of karpenter.sh/nodepool").value(selector))
    .because(Evidence::replay("Karpenter leaves the pod out of the batch: configured to not run on a Karpenter provisioned node"))
    .advise(Advice::new("If Karpenter is to launch a node for it, do not rule out karpenter.sh/nodepool."))
}

/// What a planned claim is, in words.
pub(in crate::explain) fn told(claim: &NewNodeClaim) -> String {
    let kind = claim
        .instance_types
        .first()
        .map_or_else(|| "one node".to_owned(), |kind| format!("one {}", kind.name));
    let zone = claim.requirements.iter().find(|requirement| &*requirement.key == labels::ZONE);
    let zone = zone
        .filter(|zone| !zone.values.is_empty())
        .map(|zone| format!(" in zone {}", zone.values.join(" or ")));
    format!("{kind}{} of nodepool/{}", zone.unwrap_or_default(), claim.node_pool)
}

/// Why kube-scheduler takes no node that exists, and where the pod's volumes are.
fn scheduler_view(case: &Case<'_, '_, '_>) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    if let Some(decision) = case.decision() {
        for (message, nodes) in refusals_by_message(decision) {
            let names: Vec<String> = nodes
                .iter()
                .map(|node| {
                    let zone =
                        case.state.node(node).and_then(|node| node.meta.labels.value(labels::ZONE));
                    zone.map_or_else(
                        || words::node(node),
                        |zone| format!("{} ({zone})", words::node(node)),
                    )
                })
                .collect();
            evidence.push(Evidence::replay(format!(
                "kube-scheduler refuses {}: {message}",
                words::list(&names, 4)
            )));
        }
    }
    evidence.extend(case.volume_places());
    evidence
}
