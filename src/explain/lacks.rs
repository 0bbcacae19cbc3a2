//! What the input lacks to say more.

use super::cause::Class;
use super::words;
use crate::model::gap::{Gap, GapKind};
use crate::reconstruct::Landing;
use crate::reconstruct::passes::Known;

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
        gaps.push(if no_log {
            gap.hint("give Karpenter's log at debug level with -f: it tells each pass")
        } else {
            gap
        });
    }
    if landing.pod.bound.is_some() && world.snapshot.events.is_empty() {
        let detail = "without events the moment of the binding is known to the second only, and nothing tells what Karpenter nominated";
        gaps.push(
            Gap::new(GapKind::Missing, "events", detail)
                .hint("kubectl get events -A -o json, and give it with -f"),
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
        gaps.push(
            Gap::new(GapKind::Missing, "Karpenter's log", detail)
                .hint("give Karpenter's log at debug level with -f"),
        );
    }
    gaps
}
