//! `FinishedClaims`: what claims came to at the end of a pass. States share most of their claims, and so their ends.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::finalize::{ClaimShape, sorted};
use super::in_flight_node_claim::InFlightNodeClaim;
use crate::model::names::ResourceName;
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;

/// What a claim came to.
#[derive(Debug)]
pub(super) struct FinishedClaim {
    /// Equal for claims of one shape with the same pods and requests.
    pub(super) id: usize,
    pub(super) shape: Arc<ClaimShape>,
    /// What its pods and DaemonSets ask for.
    pub(super) requests: Resources,
}

/// A claim's shape, its pods in order, and what they ask for.
type Signature = (usize, Vec<usize>, Vec<(ResourceName, Quantity)>);

/// A claim and its end. The claim is kept, so that no other comes to lie at its address.
type Known = (Arc<InFlightNodeClaim>, Arc<FinishedClaim>);

/// The ends that are known.
#[derive(Debug, Default)]
pub(super) struct FinishedClaims {
    /// By the claim's address.
    known: FxHashMap<(*const InFlightNodeClaim, usize), Known>,
    ids: FxHashMap<Signature, usize>,
}

impl FinishedClaims {
    pub(super) fn get(
        &self,
        claim: &Arc<InFlightNodeClaim>,
        rotation: usize,
    ) -> Option<Arc<FinishedClaim>> {
        let known = self.known.get(&(Arc::as_ptr(claim), rotation));
        known.map(|(_, finished)| Arc::clone(finished))
    }

    pub(super) fn add(
        &mut self,
        claim: &Arc<InFlightNodeClaim>,
        rotation: usize,
        shape: Arc<ClaimShape>,
        requests: Resources,
    ) -> Arc<FinishedClaim> {
        let signature = (shape.id, sorted(&claim.pods), requests.iter().cloned().collect());
        let next = self.ids.len();
        let id = *self.ids.entry(signature).or_insert(next);
        let finished = Arc::new(FinishedClaim { id, shape, requests });
        let key = (Arc::as_ptr(claim), rotation);
        self.known.insert(key, (Arc::clone(claim), Arc::clone(&finished)));
        finished
    }
}
