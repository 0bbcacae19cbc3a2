//! `NodeClaimTemplate`: what a NodePool would launch.

use std::sync::Arc;

use crate::model::labels::{self, Labels};
use crate::model::names::Str;
use crate::model::nodepool::NodePool;

use super::amounts::Amounts;
use super::bits::Bits;
use super::daemon_overhead::OverheadGroup;
use super::requirement::Requirement;
use super::requirements::{Demand, RequirementSets, Requirements, SetId};
use super::settings::Settings;
use super::taints::TaintsId;

/// A NodePool that may launch, with what is left of its instance types.
#[derive(Debug)]
pub(super) struct NodeClaimTemplate {
    pub(super) pool: Arc<NodePool>,
    pub(super) labels: Labels,
    pub(super) set: SetId,
    pub(super) taints: TaintsId,
    /// Which of the tables of instance types is the pool's, and which entry its limits are.
    pub(super) table: usize,
    /// The types that the pool's own requirements leave.
    pub(super) options: Bits,
    /// By the DaemonSets that will run: the types that have the same.
    pub(super) groups: Vec<OverheadGroup>,
    /// The group of each type.
    pub(super) group_of: Vec<usize>,
    /// The most that pods may use of each type, DaemonSets taken off.
    pub(super) room: Vec<Amounts>,
}

/// A template's labels: those of the pool, its name, and its node class.
pub(super) fn template_labels(pool: &NodePool) -> Labels {
    let class = &pool.template.node_class;
    let text = |part: &Option<Str>| part.as_deref().unwrap_or_default().to_owned();
    let class_key = format!("{}/{}", text(&class.group), text(&class.kind).to_lowercase());
    let own = [
        (Str::from(labels::NODEPOOL), pool.meta.name.clone()),
        (class_key.into(), text(&class.name).into()),
    ];
    pool.template.labels.with(own)
}

/// What a pool's requirements and labels come to.
pub(super) fn pool_requirements(
    pool: &NodePool,
    labels: &Labels,
    sets: &mut RequirementSets,
) -> Requirements {
    let mut requirements = Requirements::default();
    requirements.add_listed(&pool.template.requirements, &mut sets.vocabulary);
    requirements.add_labels(labels, &mut sets.vocabulary);
    requirements
}

/// A template's requirements: the pool's, with those that only the simulation knows.
pub(super) fn template_demand(
    mut requirements: Requirements,
    settings: &Settings,
    sets: &mut RequirementSets,
) -> Demand {
    if settings.version.since(14, 0) {
        let yes = sets.vocabulary.value("true");
        for key in [labels::REGISTERED, labels::INITIALIZED] {
            let key = sets.vocabulary.key(key);
            requirements.add(key, Requirement::one(yes), &sets.vocabulary);
        }
    }
    sets.demand(requirements)
}
