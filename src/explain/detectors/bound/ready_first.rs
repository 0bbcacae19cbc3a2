//! Another node was ready before the one that was launched for the pod.

use super::super::Case;
use crate::explain::cause::{Cause, Class};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::words;
use crate::reconstruct::stories::ClaimStory;

/// The code.
pub const CODE: &str = "other-node-ready-first";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    if !matches!(case.class, Class::Race | Class::Preference | Class::Packing) {
        return Vec::new();
    }
    let (Some(intended), Some(bound)) = (case.landing.intended(), case.landing.pod.bound) else {
        return Vec::new();
    };
    let Some(claim) =
        intended.claim.as_ref().and_then(|name| case.landing.world.chronicle.claims.get(name))
    else {
        return Vec::new();
    };
    // Registered before the pod was bound: the intended node could have been taken.
    let there = claim.registered.or(claim.initialized);
    if there.is_some_and(|there| !bound.is_before(there))
        && claim.registered.is_some_and(|moment| moment.at <= bound.at)
    {
        return Vec::new();
    }
    let actual = case.landing.actual.as_ref().map(words::place_and_claim).unwrap_or_default();
    let meant = words::place_and_claim(intended);
    let when = match claim.registered {
        Some(registered) => {
            let later = registered.at.since(bound.at);
            format!("{later} before {meant} registered ({})", words::clock(registered.at))
        }
        None => format!("while {meant} had not registered"),
    };
    let summary = format!(
        "{actual} was there first: kube-scheduler bound the pod at {}, {when}. It does not wait for a node that is on its way.",
        words::clock(bound.at)
    );
    let mut cause = Cause::new(CODE, case.class, summary)
        .confidence(if claim.registered.is_some() {
            Confidence::Proven
        } else {
            Confidence::Consistent
        })
        .because_of(launch_evidence(case));
    if let Some(node) = case.landing.actual.as_ref().and_then(|place| place.node.as_ref()) {
        let story = case.landing.world.chronicle.nodes.get(node);
        if let Some(created) = story.and_then(|story| story.ready.or(story.created)) {
            let summary =
                format!("{} was ready from {} on", words::node(node), words::clock(created.at));
            cause = cause.because(
                Evidence::object(words::node(node), "status.conditions[Ready]", summary)
                    .at(Some(created.at)),
            );
        }
    }
    vec![cause.because_of(empty_node(case)).advise_all(super::room_freed::advice())]
}

/// When the intended node was launched, registered and ready, beside the binding.
pub(super) fn launch_evidence(case: &Case<'_, '_, '_>) -> Vec<Evidence> {
    let Some(intended) = case.landing.intended() else { return Vec::new() };
    let Some(claim) =
        intended.claim.as_ref().and_then(|name| case.landing.world.chronicle.claims.get(name))
    else {
        return Vec::new();
    };
    let mut evidence = Vec::new();
    let object = format!("nodeclaim/{}", claim.name);
    for nomination in
        case.landing.pod.nominations.iter().filter(|n| n.claim.as_ref() == Some(&claim.name))
    {
        evidence.push(Evidence::nomination(
            case.pod_name(),
            nomination,
            "Karpenter nominated the pod for it",
        ));
    }
    let steps = [
        (claim.created, "metadata.creationTimestamp", "the NodeClaim was created"),
        (claim.registered, "status.conditions[Registered]", "its node registered"),
        (claim.initialized, "status.conditions[Initialized]", "its node was initialized"),
    ];
    for (moment, field, what) in steps {
        if let Some(moment) = moment {
            let summary = format!(
                "{what} at {}{}",
                words::clock(moment.at),
                against_binding(case, moment.at)
            );
            evidence.push(Evidence::object(&object, field, summary).at(Some(moment.at)));
        }
    }
    let node = claim.node.as_ref().and_then(|name| case.landing.world.chronicle.nodes.get(name));
    if let Some(ready) = node.and_then(|node| node.ready) {
        let name = claim.node.as_ref().map(words::node).unwrap_or_default();
        let summary = format!(
            "{name} was Ready at {}{}",
            words::clock(ready.at),
            against_binding(case, ready.at)
        );
        evidence
            .push(Evidence::object(name, "status.conditions[Ready]", summary).at(Some(ready.at)));
    }
    if let (Some(created), Some(bound)) = (case.landing.pod.created, case.landing.pod.bound) {
        let summary = format!(
            "the pod was bound at {}, {} after its creation",
            words::clock(bound.at),
            bound.at.since(created.at)
        );
        evidence.push(
            Evidence::object(case.pod_name(), "status.conditions[PodScheduled]", summary)
                .at(Some(bound.at)),
        );
    }
    evidence
}

/// How long before or after the binding something was.
fn against_binding(case: &Case<'_, '_, '_>, at: crate::model::time::Timestamp) -> String {
    let Some(bound) = case.landing.pod.bound else { return String::new() };
    if at > bound.at {
        format!(": the pod was bound {} before", at.since(bound.at))
    } else {
        String::new()
    }
}

/// What became of the node that was launched in vain.
pub(super) fn empty_node(case: &Case<'_, '_, '_>) -> Vec<Evidence> {
    let world = case.landing.world;
    let mut evidence = Vec::new();
    let created = case
        .landing
        .intended()
        .and_then(|place| world.chronicle.claims.get(place.claim.as_ref()?))
        .and_then(|claim| claim.created);
    let Some(created) = created else { return evidence };
    let together: Vec<&ClaimStory> = world
        .chronicle
        .claims
        .values()
        .filter(|claim| {
            claim.created.is_some_and(|other| other.at.since(created.at).0.abs() <= 2_000_000_000)
        })
        .collect();
    let mut empty = Vec::new();
    for claim in &together {
        let Some(node) = &claim.node else { continue };
        let busy = world.snapshot.objects.pods.iter().any(|pod| {
            pod.node_name.as_ref() == Some(node) && !pod.is_daemon() && !pod.is_terminal()
        });
        if claim.object.is_some() && !busy {
            empty.push(words::node(node));
        }
        if let Some(message) = claim.disrupted.as_ref().filter(|_| !busy) {
            let summary =
                format!("{} was launched in vain and removed: {}", words::node(node), message.text);
            evidence.push(Evidence::event(format!("nodeclaim/{}", claim.name), message, summary));
        }
    }
    if !empty.is_empty() {
        let pool = together.iter().find_map(|claim| claim.node_pool.as_ref());
        let pool = pool.and_then(|name| world.snapshot.objects.node_pool(name));
        let after = pool
            .and_then(|pool| pool.disruption.consolidate_after.clone())
            .unwrap_or_else(|| "0s".into());
        let names = words::list(&empty, 4);
        let (verb, it) = if empty.len() == 1 { ("is", "it") } else { ("are", "they") };
        let fate = if &*after == "Never" {
            format!("{names} {verb} empty now, and consolidateAfter is Never: {it} will stay")
        } else {
            format!(
                "{names} {verb} empty now and will be removed after consolidateAfter {after}; consolidation may also replace larger nodes later"
            )
        };
        evidence.push(
            Evidence::object("nodepool", "spec.disruption.consolidateAfter", fate)
                .value(after.to_string()),
        );
    }
    evidence
}
