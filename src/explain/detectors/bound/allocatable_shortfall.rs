//! The node offers less than Karpenter counted on when it launched it, and that is why it refuses the pod.

use std::sync::Arc;

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Counterfactual};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::{what_if, words};
use crate::instance_types::{Because, Difference, predicted_vs_registered};
use crate::kube_scheduler::{NodeVerdict, Rejection};
use crate::model::node::Node;
use crate::model::nodeclaim::NodeClaim;
use crate::model::resources::PODS;
use crate::reconstruct::replays::Place;

/// The code.
pub const CODE: &str = "allocatable-below-prediction";

/// Looks for the cause: among the places that the pod was meant for, a node that refuses it for want of a resource of
/// which it registered less than its NodeClaim says.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let Some(decision) = case.decision() else { return Vec::new() };
    let plans = case.landing.intent.plans.iter().rev();
    plans
        .filter_map(|planned| planned.place())
        .filter(|place| place.node != case.landing.pod.node)
        .find_map(|place| {
            let node = place.node.as_ref()?;
            let verdict = decision.nodes.iter().find(|verdict| verdict.node == *node)?;
            look(case, place, verdict)
        })
        .into_iter()
        .collect()
}

fn look(case: &Case<'_, '_, '_>, place: &Place, verdict: &NodeVerdict) -> Option<Cause> {
    let objects = &case.landing.world.snapshot.objects;
    let claim = objects.node_claim(place.claim.as_ref()?)?;
    let node = case.state.node(&verdict.node).or_else(|| objects.node(&verdict.node))?;
    let short: Vec<Difference> = predicted_vs_registered(claim, node)
        .into_iter()
        .filter(|difference| {
            difference.is_shortfall() && refuses_for(verdict, &difference.resource)
        })
        .collect();
    (!short.is_empty()).then(|| cause(case, claim, node, &short))
}

/// Whether a node refuses the pod for want of a resource.
fn refuses_for(verdict: &NodeVerdict, name: &str) -> bool {
    verdict.refusals.iter().flat_map(|refusal| &refusal.reasons).any(|reason| match reason {
        Rejection::InsufficientResource { resource, .. } => resource.as_str() == name,
        Rejection::TooManyPods { .. } => name == PODS,
        _ => false,
    })
}

fn cause(
    case: &Case<'_, '_, '_>,
    claim: &NodeClaim,
    node: &Arc<Node>,
    short: &[Difference],
) -> Cause {
    let named = words::node(&node.name());
    let told: Vec<String> = short
        .iter()
        .map(|one| {
            let amount = |quantity| words::amount(&one.resource, quantity);
            format!(
                "{} of {} where {} were predicted",
                amount(one.registered),
                one.resource,
                amount(one.predicted)
            )
        })
        .collect();
    let mut cause = Cause::new(
        CODE,
        case.class,
        format!(
            "Karpenter counted on more than the node then offered: {named} registered {}. What was planned for it does not fit.",
            words::list(&told, 3)
        ),
    )
    .confidence(Confidence::Consistent);
    for one in short {
        let amount = |quantity| words::amount(&one.resource, quantity);
        cause = cause
            .because(
                Evidence::object(
                    format!("nodeclaim/{}", claim.meta.name),
                    format!("status.allocatable.{}", one.resource),
                    format!("predicted allocatable {}: {}", one.resource, amount(one.predicted)),
                )
                .value(amount(one.predicted)),
            )
            .because(
                Evidence::object(
                    &named,
                    format!("status.allocatable.{}", one.resource),
                    format!("registered allocatable {}: {}", one.resource, amount(one.registered)),
                )
                .value(amount(one.registered)),
            )
            .because(Evidence::inferred(one.because.words()));
    }
    if let Some(pod) = case.pod() {
        let mut as_predicted = Node::clone(node);
        for one in short {
            as_predicted.allocatable.set(one.resource.as_str().into(), one.predicted);
        }
        let state = what_if::with_node(case.state, as_predicted);
        let decision = what_if::decide(case.landing.world, &state, pod);
        let flips = what_if::accepts(&decision, &node.name());
        let outcome = if flips { "accepts" } else { "still refuses" };
        cause = cause.unless(Counterfactual::new(
            format!("with {named} as large as predicted"),
            format!("kube-scheduler {outcome} {named}"),
            flips,
        ));
    }
    cause.advise_all(short.iter().map(|one| advice(one.because)))
}

fn advice(because: Because) -> Advice {
    Advice::new(match because {
        Because::MemoryEstimated | Because::MemoryAndKubelet => {
            "Tell Karpenter how much memory the hypervisor really takes (VM_MEMORY_OVERHEAD_PERCENT on AWS): a larger share launches larger nodes, and a pod that just fits no longer depends on the estimate."
        }
        Because::KubeletKeepsOther => {
            "Say in spec.kubelet of the NodeClass what the kubelet keeps (kubeReserved, systemReserved, evictionHard), rather than in user data that Karpenter does not read."
        }
        Because::OtherPodLimit => {
            "Say maxPods in spec.kubelet of the NodeClass, so that Karpenter counts as the node does."
        }
        Because::NotAnnounced => {
            "See whether the device plugin or driver runs on the node: until it announces the resource, nothing that asks for it fits."
        }
        Because::DiskFormatted | Because::OtherAmount => {
            "Leave some room: requests that fill a node to the last byte depend on the prediction."
        }
    })
}
