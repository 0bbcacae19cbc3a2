//! What the input lacks to say more.

use super::cause::Class;
use super::words;
use crate::model::gap::{Gap, GapKind};
use crate::reconstruct::Landing;
use crate::reconstruct::passes::Known;

/// The log that tells each pass, and how to give it.
const GIVE_LOG: &str = "kubectl logs -n kube-system -l app.kubernetes.io/name=karpenter --tail=-1 > karpenter.log, and give it with -f karpenter.log; at debug level (LOG_LEVEL=debug) it tells each pass";
/// The same where some log was given.
const LONGER_LOG: &str = "the log that was given does not tell these passes: give one at debug level (LOG_LEVEL=debug) that reaches back to them, and those of restarted pods (kubectl logs --previous)";

/// What would have to be there to know what is not known.
pub(super) fn gaps(landing: &Landing<'_, '_>, class: Class) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let world = landing.world;
    let no_log = world.snapshot.karpenter_log.is_empty();
    let planned_nowhere = landing.was_planned() && landing.intended().is_none();
    if class == Class::Unknown || planned_nowhere {
        let passes = landing
            .intent
            .plans
            .iter()
            .filter_map(|planned| planned.pass)
            .chain(landing.intent.untold.iter().copied());
        let times: Vec<String> = passes
            .filter_map(|pass| world.passes.get(pass))
            .map(|pass| words::clock(pass.time))
            .collect();
        let nominations = "Nominated events are limited to 5 a second, sent at most once a pod in two minutes, and kept for an hour";
        let detail = if times.is_empty() {
            format!("no Nominated event tells where Karpenter meant the pod to go: {nominations}")
        } else {
            format!(
                "Karpenter planned at {}, but no event of this pod tells where it was meant to go ({nominations}), and a replay allows several places",
                words::list(&times, 4)
            )
        };
        let gap = Gap::new(
            GapKind::Missing,
            format!("the nomination of pod/{}", landing.pod.key.name),
            detail,
        );
        gaps.push(gap.hint(if no_log { GIVE_LOG } else { LONGER_LOG }));
    }
    if landing.pod.bound.is_some() && world.snapshot.events.is_empty() {
        let detail = "without events the moment of the binding is known to the second only, and nothing tells what Karpenter nominated";
        gaps.push(
            Gap::new(GapKind::Missing, "events", detail).hint(
                "kubectl get events -A -o json > events.json, and give it with -f events.json",
            ),
        );
    }
    let inferred = landing.intent.plans.iter().any(|planned| {
        planned
            .pass
            .and_then(|pass| world.passes.get(pass))
            .is_some_and(|pass| pass.known == Known::Inferred)
    });
    if inferred && no_log {
        let detail = "passes of Karpenter that launch nothing leave no trace: their times are worked out from what wakes Karpenter";
        gaps.push(Gap::new(GapKind::Missing, "Karpenter's log", detail).hint(GIVE_LOG));
    }
    gaps
}
