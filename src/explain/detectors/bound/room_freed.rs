//! Room was freed on a node while the node that was launched for the pod was on its way.

use std::sync::Arc;

use super::super::Case;
use crate::explain::cause::{Advice, Cause, Class, Counterfactual};
use crate::explain::evidence::{Confidence, Evidence};
use crate::explain::{what_if, words};
use crate::kube_scheduler::Rejection;
use crate::model::names::NodeName;
use crate::model::pod::Pod;
use crate::reconstruct::state_at::{Instant, state_at};
use crate::reconstruct::stories::{IncidentKind, PodStory};

/// The code.
pub const CODE: &str = "room-freed";

/// Looks for the cause.
pub fn detect(case: &Case<'_, '_, '_>) -> Vec<Cause> {
    if case.class != Class::Race {
        return Vec::new();
    }
    let (Some(node), Some(binding)) = (&case.landing.pod.node, &case.landing.binding) else {
        return Vec::new();
    };
    let freed = case.landing.freed();
    let relevant: Vec<&PodStory> = freed
        .into_iter()
        .filter(|pod| {
            case.landing
                .pod
                .unschedulable
                .is_none_or(|failed| pod.ended.is_some_and(|ended| ended.latest() >= failed.at))
        })
        .collect();
    if relevant.is_empty() {
        return Vec::new();
    }
    vec![cause(case, node, &relevant, &binding.pod)]
}

fn cause(case: &Case<'_, '_, '_>, node: &NodeName, freed: &[&PodStory], pod: &Arc<Pod>) -> Cause {
    let landing = case.landing;
    let named = words::node(node);
    let names: Vec<String> = freed.iter().map(|pod| words::pod(&pod.key)).collect();
    let then = before(case, freed, pod, node);
    let unplaced = freed.iter().any(|pod| pod.node.is_none());
    let bound = landing.pod.bound.map(|moment| words::clock(moment.at)).unwrap_or_default();
    let left = if unplaced { "were stopped".to_owned() } else { format!("left {named}") };
    let mut summary = format!(
        "Mid-launch race: {} {left} while the node that Karpenter launched for the pod was booting. That freed room on an old node, and kube-scheduler took the first feasible one, {named}, at {bound}. A nomination is an event, not a reservation.",
        words::list(&names, 3)
    );
    let mut cause = Cause::new(CODE, Class::Race, String::new()).confidence(Confidence::Consistent);
    for story in freed.iter().take(6) {
        cause = cause.because(leaving(story, node));
    }
    if let Some(said) = landing.pod.scheduler_refusals.first() {
        let summary = if unplaced {
            format!(
                "before, kube-scheduler refused every node, {named} among them: the old pods still held their places"
            )
        } else {
            "before, kube-scheduler refused every node".to_owned()
        };
        cause = cause.because(Evidence::event(case.pod_name(), said, summary));
    }
    cause = cause.because_of(super::ready_first::launch_evidence(case));
    if let Some((refusal, feasible)) = then {
        summary.push_str(&format!(" Before, {named} refused it: {refusal}."));
        let outcome = format!("{named} refuses the pod: {refusal}");
        if feasible {
            let change = format!("without {} leaving", words::list(&names, 2));
            cause = cause.unless(Counterfactual::new(change, outcome, true));
        }
    }
    if landing.intent.plans.iter().all(|planned| planned.pass.is_none() || planned.certain) {
        cause = cause.because(Evidence::inferred("no preference was relaxed"));
    }
    cause.summary = summary;
    cause.because_of(super::ready_first::empty_node(case)).advise_all(advice())
}

pub(super) fn advice() -> [Advice; 2] {
    [
        Advice::new(
            "Nothing is wrong as such: the pod runs earlier than planned. The node that was launched in vain is removed by consolidation after consolidateAfter; a shorter one costs less, and moves pods more often.",
        ),
        Advice::new(
            "To avoid the launch, let old pods go before new ones come (maxSurge 0), or require what tells the new node from the old one (a node label, an instance type).",
        ),
    ]
}

fn leaving(story: &PodStory, node: &NodeName) -> Evidence {
    let name = words::pod(&story.key);
    let gone = story
        .ended
        .map(|ended| format!(", and its room was free by {}", words::clock(ended.at)))
        .unwrap_or_default();
    let summary = |at| {
        let on =
            if story.node.is_some() { format!(" on {}", words::node(node)) } else { String::new() };
        format!("{name}{on} was stopped from {} on{gone}", words::clock(at))
    };
    match story.incident(IncidentKind::Killed).or(story.incidents.first()) {
        Some(incident) => {
            Evidence::event(&name, &incident.message, summary(incident.message.moment.at))
        }
        None => match story.ended {
            Some(ended) => Evidence::object(&name, "metadata.deletionTimestamp", summary(ended.at))
                .at(Some(ended.at)),
            None => Evidence::inferred(format!("{name} is gone")),
        },
    }
}

/// What the node refused the pod for while the others were there, and whether that alone stood against it.
fn before(
    case: &Case<'_, '_, '_>,
    freed: &[&PodStory],
    pod: &Arc<Pod>,
    node: &NodeName,
) -> Option<(String, bool)> {
    let landing = case.landing;
    let at = landing.pod.bound?.at;
    if freed.iter().any(|story| story.node.is_none()) {
        return None;
    }
    let mut instant = Instant::at(at);
    instant.released.insert(landing.pod.key.clone());
    let mut state = state_at(landing.world.snapshot, &landing.world.chronicle, &instant).state;
    for story in freed {
        let mut there = (**story.object_or_likeness()?).clone();
        there.node_name = Some(node.clone());
        there.meta.deletion = None;
        there.status.phase = crate::model::pod::Phase::Running;
        state.pods.retain(|other| other.key() != story.key);
        state.pods.push(Arc::new(there));
    }
    state
        .pods
        .sort_by(|a, b| (&a.meta.namespace, &a.meta.name).cmp(&(&b.meta.namespace, &b.meta.name)));
    let decision = what_if::decide(landing.world, &state, pod);
    let verdict = decision.nodes.iter().find(|verdict| verdict.node == *node)?;
    let first = verdict.first.as_ref().or_else(|| verdict.refusals.first())?;
    let reasons: Vec<String> =
        first.reasons.iter().map(|reason| reason.message(&decision.version)).collect();
    let by_pods = first.reasons.iter().any(|reason| {
        matches!(
            reason,
            Rejection::InsufficientResource { .. }
                | Rejection::TooManyPods { .. }
                | Rejection::PodAntiAffinity { .. }
                | Rejection::ExistingPodAntiAffinity { .. }
                | Rejection::HostPortInUse(_)
                | Rejection::SpreadSkew { .. }
                | Rejection::VolumeLimit { .. }
        )
    });
    Some((
        reasons.join(", "),
        by_pods && case.decision().is_some_and(|now| now.feasible.contains(node)),
    ))
}
