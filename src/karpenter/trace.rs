//! What a traced pod's attempts tell.

use crate::model::nodepool::NodeRequirement;
use crate::model::resources::Resources;

use super::amounts::ResourceOrder;
use super::batch_pod::{BatchPod, Variant};
use super::candidates::{Accepted, Tried};
use super::existing_node::ExistingNode;
use super::plan::{Candidate, CandidateVerdict, Narrowing, NarrowingStep};
use super::requirements::{RequirementSets, SetId};
use super::state::Limits;
use super::topology::Constraint;

pub(super) fn node_candidate(node: &ExistingNode) -> Candidate {
    Candidate::ExistingNode(node.name.clone())
}

pub(super) const fn in_flight(claim: usize) -> Candidate {
    Candidate::InFlight(claim)
}

/// What a candidate was asked for.
pub(super) struct Question<'a> {
    pub(super) pod: &'a BatchPod,
    pub(super) variant: &'a Variant,
    pub(super) constraints: &'a [Constraint],
}

/// A candidate's answer. One that may take the pod counts as taking it, in the first way that it may.
pub(super) fn verdict(
    tried: &Tried,
    asked: &Question<'_>,
    sets: &RequirementSets,
) -> CandidateVerdict {
    match (tried.accepted.first(), &tried.refusal) {
        (None, Some(refusal)) => CandidateVerdict::Refuses(refusal.clone()),
        (Some(way), _) => CandidateVerdict::Takes(narrowings(way, asked, sets)),
        (None, None) => CandidateVerdict::Takes(Vec::new()),
    }
}

/// What the pod, its volumes and the rules over other pods asked of the candidate that takes it.
fn narrowings(way: &Accepted, asked: &Question<'_>, sets: &RequirementSets) -> Vec<Narrowing> {
    let mut steps = Vec::new();
    let mut push = |step, requirements: Vec<NodeRequirement>| {
        if !requirements.is_empty() {
            steps.push(Narrowing { step, requirements, remaining_types: None });
        }
    };
    push(NarrowingStep::PodRequirements, listed(asked.variant.full.set, sets));
    let alternatives = asked.pod.alternatives.as_deref().unwrap_or_default();
    if let Some(alternative) = alternatives.get(way.alternative) {
        push(NarrowingStep::VolumeAlternative(way.alternative), listed(alternative.set, sets));
    }
    let chosen = sets.get(way.set).iter().filter(|(key, _)| {
        asked.constraints.iter().any(|constraint| constraint.group.rule.key == *key)
    });
    let chosen = chosen.flat_map(|(key, requirement)| requirement.listed(*key, &sets.vocabulary));
    push(NarrowingStep::Topology, chosen.collect());
    let types = way.options.iter().count();
    if types > 0 {
        steps.push(Narrowing {
            step: NarrowingStep::InstanceTypes,
            requirements: Vec::new(),
            remaining_types: Some(types),
        });
    }
    steps
}

fn listed(set: SetId, sets: &RequirementSets) -> Vec<NodeRequirement> {
    let requirements = sets.get(set).iter();
    let listed =
        requirements.flat_map(|(key, requirement)| requirement.listed(*key, &sets.vocabulary));
    listed.collect()
}

/// What limits leave, as resources.
pub(super) fn remaining(limits: &Limits, order: &ResourceOrder) -> Resources {
    let listed = limits
        .resources
        .iter()
        .map(|index| (order.name(*index).clone(), order.quantity(*index, limits.left.get(*index))));
    listed.collect()
}
