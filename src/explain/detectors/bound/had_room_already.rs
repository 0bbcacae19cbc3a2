//! There was room when kube-scheduler looked: Karpenter was never asked.

use super::super::Case;
use super::super::facts::refusals_by_message;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::what_if::{self, PlannedPlace};
use crate::explain::words;
use crate::model::names::NodeName;
use crate::model::pod::{Pod, PodStatus};
use crate::model::resources::CPU;
use std::sync::Arc;

/// The code.
pub const CODE: &str = "had-room-already";
/// The code where NodePools have weights that were not looked at.
pub const WEIGHTS: &str = "weights-not-consulted";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    let (Class::NotKarpenter, Some(node), Some(pod)) =
        (case.class, case.landing.pod.node.as_ref(), case.pod())
    else {
        return Vec::new();
    };
    if case.landing.pod.is_daemon() {
        return vec![daemon(case, node)];
    }
    vec![cause(case, node, pod)]
}

fn daemon(case: &Case<'_, '_, '_>, node: &NodeName) -> Cause {
    let owner = case.landing.pod.owner.as_ref().map(ToString::to_string).unwrap_or_default();
    Cause::new(
        CODE,
        Class::NotKarpenter,
        format!("The pod belongs to {owner}: it is made for {} and can run nowhere else. Karpenter counts such pods as overhead of a node and never plans for them.", words::node(node)),
    )
    .confidence(Confidence::Proven)
    .because(Evidence::object(case.pod_name(), "metadata.ownerReferences", format!("a DaemonSet owns it: {owner}")))
}

fn cause(case: &Case<'_, '_, '_>, node: &NodeName, pod: &Arc<Pod>) -> Cause {
    let story = case.landing.pod;
    let named = words::node(node);
    let at_once = match (story.created, story.bound) {
        (Some(created), Some(bound)) => bound.at.since(created.at).as_seconds() < 2.0,
        _ => false,
    };
    let silent = story.scheduler_refusals.is_empty() && story.nominations.is_empty();
    let pools = &case.landing.world.snapshot.objects.node_pools;
    let weighted =
        pools.iter().filter(|pool| pool.weight.unwrap_or(0) > 0).count() > 0 && pools.len() > 1;
    let mut summary = format!(
        "Karpenter was never asked: kube-scheduler placed the pod on {named}, where there was room"
    );
    summary.push_str(if at_once { ", in the second it was created." } else { "." });
    if weighted {
        summary.push_str(
            " NodePool weights order NodePools only when Karpenter creates new capacity; they do not rank existing nodes, and kube-scheduler does not know them.",
        );
    }
    let mut cause = Cause::new(if weighted { WEIGHTS } else { CODE }, Class::NotKarpenter, summary)
        .confidence(if at_once && silent { Confidence::Proven } else { Confidence::Consistent });
    if let Some(bound) = story.bound {
        let when = if at_once { ", the creation second" } else { "" };
        cause = cause.because(
            Evidence::object(
                case.pod_name(),
                "status.conditions[PodScheduled]",
                format!("PodScheduled turned True at {}{when}", words::clock(bound.at)),
            )
            .at(Some(bound.at)),
        );
    }
    if silent {
        cause = cause.because(Evidence::inferred(
            "there is no FailedScheduling and no Nominated event for it",
        ));
    }
    cause = cause.because(room(case, node));
    if let Some(decision) = case.decision() {
        let feasible: Vec<String> = decision.feasible.iter().map(words::node).collect();
        if feasible.len() == 1 {
            cause = cause
                .because(Evidence::replay(format!("{} was the only feasible node", feasible[0])));
        } else if feasible.len() > 1 {
            cause = cause.because(Evidence::replay(format!(
                "{} were feasible: {}",
                words::count(feasible.len(), "node"),
                words::list(&feasible, 5)
            )));
        }
        for (message, nodes) in refusals_by_message(decision).into_iter().take(4) {
            let told: Vec<String> = nodes.iter().map(|node| taints(case, node)).collect();
            cause = cause.because(Evidence::replay(format!(
                "kube-scheduler refused {}: {message}",
                words::list(&told, 3)
            )));
        }
    }
    cause = cause.because_of(soft_rules(pod));
    if weighted && let Some(then) = without_node(case, node, pod) {
        cause = cause.unless(then);
    }
    cause.advise(Advice::new(
        "To choose among nodes that exist, say it in the pod: a required or preferred node affinity. Weights, limits and requirements of NodePools only shape what is launched.",
    ))
}

fn taints(case: &Case<'_, '_, '_>, node: &NodeName) -> String {
    let taints: Vec<String> = case
        .state
        .node(node)
        .iter()
        .flat_map(|node| &node.taints)
        .map(ToString::to_string)
        .collect();
    if taints.is_empty() {
        words::node(node)
    } else {
        format!("{} (taint {})", words::node(node), taints.join(", "))
    }
}

fn room(case: &Case<'_, '_, '_>, node: &NodeName) -> Evidence {
    let room = case.rooms.get(node).cloned().unwrap_or_default();
    let has = room.allocatable.amount(CPU);
    let free = room.free.amount(CPU);
    Evidence::replay(format!(
        "{} had {} of {} cpu free ({} - {}); the pod asks for {}",
        words::node(node),
        words::amount(CPU, free),
        words::amount(CPU, has),
        words::amount(CPU, has),
        words::amount(CPU, has.minus(free)),
        words::amount(CPU, case.requests().amount(CPU))
    ))
}

fn soft_rules(pod: &Pod) -> Option<Evidence> {
    use crate::model::spread::WhenUnsatisfiable;
    let soft =
        pod.spec.topology_spread_constraints.iter().find(|constraint| {
            constraint.when_unsatisfiable == WhenUnsatisfiable::ScheduleAnyway
        })?;
    Some(Evidence::object(
        format!("pod/{}", pod.meta.name),
        "spec.topologySpreadConstraints",
        format!(
            "the soft spread over {} cannot forbid a node: it is only scored",
            soft.topology_key
        ),
    ))
}

/// Which NodePool Karpenter would have used, had there been no room.
fn without_node(
    case: &Case<'_, '_, '_>,
    node: &NodeName,
    pod: &Arc<Pod>,
) -> Option<Counterfactual> {
    let mut cordoned = (**case.state.node(node)?).clone();
    cordoned.taints.push(crate::model::taint::Taint {
        key: "node.kubernetes.io/unschedulable".into(),
        value: "".into(),
        effect: crate::model::taint::Effect::NoSchedule,
        added: None,
    });
    cordoned.unschedulable = true;
    let mut waiting = (**pod).clone();
    waiting.status.conditions = PodStatus::unschedulable().conditions;
    let state = what_if::with_pod(&what_if::with_node(case.state, cordoned), waiting);
    let plan = what_if::plan(case.landing.world, &state, case.landing.world.setup.karpenter)?;
    match what_if::placement(&plan, &case.landing.pod.key)? {
        PlannedPlace::New(claim) => {
            let weight =
                case.state.node_pool(&claim.node_pool).and_then(|pool| pool.weight).unwrap_or(0);
            Some(Counterfactual::new(
                "had there been no room",
                format!(
                    "Karpenter would have launched a node of nodepool/{} (weight {weight})",
                    claim.node_pool
                ),
                true,
            ))
        }
        PlannedPlace::Existing(_) => None,
    }
}
