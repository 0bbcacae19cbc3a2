//! `Verdict`: the answer in one word, from where the pod was meant to go, where it is, and where its siblings are.

use super::cause::Class;
use super::detectors::told;
use super::what_if::{self, PlannedPlace};
use super::words;
use crate::karpenter::NewNodeClaim;
use crate::model::time::{Span, Timestamp};
use crate::reconstruct::Landing;
use crate::reconstruct::groups::{soft_spread_keys, unused_domains};
use crate::reconstruct::replays::Place;
use crate::reconstruct::stories::IncidentKind;

/// Claims that were created this close together were created by one pass.
const ONE_PASS: Span = Span::seconds(2);

/// The answer in one word.
pub(super) fn class(landing: &Landing<'_, '_>) -> Class {
    if landing.pod.incident(IncidentKind::Preempted).is_some() {
        return Class::Preempted;
    }
    if landing.pod.node.is_none() {
        return if launch_failed(landing) { Class::LaunchFailed } else { Class::Constraint };
    }
    if landing.intent.is_empty() {
        return unplanned(landing);
    }
    let Some(actual) = &landing.actual else { return Class::Unknown };
    // Where several places may have been meant, the answer counts only when it is the same for all.
    let mut classes =
        landing.candidates().into_iter().map(|place| class_of(landing, &place, actual));
    let Some(first) = classes.next() else { return Class::Unknown };
    if classes.all(|class| class == first) { first } else { Class::Unknown }
}

/// The answer, had this been the place that was meant.
fn class_of(landing: &Landing<'_, '_>, intended: &Place, actual: &Place) -> Class {
    if intended.claim.is_none() && intended.node.is_none() {
        Class::Unknown
    } else if is_same_node(intended, actual) {
        Class::AsIntended
    } else if landing.group.came_as_planned() {
        Class::Swap
    } else if !launched_together(landing, intended, actual) {
        Class::Race
    } else if unused_domains(landing.world, &landing.group, &soft_spread_keys(landing.pod))
        .is_some()
    {
        Class::Preference
    } else {
        Class::Packing
    }
}

/// Whether two places are one node, or one claim where a node is not known.
pub(super) fn is_same_node(a: &Place, b: &Place) -> bool {
    match (&a.node, &b.node) {
        (Some(a), Some(b)) => a == b,
        _ => a.claim.is_some() && a.claim == b.claim,
    }
}

/// Whether the claims of two places were created by one pass.
pub(super) fn launched_together(landing: &Landing<'_, '_>, a: &Place, b: &Place) -> bool {
    let created = |place: &Place| -> Option<Timestamp> {
        let claim = landing.world.chronicle.claims.get(place.claim.as_ref()?)?;
        // The object's stamp and the log's may lie on two sides of a second.
        claim.object.as_ref().and_then(|claim| claim.meta.created).or(Some(claim.created?.at))
    };
    match (created(a), created(b)) {
        (Some(a), Some(b)) => a.since(b).0.abs() < ONE_PASS.0 + Span::seconds(1).0,
        _ => false,
    }
}

/// A bound pod that no pass planned for.
fn unplanned(landing: &Landing<'_, '_>) -> Class {
    let Some(node) = &landing.pod.node else { return Class::Unknown };
    if landing.pod.is_daemon() {
        return Class::NotKarpenter;
    }
    let made = landing.world.chronicle.nodes.get(node).and_then(|node| node.created);
    let waited_for_it = match (landing.pod.created, made) {
        (Some(pod), Some(node)) => pod.at <= node.at,
        _ => false,
    };
    if !landing.intent.untold.is_empty() {
        return Class::Unknown;
    }
    if waited_for_it && !landing.world.launched_for(node).is_empty() {
        return Class::Race;
    }
    Class::NotKarpenter
}

/// Whether the launch that was last meant for the pod failed.
fn launch_failed(landing: &Landing<'_, '_>) -> bool {
    let claim = landing
        .intended()
        .and_then(|place| landing.world.chronicle.claims.get(place.claim.as_ref()?));
    if let Some(claim) = claim {
        return claim.failed.is_some() && claim.registered.is_none();
    }
    landing.pod.incident(IncidentKind::LaunchFailed).is_some()
}

/// The new node that Karpenter would plan for the pod now.
fn planned_now<'l>(landing: &'l Landing<'_, '_>) -> Option<&'l NewNodeClaim> {
    let plan = landing.pending.as_ref()?.plan()?;
    match what_if::placement(plan, &landing.pod.key)? {
        PlannedPlace::New(claim) => Some(claim),
        PlannedPlace::Existing(_) => None,
    }
}

/// The answer in one sentence.
pub(super) fn summary(landing: &Landing<'_, '_>, class: Class) -> String {
    let pod = landing.pod.key.to_string();
    let actual = landing.actual.as_ref().map_or_else(|| "no node".to_owned(), words::place);
    let intended = landing.intended().map(words::place);
    let meant = intended.clone().unwrap_or_else(|| "another node".to_owned());
    match class {
        Class::AsIntended => format!("{pod} runs on {actual}, where Karpenter meant it to go."),
        Class::Swap => format!(
            "{pod} runs on {actual} instead of {meant}, yet every node got as many of these pods as planned: equal pods changed places."
        ),
        Class::Preference => format!(
            "{pod} runs on {actual} instead of {meant}: Karpenter took a soft rule as a hard one and launched a node for it, kube-scheduler only scores that rule."
        ),
        Class::Race => match intended {
            Some(meant) => format!(
                "{pod} runs on {actual}, not on {meant} that Karpenter launched for it: another node had room first."
            ),
            None => format!(
                "{pod} runs on {actual}, which was launched for other pods: it took their room."
            ),
        },
        Class::Packing => format!(
            "{pod} runs on {actual}, not on {meant} that Karpenter sized for it: kube-scheduler places pods one at a time and chose another node of the same batch."
        ),
        Class::Preempted => format!("{pod} was preempted."),
        Class::Constraint | Class::LaunchFailed if landing.pod.is_gone_unbound() => {
            let plan = match (intended, class) {
                (_, Class::LaunchFailed) => {
                    "the node that Karpenter planned for it could not be launched".to_owned()
                }
                (Some(meant), _) => format!("Karpenter meant it for {meant}"),
                (None, _) => "Karpenter had no node for it".to_owned(),
            };
            format!("{pod} is gone, and nothing says that it was ever bound; {plan}.")
        }
        Class::Constraint => match intended {
            Some(meant) => format!("{pod} is pending; Karpenter meant it for {meant}."),
            None => match planned_now(landing) {
                Some(claim) => format!("{pod} is pending; Karpenter plans {} for it.", told(claim)),
                None => format!("{pod} is pending; Karpenter has no node for it."),
            },
        },
        Class::LaunchFailed => format!(
            "{pod} is pending: the node that Karpenter planned for it could not be launched."
        ),
        Class::NotKarpenter => format!(
            "{pod} runs on {actual}; Karpenter had no part in it: there was room when kube-scheduler looked."
        ),
        Class::Unknown => format!(
            "{pod} runs on {actual}; the input does not tell where Karpenter meant it to go."
        ),
    }
}
