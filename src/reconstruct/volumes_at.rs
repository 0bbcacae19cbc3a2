//! Volumes as they were at a moment: what a pod's binding bound is free again.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::chronicle::Chronicle;
use super::state_at::{Instant, Stage, stages};
use crate::model::cluster_state::ClusterState;
use crate::model::names::Str;
use crate::model::pod::VolumeSource;
use crate::model::snapshot::Snapshot;
use crate::model::storage::BindingMode;

/// Volumes that were bound after the moment, for a pod that waited then, are unbound again.
pub(super) fn unbind(
    state: &mut ClusterState,
    snapshot: &Snapshot,
    chronicle: &Chronicle,
    instant: &Instant,
) {
    if state.persistent_volume_claims.is_empty() {
        return;
    }
    let late = |class: Option<&Str>| {
        class.is_some_and(|class| {
            snapshot.objects.storage_classes.iter().any(|known| {
                known.meta.name == *class
                    && known.binding_mode == Some(BindingMode::WaitForFirstConsumer)
            })
        })
    };
    let mut undone: BTreeSet<Str> = BTreeSet::new();
    for (story, stage) in stages(chronicle, instant) {
        let Some(pod) = &story.object else { continue };
        if stage != Stage::Waiting || pod.node_name.is_none() {
            continue;
        }
        for volume in &pod.spec.volumes {
            let name: Str = match &volume.source {
                VolumeSource::PersistentVolumeClaim(name) => name.clone(),
                VolumeSource::Ephemeral { .. } => {
                    format!("{}-{}", pod.meta.name, volume.name).into()
                }
                _ => continue,
            };
            let wanted = (&*pod.meta.namespace.0, &*name);
            let found = state.persistent_volume_claims.binary_search_by(|claim| {
                (&*claim.meta.namespace.0, &*claim.meta.name).cmp(&wanted)
            });
            let Ok(index) = found else { continue };
            let claim = &mut state.persistent_volume_claims[index];
            let selected = claim.meta.annotations.contains("volume.kubernetes.io/selected-node");
            if claim.volume_name.is_none() || !late(claim.storage_class_name.as_ref()) || !selected
            {
                continue;
            }
            let mut unbound = (**claim).clone();
            undone.extend(unbound.volume_name.take());
            unbound.phase = Some("Pending".into());
            unbound.meta.annotations = unbound.meta.annotations.without(&[
                "volume.kubernetes.io/selected-node",
                "pv.kubernetes.io/bind-completed",
                "pv.kubernetes.io/bound-by-controller",
            ]);
            *claim = Arc::new(unbound);
        }
    }
    if undone.is_empty() {
        return;
    }
    // A volume that was made for the pod was not there; a static one was there, and free.
    state.persistent_volumes.retain(|volume| {
        !(undone.contains(&volume.meta.name)
            && volume.meta.created.is_some_and(|created| created > instant.at))
    });
    for volume in &mut state.persistent_volumes {
        if undone.contains(&volume.meta.name) {
            let mut free = (**volume).clone();
            free.claim = None;
            free.phase = Some("Available".into());
            *volume = Arc::new(free);
        }
    }
}
