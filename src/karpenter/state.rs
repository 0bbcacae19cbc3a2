//! `State`: where a pass stands. Where chance decides, the state is copied and both ways are followed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::amounts::Amounts;
use super::existing_node::ExistingNode;
use super::host_ports::PortInUse;
use super::in_flight_node_claim::InFlightNodeClaim;
use super::plan::Attempt;
use super::pod_error::PodError;
use super::preferences::Relaxation;
use super::queue::Queue;
use super::reservation_manager::ReservationManager;
use super::topology::Topology;

/// Everything that placements change. Parts are shared between copies until one of them changes.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// In the order in which they are tried.
    pub(super) nodes: Vec<Arc<ExistingNode>>,
    /// In the order of their making.
    pub(super) claims: Vec<Arc<InFlightNodeClaim>>,
    /// The claims in the order in which they are tried.
    pub(super) claim_order: Vec<usize>,
    /// Whether that order is the one in which a sort would leave it.
    pub(super) is_sorted: bool,
    pub(super) topology: Topology,
    pub(super) queue: Queue,
    /// By template: what its pool's limits leave.
    pub(super) remaining: Vec<Option<Limits>>,
    pub(super) reservations: ReservationManager,
    /// By template: host ports in use on any of its claims, where that counts.
    pub(super) shared_ports: Vec<Vec<PortInUse>>,
    /// By pod: why its last attempt failed.
    pub(super) errors: BTreeMap<usize, Arc<PodError>>,
    /// By pod: how often it was tried.
    pub(super) rounds: Vec<usize>,
    /// By pod: how much it has given up for good. Before 1.5.
    pub(super) levels: Vec<usize>,
    pub(super) relaxations: Vec<(usize, Relaxation)>,
    pub(super) trace: BTreeMap<usize, Vec<Attempt>>,
}

/// What a pool's limits leave.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// The limited resources, by their place.
    pub(super) resources: Vec<usize>,
    pub(super) left: Amounts,
    /// What is left of the limit on nodes.
    pub(super) nodes_left: Option<i128>,
}

impl Limits {
    /// Whether a capacity is within what is left.
    pub(super) fn admits(&self, capacity: &Amounts) -> bool {
        self.resources.iter().all(|index| capacity.get(*index) <= self.left.get(*index))
    }

    /// Takes off a capacity, of the limited resources.
    pub(super) fn subtract(&mut self, capacity: &Amounts) {
        for index in &self.resources {
            self.left.lower(*index, capacity.get(*index));
        }
    }
}
