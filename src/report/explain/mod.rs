//! From an `explain::Explanation` to the contract.

mod batch;
mod causes;
mod nodes;
mod places;
mod relaxations;
pub(super) mod timeline;

use std::collections::BTreeMap;

use super::{
    ApiVersion, Assumption, Cause, Explanation, Gap, Metadata, Pod, Room, Variants, Verdict,
};
use crate::explain;
use crate::kube_scheduler::Decision;
use crate::model::names::NodeName;
use crate::model::pod::Phase;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::snapshot::Snapshot;
use crate::reconstruct::room::{self, rooms};
use crate::reconstruct::{Landing, World};

use places::Placements;

type Rooms = BTreeMap<NodeName, room::Room>;

impl From<&explain::Explanation<'_, '_>> for Explanation {
    fn from(explanation: &explain::Explanation<'_, '_>) -> Self {
        let landing = &explanation.landing;
        let now = &landing.world.snapshot.objects;
        let state = landing.binding.as_ref().map_or(now, |binding| &binding.state);
        let rooms = rooms(state);
        let decision = decision(landing);
        let placements = Placements { landing, decision, rooms: &rooms };
        let causes: Vec<Cause> = explanation.causes.iter().map(Cause::from).collect();
        Self {
            api_version: ApiVersion::default(),
            metadata: metadata(landing.world),
            pod: pod(landing),
            verdict: Verdict {
                class: explanation.class.into(),
                summary: explanation.summary.clone(),
                confidence: causes.first().map(|cause| cause.confidence),
                variants: landing.binding.as_ref().map(|binding| Variants {
                    holds: binding.tally.best,
                    of: binding.tally.orders,
                }),
            },
            intended: placements.intended(),
            scheduler_pick: placements.pick(),
            actual: placements.actual(),
            batch: batch::batch(landing),
            causes,
            relaxations: relaxations::relaxations(landing),
            timeline: timeline::timeline(landing),
            nodes: nodes::nodes(landing, state, decision, &rooms),
            node_pools: nodes::node_pools(landing),
            assumptions: assumptions(landing, explanation),
            gaps: landing
                .world
                .snapshot
                .gaps
                .iter()
                .chain(&explanation.gaps)
                .map(Gap::from)
                .collect(),
            ..Self::default()
        }
    }
}

/// What answered, and from what.
pub(super) fn metadata(world: &World<'_>) -> Metadata {
    Metadata {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        replayed: Some(super::Replayed {
            karpenter: Some(world.setup.karpenter.version.to_string()),
            kube_scheduler: Some(world.setup.scheduler_version.to_string()),
        }),
        input: Some(super::Input {
            kind: input_kind(world.snapshot),
            sources: world.snapshot.inputs.clone(),
            taken_at: world.snapshot.taken_at,
            nodes: Some(world.snapshot.objects.nodes.len() as u64),
            pods: Some(world.snapshot.objects.pods.len() as u64),
        }),
    }
}

fn input_kind(snapshot: &Snapshot) -> super::InputKind {
    if snapshot.is_live {
        return super::InputKind::Live;
    }
    if snapshot.recorded.is_empty() { super::InputKind::Dump } else { super::InputKind::Recording }
}

fn decision<'e>(landing: &'e Landing<'_, '_>) -> Option<&'e Decision> {
    let bound = landing.binding.as_ref().map(|binding| &binding.decision);
    bound.or_else(|| landing.pending.as_ref()?.decision.as_ref())
}

fn pod(landing: &Landing<'_, '_>) -> Pod {
    let story = landing.pod;
    let object = story.object_or_likeness();
    Pod {
        namespace: story.key.namespace.to_string(),
        name: story.key.name.to_string(),
        uid: Some(story.uid.to_string()).filter(|uid| !uid.is_empty()),
        gone: story.object.is_none(),
        owner: story.owner.as_ref().map(ToString::to_string),
        // What a pod that is gone looked like, a sibling shows; how it did, no one.
        phase: story.object.as_ref().map(|pod| phase(pod.status.phase).to_owned()),
        scheduler_name: object.map(|pod| pod.spec.scheduler_name.0.to_string()),
        priority: object.map(|pod| pod.priority()),
        requests: object.map(|pod| Room::from(&spec_requests(&pod.spec, RequestRules::default()))),
        created: story.created.map(|moment| moment.at),
        bound: story.bound.map(|moment| moment.at),
    }
}

const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Pending => "Pending",
        Phase::Running => "Running",
        Phase::Succeeded => "Succeeded",
        Phase::Failed => "Failed",
        Phase::Unknown => "Unknown",
    }
}

fn assumptions(
    landing: &Landing<'_, '_>,
    explanation: &explain::Explanation<'_, '_>,
) -> Vec<Assumption> {
    explanation
        .assumptions
        .iter()
        .map(|assumption| Assumption {
            subject: assumption.subject.clone(),
            value: assumption.value.clone(),
            reason: assumption.reason.clone(),
            hint: assumption.hint.clone(),
        })
        .chain(landing.assumptions.iter().map(|assumption| Assumption {
            subject: assumption.subject.clone(),
            value: None,
            reason: assumption.reason.clone(),
            hint: None,
        }))
        .collect()
}
