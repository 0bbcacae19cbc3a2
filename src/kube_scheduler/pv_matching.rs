//! Which PersistentVolume a claim would be bound to on a node.

use std::sync::Arc;

use crate::model::labels::Labels;
use crate::model::names::Str;
use crate::model::selector::NodeSelectorTerm;
use crate::model::storage::{PersistentVolume, PersistentVolumeClaim};

use super::objects::{class_of_claim, class_of_volume};
use super::selectors::{node_terms, selects};
use super::version::Version;

/// Picks the volume for a claim out of those that are not chosen yet: the one reserved for it, or else the smallest
/// that suits. As upstream's `FindMatchingVolume`.
pub(crate) fn find_matching_volume<'a>(
    claim: &PersistentVolumeClaim,
    volumes: &'a [Arc<PersistentVolume>],
    chosen: &[&PersistentVolume],
    labels: &Labels,
    version: &Version,
) -> Option<&'a PersistentVolume> {
    let class = class_of_claim(claim);
    let mut smallest: Option<&PersistentVolume> = None;
    for volume in volumes.iter().map(|volume| &**volume) {
        let reserved = is_reserved_for(volume, claim);
        let is_chosen = chosen.iter().any(|it| std::ptr::eq(*it, volume));
        if is_chosen || volume.claim.is_some() && !reserved || !suits(volume, claim, version) {
            continue;
        }
        let reachable = is_reachable(volume.node_affinity.as_deref(), labels);
        if reserved {
            return reachable.then_some(volume);
        }
        let available = volume.phase.as_deref() == Some("Available")
            && claim
                .selector
                .as_ref()
                .is_none_or(|selector| selects(Some(selector), &volume.meta.labels))
            && class_of_volume(volume) == class
            && claim.access_modes.iter().all(|mode| volume.access_modes.contains(mode));
        if available && reachable && smallest.is_none_or(|it| volume.capacity < it.capacity) {
            smallest = Some(volume);
        }
    }
    smallest
}

/// Whether a volume is reserved for a claim. As upstream's `IsVolumeBoundToClaim`.
fn is_reserved_for(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    volume.claim.as_ref().is_some_and(|(key, uid)| {
        key.name == claim.meta.name
            && key.namespace == claim.meta.namespace
            && uid.as_ref().is_none_or(|uid| uid.as_str().is_empty() || *uid == claim.meta.uid)
    })
}

fn suits(volume: &PersistentVolume, claim: &PersistentVolumeClaim, version: &Version) -> bool {
    fn mode(mode: Option<&Str>) -> &str {
        mode.map_or("Filesystem", |mode| &**mode)
    }
    fn text(text: Option<&Str>) -> &str {
        text.map_or("", |text| &**text)
    }
    let attributes_class = |class: &Option<Str>| text(class.as_ref()).to_owned();
    let of_volume = attributes_class(&volume.volume_attributes_class_name);
    let same_attributes = if version.since(34) {
        of_volume == attributes_class(&claim.volume_attributes_class_name)
    } else {
        of_volume.is_empty()
    };
    volume.capacity >= claim.storage.unwrap_or_default()
        && mode(volume.volume_mode.as_ref()) == mode(claim.volume_mode.as_ref())
        && same_attributes
        && !volume.meta.is_terminating()
}

/// Whether a node with these labels can reach a volume; one without node affinity is reachable from everywhere.
pub(crate) fn is_reachable(affinity: Option<&[NodeSelectorTerm]>, labels: &Labels) -> bool {
    affinity.is_none_or(|terms| node_terms(terms).iter().any(|term| term.matches_labels(labels)))
}
