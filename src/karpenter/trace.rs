//! What a traced pod's attempts tell.

use crate::model::resources::Resources;

use super::amounts::ResourceOrder;
use super::candidates::Tried;
use super::existing_node::ExistingNode;
use super::plan::{Candidate, CandidateVerdict};
use super::state::Limits;

pub(super) fn node_candidate(node: &ExistingNode) -> Candidate {
    Candidate::ExistingNode(node.name.clone())
}

pub(super) const fn in_flight(claim: usize) -> Candidate {
    Candidate::InFlight(claim)
}

/// A candidate's answer. One that may take the pod counts as taking it.
pub(super) fn verdict(tried: &Tried) -> CandidateVerdict {
    match &tried.refusal {
        Some(refusal) if tried.accepted.is_empty() => CandidateVerdict::Refuses(refusal.clone()),
        _ => CandidateVerdict::Takes(Vec::new()),
    }
}

/// What limits leave, as resources.
pub(super) fn remaining(limits: &Limits, order: &ResourceOrder) -> Resources {
    let listed = limits
        .resources
        .iter()
        .map(|index| (order.name(*index).clone(), order.quantity(*index, limits.left.get(*index))));
    listed.collect()
}
