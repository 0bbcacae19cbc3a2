//! One file a cause. Each looks at a landing and gives a cause with its evidence, or nothing.

#![expect(clippy::similar_names, reason = "a case has causes: these are the words")]

pub(super) mod bound;
mod facts;
pub(super) mod pending;

pub(super) use bound::relaxed_preference::cause as relaxed_cause;
pub(super) use pending::no_nodepool_fits::told_error;
pub(super) use pending::prefers_no_karpenter_node::told;

use std::collections::BTreeMap;

use super::cause::{Cause, Class};
use crate::model::cluster_state::ClusterState;
use crate::model::names::NodeName;
use crate::reconstruct::Landing;
use crate::reconstruct::room::Room;

/// What a detector is given.
pub struct Case<'c, 'w, 'a> {
    /// The pod's landing.
    pub landing: &'c Landing<'w, 'a>,
    /// The verdict.
    pub class: Class,
    /// The cluster at the moment that matters: of the binding, or now for a pod that waits.
    pub state: &'c ClusterState,
    /// The room on each node of that state.
    pub rooms: &'c BTreeMap<NodeName, Room>,
}

/// Looks for one cause.
pub type Detector = fn(&Case<'_, '_, '_>) -> Vec<Cause>;

/// All detectors, the strongest explanations first.
pub const DETECTORS: &[Detector] = &[
    pending::startup_taint::detect,
    pending::preference_hardened::detect,
    pending::launch_failed::detect,
    pending::prefers_no_karpenter_node::detect,
    pending::restricted_label::detect,
    pending::dra_ignored::detect,
    pending::other_scheduler::detect,
    pending::plan_not_kept::detect,
    pending::existing_pods_anti_affinity::detect,
    pending::volume_limit::detect,
    pending::spread_pins_zone::detect,
    pending::daemon_overhead::detect,
    pending::volume_place::detect,
    pending::no_nodepool_fits::detect,
    pending::nodepool_limit::detect,
    pending::waits_for_node::detect,
    pending::no_node_fits::detect,
    bound::preempted::detect,
    bound::room_freed::detect,
    bound::ready_first::detect,
    bound::took_others_room::detect,
    bound::soft_rule_sized::detect,
    bound::equal_pods_swapped::detect,
    bound::had_room_already::detect,
    bound::allocatable_shortfall::detect,
    bound::allocatable_mispredicted::detect,
    bound::intended_refused::detect,
    bound::outscored::detect,
    bound::sampled_out::detect,
    bound::relaxed_preference::detect,
    bound::other_offering::detect,
];
