//! The node that was launched for the pod is there, but others took its room: smaller ones that left it in pieces, or equals.

use std::collections::BTreeMap;

use super::super::Case;
use super::super::facts::refused_for;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::Evidence;
use crate::explain::{what_if, words};
use crate::kube_scheduler::Rejection;
use crate::model::names::{NodeClaimName, NodeName, PodKey};
use crate::model::quantity::Quantity;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::resources::CPU;
use crate::reconstruct::replays::Place;
use crate::reconstruct::stories::PodStory;

/// The code.
pub const CODE: &str = "room-taken-by-others";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    if !case.waits() {
        return Vec::new();
    }
    let meant: Vec<&Place> =
        case.landing.intent.plans.iter().filter_map(|planned| planned.place()).collect();
    let here = meant.iter().find_map(|place| {
        let node = place.node.as_ref()?;
        case.state.node(node).map(|_| (place, node.clone()))
    });
    let Some((place, node)) = here else { return Vec::new() };
    let Some(decision) = case.decision() else { return Vec::new() };
    let short = refused_for(decision, |rejection| {
        matches!(rejection, Rejection::InsufficientResource { .. } | Rejection::TooManyPods { .. })
    })
    .any(|(verdict, _)| verdict.node == node);
    let intruders = intruders(case, place, &node);
    if !short || intruders.is_empty() {
        return Vec::new();
    }
    vec![cause(case, place, &node, &intruders)]
}

/// Where each pod was first meant to go.
fn plan_of_batch(case: &Case<'_, '_, '_>) -> BTreeMap<NodeClaimName, Vec<PodKey>> {
    let world = case.landing.world;
    let mut plan: BTreeMap<NodeClaimName, Vec<PodKey>> = BTreeMap::new();
    for pod in &world.chronicle.pods {
        if let Some(claim) = pod.nominations.first().and_then(|nomination| nomination.claim.clone())
        {
            plan.entry(claim).or_default().push(pod.key.clone());
        }
    }
    for (index, pass) in
        world.passes.iter().enumerate().filter(|(_, pass)| !pass.created.is_empty())
    {
        let Some(replay) = world.replay(index) else { continue };
        for (pod, places) in &replay.places {
            let (Some(only), 1) = (places.first(), places.len()) else { continue };
            if let Some(claim) =
                only.claim.clone().filter(|claim| only.new && pass.created.contains(claim))
            {
                let pods = plan.entry(claim).or_default();
                if !pods.contains(pod) {
                    pods.push(pod.clone());
                }
            }
        }
    }
    plan
}

/// Pods on the node that were meant for another one, with where they were meant to go.
fn intruders<'w>(
    case: &Case<'_, 'w, '_>,
    place: &Place,
    node: &NodeName,
) -> Vec<(&'w PodStory, Option<NodeClaimName>)> {
    let plan = plan_of_batch(case);
    let world = case.landing.world;
    let meant = |pod: &PodKey| {
        plan.iter().find(|(_, pods)| pods.contains(pod)).map(|(claim, _)| claim.clone())
    };
    world
        .chronicle
        .pods
        .iter()
        .filter(|other| {
            other.node.as_ref() == Some(node)
                && !other.is_daemon()
                && other.key != case.landing.pod.key
        })
        .map(|other| (other, meant(&other.key)))
        .filter(|(_, claim)| claim.as_ref() != place.claim.as_ref())
        .collect()
}

fn cpu(pod: &PodStory) -> Option<Quantity> {
    let spec = pod.object_or_likeness().map(|pod| &pod.spec)?;
    Some(spec_requests(spec, RequestRules::default()).amount(CPU))
}

fn cpu_of(pod: &PodStory) -> String {
    cpu(pod).map(|cpu| words::amount(CPU, cpu)).unwrap_or_default()
}

/// Whether each pod that took the room is smaller: then the room was there, but in pieces.
fn are_smaller(case: &Case<'_, '_, '_>, intruders: &[(&PodStory, Option<NodeClaimName>)]) -> bool {
    let own = case.requests().amount(CPU);
    intruders.iter().all(|(pod, _)| cpu(pod).is_some_and(|cpu| cpu < own))
}

fn node_of(case: &Case<'_, '_, '_>, claim: &NodeClaimName) -> String {
    let node = case.landing.world.chronicle.claims.get(claim).and_then(|claim| claim.node.clone());
    node.map_or_else(|| format!("nodeclaim/{claim}"), |node| words::node(&node))
}

