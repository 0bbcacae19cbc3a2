//! Words for the values of the contract, the same in every form that people read.

mod audit;

use super::style::Role;
use crate::report::{
    Assumption, Basis, Batch, BatchNode, Cause, Class, Confidence, Evidence, Explanation, Gap,
    InputKind, Metadata, Moment, Placement,
};

pub(crate) use audit::{audit_headline, node_use, prices_from, waste};

/// A class as people say it.
pub(crate) const fn class(class: Class) -> &'static str {
    match class {
        Class::AsIntended => "as intended",
        Class::Swap => "swap",
        Class::Preference => "preference",
        Class::Race => "race",
        Class::Packing => "packing",
        Class::Preempted => "preempted",
        Class::Constraint => "constraint",
        Class::LaunchFailed => "launch failed",
        Class::NotKarpenter => "not Karpenter",
        Class::Unknown => "unknown",
    }
}

/// What a class means, for someone who meets it for the first time.
pub const fn class_meaning(class: Class) -> &'static str {
    match class {
        Class::AsIntended => "The pod is on the node that Karpenter planned for it.",
        Class::Swap => {
            "Equal pods changed places: every node got as many as planned. This is harmless."
        }
        Class::Preference => {
            "Karpenter plans with soft rules as if they were hard, kube-scheduler only scores them: a node \
             that was launched for such a rule got none of the pods."
        }
        Class::Race => {
            "The pod was bound to a node that was not launched for it, before its own node was ready. \
             Karpenter's plan reserves nothing: kube-scheduler takes any node that fits."
        }
        Class::Packing => {
            "Karpenter packs a batch of pods as a whole, kube-scheduler scores them one by one: the pod went \
             to another node of the same batch."
        }
        Class::Preempted => "Another pod of higher priority took its place.",
        Class::Constraint => {
            "The pod is pending: a hard rule, a taint, a limit, a volume or a label keeps it off every node."
        }
        Class::LaunchFailed => "The node that Karpenter planned could not be launched.",
        Class::NotKarpenter => {
            "Karpenter had no part in it: the pod was bound before Karpenter planned for it."
        }
        Class::Unknown => "The input does not show enough to say more.",
    }
}

/// How a class looks.
pub(crate) const fn class_role(class: Class) -> Role {
    match class {
        Class::AsIntended | Class::Swap => Role::Good,
        Class::Preference | Class::Race | Class::Packing | Class::NotKarpenter | Class::Unknown => {
            Role::Hint
        }
        Class::Preempted | Class::Constraint | Class::LaunchFailed => Role::Bad,
    }
}

/// How a confidence looks.
pub(crate) const fn confidence_role(confidence: Confidence) -> Role {
    match confidence {
        Confidence::Proven => Role::Good,
        Confidence::Consistent => Role::Text,
        Confidence::Possible => Role::Dim,
    }
}

/// What a confidence means.
pub(crate) const fn confidence_meaning(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Proven => "a replay comes out otherwise when the cause is taken away",
        Confidence::Consistent => "a record says so, or all that is known fits",
        Confidence::Possible => "it may be so; something else may be, too",
    }
}

/// What happened, short enough to stand under a mark.
pub(crate) const fn moment(moment: Moment) -> &'static str {
    match moment {
        Moment::Created => "created",
        Moment::FailedScheduling => "no place",
        Moment::Planned => "planned",
        Moment::Nominated => "nominated",
        Moment::Launched => "launched",
        Moment::Registered => "joined",
        Moment::Ready => "ready",
        Moment::Initialized => "initialised",
        Moment::RoomFreed => "room freed",
        Moment::RoomTaken => "room taken",
        Moment::Decided => "decided",
        Moment::Bound => "bound",
        Moment::Started => "started",
        Moment::Preempted => "preempted",
        Moment::Evicted => "evicted",
        Moment::LaunchFailed => "launch failed",
        Moment::Disrupted => "disrupted",
        Moment::Deleted => "deleted",
        Moment::Observed => "snapshot",
        Moment::Other => "event",
    }
}

/// How a place is known.
pub(crate) const fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Observed => "observed",
        Basis::Recorded => "recorded",
        Basis::Replayed => "replayed",
        Basis::Inferred => "inferred",
    }
}

/// How a place is known, with its source.
pub(crate) fn known_from(place: &Placement) -> Option<String> {
    match (place.basis.map(basis), place.source.as_deref()) {
        (Some(basis), Some(source)) => Some(format!("{basis}: {source}")),
        (Some(basis), None) => Some(basis.to_owned()),
        (None, Some(source)) => Some(source.to_owned()),
        (None, None) => None,
    }
}

