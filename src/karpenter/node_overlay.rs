//! `NodeOverlay`: other prices or more capacity for some instance types. As `nodeoverlay.Controller`.

use std::sync::Arc;

use crate::model::cluster_state::ClusterState;
use crate::model::instance_type::InstanceType;
use crate::model::nodepool::NodePool;

use super::requirements::RequirementSets;

/// Applies the overlays of the cluster to the types of its pools.
pub(super) fn apply(
    _state: &ClusterState,
    _pools: &mut [(Arc<NodePool>, Vec<Arc<InstanceType>>)],
    _sets: &mut RequirementSets,
) {
}
