//! Zones that objects name: volumes bound to a place, NodePools that ask for one.

use crate::model::labels;
use crate::model::names::Str;
use crate::model::nodepool::NodePool;
use crate::model::selector::Operator;
use crate::model::storage::PersistentVolume;

/// Keys under which volumes name their zone.
const VOLUME_ZONES: [&str; 4] = [
    labels::ZONE,
    labels::ZONE_BETA,
    "topology.ebs.csi.aws.com/zone",
    "topology.disk.csi.azure.com/zone",
];

/// The zones in which a volume can be used.
pub(crate) fn of_volume(volume: &PersistentVolume) -> impl Iterator<Item = Str> {
    let terms = volume.node_affinity.iter().flatten();
    terms
        .flat_map(|term| &term.match_expressions)
        .filter(|it| it.operator == Operator::In && VOLUME_ZONES.contains(&&*it.key))
        .flat_map(|it| it.values.iter().cloned())
        .filter(|zone| !zone.is_empty())
}

/// The zones that a NodePool asks for by name.
pub(crate) fn of_pool(pool: &NodePool) -> impl Iterator<Item = Str> {
    let asked = pool.template.requirements.iter();
    let zones = asked.filter(|it| it.operator == Operator::In && &*it.key == labels::ZONE);
    let labelled = pool.template.labels.get(labels::ZONE).cloned();
    zones.flat_map(|it| it.values.iter().cloned()).chain(labelled)
}