fn cause(
    case: &Case<'_, '_, '_>,
    place: &Place,
    node: &NodeName,
    intruders: &[(&PodStory, Option<NodeClaimName>)],
) -> Cause {
    let asks = words::amount(CPU, case.requests().amount(CPU));
    let named = words::node(node);
    let claim = place.claim.as_ref().map(ToString::to_string).unwrap_or_default();
    let took: Vec<String> = intruders
        .iter()
        .map(|(pod, meant)| match meant {
            Some(claim) => format!(
                "pod/{} ({}, meant for {})",
                pod.key.name,
                cpu_of(pod),
                node_of(case, claim)
            ),
            None => format!("pod/{} ({})", pod.key.name, cpu_of(pod)),
        })
        .collect();
    let now = case.landing.intended().filter(|now| now.claim != place.claim);
    let then =
        now.map(|now| format!("; now it is meant for {}", words::place(now))).unwrap_or_default();
    let took = words::list(&took, 4);
    let meant = format!("the pod was meant at first for nodeclaim/{claim} ({named}){then}");
    let fragmented = are_smaller(case, intruders);
    let summary = if fragmented {
        format!(
            "Bin-packing mismatch (Karpenter packs, kube-scheduler spreads): {meant}. kube-scheduler knows nothing of the plan: it bound the smaller pods first, one at a time, and {took} went to {named}. The pod needs {asks} cpu in one piece."
        )
    } else {
        format!(
            "The room of its node went to another pod: {meant}. kube-scheduler knows nothing of the plan, and bound {took} there first; a nomination reserves nothing."
        )
    };
    let mut cause = Cause::new(CODE, Class::Constraint, summary);
    for nomination in &case.landing.pod.nominations {
        cause = cause.because(Evidence::nomination(
            case.pod_name(),
            nomination,
            "Karpenter said where it meant the pod to go",
        ));
    }
    cause = cause.because_of(plan_evidence(case)).because_of(room_evidence(case));
    if fragmented {
        cause = cause.because(Evidence::inferred(
            "nothing was relaxed, and no taint and no label stand in the way: the pods of the batch are alike but for their size",
        ));
    }
    if let Some(pod) = case.pod() {
        let gone = |other: &crate::model::pod::Pod| {
            intruders.iter().any(|(story, _)| story.key == other.key())
        };
        let decision =
            what_if::decide(case.landing.world, &what_if::without_pods(case.state, gone), pod);
        let flips = what_if::accepts(&decision, node);
        let outcome = if flips {
            format!("kube-scheduler accepts {named}")
        } else {
            format!("kube-scheduler still refuses {named}")
        };
        let names: Vec<String> = intruders.iter().map(|(pod, _)| words::pod(&pod.key)).collect();
        cause = cause.unless(Counterfactual::new(
            format!("without {} on {named}", words::list(&names, 3)),
            outcome,
            flips,
        ));
    }
    if !fragmented {
        return cause.advise(Advice::new(
            "Give the pods that must not wait a higher priority: they are queued first, and may preempt. Or raise what keeps Karpenter from launching one more node, so that every pod gets its room.",
        ));
    }
    cause
        .advise(Advice::new("Give the big pod a higher priority: it is queued first then, and gets its node before the small ones."))
        .advise(Advice::new(
            "Or let kube-scheduler pack: a profile with NodeResourcesFit scoringStrategy MostAllocated; nodes are then fuller, and a busy neighbour is felt more.",
        ))
        .advise(Advice::new("Or leave headroom: requests that do not fill a node to the last thousandth."))
}

/// What each claim of the batch was planned for.
fn plan_evidence(case: &Case<'_, '_, '_>) -> Vec<Evidence> {
    let world = case.landing.world;
    plan_of_batch(case)
        .iter()
        .filter(|(claim, _)| {
            world.chronicle.claims.get(*claim).is_some_and(|story| story.node.is_some())
        })
        .take(8)
        .map(|(claim, pods)| {
            let story = world.chronicle.claims.get(claim);
            let parts: Vec<String> = pods
                .iter()
                .filter_map(|key| world.chronicle.pod(key))
                .map(|pod| format!("{} {}", pod.key.name, cpu_of(pod)))
                .collect();
            let object = story.and_then(|story| story.object.as_ref());
            let requested = object.map(|claim| claim.requests.amount(CPU));
            let full = object.and_then(|object| {
                let has = object.allocatable.get(CPU)?;
                (Some(has) == requested)
                    .then(|| format!(", exactly full at {}", words::amount(CPU, has)))
            });
            let overhead = overhead(case, claim, pods);
            Evidence::object(
                format!("nodeclaim/{claim}"),
                "spec.resources.requests",
                format!(
                    "plan: {claim} = {}{}{overhead}",
                    parts.join(" + "),
                    full.unwrap_or_default()
                ),
            )
        })
        .collect()
}

/// What of a claim's requests is not its pods': the DaemonSets'.
fn overhead(case: &Case<'_, '_, '_>, claim: &NodeClaimName, pods: &[PodKey]) -> String {
    let world = case.landing.world;
    let requested = world.chronicle.claims.get(claim).and_then(|story| story.requests.as_ref());
    let Some(requested) = requested.map(|requests| requests.amount(CPU)) else {
        return String::new();
    };
    let mut left = requested;
    for pod in pods.iter().filter_map(|key| world.chronicle.pod(key)) {
        if let Some(spec) = pod.object_or_likeness().map(|pod| &pod.spec) {
            left = left.minus(spec_requests(spec, RequestRules::default()).amount(CPU));
        }
    }
    if left.is_zero() || left.is_negative() {
        String::new()
    } else {
        format!(" with {} of DaemonSets", words::amount(CPU, left))
    }
}

/// What is left on each node, in one piece and in all.
fn room_evidence(case: &Case<'_, '_, '_>) -> Vec<Evidence> {
    let asks = case.requests().amount(CPU);
    let mut sum = Quantity::ZERO;
    let mut parts = Vec::new();
    for (node, room) in case.rooms {
        let free = room.free.amount(CPU);
        if !free.is_negative() && !free.is_zero() {
            sum = sum.plus(free);
            parts.push(format!("{} on {}", words::amount(CPU, free), words::node(node)));
        }
    }
    let enough = if sum >= asks { ", enough in total, but split" } else { "" };
    vec![Evidence::replay(format!(
        "left: {}; the pod needs {} in one piece: {} are free in total{enough}",
        words::list(&parts, 8),
        words::amount(CPU, asks),
        words::amount(CPU, sum)
    ))]
}