/// What was replayed and from what, in one sentence.
pub(crate) fn provenance(metadata: &Metadata) -> String {
    let mut text = format!("landed {}", metadata.tool_version);
    if let Some(replayed) = &metadata.replayed {
        let versions: Vec<String> =
            [("Karpenter", &replayed.karpenter), ("kube-scheduler", &replayed.kube_scheduler)]
                .iter()
                .filter_map(|(name, version)| Some(format!("{name} {}", version.as_ref()?)))
                .collect();
        if !versions.is_empty() {
            text += &format!(" replayed {}", versions.join(" and "));
        }
    }
    if let Some(input) = &metadata.input {
        if !input.sources.is_empty() {
            let of_what = match input.kind {
                InputKind::Recording => "the recording ",
                InputKind::Dump | InputKind::Live => "",
            };
            text += &format!(" on {of_what}{}", input.sources.join(", "));
        }
        if let Some(taken_at) = input.taken_at {
            // A clock's nanoseconds say nothing to a reader.
            text += &format!(", as of {}", taken_at.to_second());
        }
    }
    text + "."
}

/// The facts of a cause that no earlier cause has shown, and whether there were others.
pub(crate) fn new_evidence(causes: &[Cause], index: usize) -> (Vec<&Evidence>, bool) {
    let shown: Vec<&Evidence> = causes[..index].iter().flat_map(|cause| &cause.evidence).collect();
    let all = &causes[index].evidence;
    let new: Vec<&Evidence> = all.iter().filter(|evidence| !shown.contains(evidence)).collect();
    let has_old = new.len() < all.len();
    (new, has_old)
}

/// Assumptions that differ in their subject alone, as one: `pod/a, pod/b and 7 more`.
pub(crate) fn grouped_assumptions(assumptions: &[Assumption]) -> Vec<Assumption> {
    let mut groups: Vec<(Assumption, Vec<&str>)> = Vec::new();
    for assumption in assumptions {
        let is_alike = |other: &Assumption| {
            other.reason == assumption.reason
                && other.value == assumption.value
                && other.hint == assumption.hint
        };
        match groups.iter_mut().find(|(other, _)| is_alike(other)) {
            Some((_, subjects)) => subjects.push(&assumption.subject),
            None => groups.push((assumption.clone(), vec![&assumption.subject])),
        }
    }
    groups
        .into_iter()
        .map(|(assumption, subjects)| Assumption {
            subject: subjects_in_short(&subjects),
            ..assumption
        })
        .collect()
}

/// Gaps that differ in their subject alone, as one.
pub(crate) fn grouped_gaps(gaps: &[Gap]) -> Vec<Gap> {
    let mut groups: Vec<(Gap, Vec<&str>)> = Vec::new();
    for gap in gaps {
        let is_alike = |other: &Gap| {
            other.kind == gap.kind && other.detail == gap.detail && other.hint == gap.hint
        };
        match groups.iter_mut().find(|(other, _)| is_alike(other)) {
            Some((_, subjects)) => subjects.push(&gap.subject),
            None => groups.push((gap.clone(), vec![&gap.subject])),
        }
    }
    groups
        .into_iter()
        .map(|(gap, subjects)| Gap { subject: subjects_in_short(&subjects), ..gap })
        .collect()
}

/// The first subjects, and how many more there are.
fn subjects_in_short(subjects: &[&str]) -> String {
    const SHOWN: usize = 3;
    let mut text = subjects[..subjects.len().min(SHOWN)].join(", ");
    if subjects.len() > SHOWN {
        text += &format!(" and {} more", subjects.len() - SHOWN);
    }
    text
}

/// What an object is in the answer; none for any other object.
pub(crate) fn object_in_answer(explanation: &Explanation, object: &str) -> Option<&'static str> {
    let (kind, name) = object.split_once('/')?;
    let is_node = |place: &Option<Placement>| {
        place.as_ref().is_some_and(|place| place.node.as_deref() == Some(name))
    };
    let is_claim = |place: &Option<Placement>| {
        place.as_ref().is_some_and(|place| place.node_claim.as_deref() == Some(name))
    };
    let (intended, actual) = (&explanation.intended, &explanation.actual);
    match kind {
        "pod" if name == explanation.pod.name => Some("the pod"),
        "node" if is_node(actual) && is_node(intended) => Some("its node"),
        "node" if is_node(actual) => Some("actual node"),
        "node" if is_node(intended) => Some("intended node"),
        "nodeclaim" if is_claim(actual) && is_claim(intended) => Some("its claim"),
        "nodeclaim" if is_claim(actual) => Some("actual claim"),
        "nodeclaim" if is_claim(intended) => Some("intended claim"),
        _ => None,
    }
}

/// How many new nodes a pass planned.
pub(crate) fn new_nodes(batch: &Batch) -> u64 {
    let listed = || batch.nodes.iter().filter(|node| node.new).count() as u64;
    batch.new_nodes.unwrap_or_else(listed)
}

/// How many pods were planned for a node; `?` where the input does not tell, for nought would be a fact.
pub(crate) fn planned(node: &BatchNode) -> String {
    node.planned.map_or_else(|| "?".to_owned(), |pods| pods.to_string())
}

/// `1 pod`, `3 pods`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
